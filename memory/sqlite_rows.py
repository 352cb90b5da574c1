"""Rows of SQLite as the frozen values of memory.types. The column lists and the functions belong together."""

from typing import Any

from memory.text import moment
from memory.types import Message, Session

SESSION = (
    "session.id, session.title, session.created_at, session.updated_at, session.mode, session.head_id, "
    "(SELECT count(*) FROM message WHERE message.session_id = session.id), "
    "(SELECT source FROM imported WHERE imported.session_id = session.id)"
)
MESSAGE = (
    "message.id, message.session_id, message.parent_id, message.role, message.content, message.created_at, "
    "message.origin, message.status, message.thought, message.model, message.finish_reason, message.tokens_in, "
    "message.tokens_out, message.seconds"
)
SESSION_WIDTH = 8  # columns of SESSION, where both lists stand in one row


def session_from(row: tuple[Any, ...]) -> Session:
    id, title, created_at, updated_at, mode, head_id, message_count, imported_from = row
    return Session(
        id=id,
        title=title,
        created_at=moment(created_at),
        updated_at=moment(updated_at),
        mode=mode,
        head_id=head_id,
        message_count=message_count,
        imported_from=imported_from or "",
    )


def message_from(row: tuple[Any, ...]) -> Message:
    id, session_id, parent_id, role, content, created_at, origin, status, *rest = row
    thought, model, finish_reason, tokens_in, tokens_out, seconds = rest
    return Message(
        id=id,
        session_id=session_id,
        parent_id=parent_id,
        role=role,
        content=content,
        created_at=moment(created_at),
        origin=origin,
        status=status,
        thought=thought,
        model=model,
        finish_reason=finish_reason,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        seconds=seconds,
    )
