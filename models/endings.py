"""How a child process ended, in words a user can act on. Pure."""

import signal
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from models.errors import BadSchema, Cancelled, ContextFull, ModelError, ModelMissing, ModelRefused, WorkerDied
from models.types import Failure, FailureKind

KERNEL_SIGNALS = frozenset({"SIGSEGV", "SIGILL", "SIGBUS", "SIGFPE"})  # what faulty CPU kernels raise

_ERRORS: Mapping[FailureKind, type[ModelError]] = MappingProxyType(
    {
        "model_missing": ModelMissing,
        "model_refused": ModelRefused,
        "worker_died": WorkerDied,
        "worker_hung": WorkerDied,
        "context_full": ContextFull,
        "bad_schema": BadSchema,
        "cancelled": Cancelled,
    }
)

RESTARTED = "It is started again by itself; ask again."
LAST_TRY = "Ask again for one more try, or run `steward doctor`."

CANCELLED = Failure(kind="cancelled", message="The request was cancelled.", hint="Ask again when the model is free.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    failure: Failure
    crash: str = ""  # the signal, when it is one of KERNEL_SIGNALS


def ending(returncode: int, *, loading: bool, log: str) -> Ending:
    """`returncode` as of asyncio: negative is a signal. `log` is the path of the engine's log."""
    when = " while it was loading the model" if loading else ""
    if returncode >= 0:
        return Ending(failure=_died(f"The model process ended with exit code {returncode}{when}.", log))
    name = signal_name(-returncode)
    if name == "SIGKILL":
        return Ending(failure=_killed(when))
    crash = name if name in KERNEL_SIGNALS else ""
    how = f"crashed ({name})" if crash or name == "SIGABRT" else f"was ended from outside ({name})"
    return Ending(failure=_died(f"The model process {how}{when}.", log), crash=crash)


def not_started(error: OSError) -> Failure:
    reason = error.strerror or type(error).__name__
    return Failure(
        kind="worker_died",
        message=f"The model process could not be started: {reason}.",
        hint="Free some memory or processes, then ask again.",
    )


def broken(what: str, log: str) -> Failure:
    """`what` is in our words: what the child sent may be anything, and does not belong on a screen."""
    return Failure(
        kind="worker_died",
        message=f"The model process could not be understood and was stopped: {what}.",
        hint=f"{RESTARTED} The engine's log is {log}.",
    )


def given_up(last: Failure, deaths: int) -> Failure:
    """After too many endings in a row; advice that the last one came with is kept."""
    return replace(
        last,
        message=f"The model process ended {deaths} times in a row, last: {last.message}",
        hint=last.hint.replace(RESTARTED, LAST_TRY),
    )


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def buffers_note(signal_name: str, system_info: str) -> str:
    """The line that `doctor` and the status show once the extra-buffer kernels are off."""
    kernels = "AMX" if "AMX_INT8 = 1" in system_info or not system_info else "Repacking"
    return (
        f"{kernels} kernels crash in this build ({signal_name}); they are off. Rebuild with "
        'CMAKE_ARGS="-DGGML_NATIVE=OFF" pip install --force-reinstall --no-cache-dir --no-deps llama-cpp-python'
    )


def error_of(failure: Failure) -> ModelError:
    """The exception that stands for a failure, for the calls that raise."""
    return _ERRORS.get(failure.kind, ModelError)(failure)


def _died(message: str, log: str) -> Failure:
    return Failure(
        kind="worker_died",
        message=message,
        hint=f"{RESTARTED} The engine's log is {log}.",
    )


def _killed(when: str) -> Failure:
    return Failure(
        kind="worker_died",
        message=f"The system ended the model process (SIGKILL){when}; most likely memory ran out.",
        hint="Choose a smaller model (`steward models list`) or a smaller context "
        "(`steward config set model.context_length 4096`).",
    )
