"""Short ways to make sessions and messages: a test names only what it is about."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from assistant.ports import Transcript
from memory.types import Message, MessageId, MessageRole, MessageStatus, Session, SessionId, SessionMode
from tests.support.clock import MONDAY


def a_session(
    id: str = "s1",
    *,
    title: str = "A talk",
    created_at: datetime = MONDAY,
    updated_at: datetime | None = None,
    mode: SessionMode = "normal",
    head_id: int | None = None,
    message_count: int = 0,
) -> Session:
    return Session(
        id=SessionId(id),
        title=title,
        created_at=created_at,
        updated_at=updated_at or created_at,
        mode=mode,
        head_id=None if head_id is None else MessageId(head_id),
        message_count=message_count,
    )


def a_message(
    id: int = 1,
    content: str = "Hello",
    *,
    role: MessageRole = "user",
    session_id: str = "s1",
    parent_id: int | None = None,
    created_at: datetime = MONDAY,
    status: MessageStatus = "complete",
    model: str = "",
) -> Message:
    """A typed user message, or a generated answer when `role` says so."""
    return Message(
        id=MessageId(id),
        session_id=SessionId(session_id),
        parent_id=None if parent_id is None else MessageId(parent_id),
        role=role,
        content=content,
        created_at=created_at,
        origin="typed" if role == "user" else "generated",
        status=status,
        model=model,
    )


def a_talk(*contents: str, session_id: str = "s1", start: int = 1) -> tuple[Message, ...]:
    """User and assistant in turn, each message below the one before."""
    roles: tuple[MessageRole, MessageRole] = ("user", "assistant")
    return tuple(
        a_message(
            start + index,
            content,
            role=roles[index % 2],
            session_id=session_id,
            parent_id=None if index == 0 else start + index - 1,
            created_at=MONDAY + timedelta(seconds=index),
        )
        for index, content in enumerate(contents)
    )


async def finished_reply(
    transcript: Transcript,
    parent_id: MessageId,
    content: str,
    *,
    at: datetime = MONDAY,
    model: str = "tiny",
    status: MessageStatus = "complete",
) -> Message:
    """An answer that is begun and finished in one go."""
    begun = await transcript.begin_reply(parent_id, at=at, model=model)
    return await transcript.finish_reply(
        begun.id,
        content,
        thought="",
        status=status,
        finish_reason="stop",
        tokens_in=10,
        tokens_out=5,
        seconds=0.5,
        at=at,
    )


async def kept_talk(
    transcript: Transcript,
    contents: Iterable[str],
    *,
    title: str = "A talk",
    at: datetime = MONDAY,
) -> tuple[Session, tuple[Message, ...]]:
    """Keep a whole conversation: user and assistant in turn. The session as it stands afterwards, and its path."""
    session = await transcript.create_session(at=at, title=title)
    head: MessageId | None = None
    for index, content in enumerate(contents):
        moment = at + timedelta(seconds=index)
        if index % 2 == 0 or head is None:
            head = (await transcript.add_user_message(session.id, head, content, at=moment)).id
        else:
            head = (await finished_reply(transcript, head, content, at=moment)).id
    return await transcript.session(session.id), await transcript.path(session.id)
