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
EntryId = NewType("EntryId", int)

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
    valid_from: datetime | None = None
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


# --- changes -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Add:
    item: Item
    lifts: tuple[str, ...] = ()  # tombstones the user has overruled
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reinforce:
    """The same thing was said again: the evidence is added, the old words stay."""

    id: PreferenceId
    evidence: Evidence
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refine:
    """The user said the same thing more strongly, or took over something only inferred."""

    id: PreferenceId
    evidence: Evidence
    strength: Strength
    source: Source
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Promote:
    """A candidate has enough evidence to be used."""

    id: PreferenceId
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Demote:
    """An inferred item nobody confirmed for long is a candidate again."""

    id: PreferenceId
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Supersede:
    """`old_ids` end now and point to `item`, which is stored in the same transaction."""

    old_ids: tuple[PreferenceId, ...]
    item: Item
    lifts: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retract:
    """No longer true, nothing in its place."""

    id: PreferenceId
    evidence: Evidence | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispute:
    """`item` contradicts `item.preference.contests`, which stays in force until the user decides."""

    item: Item
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """A stored candidate turns out to contradict `against`: it becomes disputed."""

    id: PreferenceId
    against: PreferenceId
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirm:
    """The user said yes: active, source confirmed. What it contests, or fills the same single slot, is superseded."""

    id: PreferenceId
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deny:
    """The user said no to a candidate or a disputed item."""

    id: PreferenceId
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """The user rewrote fields; None leaves a field as it is. The item counts as the user's word from now on."""

    id: PreferenceId
    statement: str | None = None
    kind: Kind | None = None
    domain: Domain | None = None
    slot: str | None = None
    object: str | None = None
    polarity: Polarity | None = None
    strength: Strength | None = None
    scope: Scope | None = None
    condition: str | None = None
    sensitivity: Sensitivity | None = None
    valid_to: datetime | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    id: PreferenceId
    pinned: bool = True
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """The user said these are one: `id` keeps its words and takes the evidence of `absorbed`, which are superseded."""

    id: PreferenceId
    absorbed: tuple[PreferenceId, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expire:
    """Its valid time has passed."""

    id: PreferenceId
    reason: str = ""


IgnoredBecause = Literal[
    "already_known",  # the same words from the same message
    "forgotten",  # the user had it forgotten; only "remember ..." brings it back
    "secret",
    "empty",
    "too_long",
    "unreadable",  # control characters or binary
    "nothing_to_withdraw",
    "unclear_withdrawal",  # several items could be meant
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignore:
    """Nothing is stored, and why. A store skips it; the caller may tell the user."""

    candidate: Candidate
    because: IgnoredBecause
    reason: str = ""


Change = (
    Add
    | Reinforce
    | Refine
    | Promote
    | Demote
    | Supersede
    | Retract
    | Dispute
    | Contest
    | Confirm
    | Deny
    | Edit
    | Pin
    | Merge
    | Expire
    | Ignore
)
Operation = Literal[
    "add",
    "reinforce",
    "refine",
    "promote",
    "demote",
    "supersede",
    "retract",
    "dispute",
    "contest",
    "confirm",
    "deny",
    "edit",
    "pin",
    "merge",
    "expire",
    "forget",
    "undo",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """One item before and after a change; None where it did not exist."""

    id: PreferenceId
    before: Item | None
    after: Item | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryEntry:
    """One change that was applied. After a forget the forgotten item's delta is gone and `undoable` is False."""

    id: EntryId
    at: datetime
    operation: Operation
    actor: Actor
    reason: str
    deltas: tuple[Delta, ...]
    undo_of: EntryId | None = None
    undone: bool = False
    undoable: bool = True


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
    """What a forget did remove, counted. `words_remain` is True while bytes of the statement can still be read
    in the database file: the transcript was kept, or another process holds it open (the next start scrubs)."""

    ids: tuple[PreferenceId, ...]
    items: int
    evidence: int
    history: int
    uses: int
    vectors: int
    messages: int
    words_remain: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """What became of a batch of candidates: the changes decided and the history entries of those that were stored."""

    changes: tuple[Change, ...] = ()
    entries: tuple[HistoryEntry, ...] = ()


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
