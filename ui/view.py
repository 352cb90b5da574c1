"""What the chat screen knows of the turn in progress, as a frozen value, and how each event changes it.

`reduce` is pure: the same events give the same view, and how an answer was cut into deltas makes no difference.
Widgets draw from the view; they keep nothing of a turn themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, assert_never

from assistant.events import (
    Acted,
    ContextPlanned,
    DecisionRaised,
    LookedUp,
    MemoryAsked,
    PlanMoved,
    Recalled,
    Remembered,
    ReplyDelta,
    ReplyRestarted,
    StageChanged,
    ThoughtDelta,
    TurnEnded,
    TurnFailed,
    TurnStarted,
)

if TYPE_CHECKING:
    from assistant.events import (
        TurnEvent,
    )
    from memory.plans import Plan
    from memory.types import Message, MessageId, SessionId
    from models.types import Failure, FinishReason, Usage

Activity = Literal["idle", "sending", "loading", "reading", "thinking", "writing", "stopping"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A message as the transcript shows it: `place` 2 of `places` 3 alternatives."""

    message: Message
    place: int = 1
    places: int = 1
    notes: tuple[str, ...] = ()  # what it changed in memory, or what memory asks about it


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    activity: Activity = "idle"
    done: int = 0  # of `total`: tokens when reading, steps when loading; 0 of 0 is unknown
    total: int = 0
    session_id: SessionId | None = None
    user_message_id: MessageId | None = None
    reply_message_id: MessageId | None = None
    text: str = ""  # the answer so far
    thought: str = ""
    context: ContextPlanned | None = None  # of the latest turn
    remembered: Remembered | None = None  # what this turn's message changed in memory
    deed: Acted | DecisionRaised | LookedUp | None = None  # what this turn's message led to
    plan: Plan | None = None  # what this turn goes through
    recalled: Recalled | None = None  # what shapes this answer
    asked: MemoryAsked | None = None  # a contradiction for the user to settle
    failure: Failure | None = None
    retryable: bool = False
    finish_reason: FinishReason | None = None
    usage: Usage | None = None  # of the latest finished turn

    @property
    def busy(self) -> bool:
        return self.activity != "idle"


def begin(view: View) -> View:
    """The user has sent something; nothing is stored yet."""
    return View(activity="sending", session_id=view.session_id, context=view.context, usage=view.usage)


def stop(view: View) -> View:
    """The user wants it to stop; the turn still has to end."""
    return replace(view, activity="stopping") if view.busy else view


def reduce(view: View, event: TurnEvent) -> View:
    stopping = view.activity == "stopping"
    match event:
        case TurnStarted():
            return replace(
                view,
                activity="stopping" if stopping else "loading",
                session_id=event.session_id,
                user_message_id=event.user_message_id,
                reply_message_id=event.reply_message_id,
            )
        case StageChanged():
            if stopping:
                return view
            return replace(view, activity=event.stage, done=event.done, total=event.total)
        case ContextPlanned():
            return replace(view, context=event)
        case (
            Remembered()
            | Recalled()
            | MemoryAsked()
            | ReplyRestarted()
            | Acted()
            | DecisionRaised()
            | LookedUp()
            | PlanMoved()
        ):
            return _with_more(view, event)
        case ReplyDelta():
            return replace(view, text=view.text + event.text, activity="stopping" if stopping else "writing")
        case ThoughtDelta():
            return replace(view, thought=view.thought + event.text, activity="stopping" if stopping else "thinking")
        case TurnFailed():
            return replace(view, failure=event.failure, retryable=event.retryable)
        case TurnEnded():
            return replace(
                view,
                activity="idle",
                done=0,
                total=0,
                text=event.text,
                finish_reason=event.finish_reason,
                usage=event.usage,
                session_id=event.session_id or view.session_id,
                user_message_id=event.user_message_id,
                reply_message_id=event.reply_message_id,
            )
        case _:
            assert_never(event)


def _with_more(
    view: View,
    event: Remembered | Recalled | MemoryAsked | ReplyRestarted | Acted | DecisionRaised | LookedUp | PlanMoved,
) -> View:
    match event:
        case Acted() | DecisionRaised() | LookedUp():
            return replace(view, deed=event)
        case PlanMoved():
            return replace(view, plan=event.plan)
        case Remembered():
            return replace(view, remembered=event)
        case Recalled():
            return replace(view, recalled=event)
        case MemoryAsked():
            return replace(view, asked=event)
        case ReplyRestarted():
            return replace(view, text="")
        case _:
            assert_never(event)
