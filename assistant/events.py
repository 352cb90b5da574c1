"""What happens during a turn, in order. The UI, line mode and `ask --json` all render this union.

TurnStarted  [Remembered]  [(PlanMoved | Acted | DecisionRaised | LookedUp | ReplyDelta)*]  [Recalled]
(StageChanged | ContextPlanned | ReplyDelta | ThoughtDelta | ReplyRestarted)*
[MemoryAsked]  [TurnFailed]  TurnEnded

Exactly one `TurnEnded` closes every turn, whatever happened. `TurnStarted` is missing only when the
user's message or the empty answer could not be stored: then `TurnFailed("not_saved")` and `TurnEnded` are all.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from models.types import Usage

if TYPE_CHECKING:
    from memory.changes import EntryId, Operation
    from memory.decisions import Decision, DecisionId
    from memory.plans import Plan
    from memory.preferences import Place, PreferenceId
    from memory.types import MessageId, SessionId
    from models.types import Failure, FinishReason

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
    """The prompt as it will be sent. tokens_planned + reserve for the answer never exceed context_total.

    `told_in_short`: answers that Steward gave itself; the model does not read them as words of its own."""

    tokens_planned: int
    tokens_reserved: int
    context_total: int
    messages_included: int
    left_out: tuple[LeftOut, ...] = ()
    told_in_short: tuple[MessageId, ...] = ()


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


RefusedBecause = Literal[
    "secret",  # a key, a password, a card number: never kept
    "forgotten",  # the user had it forgotten; "remember that ..." brings it back
    "unclear",  # a withdrawal or a forget that fits several items
    "nothing_found",  # nothing that is remembered fits
    "rule_breaking",  # an instruction against Steward's own rules
    "not_saved",  # the disk or the store refused it
    "not_kept",  # nothing is kept in this conversation
    "paused",  # learning is off
    "closed",  # learning is off about this domain
    "too_long",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """One change of what is remembered, on disk. `entry` is what undo takes."""

    entry: EntryId
    operation: Operation
    id: PreferenceId
    statement: str  # the user's words
    replaced: tuple[str, ...] = ()  # statements that ended with it
    waits_for_yes: bool = False  # kept, and not used before the user confirms it


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Something the user wanted kept or gone, and why it was not."""

    because: RefusedBecause
    words: str  # the user's; "" for a secret
    ids: tuple[PreferenceId, ...] = ()  # what it might have meant


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetOffer:
    """Items the user wants forgotten. They are out of use already (an undoable receipt), unless there are many:
    `in_use`. Erasing them for good is final, so it waits for a yes."""

    ids: tuple[PreferenceId, ...]
    statements: tuple[str, ...]
    in_use: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What the user's message changed in memory: after the commit, never before."""

    receipts: tuple[Receipt, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    forget: ForgetOffer | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecalledItem:
    """An item the model has in front of it. `place`: in the block at the head, or beside the question."""

    id: PreferenceId
    statement: str
    place: Place
    score: float = 0.0
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """What shapes this answer. `checked`: rules check the answer, so it may be restarted once."""

    items: tuple[RecalledItem, ...]
    checked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyRestarted:
    """The answer so far broke a wish and is void: what comes next takes its place. At most twice in a turn."""

    broken: tuple[str, ...] = ()  # the wishes, in the user's words
    mended: bool = False  # what follows is the same answer, put right by a rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Acted:
    """Something was carried out. `undo`: what takes it back, "" when nothing does."""

    tool: str
    summary: str
    changed: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()  # "place: Bella (our usual is Bella at 7)"
    undo: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRaised:
    """A decision is on disk and waits for the user; until then nothing of it happens. The turn ends."""

    decision: Decision
    instead_of: DecisionId | None = None  # one that was answered, but what it rested on has changed


@dataclass(frozen=True, slots=True, kw_only=True)
class LookedUp:
    """Something was read, and the answer rests on it. `untrusted`: its text is quoted and never obeyed."""

    tool: str
    sources: tuple[str, ...] = ()
    untrusted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanMoved:
    """A plan has begun, or one of its steps is over or waits. What a step did is said by its own event before."""

    plan: Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryAsked:
    """Two statements contradict each other; the user says which holds. Asked once a conversation, after an answer."""

    new: PreferenceId
    new_statement: str
    old: PreferenceId
    old_statement: str


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


TurnEvent = (
    TurnStarted
    | Remembered
    | Acted
    | DecisionRaised
    | LookedUp
    | PlanMoved
    | Recalled
    | ContextPlanned
    | StageChanged
    | ReplyDelta
    | ThoughtDelta
    | ReplyRestarted
    | MemoryAsked
    | TurnFailed
    | TurnEnded
)
