"""Writing preferences: each function runs inside one transaction of the connection it is given."""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from memory.applying import operation, outcome_of
from memory.changes import Add, Change, Delta, EntryId, HistoryEntry, Ignore, Learned, Operation, Supersede
from memory.keys import subject_key, tombstone_keys
from memory.preferences import Actor, Candidate, Evidence, Item, Preference, PreferenceId
from memory.reconcile import reconcile
from memory.slots import slot
from memory.sqlite_preference_reads import Loaded, history_entry, load, newest_entry
from memory.sqlite_preference_rows import INSERT, evidence_row, row_of, to_json
from memory.text import moment_text
from memory.transitions import named, places_touched
from memory.undo import undo_deltas


@dataclass(slots=True)
class Working:
    """Items this transaction has seen, as they stand now, and the row numbers of their evidence."""

    connection: sqlite3.Connection
    items: dict[PreferenceId, Item] = field(default_factory=dict)
    rows: dict[PreferenceId, dict[Evidence, int]] = field(default_factory=dict)

    def see(self, where: str, values: Sequence[Any]) -> None:
        for loaded in load(self.connection, where, values):
            self.take(loaded)

    def take(self, loaded: Loaded) -> None:
        if loaded.item.id not in self.items:
            self.items[loaded.item.id] = loaded.item
            self.rows[loaded.item.id] = dict(zip(loaded.item.evidence, loaded.evidence_ids, strict=True))

    def see_ids(self, ids: Iterable[PreferenceId]) -> None:
        unseen = [id for id in dict.fromkeys(ids) if id not in self.items]
        for id in unseen:
            self.see("preference.id = ?", (id,))

    def see_for(self, change: Change) -> None:
        """All that `transition` has to see of this change."""
        self.see_ids(named(change))
        contested = (self.items[id].preference.contests for id in named(change) if id in self.items)
        self.see_ids([id for id in contested if id is not None])
        for name, subject in places_touched(change, self.items):
            self.see_place(name, subject)

    def see_place(self, name: str, subject: str) -> None:
        where, values = _place(name, subject)
        self.see(f"preference.status = 'active' AND {where}", values)

    def evidence_ids(self, item: Item | None) -> list[int]:
        return [] if item is None else [self.rows[item.id][evidence] for evidence in item.evidence]


def learn(connection: sqlite3.Connection, candidates: Sequence[Candidate], actor: Actor, at: datetime) -> Learned:
    """Reconcile and apply, seeing one state of the store."""
    there: list[Candidate] = []
    gone: list[Ignore] = []
    tombstones: set[str] = set()
    known = Working(connection)
    for candidate in candidates:
        if not _message_exists(connection, candidate.evidence):
            gone.append(Ignore(candidate=candidate, because="message_gone"))
            continue
        there.append(candidate)
        _see_known(known, candidate)
        for key in tombstone_keys(candidate):
            if connection.execute("SELECT 1 FROM tombstone WHERE key = ?", (key,)).fetchone():
                tombstones.add(key)
    changes = reconcile(known.items.values(), there, tombstones, at)
    return Learned(changes=(*changes, *gone), entries=apply(connection, changes, actor, at))


def apply(
    connection: sqlite3.Connection, changes: Sequence[Change], actor: Actor, at: datetime
) -> tuple[HistoryEntry, ...]:
    """One after another, each seeing what those before it did."""
    entries = []
    for change in changes:
        working = Working(connection)  # small, so that a change costs the same however much is remembered
        working.see_for(change)
        deltas = outcome_of(change, working.items, actor, at)
        name = operation(change)
        if name is not None and deltas:
            entries.append(_record(working, name, change.reason, deltas, actor, at))
        if isinstance(change, Add | Supersede):
            connection.executemany("DELETE FROM tombstone WHERE key = ?", [(key,) for key in change.lifts])
    return tuple(entries)


def undo(connection: sqlite3.Connection, entry: EntryId | None, actor: Actor, at: datetime) -> HistoryEntry:
    undone = newest_entry(connection) if entry is None else history_entry(connection, entry)
    working = Working(connection)
    working.see_ids(delta.id for delta in undone.deltas)
    for preference in _states(undone):
        working.see_place(preference.slot, subject_key(preference))
    deltas = undo_deltas(undone, working.items, _referring(connection, undone), lambda id: _exists(connection, id))
    made = write_entry(connection, "undo", actor, "undone by you", at, undone.id)
    kept = {position: json.loads(ids) for position, ids in _evidence_before(connection, undone.id)}
    positions = {delta.id: position for position, delta in enumerate(undone.deltas)}
    # Two items may change places: out of force first, so that neither index sees both at once.
    connection.executemany("UPDATE preference SET status = 'superseded' WHERE id = ?", [(one.id,) for one in deltas])
    for position, delta in enumerate(deltas):
        ids = kept.get(positions[delta.id], [])
        now_ids = working.evidence_ids(delta.before)
        write_state(connection, delta)
        connection.execute("UPDATE evidence SET live = 0 WHERE preference_id = ?", (delta.id,))
        connection.executemany("UPDATE evidence SET live = 1 WHERE id = ?", [(id,) for id in ids])
        write_delta(connection, made, position, delta, now_ids, ids)
    connection.execute("UPDATE history_entry SET undone = 1 WHERE id = ?", (undone.id,))
    if undone.undo_of is not None:
        connection.execute("UPDATE history_entry SET undone = 0 WHERE id = ?", (undone.undo_of,))
    return history_entry(connection, made)


def _record(
    working: Working, name: Operation, reason: str, deltas: Sequence[Delta], actor: Actor, at: datetime
) -> HistoryEntry:
    connection = working.connection
    id = write_entry(connection, name, actor, reason, at, None)
    for position, delta in enumerate(deltas):
        before_ids = working.evidence_ids(delta.before)
        write_state(connection, delta)
        if delta.after is not None:
            rows = working.rows.setdefault(delta.id, {})
            for evidence in delta.after.evidence:
                if evidence not in rows:
                    rows[evidence] = insert_evidence(connection, delta.id, evidence)
            working.items[delta.id] = delta.after
        write_delta(connection, id, position, delta, before_ids, working.evidence_ids(delta.after))
    return HistoryEntry(id=id, at=at, operation=name, actor=actor, reason=reason, deltas=tuple(deltas))


def insert_evidence(connection: sqlite3.Connection, id: PreferenceId, evidence: Evidence) -> int:
    values = (id, *evidence_row(evidence))
    made = connection.execute(
        "INSERT INTO evidence(preference_id, message_id, session_id, quote, start, stop, stance, weight, at) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        values,
    )
    return int(made.lastrowid or 0)


def write_entry(
    connection: sqlite3.Connection,
    name: Operation,
    actor: Actor,
    reason: str,
    at: datetime,
    undo_of: EntryId | None,
) -> EntryId:
    made = connection.execute(
        "INSERT INTO history_entry(at, operation, actor, reason, undo_of) VALUES (?, ?, ?, ?, ?)",
        (moment_text(at), name, actor, reason, undo_of),
    )
    return EntryId(int(made.lastrowid or 0))


def write_state(connection: sqlite3.Connection, delta: Delta) -> None:
    if delta.after is None:
        connection.execute("DELETE FROM preference WHERE id = ?", (delta.id,))
    else:
        connection.execute(INSERT, row_of(delta.after.preference))


def write_delta(
    connection: sqlite3.Connection,
    entry: EntryId,
    position: int,
    delta: Delta,
    before_ids: Sequence[int],
    after_ids: Sequence[int],
) -> None:
    connection.execute(
        "INSERT INTO history_delta VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            entry,
            position,
            delta.id,
            None if delta.before is None else to_json(delta.before.preference),
            None if delta.after is None else to_json(delta.after.preference),
            json.dumps(list(before_ids)),
            json.dumps(list(after_ids)),
        ),
    )


def _see_known(known: Working, candidate: Candidate) -> None:
    """What reconcile wants to know: the same subject with any status, the whole of a single-valued slot."""
    on_one_line = replace(candidate, statement=" ".join(candidate.statement.split()))
    where, values = _place(candidate.slot, subject_key(on_one_line))
    known.see(where, values)
    contested = f"preference.id IN (SELECT contests FROM preference WHERE contests IS NOT NULL AND {where})"
    known.see(contested, values)


def _place(name: str, subject: str) -> tuple[str, tuple[str, ...]]:
    """The rows that can touch each other, through the index on slot and subject."""
    if slot(name).cardinality == "single":
        return "preference.slot = ?", (name,)
    return "preference.slot = ? AND preference.subject = ?", (name, subject)


def _message_exists(connection: sqlite3.Connection, evidence: Evidence) -> bool:
    if evidence.message_id is None:
        return True
    return connection.execute("SELECT 1 FROM message WHERE id = ?", (evidence.message_id,)).fetchone() is not None


def _states(entry: HistoryEntry) -> Iterable[Preference]:
    for delta in entry.deltas:
        for state in (delta.before, delta.after):
            if state is not None:
                yield state.preference


def _referring(connection: sqlite3.Connection, entry: HistoryEntry) -> Mapping[PreferenceId, PreferenceId]:
    own = {delta.id for delta in entry.deltas}
    found: dict[PreferenceId, PreferenceId] = {}
    for id in own:
        rows = connection.execute("SELECT id FROM preference WHERE superseded_by = ? OR contests = ?", (id, id))
        others = [PreferenceId(row[0]) for row in rows if row[0] not in own]
        if others:
            found[id] = min(others)
    return found


def _exists(connection: sqlite3.Connection, id: PreferenceId) -> bool:
    return connection.execute("SELECT 1 FROM preference WHERE id = ?", (id,)).fetchone() is not None


def _evidence_before(connection: sqlite3.Connection, entry: EntryId) -> Iterable[tuple[int, str]]:
    return connection.execute(
        "SELECT position, evidence_before FROM history_delta WHERE entry_id = ?", (entry,)
    ).fetchall()
