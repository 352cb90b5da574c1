"""Errors of the ui package, and the one table that turns every expected error into words and an exit code.

UiError(message, hint)
  ConfigError        config.toml cannot be read, or holds something Steward does not know
  NeedsTerminal      asked for a full screen or an answer where there is no terminal
  DecisionWaiting    nothing more can be done until the user decides (exit 4)
"""

from dataclasses import dataclass, replace

EXIT_DONE = 0
EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_HOME_IN_USE = 3
EXIT_DECISION_WAITING = 4
EXIT_INTERRUPTED = 130


class UiError(Exception):
    exit_code = EXIT_FAILED

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class ConfigError(UiError): ...


class NeedsTerminal(UiError): ...


class DecisionWaiting(UiError):
    exit_code = EXIT_DECISION_WAITING


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """An expected error as the user sees it: one line, the next step, and the exit code."""

    message: str
    hint: str
    exit_code: int


def explain(error: BaseException) -> Explained | None:
    """The words for an expected error, without secrets; None for a bug."""
    from ui.redaction import without_secrets

    found = _explained(error)
    if found is None:
        return None
    return replace(found, message=without_secrets(found.message), hint=without_secrets(found.hint))


def _explained(error: BaseException) -> Explained | None:
    """The rooms are imported only now: start-up stays quick."""
    from memory.errors import HomeInUse, StoreError
    from models.errors import FetchError, ModelError

    match error:
        case ExceptionGroup():
            return next((said for inner in error.exceptions if (said := _explained(inner)) is not None), None)
        case UiError():
            return Explained(message=error.message, hint=error.hint, exit_code=error.exit_code)
        case HomeInUse():
            return Explained(message=error.message, hint=error.hint, exit_code=EXIT_HOME_IN_USE)
        case StoreError() | FetchError():
            return Explained(message=error.message, hint=error.hint, exit_code=EXIT_FAILED)
        case ModelError():
            return Explained(message=error.failure.message, hint=error.failure.hint, exit_code=EXIT_FAILED)
        case _:
            return _explain_from_assistant(error)


def _explain_from_assistant(error: BaseException) -> Explained | None:
    from assistant.errors import AssistantError

    if isinstance(error, AssistantError):
        return Explained(message=error.message, hint=error.hint, exit_code=EXIT_FAILED)
    return None
