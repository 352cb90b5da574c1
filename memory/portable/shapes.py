"""The shapes of Steward's own profile document: what an import believes only after pydantic has looked at it, and what
docs/profile.schema.json is made from. Converted at once to the frozen values of memory.preferences.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from memory.changes import Delta, EntryId, HistoryEntry, Operation
from memory.preferences import (
    Actor,
    Domain,
    Evidence,
    Item,
    Kind,
    Polarity,
    Preference,
    PreferenceId,
    Scope,
    ScopeType,
    Sensitivity,
    Source,
    Stance,
    Status,
    Strength,
)
from memory.text import moment_text

LONGEST_STATEMENT = 2_000  # characters
LONGEST_QUOTE = 5_000
MOST_QUOTES = 1_000  # of one memory
MOST_DELTAS = 100_000  # of one change
LONGEST_QUESTION = 5_000
LONGEST_OPTION = 2_000
LONGEST_CHOICE = 20_000  # words of the user's own, or what came of them

Id = Annotated[str, Field(pattern=r"^[a-z0-9]{2,40}$")]
Short = Annotated[str, Field(max_length=300)]
Count = Annotated[float, Field(gt=0, le=1e9, allow_inf_nan=False)]
Clean = Callable[[str], str]


class _Shape(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class ScopeShape(_Shape):
    """Where it holds; `value` names the domain, project, person or session."""

    type: ScopeType = "global"
    value: Short = ""


class EvidenceShape(_Shape):
    """Words of the user, and when they were said."""

    quote: Annotated[str, Field(max_length=LONGEST_QUOTE)]
    at: AwareDatetime
    stance: Stance = "supports"
    weight: Count = 1.0


class MemoryShape(_Shape):
    """One memory, as docs/formats.md describes it; confidence is alpha / (alpha + beta)."""

    id: Id
    statement: Annotated[str, Field(min_length=1, max_length=LONGEST_STATEMENT)]
    language: Annotated[str, Field(max_length=35)] = "en"
    kind: Kind
    domain: Domain
    slot: Annotated[str, Field(min_length=1, max_length=80)]
    object: Short = ""
    polarity: Polarity
    strength: Strength = 2
    scope: ScopeShape = ScopeShape()
    condition: Short = ""
    source: Source
    status: Status
    sensitivity: Sensitivity = "normal"
    pinned: bool = False
    alpha: Count = 9.0
    beta: Count = 1.0
    recorded_at: AwareDatetime
    valid_from: AwareDatetime | None = None
    valid_to: AwareDatetime | None = None
    retracted_at: AwareDatetime | None = None
    last_reinforced_at: AwareDatetime | None = None
    review_after: AwareDatetime | None = None
    superseded_by: Id | None = None
    contests: Id | None = None
    revision: Annotated[int, Field(ge=1, le=1_000_000_000)] = 1
    extractor: Short = ""
    evidence: Annotated[tuple[EvidenceShape, ...], Field(max_length=MOST_QUOTES)] = ()

    def item(self, clean: Clean) -> Item:
        """Every text is cleaned on the way in."""
        fields: dict[str, Any] = {name: getattr(self, name) for name in _PLAIN}
        preference = Preference(
            **fields,
            id=PreferenceId(self.id),
            statement=" ".join(clean(self.statement).split()),
            object=clean(self.object),
            condition=clean(self.condition),
            language=clean(self.language),
            slot=clean(self.slot),
            extractor=clean(self.extractor),
            scope=Scope(type=self.scope.type, value=clean(self.scope.value)),
            superseded_by=None if self.superseded_by is None else PreferenceId(self.superseded_by),
            contests=None if self.contests is None else PreferenceId(self.contests),
        )
        evidence = tuple(
            Evidence(quote=clean(one.quote), at=one.at, stance=one.stance, weight=one.weight) for one in self.evidence
        )
        return Item(preference=preference, evidence=evidence)


_TEXTS = ("id", "statement", "object", "condition", "language", "slot", "extractor", "superseded_by", "contests")
_PLAIN = tuple(name for name in MemoryShape.model_fields if name not in (*_TEXTS, "scope", "evidence"))


class ChangeShape(_Shape):
    """One memory before and after a change; null where it did not exist."""

    id: Id
    before: MemoryShape | None = None
    after: MemoryShape | None = None


class EntryShape(_Shape):
    """One change. `undo_of` is the `number` of the change that this one took back."""

    number: Annotated[int, Field(ge=1, le=1_000_000_000)]
    at: AwareDatetime
    operation: Operation
    actor: Actor
    reason: Short = ""
    undone: bool = False
    undo_of: Annotated[int, Field(ge=1)] | None = None
    changes: Annotated[tuple[ChangeShape, ...], Field(max_length=MOST_DELTAS)] = ()

    def entry(self, clean: Clean) -> HistoryEntry:
        deltas = tuple(
            Delta(
                id=PreferenceId(one.id),
                before=None if one.before is None else one.before.item(clean),
                after=None if one.after is None else one.after.item(clean),
            )
            for one in self.changes
        )
        return HistoryEntry(
            id=EntryId(self.number),
            at=self.at,
            operation=self.operation,
            actor=self.actor,
            reason=clean(self.reason),
            deltas=deltas,
            undo_of=None if self.undo_of is None else EntryId(self.undo_of),
            undone=self.undone,
            undoable=False,
        )


class DecisionShape(_Shape):
    """A decision that is over. `chosen` is one of the options, or the user's own words; "" where nobody chose."""

    asked_at: AwareDatetime
    question: Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION)]
    kind: Literal["clarify", "choose", "confirm", "important", "permission"]
    options: Annotated[tuple[Annotated[str, Field(max_length=LONGEST_OPTION)], ...], Field(max_length=1_000)] = ()
    chosen: Annotated[str, Field(max_length=LONGEST_CHOICE)] = ""
    state: Literal["done", "failed", "declined", "withdrawn", "expired"]
    answered_at: AwareDatetime | None = None
    result: Annotated[str, Field(max_length=LONGEST_CHOICE)] = ""


class SectionsShape(BaseModel):
    """`memories`, `history` and `decisions` are described here; other sections belong to other parts of Steward."""

    model_config = ConfigDict(extra="allow")

    memories: tuple[MemoryShape, ...] = ()
    history: tuple[EntryShape, ...] = ()
    forgotten: tuple[Annotated[str, Field(pattern=r"^(words|about):[0-9a-f]{64}$")], ...] = ()
    decisions: tuple[DecisionShape, ...] = ()


class ProfileShape(BaseModel):
    """A profile of Steward's user, written by `steward profile export`."""

    model_config = ConfigDict(title="Steward profile")

    format: Literal["steward-profile"]
    version: Literal[1]
    includes: Literal["ordinary", "everything"] = Field(
        description="ordinary: without what is sensitive or about other people; everything: with it"
    )
    sections: SectionsShape


def evidence_value(one: Evidence) -> dict[str, Any]:
    return {"quote": one.quote, "at": when(one.at), "stance": one.stance, "weight": one.weight}


def memory_value(item: Item) -> dict[str, Any]:
    """In the order of MemoryShape. What names a message or a conversation stays: it means nothing elsewhere."""
    one = item.preference
    return {
        "id": one.id,
        "statement": one.statement,
        "language": one.language,
        "kind": one.kind,
        "domain": one.domain,
        "slot": one.slot,
        "object": one.object,
        "polarity": one.polarity,
        "strength": one.strength,
        "scope": {"type": one.scope.type, "value": one.scope.value},
        "condition": one.condition,
        "source": one.source,
        "status": one.status,
        "sensitivity": one.sensitivity,
        "pinned": one.pinned,
        "alpha": float(one.alpha),
        "beta": float(one.beta),
        "recorded_at": when(one.recorded_at),
        "valid_from": when(one.valid_from),
        "valid_to": when(one.valid_to),
        "retracted_at": when(one.retracted_at),
        "last_reinforced_at": when(one.last_reinforced_at),
        "review_after": when(one.review_after),
        "superseded_by": one.superseded_by,
        "contests": one.contests,
        "revision": one.revision,
        "extractor": one.extractor,
        "evidence": [evidence_value(evidence) for evidence in item.evidence],
    }


def entry_value(entry: HistoryEntry, number: int, undo_of: int | None) -> dict[str, Any]:
    return {
        "number": number,
        "at": when(entry.at),
        "operation": entry.operation,
        "actor": entry.actor,
        "reason": entry.reason,
        "undone": entry.undone,
        "undo_of": undo_of,
        "changes": [
            {
                "id": delta.id,
                "before": None if delta.before is None else memory_value(delta.before),
                "after": None if delta.after is None else memory_value(delta.after),
            }
            for delta in entry.deltas
        ],
    }


def when(at: datetime | None) -> str | None:
    return None if at is None else moment_text(at)
