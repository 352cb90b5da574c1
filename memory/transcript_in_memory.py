"""The transcript without a disk: the reference for the one in SQLite, and what --incognito and --demo keep."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from memory.lookup import no_message, no_session, one_of
from memory.text import (
    MARK_START,
    Query,
    folded,
    parse_query,
    random_id,
    snippet_around,
    storable,
)
from memory.types import Found, Message, MessageId, MessageStatus, Origin, Session, SessionId, SessionMode

_WORD = re.compile(r"[^\W_]+")


@dataclass(slots=True)
class InMemoryTranscript:
    """Implements assistant.ports.Transcript; everything is gone with the process."""

    new_id: Callable[[], str] = random_id
    _sessions: dict[SessionId, Session] = field(default_factory=dict)
    _messages: dict[MessageId, Message] = field(default_factory=dict)
    _last_message: int = 0

    async def create_session(self, *, at: datetime, title: str = "", mode: SessionMode = "normal") -> Session:
        id = SessionId(self.new_id())
        while id in self._sessions:
            id = SessionId(self.new_id())
        at = _utc(at)
        self._sessions[id] = Session(id=id, title=storable(title), created_at=at, updated_at=at, mode=mode)
        return self._sessions[id]

    async def session(self, session_id: SessionId) -> Session:
        return self._session(session_id)

    async def find_session(self, wanted: str) -> Session:
        if wanted in self._sessions:
            return self._session(SessionId(wanted))
        fitting = [id for id in sorted(self._sessions) if wanted and id.startswith(wanted.lower())]
        return self._session(one_of(wanted, tuple(fitting)))

    async def latest_session(self) -> Session | None:
        return next(self._newest_first(), None)

    async def sessions(self, *, limit: int = 50, offset: int = 0, title_contains: str = "") -> tuple[Session, ...]:
        part = folded(storable(title_contains))
        fitting = [session for session in self._newest_first() if part in folded(session.title)]
        return tuple(fitting[offset : offset + limit])

    async def rename(self, session_id: SessionId, title: str) -> None:
        self._sessions[session_id] = replace(self._session(session_id), title=storable(title))

    async def delete_session(self, session_id: SessionId) -> None:
        self._session(session_id)
        del self._sessions[session_id]
        self._messages = {id: found for id, found in self._messages.items() if found.session_id != session_id}

    async def add_user_message(
        self,
        session_id: SessionId,
        parent_id: MessageId | None,
        content: str,
        *,
        at: datetime,
        origin: Origin = "typed",
    ) -> Message:
        self._session(session_id)
        if parent_id is not None and self._message(parent_id).session_id != session_id:
            raise no_message(parent_id)
        return self._add(
            Message(
                id=MessageId(self._last_message + 1),
                session_id=session_id,
                parent_id=parent_id,
                role="user",
                content=storable(content),
                created_at=_utc(at),
                origin=origin,
            )
        )

    async def begin_reply(self, parent_id: MessageId, *, at: datetime, model: str) -> Message:
        return self._add(
            Message(
                id=MessageId(self._last_message + 1),
                session_id=self._message(parent_id).session_id,
                parent_id=parent_id,
                role="assistant",
                content="",
                created_at=_utc(at),
                origin="generated",
                status="writing",
                model=storable(model),
            )
        )

    async def checkpoint_reply(self, message_id: MessageId, content: str, thought: str = "") -> None:
        message = self._message(message_id)
        if message.status == "writing":
            self._messages[message_id] = replace(message, content=storable(content), thought=storable(thought))

    async def finish_reply(
        self,
        message_id: MessageId,
        content: str,
        *,
        thought: str,
        status: MessageStatus,
        finish_reason: str,
        tokens_in: int,
        tokens_out: int,
        seconds: float,
        at: datetime,
    ) -> Message:
        message = self._message(message_id)
        if message.status != "writing":
            return message
        finished = replace(
            message,
            content=storable(content),
            thought=storable(thought),
            status=status,
            finish_reason=storable(finish_reason),
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            seconds=seconds,
        )
        self._messages[message_id] = finished
        session = self._session(message.session_id)
        self._sessions[session.id] = replace(session, updated_at=_utc(at))
        return finished

    async def message(self, message_id: MessageId) -> Message:
        return self._message(message_id)

    async def path(self, session_id: SessionId) -> tuple[Message, ...]:
        upwards: list[Message] = []
        at: MessageId | None = self._session(session_id).head_id
        while at is not None:
            upwards.append(self._messages[at])
            at = self._messages[at].parent_id
        return tuple(reversed(upwards))

    async def tree(self, session_id: SessionId) -> tuple[Message, ...]:
        self._session(session_id)
        return tuple(found for found in self._messages.values() if found.session_id == session_id)

    async def siblings(self, message_id: MessageId) -> tuple[Message, ...]:
        message = self._message(message_id)
        return tuple(
            other
            for other in self._messages.values()
            if other.session_id == message.session_id and other.parent_id == message.parent_id
        )

    async def select_branch(self, message_id: MessageId) -> Session:
        below = {self._message(message_id).id}
        for candidate in self._messages.values():  # parents come before their children
            if candidate.parent_id in below:
                below.add(candidate.id)
        session = self._session(self._messages[message_id].session_id)
        self._sessions[session.id] = replace(session, head_id=max(below))
        return self._session(session.id)

    async def search(self, text: str, *, limit: int = 50) -> tuple[Found, ...]:
        query = parse_query(text)
        if not query.terms or limit < 1:
            return ()
        hits = list(self._hits(query, _matches_words)) if query.for_index else []
        hits = hits or list(self._hits(query, _matches_anywhere))
        return tuple(hits[:limit])

    async def interrupt_unfinished(self) -> int:
        unfinished = [message for message in self._messages.values() if message.status == "writing"]
        for message in unfinished:
            self._messages[message.id] = replace(message, status="interrupted")
        return len(unfinished)

    async def close(self) -> None:
        """There is nothing to let go of."""

    def _session(self, id: SessionId) -> Session:
        if id not in self._sessions:
            raise no_session(id)
        count = sum(message.session_id == id for message in self._messages.values())
        return replace(self._sessions[id], message_count=count)

    def _message(self, id: MessageId) -> Message:
        if id not in self._messages:
            raise no_message(id)
        return self._messages[id]

    def _newest_first(self) -> Iterator[Session]:
        newest_made_first = reversed(list(self._sessions.values()))
        for session in sorted(newest_made_first, key=lambda session: session.updated_at, reverse=True):
            yield self._session(session.id)

    def _add(self, message: Message) -> Message:
        self._last_message = message.id
        self._messages[message.id] = message
        session = self._session(message.session_id)
        self._sessions[session.id] = replace(session, head_id=message.id, updated_at=message.created_at)
        return message

    def _hits(self, query: Query, matches: Callable[[str, Query], bool]) -> Iterator[Found]:
        """Sessions whose title fits, shown by their first message, then the other messages; newest first in each."""
        by_title: set[MessageId] = set()
        for session in self._newest_first():
            first = next((found for found in self._messages.values() if found.session_id == session.id), None)
            if first is not None and matches(session.title, query):
                by_title.add(first.id)
                yield Found(session=session, message=first, snippet=_snippet(session.title, query))
        for message in reversed(self._messages.values()):
            if message.id not in by_title and matches(message.content, query):
                session = self._session(message.session_id)
                yield Found(session=session, message=message, snippet=_snippet(message.content, query))


def _utc(at: datetime) -> datetime:
    if at.tzinfo is None:
        raise ValueError("a moment needs a time zone")
    return at.astimezone(UTC)


def _words(text: str) -> list[str]:
    return _WORD.findall(folded(text))


def _matches_words(text: str, query: Query) -> bool:
    """The meaning of Query.begun, plainly: words in sequence for each term, the last one also as a beginning."""
    present = _words(text)
    return all(
        _in_sequence(present, _words(term), open_end=bool(query.begun) and position == len(query.words) - 1)
        for position, term in enumerate(query.words)
    )


def _matches_anywhere(text: str, query: Query) -> bool:
    return all(term.lower() in text.lower() for term in query.terms)


def _in_sequence(present: list[str], wanted: list[str], *, open_end: bool) -> bool:
    if not wanted:
        return False
    *front, last = wanted
    for start in range(len(present) - len(wanted) + 1):
        here = present[start : start + len(wanted)]
        if here[:-1] == front and (here[-1].startswith(last) if open_end else here[-1] == last):
            return True
    return False


def _snippet(text: str, query: Query) -> str:
    marked = snippet_around(text, query.terms)
    if MARK_START in marked:
        return marked
    wanted = _words(query.words[0])[:1] if query.words else []
    met = next((word for word in _WORD.findall(text) if folded(word).startswith(tuple(wanted))), "")
    return snippet_around(text, (met,)) if met else marked
