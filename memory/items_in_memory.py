"""Events, tasks and notes without a disk: the reference for the store in SQLite, and what --incognito keeps."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta

from memory.item_rules import (
    check_revision,
    check_undo,
    kind_in,
    no_entry,
    only_one,
    search_key,
    uid_is_there,
)
from memory.items import Event, Item, ItemChange, ItemEntry, ItemEntryId, ItemHit, ItemId, ItemKind, Note, Task, kind_of
from memory.text import folded, parse_query, snippet_around

ZONES_APART = timedelta(days=2)


class InMemoryItems:
    """Implements memory.item_store.ItemStore."""

    def __init__(self) -> None:
        self._items: dict[ItemId, Item] = {}
        self._changed: dict[ItemId, datetime] = {}
        self._history: list[ItemEntry] = []
        self._requests: dict[str, ItemEntryId] = {}

    async def apply(self, change: ItemChange, *, at: datetime, request: str = "") -> ItemEntry:
        if request in self._requests:
            return self._history[self._requests[request] - 1]
        kind = kind_in(change)
        for item in change.items:
            check_revision(self._items.get(item.id), item)
        if change.undoes is not None:
            undone = await self.entry(kind, change.undoes)
            check_undo(undone)
        self._check_uids(change)
        if change.undoes is not None:
            self._history[undone.id - 1] = replace(undone, undone=True)
        entry = ItemEntry(
            id=ItemEntryId(len(self._history) + 1),
            operation=change.operation,
            kind=kind,
            label=change.label,
            at=at,
            changed=tuple(
                (self._items.get(item.id), replace(item, revision=item.revision + 1)) for item in change.items
            ),
        )
        self._history.append(entry)
        if request:
            self._requests[request] = entry.id
        for item in change.items:
            self._items[item.id] = replace(item, revision=item.revision + 1)
            self._changed[item.id] = at
        return entry

    def _check_uids(self, change: ItemChange) -> None:
        after = self._items | {item.id: item for item in change.items}
        keys = [(item.uid, item.recurrence) for item in after.values() if isinstance(item, Event) and item.uid]
        if len(set(keys)) != len(keys):
            raise uid_is_there()

    async def find(self, kind: ItemKind, wanted: str) -> Item:
        exact = self._items.get(ItemId(wanted))
        if exact is not None and kind_of(exact) == kind:
            return exact
        fitting = sorted(item.id for item in self._active(kind) if wanted and item.id.startswith(wanted))
        return self._items[only_one(kind, wanted, tuple(fitting))]

    def _active(self, kind: ItemKind) -> list[Item]:
        return [item for item in self._items.values() if kind_of(item) == kind and item.state == "active"]

    async def events(self, first: datetime, last: datetime) -> tuple[Event, ...]:
        low, high = first - ZONES_APART, last + ZONES_APART
        found = [
            item
            for item in self._active("event")
            if isinstance(item, Event)
            and (item.rule or item.added or item.recurrence or (item.starts <= high and item.ends >= low))
        ]
        return tuple(sorted(found, key=lambda event: event.starts))

    async def by_uid(self, uids: Sequence[str]) -> tuple[Event, ...]:
        return tuple(item for item in self._items.values() if isinstance(item, Event) and item.uid in uids and item.uid)

    async def tasks(self, *, done: bool = False, limit: int = 500) -> tuple[Task, ...]:
        found = [item for item in self._active("task") if isinstance(item, Task) and (item.done_at is not None) == done]
        if done:
            found.sort(key=lambda task: task.done_at or task.created_at, reverse=True)
        else:
            found.sort(key=lambda task: task.due or date.max)
        return tuple(found[:limit])

    async def notes(self, *, limit: int = 500) -> tuple[Note, ...]:
        found = [item for item in self._active("note") if isinstance(item, Note)]
        return tuple(reversed(found))[:limit]

    async def search(self, words: str, kinds: Sequence[ItemKind], *, limit: int = 20) -> tuple[ItemHit, ...]:
        query = parse_query(words)
        wanted = [folded(term) for term in query.terms]
        hits: list[tuple[int, ItemHit]] = []
        for item in self._items.values():
            title, text = (folded(part) for part in search_key(item))
            if not wanted or item.state != "active" or kind_of(item) not in kinds:
                continue
            if all(term in title or term in text for term in wanted):
                in_title = sum(term in title for term in wanted)
                hits.append(
                    (in_title, ItemHit(item=item, snippet=snippet_around(item.text or item.title, query.terms)))
                )
        hits.sort(key=lambda hit: -hit[0])
        return tuple(hit for _, hit in hits[:limit])

    async def entry(self, kind: ItemKind, id: ItemEntryId | None = None) -> ItemEntry:
        found = [
            one
            for one in self._history
            if one.kind == kind
            and (one.id == id if id is not None else not one.undone and one.operation != "undo" and one.changed)
        ]
        if not found:
            raise no_entry()
        return found[-1]

    async def purge(self, before: datetime) -> int:
        gone = {id for id, one in self._items.items() if one.state == "deleted" and self._changed[id] < before}
        self._items = {id: one for id, one in self._items.items() if id not in gone}
        self._history = [
            replace(entry, changed=(), label="", undone=True)
            if any(after.id in gone for _, after in entry.changed)
            else entry
            for entry in self._history
        ]
        return len(gone)
