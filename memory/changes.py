"""Changes to what is remembered, as values: decided by `memory.reconcile` or by the user, applied by a store in one
transaction, kept in the history, undoable. Nothing here deletes: forgetting is a store's own act, and final.

Every change has a `reason`, a short text without any of the user's words.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NewType

from memory.preferences import (
    Actor,
    Candidate,
    Domain,
    Evidence,
    Item,
    Kind,
    Polarity,
    PreferenceId,
    Scope,
    Sensitivity,
    Source,
    Strength,
)

EntryId = NewType("EntryId", int)


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
    endless: bool = False  # it holds without an end from now on
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Restore:
    """A memory exactly as it stands in a profile of Steward's own: new here, or newer than the one with its id."""

    item: Item
    reason: str = ""


IgnoredBecause = Literal[
    "already_known",  # the same words from the same message
    "forgotten",  # the user had it forgotten; only "remember ..." brings it back
    "denied",  # the user said no to it when it was only inferred
    "message_gone",  # its conversation was deleted in the meantime
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
    | Restore
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
    "import",
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
class Learned:
    """What became of a batch of candidates: the changes decided and the history entries of those that were stored."""

    changes: tuple[Change, ...] = ()
    entries: tuple[HistoryEntry, ...] = ()
