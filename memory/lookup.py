"""Finding by the beginning of an id, and saying that something is not there, in the same words by every store."""

from collections.abc import Sequence

from memory.errors import NotFound
from memory.types import SessionId


def no_session(wanted: str) -> NotFound:
    return NotFound(f"There is no session {wanted!r}.", "`steward sessions list` shows those there are.")


def no_message(wanted: int) -> NotFound:
    return NotFound(f"There is no message {wanted}.", "It may have been deleted with its session.")


def only(wanted: str, fitting: Sequence[str], *, missing: NotFound, what: str) -> str:
    """The only id that fits. Raises `missing` for none, and NotFound naming some of `what` when there are several."""
    if not fitting:
        raise missing
    if len(fitting) > 1:
        raise NotFound(f"{wanted!r} fits {len(fitting)} {what}.", f"Give more of it: {', '.join(fitting[:5])}.")
    return fitting[0]


def one_of(wanted: str, fitting: Sequence[str]) -> SessionId:
    """Raises NotFound."""
    return SessionId(only(wanted, fitting, missing=no_session(wanted), what="sessions"))
