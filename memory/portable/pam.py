"""Portable AI Memory 1.0 (https://portable-ai-memory.org/spec/v1.0): one memory store file, written and read.

The format has no place for polarity, strength, slot or quotes, so they stand under `metadata.steward`, which the
specification leaves open (section 10), and come back from there. What is not confirmed is written as `deprecated` with
the tag `unconfirmed`: the format knows no candidates, and another assistant must not take them for true. There is no
export date and no version of Steward in the file: equal state gives equal bytes.
"""

import hashlib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from memory.portable.drafts import MOST_DRAFTS, Draft, Foreign, Meant
from memory.portable.own_json import Refused, reason
from memory.portable.shapes import LONGEST_STATEMENT, Clean, ScopeShape, Short
from memory.preferences import Item, Kind, Polarity, Preference, PreferenceId, Scope, Source, Status, Strength

SCHEMA, VERSION, PLATFORM, OWNER = "portable-ai-memory", "1.0", "steward", "steward-user"
_TYPES: Mapping[Kind, str] = {
    "preference": "preference",
    "constraint": "preference",
    "instruction": "instruction",
    "identity": "identity",
    "fact": "fact",
    "goal": "goal",
    "habit": "context",
}
_STATUSES: Mapping[Status, str] = {
    "active": "active",
    "candidate": "deprecated",
    "disputed": "deprecated",
    "superseded": "superseded",
    "retracted": "retracted",
    "expired": "archived",
}
_METHODS: Mapping[Source, str] = {
    "explicit": "explicit_user_input",
    "corrected": "explicit_user_input",
    "confirmed": "explicit_user_input",
    "imported": "api_export",
    "inferred": "llm_inference",
}
_ENDED = ("superseded", "retracted", "archived")


# --- writing ---------------------------------------------------------------------------------------------------


def write(items: Sequence[Item]) -> str:
    """A memory store of these items, one a line; links to what is not among them are left out."""
    there = {item.id for item in items}
    memories = [canonical(_memory(item, there)) for item in sorted(items, key=lambda item: item.id)]
    relations = [one for item in items for one in _relations(item.preference, there)]
    integrity = {
        "canonicalization": "RFC8785",
        "checksum": f"sha256:{hashlib.sha256(b'[' + b','.join(memories) + b']').hexdigest()}",
        "total_memories": len(memories),
    }
    parts = {
        "schema": canonical(SCHEMA),
        "schema_version": canonical(VERSION),
        "spec_uri": canonical("https://portable-ai-memory.org/spec/v1.0"),
        "owner": canonical({"id": OWNER}),
        "memories": _lines(memories),
        "relations": _lines([canonical(one) for one in sorted(relations, key=lambda one: str(one["id"]))]),
        "integrity": canonical(integrity),
    }
    body = b",\n".join(canonical(name) + b": " + value for name, value in parts.items())
    return (b"{\n" + body + b"\n}\n").decode()


def canonical(value: object) -> bytes:
    """RFC 8785 for what stands in our files: ASCII keys, and numbers of at most four decimals, which every writer
    spells alike (whole ones are integers already)."""
    import orjson  # a tenth of the time, and a memory is written once for the file and for its hash

    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def _lines(records: Sequence[bytes]) -> bytes:
    return b"[\n" + b",\n".join(records) + b"\n]" if records else b"[]"


def _memory(item: Item, there: set[PreferenceId]) -> dict[str, Any]:
    one = item.preference
    return {
        "id": one.id,
        "type": "relationship" if one.domain == "people" else _TYPES[one.kind],
        "status": _status(one, there),
        "content": one.statement,
        "content_hash": content_hash(one.statement),
        "tags": _tags(one),
        "confidence": _confidence(one),
        "temporal": _temporal(one, there),
        "provenance": {
            "platform": PLATFORM,
            "extraction_method": _METHODS[one.source],
            "extracted_at": _when(one.recorded_at),
        },
        "metadata": _metadata(item),
    }


def _metadata(item: Item) -> dict[str, Any]:
    one = item.preference
    own: dict[str, Any] = {
        "slot": one.slot,
        "kind": one.kind,
        "object": one.object,
        "polarity": one.polarity,
        "strength": one.strength,
        "condition": one.condition,
        "scope": {"type": one.scope.type, "value": one.scope.value},
        "source": one.source,
        "pinned": one.pinned,
        "quotes": [evidence.quote for evidence in item.evidence if evidence.quote],
    }
    language = {"language": one.language} if one.language.isascii() and one.language.islower() else {}
    return {**language, "domain": one.domain, "steward": own}


def _status(one: Preference, there: set[PreferenceId]) -> str:
    orphaned = one.status == "superseded" and one.superseded_by not in there
    return "archived" if orphaned else _STATUSES[one.status]


def _tags(one: Preference) -> list[str]:
    tags = [one.domain, {-1: "avoids", 0: "neutral", 1: "wants"}[one.polarity]]
    tags += ["hard-limit"] if one.strength == 4 else []
    tags += ["unconfirmed"] if one.status in ("candidate", "disputed") else []
    return tags


def _confidence(one: Preference) -> dict[str, Any]:
    current = round(one.confidence, 4)
    block: dict[str, Any] = {"current": int(current) if current.is_integer() else current}
    block["decay_model"] = "time_exponential" if one.source == "inferred" else "none"
    if one.last_reinforced_at is not None and one.last_reinforced_at >= one.recorded_at:
        block["last_reinforced"] = _when(one.last_reinforced_at)
    return block


def _temporal(one: Preference, there: set[PreferenceId]) -> dict[str, Any]:
    block: dict[str, Any] = {"created_at": _when(one.recorded_at)}
    changed = one.retracted_at or one.last_reinforced_at
    if changed is not None and changed >= one.recorded_at:
        block["updated_at"] = _when(changed)
    if one.valid_from is not None and (one.valid_to is None or one.valid_from <= one.valid_to):
        block["valid_from"] = _when(one.valid_from)
    if one.valid_to is not None:
        block["valid_until"] = _when(one.valid_to)
    if one.status == "superseded" and one.superseded_by in there:
        block["superseded_by"] = one.superseded_by
    return block


def _relations(one: Preference, there: set[PreferenceId]) -> Iterator[dict[str, str]]:
    ended = one.retracted_at or one.recorded_at
    if one.superseded_by in there:
        yield _relation(str(one.superseded_by), one.id, "supersedes", ended)
    if one.contests in there:
        yield _relation(one.id, str(one.contests), "contradicts", one.recorded_at)


def _relation(source: str, target: str, kind: str, at: datetime) -> dict[str, str]:
    return {"id": f"{source}-{kind}-{target}", "from": source, "to": target, "type": kind, "created_at": _when(at)}


def _when(at: datetime) -> str:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def content_hash(content: str) -> str:
    """Section 6 of the specification: trimmed, lower case, NFC, single spaces."""
    normalised = " ".join(unicodedata.normalize("NFC", content.strip().lower()).split())
    return f"sha256:{hashlib.sha256(normalised.encode()).hexdigest()}"


# --- reading ---------------------------------------------------------------------------------------------------


class _Own(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    slot: Annotated[str, Field(min_length=1, max_length=80)]
    kind: Kind
    object: Short = ""
    polarity: Polarity
    strength: Strength = 2
    condition: Short = ""
    scope: ScopeShape = ScopeShape()


class _Metadata(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    steward: _Own | None = None


class _Temporal(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    created_at: AwareDatetime | None = None


class _Memory(BaseModel):
    """What is read of a memory; the rest of it is another program's business."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    content: Annotated[str, Field(min_length=1, max_length=LONGEST_STATEMENT)]
    status: str = "active"
    temporal: _Temporal = _Temporal()
    metadata: _Metadata = _Metadata()


def is_pam(value: object) -> bool:
    return isinstance(value, dict) and value.get("schema") == SCHEMA


def read(value: Mapping[str, Any], clean: Clean) -> Foreign:
    """Memory by memory; the checksum is not asked, because a file mended by hand is as good as any: all of it is only
    proposed."""
    version = value.get("schema_version")
    found = value.get("memories")
    if not isinstance(version, str) or not version.startswith("1."):
        why = f"version {str(version)[:20]} is not known; 1.x is"
        return Foreign(origin="pam", refused=(Refused(where="schema_version", why=why),))
    if not isinstance(found, list):
        return Foreign(origin="pam", refused=(Refused(where="memories", why="it is no list"),))
    refused: list[Refused] = []
    drafts = tuple(_drafts(found[:MOST_DRAFTS], clean, refused))
    if len(found) > MOST_DRAFTS:
        refused.append(Refused(where="memories", why=f"only the first {MOST_DRAFTS:,} of {len(found):,} are read"))
    return Foreign(origin="pam", drafts=drafts, refused=tuple(refused))


def _drafts(records: Iterable[Any], clean: Clean, refused: list[Refused]) -> Iterator[Draft]:
    for number, record in enumerate(records, start=1):
        where = f"memory {number}"
        try:
            memory = _Memory.model_validate(record)
        except ValidationError as error:
            refused.append(Refused(where=where, why=reason(error)))
            continue
        own = memory.metadata.steward
        yield Draft(
            statement=" ".join(clean(memory.content).split()),
            where=where,
            at=memory.temporal.created_at,
            ended=memory.status in _ENDED,
            meant=None if own is None else _meant(own, clean),
        )


def _meant(own: _Own, clean: Clean) -> Meant:
    return Meant(
        slot=clean(own.slot),
        object=clean(own.object),
        polarity=own.polarity,
        strength=own.strength,
        kind=own.kind,
        condition=clean(own.condition),
        scope=Scope(type=own.scope.type, value=clean(own.scope.value)),
    )
