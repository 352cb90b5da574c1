"""What Steward knows about its user: items, the evidence for them, and the changes that alter them.

An item is one statement in the user's own words. It is never overwritten: a change makes a new state,
the old one stays in the history, and undo restores it exactly. Two clocks are kept (bi-temporal, after
Rasmussen et al. 2025, "Zep"): `valid_from`/`valid_to` say when it holds in the world, `recorded_at`/
`retracted_at` when Steward learned and dropped it. Times are aware UTC datetimes.

Positions in quotes count characters of the message. Confidence is a probability in 0..1.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, NewType, get_args

from memory.types import MessageId, SessionId

PreferenceId = NewType("PreferenceId", str)

Kind = Literal["preference", "constraint", "instruction", "identity", "fact", "goal", "habit"]
Domain = Literal[
    "reply_style",
    "identity",
    "people",
    "schedule",
    "food",
    "health",
    "fitness",
    "beauty",
    "fashion",
    "home",
    "shopping",
    "vehicles",
    "technology",
    "programming",
    "work",
    "learning",
    "writing",
    "games",
    "music",
    "books",
    "screen",
    "sports",
    "pets",
    "travel",
    "lodging",
    "transport",
    "money",
    "other",
]
Source = Literal["explicit", "corrected", "confirmed", "imported", "inferred"]
Status = Literal["candidate", "active", "disputed", "superseded", "retracted", "expired"]
Sensitivity = Literal["normal", "personal", "special", "secret"]
ScopeType = Literal["global", "domain", "project", "person", "until", "session"]
Stance = Literal["supports", "contradicts", "withdraws"]
Polarity = Literal[-1, 0, 1]  # avoids, neutral, wants
Strength = Literal[1, 2, 3, 4]  # nice to have, preference, strong, hard limit
Cardinality = Literal["single", "multi"]
Actor = Literal["user", "rules", "model", "upkeep", "import"]
Outcome = Literal["unknown", "followed", "violated", "corrected"]
Place = Literal["head", "turn"]

DOMAINS: tuple[Domain, ...] = get_args(Domain)
LIVE: tuple[Status, ...] = ("candidate", "active", "disputed")
IN_FORCE: tuple[Status, ...] = ("active",)
SPOKEN: tuple[Source, ...] = ("explicit", "corrected", "confirmed")  # the user's own decision

# Beta counts (for, against) a new item starts with; each further support adds its weight to the first.
PRIOR: dict[Source, tuple[float, float]] = {
    "explicit": (9.0, 1.0),
    "corrected": (9.0, 1.0),
    "confirmed": (19.0, 1.0),
    "imported": (3.0, 2.0),
    "inferred": (2.0, 2.0),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Where an item holds. `value` names the domain, project, person or session; "" for global and until."""

    type: ScopeType = "global"
    value: str = ""


EVERYWHERE = Scope()


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Why an item is believed: words the user typed, verbatim. `message_id` is None for `memory add` and imports."""

    quote: str
    at: datetime  # when it was said
    message_id: MessageId | None = None
    session_id: SessionId | None = None
    start: int = 0
    stop: int = 0
    stance: Stance = "supports"
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Preference:
    id: PreferenceId
    kind: Kind
    statement: str  # the user's words, in the user's language
    domain: Domain
    slot: str  # a name of memory.slots
    object: str  # what it is about: "coriander", "bullets", "Anna"; "" when there is none
    polarity: Polarity
    source: Source
    status: Status
    recorded_at: datetime
    language: str = "en"
    strength: Strength = 2
    scope: Scope = EVERYWHERE
    condition: str = ""  # "when answering maths"
    sensitivity: Sensitivity = "normal"
    alpha: float = 9.0
    beta: float = 1.0
    pinned: bool = False
    valid_from: datetime | None = None  # when the user said it begins; None: it holds already
    valid_to: datetime | None = None
    retracted_at: datetime | None = None
    superseded_by: PreferenceId | None = None
    contests: PreferenceId | None = None  # a disputed item names the one it contradicts
    last_reinforced_at: datetime | None = None
    review_after: datetime | None = None
    revision: int = 1
    extractor: str = ""  # what recognised it: a rule's name or a model

    @property
    def confidence(self) -> float:
        return self.alpha / (self.alpha + self.beta)

    @property
    def protected(self) -> bool:
        """Pinned items and hard limits change only after the user is asked."""
        return self.pinned or self.strength == 4

    def holds_at(self, moment: datetime) -> bool:
        """Active and within its valid time."""
        started = self.valid_from is None or self.valid_from <= moment
        return self.status == "active" and started and (self.valid_to is None or moment < self.valid_to)


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A preference with its evidence, oldest first: the unit of change, history and export."""

    preference: Preference
    evidence: tuple[Evidence, ...] = ()

    @property
    def id(self) -> PreferenceId:
        return self.preference.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Something a turn, an import or the user proposes to remember; `memory.reconcile` decides what becomes of it.

    `requested`: the user asked for it to be kept ("remember that ..."), which also lifts an earlier forget.
    A `withdraws` candidate says that something no longer holds ("I'm not vegetarian any more"): its slot and
    object name what ends; without an object the whole single-valued slot ends.
    """

    statement: str
    kind: Kind
    domain: Domain
    slot: str
    source: Source
    evidence: Evidence
    object: str = ""
    polarity: Polarity = 1
    strength: Strength = 2
    scope: Scope = EVERYWHERE
    condition: str = ""
    language: str = "en"
    sensitivity: Sensitivity = "normal"
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    stance: Stance = "supports"
    requested: bool = False
    extractor: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """An item was shown to the model beside, or ahead of, a reply. `score` is the rank score, 0 in the head."""

    preference_id: PreferenceId
    message_id: MessageId  # the reply it shaped
    place: Place
    at: datetime
    score: float = 0.0
    outcome: Outcome = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which items to list; empty tuples mean any. `text` is matched against statement, object and slot."""

    statuses: tuple[Status, ...] = ()
    domains: tuple[Domain, ...] = ()
    sources: tuple[Source, ...] = ()
    slot: str = ""
    pinned: bool | None = None
    text: str = ""


ANY = Filter()

ForgetMessages = Literal["keep", "sources", "mentions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetPreview:
    """What a forget would remove. `sources` are messages quoted as evidence and the replies to them;
    `mentions` are further messages that contain the item's words or its object."""

    items: tuple[Item, ...]
    history_entries: int
    uses: int
    sources: tuple[MessageId, ...]
    mentions: tuple[MessageId, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What a forget did remove, counted. `messages_left` still hold the words, because the transcript was kept.
    `log_held`: another process was reading, so old pages stay in the write-ahead log until it or Steward ends."""

    ids: tuple[PreferenceId, ...]
    items: int
    evidence: int
    history: int
    uses: int
    vectors: int
    messages: int
    messages_left: int
    log_held: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A full-text match; `score` is BM25, higher is better."""

    preference: Preference
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewQueue:
    """What waits for the user, most urgent first: contradictions, candidates, items due for a second look."""

    disputes: tuple[tuple[Item, Item], ...] = ()  # (the new one, the one in force)
    candidates: tuple[Item, ...] = ()
    stale: tuple[Item, ...] = field(default=())
