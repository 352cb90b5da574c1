"""The whole of what is remembered, read at once and taken in at once: what a profile's export and import need."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from memory.applying import outcome_of
from memory.changes import Add, Change, Delta, EntryId, HistoryEntry, Supersede
from memory.preferences import Actor, Evidence, Item, PreferenceId
from memory.profile_state import Parcel, Snapshot
from memory.sqlite_preference_rows import EVIDENCE, SELECT, evidence_from, from_json, preference_from
from memory.sqlite_preference_writes import (
    Working,
    insert_evidence,
    write_delta,
    write_entry,
    write_state,
)
from memory.text import moment, moment_text

# --- reading ---------------------------------------------------------------------------------------------------


def snapshot(connection: sqlite3.Connection) -> Snapshot:
    """Three passes over the tables, however much there is."""
    pieces: dict[int, Evidence] = {}
    live: dict[str, list[Evidence]] = {}
    rows = connection.execute(f"SELECT {EVIDENCE}, preference_id, live FROM evidence ORDER BY at, id")
    for *columns, preference_id, is_live in rows:
        evidence = pieces[columns[0]] = evidence_from(columns)
        if is_live:
            live.setdefault(preference_id, []).append(evidence)
    found = connection.execute(f"SELECT {SELECT} FROM preference ORDER BY recorded_at, id")
    items = tuple(Item(preference=preference_from(row), evidence=tuple(live.get(row[0], ()))) for row in found)
    tombstones = frozenset(str(row[0]) for row in connection.execute("SELECT key FROM tombstone"))
    return Snapshot(items=items, history=tuple(_history(connection, pieces)), tombstones=tombstones)


def _history(connection: sqlite3.Connection, pieces: dict[int, Evidence]) -> Iterable[HistoryEntry]:
    deltas: dict[int, list[Delta]] = {}
    for entry, id, before, after, evidence_before, evidence_after in connection.execute(
        "SELECT entry_id, preference_id, before, after, evidence_before, evidence_after FROM history_delta "
        "ORDER BY entry_id, position"
    ):
        one = Delta(
            id=PreferenceId(id),
            before=_state(before, evidence_before, pieces),
            after=_state(after, evidence_after, pieces),
        )
        deltas.setdefault(entry, []).append(one)
    for id, at, operation, actor, reason, undo_of, undone, undoable in connection.execute(
        "SELECT id, at, operation, actor, reason, undo_of, undone, undoable FROM history_entry ORDER BY id"
    ):
        yield HistoryEntry(
            id=EntryId(id),
            at=moment(at),
            operation=operation,
            actor=actor,
            reason=reason,
            deltas=tuple(deltas.get(id, ())),
            undo_of=None if undo_of is None else EntryId(undo_of),
            undone=bool(undone),
            undoable=bool(undoable),
        )


def _state(text: str | None, evidence_ids: str, pieces: dict[int, Evidence]) -> Item | None:
    if text is None:
        return None
    known = tuple(pieces[id] for id in json.loads(evidence_ids) if id in pieces)
    return Item(preference=from_json(text), evidence=known)


# --- writing ---------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Net:
    """What all changes together did to one item."""

    before: Item | None
    before_ids: list[int]
    after: Item | None = None
    after_ids: list[int] = field(default_factory=list)


@dataclass(slots=True)
class _Taking:
    connection: sqlite3.Connection
    actor: Actor
    at: datetime
    net: dict[PreferenceId, _Net] = field(default_factory=dict)
    rows: dict[PreferenceId, dict[Evidence, int]] = field(default_factory=dict)

    def change(self, change: Change) -> None:
        """Raises ChangeRefused."""
        working = Working(self.connection)
        working.see_for(change)
        for delta in outcome_of(change, working.items, self.actor, self.at):
            before_ids = working.evidence_ids(delta.before)
            write_state(self.connection, delta)
            rows = self.rows.setdefault(delta.id, {})
            rows |= working.rows.get(delta.id, {})
            net = self.net.setdefault(delta.id, _Net(before=delta.before, before_ids=before_ids))
            net.after = delta.after
            evidence = () if delta.after is None else delta.after.evidence
            net.after_ids = [self.row_of(delta.id, one, live=True) for one in evidence]
        if isinstance(change, Add | Supersede):
            self.connection.executemany("DELETE FROM tombstone WHERE key = ?", [(key,) for key in change.lifts])

    def row_of(self, id: PreferenceId, evidence: Evidence, *, live: bool) -> int:
        rows = self.rows.setdefault(id, {})
        if evidence not in rows:
            rows[evidence] = insert_evidence(self.connection, id, evidence)
            if not live:
                self.connection.execute("UPDATE evidence SET live = 0 WHERE id = ?", (rows[evidence],))
        return rows[evidence]

    def history(self, entries: Sequence[HistoryEntry]) -> None:
        """As it happened elsewhere; nothing of it can be undone here."""
        numbers: dict[EntryId, EntryId] = {}
        for entry in entries:
            undo_of = None if entry.undo_of is None else numbers.get(entry.undo_of)
            id = write_entry(self.connection, entry.operation, entry.actor, entry.reason, entry.at, undo_of)
            numbers[entry.id] = id
            self.connection.execute(
                "UPDATE history_entry SET undoable = 0, undone = ? WHERE id = ?", (int(entry.undone), id)
            )
            for position, delta in enumerate(entry.deltas):
                write_delta(self.connection, id, position, delta, self._ids(delta.before), self._ids(delta.after))

    def _ids(self, item: Item | None) -> list[int]:
        return [] if item is None else [self.row_of(item.id, one, live=False) for one in item.evidence]


def take_in(connection: sqlite3.Connection, parcel: Parcel, actor: Actor, at: datetime) -> HistoryEntry | None:
    """All or none; None when no memory changed."""
    taking = _Taking(connection=connection, actor=actor, at=at)
    for change in parcel.changes:
        taking.change(change)
    taking.history(parcel.history)
    connection.executemany(
        "INSERT OR IGNORE INTO tombstone(key, at) VALUES (?, ?)", [(key, moment_text(at)) for key in parcel.tombstones]
    )
    changed = {id: net for id, net in taking.net.items() if net.before != net.after}
    if not changed:
        return None
    made = write_entry(connection, "import", actor, parcel.reason, at, None)
    deltas = tuple(Delta(id=id, before=net.before, after=net.after) for id, net in changed.items())
    for position, (delta, net) in enumerate(zip(deltas, changed.values(), strict=True)):
        write_delta(connection, made, position, delta, net.before_ids, net.after_ids)
    return HistoryEntry(id=made, at=at, operation="import", actor=actor, reason=parcel.reason, deltas=deltas)
