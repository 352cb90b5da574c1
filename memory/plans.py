"""A task of several steps, as rows: where it is survives a restart."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NewType

from memory.decisions import DecisionId
from memory.types import MessageId, SessionId

PlanId = NewType("PlanId", int)
PlanState = Literal["running", "waiting", "stopped", "done"]
StepState = Literal["open", "running", "waiting", "done", "failed", "skipped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """`request` in the user's words; what became of it in `result`."""

    number: int  # from 1
    request: str
    state: StepState = "open"
    result: str = ""
    effect_key: str = ""  # what it changed, for undo
    decision_id: DecisionId | None = None


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
