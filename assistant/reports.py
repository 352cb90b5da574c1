"""What became of a wish: the front ends put it into words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assistant.tools.types import Assumption, Outcome
    from memory.decisions import Decision, DecisionId
    from memory.plans import Plan, Step


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """Done. `undoable`: one key takes it back."""

    tool: str
    summary: str
    outcome: Outcome
    assumptions: tuple[Assumption, ...] = ()
    key: str = ""
    undoable: bool = False
    decision: DecisionId | None = None
    habit: str = ""  # what the user could have remembered, so that this is assumed next time
    noted: bool = False  # it is held as a candidate, and not used yet


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Something was looked up, to answer from."""

    tool: str
    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Waits:
    """A decision is on disk and waits for the user. `instead_of`: the one it replaces, because something changed."""

    decision: Decision
    instead_of: DecisionId | None = None
    again: bool = False  # it waited before: the same was wished in other words


@dataclass(frozen=True, slots=True, kw_only=True)
class CouldNot:
    message: str
    hint: str = ""
    decision: DecisionId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnedDown:
    decision: Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    summary: str
    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class StepTold:
    """What became of a step now. `report` None: only its row says it."""

    step: Step
    report: Carried | Found | Waits | CouldNot | TurnedDown | Undone | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanWent:
    """A plan went on. `first`: what set it going, an answered decision. `words`: what there is to say beside."""

    plan: Plan
    told: tuple[StepTold, ...] = ()
    first: Carried | Found | Waits | CouldNot | TurnedDown | Undone | None = None
    words: str = ""


Report = Carried | Found | Waits | CouldNot | TurnedDown | Undone | PlanWent
