"""What both exports need to read single values: everything in them may be missing, null or of another type. Pure."""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from memory.importing.types import ImportedMessage

Clean = Callable[[str], str]
_MILLISECONDS = 1e11  # a number of seconds beyond this is one of milliseconds
_FIRST = datetime(2015, 1, 1, tzinfo=UTC)  # before the first of these assistants


def moment_of(value: Any) -> datetime | None:
    """Seconds since 1970, milliseconds, or ISO 8601; None for null, zero, and what cannot be a time of a chat."""
    found: datetime | None = None
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            seconds = value / 1000 if value > _MILLISECONDS else value
            found = datetime.fromtimestamp(seconds, UTC)
        elif isinstance(value, str) and 0 < len(value) < 64:
            found = _from_text(value)
    except (ValueError, OverflowError, OSError):
        return None
    return found if found is not None and found >= _FIRST else None


def _from_text(value: str) -> datetime:
    try:
        return datetime.fromtimestamp(float(value), UTC)
    except ValueError:
        found = datetime.fromisoformat(value)
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def text_of(value: Any) -> str:
    return value if isinstance(value, str) else ""


def mapping_of(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def list_of(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def first_text(*values: Any) -> str:
    return next((value for value in values if isinstance(value, str) and value), "")


def digest_of(messages: Sequence[ImportedMessage]) -> str:
    """Of the texts and how they hang together; not of times and titles."""
    pieces: list[str] = []
    for one in messages:
        pieces += (
            f"{one.parent} {one.role} {len(one.content)} {len(one.thought)}\n",
            one.content,
            one.thought,
        )
    hashed = hashlib.blake2b("".join(pieces).encode("utf-8", "replace"), digest_size=16)
    return hashed.hexdigest()


def counted(left_out: Counter[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted((name, count) for name, count in left_out.items() if count))
