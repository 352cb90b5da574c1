"""What Steward might say unasked, what it decided about it, and what the user made of that, as frozen values.

An `Opportunity` is found by a rule and always has evidence: words the user wrote, a reminder, a memory, an event, a
task. A `Decision` is the row from which "why now" is rendered: every factor that counted, and what was held back by
which rule. A `Suggestion` is one opportunity put before the user; it is claimed before it is shown. Times are aware
UTC datetimes; hours of the day are what the clock shows where the user is. Probabilities are in 0..1.
"""

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Literal, NewType

OpportunityId = NewType("OpportunityId", str)  # from its key, so that the same thing has the same id whenever found
SuggestionId = NewType("SuggestionId", int)
DecisionId = NewType("DecisionId", int)
RuleId = NewType("RuleId", int)

OpportunityKind = Literal[
    "deadline",  # something has to be done by a moment that comes near
    "open_loop",  # the user meant to do something
    "routine",  # done every so often, and missing this time
    "follow_up",  # something with a date has been
    "conflict",  # two events at one time
    "gap",  # free time between events that something waiting would fit into
    "stale_memory",  # something believed for long without being confirmed
    "unfinished_task",
    "ask_ahead",  # an answer that will be needed later
]
EvidenceSource = Literal["message", "reminder", "preference", "event", "task"]
OpportunityState = Literal["open", "inbox", "told", "closed", "expired"]
Action = Literal["speak", "inbox", "ask", "wait", "silent"]
Breakpoint = Literal["start", "return", "read", "end", "clock"]  # what happened that makes this a moment to decide
HeldBy = Literal[
    "off",
    "quiet_hours",
    "outside_windows",
    "rule",  # one in the user's words; `Held.rule_id` names it
    "day_off",
    "budget",
    "gap",
    "typing",
    "generating",
    "topic_muted",
    "told_before",
    "too_early",
    "expired",
    "snoozed",
    "backing_off",  # after several that were dismissed or not looked at
    "below_threshold",
    "better_later",
    "better_in_inbox",
    "not_worth_it",
    "another_first",  # one at a time
]
Answer = Literal["useful", "not", "snooze", "mute", "acted", "dismissed", "ignored"]
Reason = Literal["", "time", "topic", "often", "style"]
Channel = Literal["spoken", "inbox", "digest"]
SuggestionState = Literal["claimed", "shown", "answered", "withdrawn"]
MadeBy = Literal["template", "model"]
RuleKind = Literal[
    "not_before", "not_after", "not_between", "only_between", "most_a_day", "gap", "mute_topic", "day_off", "off"
]
RuleState = Literal["active", "undone"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Why an opportunity exists. `ref`: the id of what it points to, as text. `quote`: its own words, cut."""

    source: EvidenceSource
    ref: str
    quote: str
    at: datetime  # when it was said or kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Opportunity:
    """`subject`: what it is about in the user's words ("renew my passport"). `value`: 0..3, what saying it is worth
    when it is wanted. `need`: how likely it is wanted, before anything is known. It may be told in [opens_at,
    closes_at). `effort`: what answering costs the user, for "ask_ahead". `key`: names the thing, to tell it once."""

    id: OpportunityId
    kind: OpportunityKind
    topic: str
    subject: str
    evidence: tuple[Evidence, ...]
    value: float
    need: float
    opens_at: datetime
    closes_at: datetime
    key: str
    found_at: datetime
    deadline: datetime | None = None
    effort: Literal["", "low", "medium", "high"] = ""
    state: OpportunityState = "open"
    snoozed_until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hours:
    """[start, stop) by the clock on the wall; over midnight where stop <= start."""

    start: time
    stop: time


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the user states; nothing learned overrides it. `windows`: () means any time outside `quiet`. `topics`: those
    the user named as welcome; `muted`: as unwelcome. `asked`: the user has answered whether Steward may speak first.
    A digest at None is not given. `most_a_day` counts what is spoken, not what lies in the inbox."""

    on: bool = False
    asked: bool = False
    windows: tuple[Hours, ...] = ()
    quiet: Hours | None = Hours(start=time(22), stop=time(8))
    most_a_day: int = 3
    gap: timedelta = timedelta(hours=3)
    topics: tuple[str, ...] = ()
    muted: tuple[str, ...] = ()
    morning: time | None = time(9)
    evening: time | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One sentence of the user's, as it is applied. Which fields count follows from `kind`: "not_before" and
    "not_after" have `start`; "not_between" and "only_between" both times; "most_a_day" `number`; "gap" `span`;
    "mute_topic" `topic`; "day_off" `days` (0 Monday). `until`: it ends by itself then. `id` is 0 until it is kept."""

    kind: RuleKind
    said: str
    at: datetime
    id: RuleId = RuleId(0)
    start: time | None = None
    stop: time | None = None
    number: int | None = None
    span: timedelta | None = None
    topic: str = ""
    days: tuple[int, ...] = ()
    until: datetime | None = None
    state: RuleState = "active"


@dataclass(frozen=True, slots=True, kw_only=True)
class Factors:
    """Everything that counted. `acceptance` = `time_fit` (of the time model) * `topic_mean`. `freshness` scales the
    value: half for a topic raised just now. `dosage`: messages of late, halved every 48 h. `threshold`: acceptance
    below it is not spoken. `speak`, `inbox`, `wait`, `ask`: expected utilities; silence is 0. `good`/`rated`: ratings
    of this topic. `spoken_today`/`most_today`: the budget. `propensity`: with which probability this action was taken
    (1 where nothing was random)."""

    need: float
    acceptance: float
    time_fit: float
    topic_mean: float
    freshness: float
    dosage: float
    threshold: float
    speak: float
    inbox: float
    wait: float
    ask: float = 0.0
    window: Hours | None = None
    spoken_today: int = 0
    most_today: int = 0
    good: int = 0
    rated: int = 0
    propensity: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """An opportunity (None: whatever there was) that was not told, and the rule that held it back."""

    by: HeldBy
    opportunity_id: OpportunityId | None = None
    rule_id: RuleId | None = None
    until: datetime | None = None  # when that rule ends, where it is known


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One decision about one opportunity (None: about the moment as a whole, when nothing could be told).
    `features`: the vector of the time model (policies/proactive/features.py), kept for learning from the rating."""

    at: datetime
    breakpoint: Breakpoint
    action: Action
    opportunity_id: OpportunityId | None = None
    factors: Factors | None = None
    features: tuple[float, ...] = ()
    held: tuple[Held, ...] = ()
    id: DecisionId = DecisionId(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """`text`: what is shown; "" until it is drafted, and after what it rests on was forgotten. `reason`: the user's."""

    id: SuggestionId
    opportunity_id: OpportunityId
    decision_id: DecisionId
    topic: str
    channel: Channel
    claimed_at: datetime
    text: str = ""
    made_by: MadeBy = "template"
    state: SuggestionState = "claimed"
    answer: Answer | None = None
    reason: Reason = ""
    answered_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """What the user did with a suggestion. `until`: of a snooze."""

    suggestion_id: SuggestionId
    answer: Answer
    at: datetime
    reason: Reason = ""
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicPosterior:
    """Beta counts: how often a message about this topic was welcome. `good` of `rated` explicit ratings."""

    topic: str
    alpha: float
    beta: float
    good: int = 0
    rated: int = 0
    last_told: datetime | None = None

    @property
    def mean(self) -> float:
        return self.alpha / (self.alpha + self.beta)


@dataclass(frozen=True, slots=True, kw_only=True)
class Posteriors:
    """What was learned. `mean`, `covariance`: of the time model's weights; () stands for the shipped prior.
    `gap_factor`, `fewer_by`, `fewer_until`, `fewer_for_good`: from "too often". `style_complaints`: messages whose
    style was not liked. `tallies`: ten bins of predicted acceptance (count, sum of predictions, welcome ones), for
    calibration. `drifted_at`: when old evidence was last let fade. `since`: ratings before it were reset."""

    mean: tuple[float, ...] = ()
    covariance: tuple[tuple[float, ...], ...] = ()
    topics: tuple[TopicPosterior, ...] = ()
    rated: int = 0
    gap_factor: float = 1.0
    fewer_by: int = 0
    fewer_until: datetime | None = None
    fewer_for_good: int = 0
    style_complaints: int = 0
    tallies: tuple[tuple[float, float, float], ...] = ()
    drifted_at: datetime | None = None
    since: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A suggestion with all that it rests on."""

    suggestion: Suggestion
    opportunity: Opportunity
    decision: Decision
    again: bool = False  # it may have been shown before; the program ended in between
