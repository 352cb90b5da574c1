"""A task of several steps, as rows: where it is survives a restart.

    step: open -> running -> done | failed | skipped | unknown -> undone
                  running -> waiting (a decision of its own) -> done | failed | skipped
    plan: running -> waiting (nothing but decisions is left) -> done;  any of them -> stopped -> running

A step is claimed on disk before it is done, so no two do it. One that was running when its process ended is looked up
by its effect's key: where a tool cannot tell, it is "unknown", and only the user says what happened.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal, NewType

if TYPE_CHECKING:
    from memory.decisions import DecisionId
    from memory.types import MessageId, SessionId

PlanId = NewType("PlanId", int)
PlanState = Literal["running", "waiting", "stopped", "done"]
StepState = Literal["open", "running", "waiting", "done", "failed", "skipped", "unknown", "undone"]
StepKind = Literal[
    "act",  # something is changed
    "find",  # something is looked up
    "user",  # nothing here can do it: it stays with the user
]
GOING_ON: tuple[PlanState, ...] = ("running", "waiting")
EVERY: tuple[PlanState, ...] = ("running", "waiting", "stopped", "done")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """`request` as it is shown; what became of it in `result`. With `tool` and `arguments` (canonical JSON) the call
    is known; else the words of `wish`, or of `request`, are read when its turn comes."""

    number: int  # from 1
    request: str
    state: StepState = "open"
    result: str = ""
    effect_key: str = ""  # what it changed, for undo
    decision_id: DecisionId | None = None  # what it waits for
    kind: StepKind = "act"
    wish: str = ""
    tool: str = ""
    arguments: str = ""
    after: int = 0  # the step it rests on; 0: none
    undoable: bool = False
    claimed_by: str = ""  # the run of the process that does it
    untrusted: tuple[str, ...] = ()  # texts of others that were in front of the model when it was asked for


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    id: PlanId
    goal: str  # the user's words
    steps: tuple[Step, ...]
    state: PlanState
    created_at: datetime
    changed_at: datetime
    session_id: SessionId | None = None
    message_id: MessageId | None = None
    ends_at: datetime | None = None  # its day is over then: nothing more of it is begun
