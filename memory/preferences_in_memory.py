"""Preferences without a disk: the reference for the store in SQLite, and what --incognito and --demo keep."""

from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from memory.applying import operation, outcome_of
from memory.changes import Add, Change, Delta, EntryId, HistoryEntry, Learned, Operation, Supersede
from memory.errors import ChangeRefused
from memory.gone import gone_of, traces_among
from memory.keys import tombstone_keys
from memory.preferences import (
    ANY,
    IN_FORCE,
    Actor,
    Candidate,
    Domain,
    Filter,
    ForgetMessages,
    ForgetPreview,
    Forgotten,
    Hit,
    Item,
    Outcome,
    Preference,
    PreferenceId,
    ReviewQueue,
    Scope,
    Status,
    Usage,
)
from memory.profile_state import Parcel, Snapshot
from memory.reconcile import reconcile
from memory.selection import (
    belongs_in_head,
    fits,
    head_order,
    newest_first,
    no_memory,
    one_memory,
    review_queue,
    strongest_first,
)
from memory.text import parse_query
from memory.types import MessageId
from memory.undo import Links, newest_undoable, nothing_to_undo, undo_deltas
from memory.upkeep import upkeep
from memory.words import NAMED_SCORE, stem, stems_of, words_of


@dataclass(slots=True)
class InMemoryPreferences:
    """Implements memory.preference_store.PreferenceStore; everything is gone with the process."""

    _items: dict[PreferenceId, Item] = field(default_factory=dict)
    _entries: list[HistoryEntry] = field(default_factory=list)
    _usage: dict[tuple[PreferenceId, MessageId], Usage] = field(default_factory=dict)
    _tombstones: set[str] = field(default_factory=set)
    _last_entry: int = 0

    # --- writing ---

    async def learn(self, candidates: Sequence[Candidate], *, actor: Actor, at: datetime) -> Learned:
        changes = reconcile(self._items.values(), candidates, self._tombstones, at)
        return Learned(changes=changes, entries=await self.apply(changes, actor=actor, at=at))

    async def apply(self, changes: Sequence[Change], *, actor: Actor, at: datetime) -> tuple[HistoryEntry, ...]:
        before = dict(self._items)
        entries: list[HistoryEntry] = []
        try:
            for change in changes:
                name = operation(change)
                deltas = outcome_of(change, self._items, actor, at)
                if name is not None and deltas:
                    self._take(deltas)
                    entries.append(self._entry(name, actor, change.reason, deltas, at, len(entries)))
        except ChangeRefused:
            self._items = before
            raise
        for change in changes:
            if isinstance(change, Add | Supersede):
                self._tombstones.difference_update(change.lifts)
        self._entries += entries
        self._last_entry += len(entries)
        return tuple(entries)

    async def undo(self, entry: EntryId | None = None, *, actor: Actor = "user", at: datetime) -> HistoryEntry:
        undone = newest_undoable(self._entries) if entry is None else self._known_entry(entry)
        deltas = undo_deltas(undone, self._items, self._referring(undone), self._items.__contains__)
        self._take(deltas)
        made = replace(self._entry("undo", actor, "undone by you", deltas, at, 0), undo_of=undone.id)
        self._mark(undone.id, undone=True)
        if undone.undo_of is not None:
            self._mark(undone.undo_of, undone=False)
        self._entries.append(made)
        self._last_entry += 1
        return made

    async def take_in(self, parcel: Parcel, *, actor: Actor, at: datetime) -> HistoryEntry | None:
        before = dict(self._items)
        touched: dict[PreferenceId, Item | None] = {}
        try:
            for change in parcel.changes:
                deltas = outcome_of(change, self._items, actor, at)
                for delta in deltas:
                    touched.setdefault(delta.id, delta.before)
                self._take(deltas)
        except ChangeRefused:
            self._items = before
            raise
        for change in parcel.changes:
            if isinstance(change, Add | Supersede):
                self._tombstones.difference_update(change.lifts)
        self._tombstones.update(parcel.tombstones)
        self._take_history(parcel.history)
        changed = tuple(
            Delta(id=id, before=old, after=self._items.get(id))
            for id, old in touched.items()
            if old != self._items.get(id)
        )
        if not changed:
            return None
        made = self._entry("import", actor, parcel.reason, changed, at, 0)
        self._entries.append(made)
        self._last_entry += 1
        return made

    def _take_history(self, entries: Sequence[HistoryEntry]) -> None:
        numbers: dict[EntryId, EntryId] = {}
        for entry in entries:
            self._last_entry += 1
            id = numbers[entry.id] = EntryId(self._last_entry)
            undo_of = None if entry.undo_of is None else numbers.get(entry.undo_of)
            self._entries.append(replace(entry, id=id, undo_of=undo_of, undoable=False))

    async def keep_up(self, *, at: datetime) -> tuple[HistoryEntry, ...]:
        changes = upkeep((item.preference for item in self._items.values()), at)
        return await self.apply(changes, actor="upkeep", at=at)

    async def record_usage(self, uses: Sequence[Usage]) -> None:
        for use in uses:
            if use.preference_id in self._items:
                self._usage[use.preference_id, use.message_id] = use

    async def mark_outcome(self, message_id: MessageId, ids: Collection[PreferenceId], outcome: Outcome) -> None:
        for key, use in self._usage.items():
            if use.message_id == message_id and use.preference_id in ids:
                self._usage[key] = replace(use, outcome=outcome)

    # --- reading ---

    async def item(self, id: PreferenceId) -> Item:
        if id not in self._items:
            raise no_memory(id)
        return self._items[id]

    async def find(self, wanted: str) -> Item:
        if wanted in self._items:
            return self._items[PreferenceId(wanted)]
        return self._items[one_memory(wanted, sorted(id for id in self._items if wanted and id.startswith(wanted)))]

    async def list(self, filter: Filter = ANY, *, limit: int = 50, offset: int = 0) -> tuple[Preference, ...]:
        fitting = newest_first(preference for preference in self._preferences() if fits(preference, filter))
        return fitting[offset : offset + limit]

    async def count(self, filter: Filter = ANY) -> int:
        return sum(1 for preference in self._preferences() if fits(preference, filter))

    async def by_ids(self, ids: Collection[PreferenceId]) -> tuple[Preference, ...]:
        return tuple(self._items[id].preference for id in ids if id in self._items)

    async def search(self, text: str, *, limit: int = 20, statuses: tuple[Status, ...] = IN_FORCE) -> tuple[Hit, ...]:
        wanted = {stem(word) for word in words_of(text)}
        unspaced = bool(parse_query(text).pieces)
        hits = [
            Hit(preference=one, score=_likeness(one, wanted, text if unspaced else ""))
            for one in self._preferences()
            if one.status in statuses
        ]
        hits.sort(key=lambda hit: (-hit.score, hit.preference.id))
        return tuple(hit for hit in hits if hit.score > 0)[:limit]

    async def in_domains(self, domains: Collection[Domain], *, limit: int = 50) -> tuple[Preference, ...]:
        fitting = (one for one in self._preferences() if one.status == "active" and one.domain in domains)
        return strongest_first(fitting)[:limit]

    async def head(self, *, at: datetime, scopes: Collection[Scope] = ()) -> tuple[Preference, ...]:
        return head_order(one for one in self._preferences() if belongs_in_head(one, at, scopes))

    async def history(
        self, id: PreferenceId | None = None, *, limit: int = 50, offset: int = 0
    ) -> tuple[HistoryEntry, ...]:
        fitting = [
            entry for entry in reversed(self._entries) if id is None or any(delta.id == id for delta in entry.deltas)
        ]
        return tuple(fitting[offset : offset + limit])

    async def usage_of(self, message_id: MessageId) -> tuple[Usage, ...]:
        fitting = [use for use in self._usage.values() if use.message_id == message_id]
        return tuple(sorted(fitting, key=lambda use: (-use.score, use.preference_id)))

    async def uses(self, id: PreferenceId, *, limit: int = 20) -> tuple[Usage, ...]:
        fitting = [use for use in self._usage.values() if use.preference_id == id]
        return tuple(sorted(fitting, key=lambda use: use.message_id, reverse=True))[:limit]

    async def review(self, *, at: datetime, limit: int = 50) -> ReviewQueue:
        return review_queue(self._items, at, limit)

    async def export(self) -> AsyncIterator[Item]:
        for item in tuple(self._items.values()):
            yield item

    async def snapshot(self) -> Snapshot:
        items = sorted(self._items.values(), key=lambda item: (item.preference.recorded_at, item.id))
        return Snapshot(items=tuple(items), history=tuple(self._entries), tombstones=frozenset(self._tombstones))

    # --- forgetting ---

    async def gone(self) -> tuple[Item, ...]:
        return gone_of(self._entries, self._items)

    async def preview_forget(self, ids: Collection[PreferenceId]) -> ForgetPreview:
        gone = gone_of(self._entries, self._items)
        past = {item.id: item for item in reversed(gone)}
        named = [past[id] if id in past else await self.item(id) for id in dict.fromkeys(ids)]
        items = (*named, *traces_among(gone, named))
        ids = [item.id for item in items]
        quoted = {evidence.message_id for item in items for evidence in item.evidence}
        return ForgetPreview(
            items=items,
            history_entries=sum(1 for entry in self._entries if any(delta.id in ids for delta in entry.deltas)),
            uses=sum(1 for use in self._usage.values() if use.preference_id in ids),
            sources=tuple(sorted(message for message in quoted if message is not None)),
            mentions=(),
        )

    async def forget(
        self, ids: Collection[PreferenceId], *, messages: ForgetMessages = "keep", at: datetime
    ) -> Forgotten:
        """The transcript is another store's: `messages` removes none here."""
        preview = await self.preview_forget(ids)
        gone = tuple(item.id for item in preview.items)
        for entry in self._entries:
            for delta in entry.deltas:
                for state in (delta.before, delta.after):
                    if delta.id in gone and state is not None:
                        self._tombstones.update(tombstone_keys(state.preference))
        for item in preview.items:
            self._tombstones.update(tombstone_keys(item.preference))
            self._items.pop(item.id, None)
        links = Links(exists=lambda id: id not in gone)
        self._items = {id: links.kept(item) for id, item in self._items.items()}
        self._usage = {key: use for key, use in self._usage.items() if use.preference_id not in gone}
        self._entries = [_scrubbed(entry, gone) for entry in self._entries]
        self._last_entry += 1
        self._entries.append(_forget_entry(EntryId(self._last_entry), at))
        return Forgotten(
            ids=gone,
            items=len(gone),
            evidence=sum(len(item.evidence) for item in preview.items),
            history=preview.history_entries,
            uses=preview.uses,
            vectors=0,
            messages=0,
            messages_left=len(preview.sources),
        )

    # --- state ---

    def _preferences(self) -> Iterable[Preference]:
        return (item.preference for item in self._items.values())

    def _take(self, deltas: Iterable[Delta]) -> None:
        for delta in deltas:
            if delta.after is None:
                self._items.pop(delta.id, None)
                self._usage = {key: use for key, use in self._usage.items() if use.preference_id != delta.id}
            else:
                self._items[delta.id] = delta.after

    def _entry(
        self, name: Operation, actor: Actor, reason: str, deltas: tuple[Delta, ...], at: datetime, made: int
    ) -> HistoryEntry:
        id = EntryId(self._last_entry + made + 1)
        return HistoryEntry(id=id, at=at, operation=name, actor=actor, reason=reason, deltas=deltas)

    def _known_entry(self, id: EntryId) -> HistoryEntry:
        for entry in self._entries:
            if entry.id == id:
                return entry
        raise nothing_to_undo()

    def _mark(self, id: EntryId, *, undone: bool) -> None:
        self._entries = [replace(entry, undone=undone) if entry.id == id else entry for entry in self._entries]

    def _referring(self, entry: HistoryEntry) -> dict[PreferenceId, PreferenceId]:
        own = {delta.id for delta in entry.deltas}
        found: dict[PreferenceId, PreferenceId] = {}
        for preference in self._preferences():
            for link in (preference.superseded_by, preference.contests):
                if link in own and preference.id not in own and link is not None:
                    found[link] = preference.id
        return found


def _likeness(preference: Preference, wanted: set[str], unspaced: str) -> float:
    """Words in common; `unspaced` is a text in which an object is looked for as it stands."""
    shared = len(wanted & stems_of(f"{preference.statement} {preference.object}"))
    named = len(preference.object) > 1 and preference.object in unspaced
    return float(shared) or (NAMED_SCORE if named else 0.0)


def _scrubbed(entry: HistoryEntry, gone: Collection[PreferenceId]) -> HistoryEntry:
    kept = tuple(delta for delta in entry.deltas if delta.id not in gone)
    return entry if len(kept) == len(entry.deltas) else replace(entry, deltas=kept, undoable=False)


def _forget_entry(id: EntryId, at: datetime) -> HistoryEntry:
    return HistoryEntry(
        id=id, at=at, operation="forget", actor="user", reason="forgotten by you", deltas=(), undoable=False
    )
