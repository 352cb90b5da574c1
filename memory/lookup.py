"""Saying that something is not there, in the same words by every transcript."""

from memory.errors import NotFound
from memory.types import SessionId


def no_session(wanted: str) -> NotFound:
    return NotFound(f"There is no session {wanted!r}.", "`steward sessions list` shows those there are.")


def no_message(wanted: int) -> NotFound:
    return NotFound(f"There is no message {wanted}.", "It may have been deleted with its session.")


def one_of(wanted: str, fitting: tuple[str, ...]) -> SessionId:
    """The only id that fits. Raises NotFound, naming some when there are several."""
    if not fitting:
        raise no_session(wanted)
    if len(fitting) > 1:
        raise NotFound(f"{wanted!r} fits {len(fitting)} sessions.", f"Give more of it: {', '.join(fitting[:5])}.")
    return SessionId(fitting[0])
