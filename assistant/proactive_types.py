"""What the proactive engine is handed and what it gives back, as frozen values."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memory.suggestions import (
    Answer,
    Breakpoint,
    Decision,
    Held,
    Hours,
    Opportunity,
    Posteriors,
    Reason,
    Rule,
    Settings,
    Suggestion,
    Told,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Presence:
    """What the interface knows of the user at this moment. `at_screen`: False in the daemon without an interface."""

    breakpoint: Breakpoint = "clock"
    typing: bool = False
    generating: bool = False
    at_screen: bool = True
    last_input_at: datetime | None = None
    session_began_at: datetime | None = None


NOBODY = Presence(at_screen=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """One thing to say now. It is claimed: say it, then `mark_shown`."""

    suggestion: Suggestion
    opportunity: Opportunity
    decision: Decision
    again: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What would happen at that moment. `would_say`: () for silence. `held`: everything else, and by which rule."""

    at: datetime
    would_say: tuple[Opportunity, ...]
    decision: Decision
    drafts: tuple[str, ...] = ()
    to_inbox: tuple[Opportunity, ...] = ()
    considered: tuple[Opportunity, ...] = ()  # what `held` speaks of


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """Facts for "why now", from the decision row. `counterfactual`: the factor without which it would not have been
    said ("topic", "time", "need", "window" or "": several had to change)."""

    told: Told
    settings: Settings
    window: Hours | None
    good: int
    rated: int
    counterfactual: str
    held: tuple[tuple[Held, Opportunity | None], ...]
    rules: tuple[Rule, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HoursQuestion:
    """Whether the stated `windows` still fit. `bad`: how many inside them came at a bad time."""

    windows: tuple[Hours, ...]
    bad: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """What a rating changed. `time` and `topic`: acceptance before and after; equal where it was not the factor named.
    `limit_until`: "too often" lowered the budget until then. `rule`: one that was added (of a mute). `asks`: whether
    the stated hours still fit, where that is open now."""

    answer: Answer
    reason: Reason
    suggestion: Suggestion
    topic: str
    time_before: float
    time_after: float
    topic_before: float
    topic_after: float
    gap_factor: float
    most_today: int
    limit_until: datetime | None
    rule: Rule | None = None
    asks: HoursQuestion | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """A rule read from words, to confirm with one key."""

    rule: Rule
    already: bool = False  # such a rule is in force


@dataclass(frozen=True, slots=True, kw_only=True)
class NotARule:
    """The words name no rule that is known. `because`: what was missing."""

    because: Literal["no_rule", "no_time", "no_number", "no_topic"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """`which`: morning and evening by the clock, "away" for what came while nobody was at the screen."""

    which: Literal["morning", "evening", "away"]
    at: datetime
    items: tuple[Told, ...]
    more: int = 0  # that were left out


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """For the settings screen. `hours`: predicted fit of each hour of a weekday (24 values). `asks`: whether the stated
    hours still fit, where that is open."""

    settings: Settings
    rules: tuple[Rule, ...]
    posteriors: Posteriors
    hours: tuple[float, ...]
    most_today: int
    spoken_today: int
    asks: HoursQuestion | None = None
