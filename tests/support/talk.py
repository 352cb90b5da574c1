"""A conversation over fakes: a session, what it stands on, and everything a turn said as one list."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from assistant.deps import Deps, Prompts
from assistant.events import ReplyDelta, ReplyRestarted, TurnEnded, TurnEvent
from assistant.learning_switch import LearningSwitch
from assistant.ports import Acting, PreferenceStore
from assistant.session import Session
from assistant.settings import AssistantSettings
from memory.errors import StoreFull
from memory.transcript_in_memory import InMemoryTranscript
from memory.types import Message, MessageId, MessageStatus, Origin, SessionId, SessionMode
from memory.types import Session as SessionRow
from models.scripted import Reply, ScriptedModel
from tests.support.clock import FixedClock
from tests.support.english import english


def _full() -> StoreFull:
    return StoreFull("The disk is full.", "Free some space.")


@dataclass(slots=True)
class FullDisk(InMemoryTranscript):
    """Refuses the named calls while they are in `refuses`."""

    refuses: set[str] = field(default_factory=set)

    async def create_session(self, *, at: datetime, title: str = "", mode: SessionMode = "normal") -> SessionRow:
        self._check("create_session")
        return await InMemoryTranscript.create_session(self, at=at, title=title, mode=mode)

    async def add_user_message(
        self,
        session_id: SessionId,
        parent_id: MessageId | None,
        content: str,
        *,
        at: datetime,
        origin: Origin = "typed",
    ) -> Message:
        self._check("add_user_message")
        return await InMemoryTranscript.add_user_message(self, session_id, parent_id, content, at=at, origin=origin)

    async def begin_reply(self, parent_id: MessageId, *, at: datetime, model: str) -> Message:
        self._check("begin_reply")
        return await InMemoryTranscript.begin_reply(self, parent_id, at=at, model=model)

    async def checkpoint_reply(self, message_id: MessageId, content: str, thought: str = "") -> None:
        self._check("checkpoint_reply")
        await InMemoryTranscript.checkpoint_reply(self, message_id, content, thought)

    async def path(self, session_id: SessionId) -> tuple[Message, ...]:
        self._check("path")
        return await InMemoryTranscript.path(self, session_id)

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
        self._check("finish_reply")
        return await InMemoryTranscript.finish_reply(
            self,
            message_id,
            content,
            thought=thought,
            status=status,
            finish_reason=finish_reason,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            seconds=seconds,
            at=at,
        )

    def _check(self, call: str) -> None:
        if call in self.refuses:
            raise _full()


@dataclass(slots=True)
class Talk:
    model: ScriptedModel
    transcript: InMemoryTranscript
    clock: FixedClock
    session: Session

    async def path(self) -> list[tuple[str, str, str]]:
        """Role, text and status of every message from root to head."""
        return [(message.role, message.content, message.status) for message in await self.session.messages()]


def in_utc(at: datetime) -> datetime:
    return at.astimezone(UTC)


def a_talk_with(
    *replies: Reply,
    window: int = 2_048,
    model: ScriptedModel | None = None,
    transcript: InMemoryTranscript | None = None,
    settings: AssistantSettings | None = None,
    preferences: PreferenceStore | None = None,
    acting: Acting | None = None,
    switch: LearningSwitch | None = None,
    reraise_bugs: bool = True,
) -> Talk:
    """With `preferences` the conversation remembers and recalls."""
    model = model or ScriptedModel(*replies, context_length=window)
    kept, clock = transcript or InMemoryTranscript(), FixedClock()
    deps = Deps(
        transcript=kept,
        model=model,
        clock=clock,
        settings=settings or AssistantSettings(),
        prompts=Prompts(system="You are Steward."),
        local_time=in_utc,
        preferences=preferences,
        language=english() if preferences is not None else None,
        acting=acting,
        switch=switch or LearningSwitch(),
        reraise_bugs=reraise_bugs,
    )
    return Talk(model=model, transcript=kept, clock=clock, session=Session(deps))


async def all_of(events: AsyncIterator[TurnEvent]) -> list[TurnEvent]:
    return [event async for event in events]


async def ended(events: AsyncIterator[TurnEvent]) -> TurnEnded:
    """Walk a turn to its end; the last event, after a check that the deltas are exactly its text."""
    seen = await all_of(events)
    last = seen[-1]
    assert isinstance(last, TurnEnded)
    assert [event for event in seen if isinstance(event, TurnEnded)] == [last]
    assert text_of(seen) == last.text
    return last


def text_of(events: Sequence[TurnEvent]) -> str:
    """The deltas since the last restart, together."""
    text = ""
    for event in events:
        if isinstance(event, ReplyRestarted):
            text = ""
        elif isinstance(event, ReplyDelta):
            text += event.text
    return text
