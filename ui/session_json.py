"""Sessions as JSON values, in the shapes that docs/formats.md promises: fields may be added, none goes."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from memory.text import MARK_END, MARK_START
from memory.types import Found, Message, Session

FORMAT = "steward-session"
VERSION = 1


def session_value(session: Session) -> dict[str, Any]:
    return {
        "id": session.id,
        "title": session.title,
        "created_at": _time(session.created_at),
        "updated_at": _time(session.updated_at),
        "mode": session.mode,
        "message_count": session.message_count,
        "imported_from": session.imported_from or None,
    }


def message_value(message: Message) -> dict[str, Any]:
    return {
        "id": message.id,
        "parent_id": message.parent_id,
        "role": message.role,
        "content": message.content,
        "thought": message.thought,
        "origin": message.origin,
        "status": message.status,
        "model": message.model,
        "finish_reason": message.finish_reason,
        "tokens_in": message.tokens_in,
        "tokens_out": message.tokens_out,
        "seconds": message.seconds,
        "created_at": _time(message.created_at),
    }


def export_value(session: Session, tree: Sequence[Message], path: Sequence[Message]) -> dict[str, Any]:
    """The whole session: every branch, and which of them is shown. Equal for an equal session."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "session": session_value(session),
        "shown": [message.id for message in path],
        "messages": [message_value(message) for message in tree],
    }


def found_value(found: Found) -> dict[str, Any]:
    """A hit; `matches` are the places in `snippet`, from (counted in characters) and up to."""
    text, matches = split_marks(found.snippet)
    return {
        "session": session_value(found.session),
        "message": message_value(found.message),
        "snippet": text,
        "matches": [list(place) for place in matches],
    }


def split_marks(snippet: str) -> tuple[str, list[tuple[int, int]]]:
    """The snippet without its marks, and where they were. Marks that are not a pair are left out."""
    text: list[str] = []
    matches: list[tuple[int, int]] = []
    start: int | None = None
    for character in snippet:
        if character == MARK_START:
            start = len(text)
        elif character == MARK_END:
            if start is not None:
                matches.append((start, len(text)))
            start = None
        else:
            text.append(character)
    return "".join(text), matches


def _time(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
