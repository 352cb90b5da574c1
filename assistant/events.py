"""What happens during a turn, in order. The UI, line mode and `ask --json` all render this union.

TurnStarted  (StageChanged | ContextPlanned | ReplyDelta | ThoughtDelta)*  [TurnFailed]  TurnEnded

Exactly one `TurnEnded` closes every turn, whatever happened. `TurnStarted` is missing only when the
user's message or the empty answer could not be stored: then `TurnFailed("not_saved")` and `TurnEnded` are all.
"""

from dataclasses import dataclass, field
from typing import Literal

from memory.types import MessageId, SessionId
from models.types import Failure, FinishReason, Usage

TurnStage = Literal["loading", "reading", "thinking", "writing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A part of the conversation that is not in this prompt, and why."""

    what: str  # "12 earlier messages"
    reason: str
    tokens: int
    message_ids: tuple[MessageId, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStarted:
    session_id: SessionId
    user_message_id: MessageId
    reply_message_id: MessageId


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextPlanned:
    """The prompt as it will be sent. tokens_planned + reserve for the answer never exceed context_total."""

    tokens_planned: int
    tokens_reserved: int
    context_total: int
    messages_included: int
    left_out: tuple[LeftOut, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StageChanged:
    stage: TurnStage
    done: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyDelta:
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ThoughtDelta:
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFailed:
    """Something expected went wrong. The user's message and any partial answer are kept."""

    failure: Failure
    retryable: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnded:
    """`user_message_id` None: what the user said is not stored, so the caller keeps it as a draft."""

    text: str  # the whole answer, without thoughts; partial when finish_reason says so
    finish_reason: FinishReason
    usage: Usage = field(default_factory=Usage)
    session_id: SessionId | None
    user_message_id: MessageId | None
    reply_message_id: MessageId | None


TurnEvent = TurnStarted | ContextPlanned | StageChanged | ReplyDelta | ThoughtDelta | TurnFailed | TurnEnded
