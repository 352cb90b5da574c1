"""What the asking policy knows, and what it says.

Losses and costs are in annoyance units: 1 is one ordinary question that was not needed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from assistant.tools.types import Assumption, Effect, Gap, Source, ToolName

Moment = Literal["idle", "typing", "step_done"]  # what the user is doing, as far as it makes a question dearer


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A call that may be what the user means. `share`: the belief in it, 0 to 1, as calibrated."""

    tool: ToolName
    arguments: str  # canonical JSON
    effect: Effect  # of these arguments
    share: float
    summary: str = ""
    people: int = 0  # others the act reaches
    amount: float = 0.0  # part of the user's own limit the act would spend; 1 is the whole limit


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenGap:
    """An argument of the first candidate that nothing has settled. `shares`: the belief in each of gap.choices, in
    their order, as calibrated; what is missing to 1 is the belief that none is right."""

    gap: Gap
    shares: tuple[float, ...] = ()

    @property
    def best(self) -> float:
        return max(self.shares, default=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """Everything a verdict rests on. `candidates` best first; none means that nothing is to be done but to answer."""

    candidates: tuple[Candidate, ...] = ()
    gaps: tuple[OpenGap, ...] = ()
    assumptions: tuple[Assumption, ...] = ()  # arguments that memory or context filled
    look_ups: tuple[Source, ...] = ()  # read-only places that may settle a gap and were not tried
    looked_up: int = 0
    granted: bool = False  # a standing permission covers the first candidate
    waits: str = ""  # why the first candidate waits for a yes though it can be taken back
    untrusted: tuple[Source, ...] = ()  # where text in front of the model came from, when it was not the user
    life_decision: str = ""  # "health", "law", "work", "money", "relationships": the user's to make
    fact_needed: str = ""  # something only a source could settle, when no source did
    settled_by: str = ""  # what would, in a sentence
    task_questions: int = 0  # asked in this task already
    asked: Mapping[str, int] = field(default_factory=dict)  # in this task, by kind of question
    prices: Mapping[str, float] = field(default_factory=dict)  # the user's learned factor by kind; missing is 1
    moment: Moment = "idle"


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """The arithmetic behind a verdict, kept for `why`."""

    p_right: float = 1.0
    loss: float = 0.0  # of acting wrongly
    expected_loss: float = 0.0  # of acting now
    value: float = 0.0  # of the best question, before its cost
    cost: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    call: Candidate
    reason: str
    numbers: Numbers = field(default_factory=Numbers)


@dataclass(frozen=True, slots=True, kw_only=True)
class ActAndState:
    """Act, and say what was assumed. `fills`: the choice taken for each gap, by argument."""

    call: Candidate
    assumptions: tuple[Assumption, ...]
    fills: tuple[tuple[str, str], ...]  # argument, id of the choice
    reason: str
    numbers: Numbers = field(default_factory=Numbers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspect:
    source: Source
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One card; independent gaps stand on it together."""

    gaps: tuple[OpenGap, ...]
    call: Candidate
    reason: str
    numbers: Numbers = field(default_factory=Numbers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """A hard gate: nothing happens before the user says so. `gaps` are settled on the same card."""

    kind: Literal["confirm", "important"]
    call: Candidate | None
    gaps: tuple[OpenGap, ...]
    reason: str
    numbers: Numbers = field(default_factory=Numbers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    reason: str
    would_settle: str


Verdict = Answer | Act | ActAndState | Inspect | Ask | Pause | Unknown
