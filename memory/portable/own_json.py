"""Steward's own profile: a versioned JSON document of named sections, a record a line, the same bytes for equal state.

Lossless for memories, the quotes they rest on, and their history. Its JSON Schema is docs/profile.schema.json.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from memory.changes import HistoryEntry
from memory.portable.sections import Json
from memory.portable.shapes import (
    Clean,
    EntryShape,
    MemoryShape,
    entry_value,
    memory_value,
)
from memory.portable.text_in import Unreadable
from memory.preferences import Item
from memory.profile_state import Snapshot

FORMAT, VERSION = "steward-profile", 1
OWN_SECTIONS = ("memories", "history", "forgotten")
MOST_MEMORIES = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A record that is not taken: where it stands, and why."""

    where: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnProfile:
    items: tuple[Item, ...] = ()
    history: tuple[HistoryEntry, ...] = ()
    forgotten: tuple[str, ...] = ()
    others: Mapping[str, Json] | None = None  # sections of other parts, not yet checked
    refused: tuple[Refused, ...] = ()


# --- writing ---------------------------------------------------------------------------------------------------


def write(snapshot: Snapshot, sections: Mapping[str, Json], *, everything: bool) -> str:
    """The document. What another home did not do itself, an import and its undoing, stays out of the history."""
    entries = tuple(told_history(snapshot.history))
    numbers = {entry.id: number for number, entry in enumerate(entries, start=1)}
    history = (
        entry_value(entry, numbers[entry.id], None if entry.undo_of is None else numbers.get(entry.undo_of))
        for entry in entries
    )
    parts = [
        _array("memories", (memory_value(item) for item in snapshot.items)),
        _array("history", history),
    ]
    if everything:
        parts.append(_array("forgotten", sorted(snapshot.tombstones)))
    parts += [f"{_dumped(name)}: {_dumped(value)}" for name, value in sorted(sections.items()) if value is not None]
    includes = "everything" if everything else "ordinary"
    head = f'"format": "{FORMAT}",\n"version": {VERSION},\n"includes": "{includes}"'
    body = ",\n".join(parts)
    return f'{{\n{head},\n"sections": {{\n{body}\n}}\n}}\n'


def told_history(history: Iterable[HistoryEntry]) -> Iterator[HistoryEntry]:
    """What a profile tells of it."""
    imports = set()
    for entry in history:
        if entry.operation == "import" or (entry.undo_of is not None and entry.undo_of in imports):
            imports.add(entry.id)
        else:
            yield entry


def _array(name: str, records: Iterable[object]) -> str:
    import orjson  # a tenth of the time; its spelling has no spaces

    lines = b",\n".join(map(orjson.dumps, records)).decode()
    return f'"{name}": [\n{lines}\n]' if lines else f'"{name}": []'


_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False)


def _dumped(value: object) -> str:
    return _ENCODER.encode(value)


# --- reading ---------------------------------------------------------------------------------------------------


def is_own(value: object) -> bool:
    return isinstance(value, dict) and value.get("format") == FORMAT


def read(value: Mapping[str, Any], clean: Clean) -> OwnProfile:
    """Record by record: what is wrong is refused with its place, the rest is taken. Raises Unreadable."""
    version = value.get("version")
    if version != VERSION:
        known = isinstance(version, int) and version > VERSION
        raise Unreadable(
            f"It is a profile of version {str(version)[:20]}; this Steward reads version {VERSION}.",
            "Update Steward, then import it." if known else "Export it again.",
        )
    sections = value.get("sections")
    if not isinstance(sections, dict):
        raise Unreadable("It has no sections.", "Export it again.")
    refused: list[Refused] = []
    items = tuple(_items(_records(sections, "memories", refused), clean, refused))
    history = tuple(_entries(_records(sections, "history", refused), clean, refused))
    forgotten = tuple(one for one in _records(sections, "forgotten", refused) if _is_key(one))
    others = {str(name): one for name, one in sections.items() if name not in OWN_SECTIONS}
    return OwnProfile(items=items, history=history, forgotten=forgotten, others=others, refused=tuple(refused))


def salvaged(records: Iterable[Mapping[str, Any]], clean: Clean) -> OwnProfile:
    """Memories that stood whole in a broken document; their history is not trusted to be whole."""
    memories = [record for record in records if "statement" in record and "number" not in record]
    refused: list[Refused] = []
    return OwnProfile(items=tuple(_items(memories, clean, refused)), refused=tuple(refused))


def _records(sections: Mapping[str, Any], name: str, refused: list[Refused]) -> list[Any]:
    found = sections.get(name, [])
    if not isinstance(found, list):
        refused.append(Refused(where=name, why="it is no list"))
        return []
    if len(found) > MOST_MEMORIES:
        refused.append(Refused(where=name, why=f"only the first {MOST_MEMORIES:,} of {len(found):,} are read"))
    return found[:MOST_MEMORIES]


def _items(records: Iterable[Any], clean: Clean, refused: list[Refused]) -> Iterator[Item]:
    seen: set[str] = set()
    for number, record in enumerate(records, start=1):
        try:
            item = MemoryShape.model_validate(record).item(clean)
        except ValidationError as error:
            refused.append(Refused(where=f"memory {number}", why=reason(error)))
            continue
        if item.id in seen:
            refused.append(Refused(where=f"memory {number}", why=f"its id {item.id} stands there twice"))
            continue
        seen.add(item.id)
        yield item


def _entries(records: Iterable[Any], clean: Clean, refused: list[Refused]) -> Iterator[HistoryEntry]:
    last = 0
    for number, record in enumerate(records, start=1):
        try:
            entry = EntryShape.model_validate(record).entry(clean)
        except ValidationError as error:
            refused.append(Refused(where=f"change {number}", why=reason(error)))
            continue
        if entry.id <= last:
            refused.append(Refused(where=f"change {number}", why="its number is out of order"))
            continue
        last = entry.id
        earlier = entry.undo_of is None or entry.undo_of < entry.id
        yield entry if earlier else replace(entry, undo_of=None)


def _is_key(value: object) -> bool:
    if not isinstance(value, str):
        return False
    kind, _, digits = value.partition(":")
    return kind in ("words", "about") and len(digits) == 64 and set(digits) <= set("0123456789abcdef")


def reason(error: ValidationError) -> str:
    """The first thing that is wrong, without the value: "statement: a text is needed"."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])[:80]
    words = first["msg"].removeprefix("Input should be ").removeprefix("Value error, ")[:160]
    return f"{where}: {words}" if where else words
