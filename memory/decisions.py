"""Decisions that wait for the user, as rows. A decision is on disk before it is shown, is answered anywhere, is
carried out at most once, and only while its preconditions hold and its arguments are the ones that were shown.

    open -> answered -> (done | failed | superseded: what it rested on has changed, a new decision shows how)
    open -> declined (the user said no) | withdrawn (the task was stopped) | expired (nothing happens by itself)

Nothing waits in memory: a turn that raises a decision ends, and an answer starts a new one.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal, NewType

if TYPE_CHECKING:
    from memory.types import MessageId, SessionId

DecisionId = NewType("DecisionId", int)
DecisionKind = Literal[
    "clarify",  # something the call needs was not said
    "choose",  # several options, and the difference is the user's to weigh
    "confirm",  # the exact act, before it happens
    "important",  # a decision of the user's life: laid out, never made
    "permission",  # a tool or server asks to be allowed
    "server",  # a server asks back in the middle of a call; only the process that is calling can pass the answer on
]
DecisionState = Literal["open", "answered", "done", "failed", "superseded", "declined", "withdrawn", "expired"]
Undo = Literal["undo", "until", "no"]
FROM_PROFILE = "profile"  # where an answer came from that another home tells of


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionAttribute:
    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionOption:
    """One answer. All options of a decision have the same attributes in the same order."""

    key: str  # "1", "2", "yes", "no": what the user types
    label: str
    attributes: tuple[OptionAttribute, ...] = ()
    consequence: str = ""
    undo: Undo = "no"
    claims: str = ""  # what a seller or document says; shown as a claim, never scored
    arguments: str = ""  # canonical JSON of the call this option stands for; "" when it carries out nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class FormField:
    """One thing a server wants to know. Texts are cleaned, and its own words."""

    name: str
    title: str
    kind: Literal["text", "number", "integer", "yes or no", "choice", "choices"]
    required: bool
    description: str = ""
    choices: tuple[str, ...] = ()  # values, for "choice" and "choices"
    labels: tuple[str, ...] = ()  # as shown, in the same order
    default: str = ""  # what it suggests; never taken by itself


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCall:
    """The call that waits, exactly. `hash` is the SHA-256 of tool and canonical arguments, and is what was shown."""

    tool: str
    arguments: str  # canonical JSON: sorted keys, no blanks
    hash: str
    preconditions: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NewDecision:
    kind: DecisionKind
    effect: str  # an assistant.tools.types.Effect
    question: str
    why_now: str
    options: tuple[DecisionOption, ...]
    call: PlannedCall | None = None
    task_id: int | None = None  # the plan it belongs to
    step: int | None = None
    session_id: SessionId | None = None
    message_id: MessageId | None = None
    recommended: str = ""  # an option's key; always "" for external and grave acts
    reason: str = ""
    allow_other: bool = False  # a text of the user's own is an answer
    argument: str = ""  # clarify, choose: which argument of the call the answer fills
    questions_before: int = 0  # asked for this task already
    you_decide: bool = False  # offered for undoable things only
    typed: str = ""  # what must be typed in full to say yes (grave acts): the amount or the name
    if_unanswered: str = "Nothing happens."
    options_seen: int = 0  # how many there were before the best were picked
    left_out: str = ""  # why the others are not shown
    sources: tuple[str, ...] = ()  # where the request or the options come from
    assumptions: tuple[str, ...] = ()
    asked_about: str = ""  # kind of question, for the user's price of it: "tasks.add:due"
    expires_at: datetime | None = None
    why: str = ""  # the verdict's numbers, for `why`
    fields: tuple[FormField, ...] = ()  # of a server's form; the answer holds a value for each, by its name


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    id: DecisionId
    asked: NewDecision
    state: DecisionState
    created_at: datetime
    answer: str = ""  # an option's key, or the user's own words
    answered_from: str = ""  # "chat", "line mode", "command"
    answered_at: datetime | None = None
    result: str = ""  # one line once it is done or failed
    undo_token: str = ""
    superseded_by: DecisionId | None = None
