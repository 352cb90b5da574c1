"""What the assistant needs from the world. Implementations match structurally and are chosen in ui/wiring.py."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from memory.decision_store import DecisionStore as DecisionStore
from memory.learning_queue import LearningQueue as LearningQueue
from memory.preference_store import PreferenceStore as PreferenceStore

if TYPE_CHECKING:
    from assistant.events import TurnEvent
    from memory.preferences import Scope
    from memory.rank import Recollection as Recollection
    from memory.types import Found, Message, MessageId, MessageStatus, Origin, Session, SessionId, SessionMode
    from models.types import Cancel, ChatMessage, ChoiceRequest, GenerationRequest, ModelEvent, ModelStatus


class Clock(Protocol):
    def now(self) -> datetime:
        """The current moment, aware, in UTC."""
        ...


class ChatModel(Protocol):
    """A model that answers one request at a time; user requests go before background ones."""

    @property
    def status(self) -> ModelStatus: ...

    def on_status(self, listener: Callable[[ModelStatus], None]) -> Callable[[], None]:
        """Call `listener` at every change, on the event loop; the result removes it."""
        ...

    async def start(self) -> None:
        """Begin loading and return at once; progress shows in `status`."""
        ...

    async def close(self) -> None:
        """End the model and everything it started, within 5 s."""
        ...

    async def context_length(self, cancel: Cancel) -> int:
        """Tokens of the context window; waits for loading. Raises ModelError."""
        ...

    async def count(self, messages: Sequence[ChatMessage]) -> tuple[int, ...]:
        """Prompt tokens of each message, its template text included. Raises ModelError."""
        ...

    def stream(self, request: GenerationRequest, cancel: Cancel) -> AsyncIterator[ModelEvent]:
        """Progress and deltas, then exactly one Finished. Never raises an expected failure."""
        ...

    async def choose(self, request: ChoiceRequest, cancel: Cancel) -> tuple[tuple[float, ...], ...]:
        """Per question the probability of each option, summing to 1. Raises ModelError."""
        ...


class Transcript(Protocol):
    """Sessions and messages. Every call is one transaction; a returned row is on disk. Raises StoreError."""

    async def create_session(self, *, at: datetime, title: str = "", mode: SessionMode = "normal") -> Session: ...

    async def session(self, session_id: SessionId) -> Session: ...

    async def find_session(self, wanted: str) -> Session:
        """The session with this id, or the only one whose id begins so. Raises NotFound."""
        ...

    async def latest_session(self) -> Session | None: ...

    async def sessions(self, *, limit: int = 50, offset: int = 0, title_contains: str = "") -> tuple[Session, ...]:
        """Newest first."""
        ...

    async def rename(self, session_id: SessionId, title: str) -> None: ...

    async def delete_session(self, session_id: SessionId) -> None:
        """Rows, full-text entries and bytes (secure_delete)."""
        ...

    async def add_user_message(
        self,
        session_id: SessionId,
        parent_id: MessageId | None,
        content: str,
        *,
        at: datetime,
        origin: Origin = "typed",
    ) -> Message:
        """Durable before it returns; becomes the session's head."""
        ...

    async def begin_reply(self, parent_id: MessageId, *, at: datetime, model: str) -> Message:
        """An empty answer with status "writing"; becomes the session's head."""
        ...

    async def checkpoint_reply(self, message_id: MessageId, content: str, thought: str = "") -> None: ...

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
    ) -> Message: ...

    async def message(self, message_id: MessageId) -> Message: ...

    async def path(self, session_id: SessionId) -> tuple[Message, ...]:
        """Root to head."""
        ...

    async def tree(self, session_id: SessionId) -> tuple[Message, ...]:
        """Every message of the session, all branches, oldest first."""
        ...

    async def siblings(self, message_id: MessageId) -> tuple[Message, ...]:
        """Alternatives at this place, oldest first, itself included."""
        ...

    async def select_branch(self, message_id: MessageId) -> Session:
        """Make the newest leaf below this message the head."""
        ...

    async def search(self, text: str, *, limit: int = 50) -> tuple[Found, ...]:
        """Full-text search over every session, best first."""
        ...

    async def interrupt_unfinished(self) -> int:
        """At start-up: answers still "writing" become "interrupted"; how many there were."""
        ...


class Reminding(Protocol):
    """Takes what asks to be reminded of something. Raises StoreError."""

    async def take(self, message: Message, *, incognito: bool) -> str | None:
        """The answer to a message that asks for a reminder, which is kept by then; None for any other message."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What a message led to. With `text` that is the answer; else the model answers from `evidence`, which is quoted
    text of others, and `sources` are named after it. `going`: a plan, whose steps are done while it is read, and whose
    words are the answer; the model then answers only `rest`, what was asked beside."""

    events: tuple[TurnEvent, ...] = ()
    text: str = ""
    evidence: str = ""
    sources: tuple[str, ...] = ()
    going: AsyncGenerator[TurnEvent, None] | None = None
    rest: str = ""


class Acting(Protocol):
    """Takes what asks for something to be done or looked up. Raises StoreError."""

    async def take(
        self, message: Message, before: Sequence[Message], cancel: Cancel, *, incognito: bool
    ) -> Taken | None:
        """None: the message asks for an answer only."""
        ...


class Recall(Protocol):
    """Finds what matters for a question. An empty answer is a legal one. Raises StoreError."""

    async def recall(
        self, question: str, *, at: datetime, scopes: Collection[Scope] = (), limit: int = 6
    ) -> tuple[Recollection, ...]: ...
