"""Reminders in SQLite: the truth. One transaction a call; what was claimed is on disk before anybody is told."""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Self

from memory.database import Database, has_tables
from memory.home_key import Key
from memory.reminder_rules import check_revision, check_undo, no_entry, no_reminder, only_one
from memory.reminders import (
    Change,
    Due,
    Entry,
    EntryId,
    Firing,
    Notice,
    NoticeId,
    Reminder,
    ReminderId,
    ReminderState,
)
from memory.sqlite_reminder_rows import (
    ENTRY,
    NOTICE,
    REMINDER,
    before_text,
    due_from,
    entry_from,
    notice_from,
    optional_text,
    reminder_from,
    reminder_values,
)
from memory.text import moment, moment_text

# CROSS: the open notices are few, so they are looked at first
_BOTH = f"SELECT {NOTICE}, {REMINDER} FROM notice CROSS JOIN reminder ON reminder.id = notice.reminder_id"


class SqliteReminders:
    """Implements memory.reminder_store.ReminderStore over one Database, which it shares with the transcript."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @classmethod
    async def open_reading(cls, path: Path, key: Key | None = None) -> Self | None:
        """Beside an owner, or without one; None where there never was a reminder. Raises StoreError."""
        database = await Database.open_read_only(path, knows=has_tables("reminder", "notice"), key=key)
        return None if database is None else cls(database)

    async def close(self) -> None:
        await self._database.close()

    async def apply(self, change: Change, *, at: datetime, request: str = "") -> Entry:
        return await self._database.write(lambda connection: _apply(connection, change, at, request))

    async def claim(self, firings: Sequence[Firing], *, at: datetime) -> tuple[Due, ...]:
        def work(connection: sqlite3.Connection) -> tuple[Due, ...]:
            claimed = [_claim(connection, firing, at) for firing in firings]
            return tuple(due for due in claimed if due is not None)

        return await self._database.write(work) if firings else ()

    async def mark_shown(self, ids: Sequence[NoticeId]) -> None:
        sql = "UPDATE notice SET state = 'shown' WHERE id = ? AND state = 'claimed'"
        await self._database.write(lambda connection: _each(connection, sql, [(id,) for id in ids]))

    async def replan(self, reminders: Sequence[Reminder]) -> None:
        rows = [(one.next, optional_text(one.next_at), one.id, one.revision) for one in reminders]
        sql = "UPDATE reminder SET next = ?, next_at = ? WHERE id = ? AND revision = ?"
        await self._database.write(lambda connection: _each(connection, sql, rows))

    async def due(self, at: datetime, *, limit: int = 200) -> tuple[Reminder, ...]:
        sql = (
            f"SELECT {REMINDER} FROM reminder WHERE state = 'active' AND next_at IS NOT NULL AND next_at <= ? "
            "ORDER BY next_at LIMIT ?"
        )
        return await self._reminders(sql, moment_text(at), limit)

    async def next_at(self) -> datetime | None:
        sql = "SELECT min(next_at) FROM reminder WHERE state = 'active' AND next_at IS NOT NULL"
        (found,) = await self._database.read(lambda connection: connection.execute(sql).fetchone())
        return None if found is None else moment(found)

    async def reminder(self, id: ReminderId) -> Reminder:
        found = await self._reminders(f"SELECT {REMINDER} FROM reminder WHERE id = ?", id)
        if not found:
            raise no_reminder(id)
        return found[0]

    async def find(self, wanted: str) -> Reminder:
        def work(connection: sqlite3.Connection) -> tuple[str, ...]:
            if connection.execute("SELECT 1 FROM reminder WHERE id = ?", (wanted,)).fetchone():
                return (wanted,)
            sql = "SELECT id FROM reminder WHERE ?1 <> '' AND substr(id, 1, length(?1)) = ?1 ORDER BY id LIMIT 20"
            return tuple(id for (id,) in connection.execute(sql, (wanted,)))

        return await self.reminder(only_one(wanted, await self._database.read(work)))

    async def list(
        self, states: Sequence[ReminderState] = ("active",), *, limit: int = 500, offset: int = 0
    ) -> tuple[Reminder, ...]:
        marks = ", ".join("?" for _ in states)
        sql = (
            f"SELECT {REMINDER} FROM reminder WHERE state IN ({marks}) "
            "ORDER BY next_at IS NULL, next_at, seq DESC LIMIT ? OFFSET ?"
        )
        return await self._reminders(sql, *states, limit, offset)

    async def open_notices(self, *, limit: int = 500) -> tuple[Due, ...]:
        where = "WHERE notice.state IN ('claimed', 'shown') AND reminder.state = 'active'"
        return await self._dues(f"{_BOTH} {where} ORDER BY notice.due_at DESC, notice.id DESC LIMIT ?", limit)

    async def notices(self, id: ReminderId, *, limit: int = 50) -> tuple[Notice, ...]:
        sql = f"SELECT {NOTICE} FROM notice WHERE reminder_id = ? ORDER BY due_at DESC, id DESC LIMIT ?"
        rows = await self._database.read(lambda connection: connection.execute(sql, (id, limit)).fetchall())
        return tuple(notice_from(row) for row in rows)

    async def unshown(self, *, limit: int = 200) -> tuple[Due, ...]:
        where = "WHERE notice.state = 'claimed' AND reminder.state = 'active'"
        found = await self._dues(f"{_BOTH} {where} ORDER BY notice.due_at, notice.id LIMIT ?", limit)
        return tuple(replace(due, again=True) for due in found)

    async def entry(self, id: EntryId | None = None) -> Entry:
        return await self._database.read(lambda connection: _entry(connection, id))

    async def noted(self, name: str) -> str:
        sql = "SELECT value FROM reminder_note WHERE name = ?"
        row = await self._database.read(lambda connection: connection.execute(sql, (name,)).fetchone())
        return row[0] if row else ""

    async def note(self, name: str, value: str) -> None:
        sql = (
            "INSERT INTO reminder_note(name, value) VALUES (?, ?) "
            "ON CONFLICT(name) DO UPDATE SET value = excluded.value"
        )
        await self._database.write(lambda connection: _each(connection, sql, [(name, value)]))

    async def purge(self, before: datetime) -> int:
        sql = "DELETE FROM reminder WHERE state = 'deleted' AND changed_at < ?"
        return await self._database.write(lambda connection: connection.execute(sql, (moment_text(before),)).rowcount)

    async def _reminders(self, sql: str, *values: object) -> tuple[Reminder, ...]:
        rows = await self._database.read(lambda connection: connection.execute(sql, values).fetchall())
        return tuple(reminder_from(row) for row in rows)

    async def _dues(self, sql: str, *values: object) -> tuple[Due, ...]:
        rows = await self._database.read(lambda connection: connection.execute(sql, values).fetchall())
        return tuple(due_from(row) for row in rows)


def _apply(connection: sqlite3.Connection, change: Change, at: datetime, request: str) -> Entry:
    if request and (done := _entries(connection, "request = ?", request)):
        return done[0]
    before = _row(connection, change.reminder.id)
    check_revision(before, change.reminder)
    if change.undoes is not None:
        check_undo(_entry(connection, change.undoes))
        connection.execute("UPDATE reminder_history SET undone = 1 WHERE id = ?", (change.undoes,))
    _put(connection, replace(change.reminder, revision=change.reminder.revision + 1), before is None, at)
    states = [
        (id, state)
        for id in change.notices
        for (state,) in connection.execute("SELECT state FROM notice WHERE id = ?", (id,))
    ]
    _each(connection, "UPDATE notice SET state = ? WHERE id = ?", [(change.notice_state, id) for id, _ in states])
    row = (change.reminder.id, change.operation, moment_text(at), before_text(before), json.dumps(states))
    cursor = connection.execute(
        "INSERT INTO reminder_history(reminder_id, operation, at, before, notices, request) VALUES (?, ?, ?, ?, ?, ?)",
        (*row, request or None),
    )
    return _entry(connection, EntryId(cursor.lastrowid or 0))


def _put(connection: sqlite3.Connection, one: Reminder, is_new: bool, at: datetime) -> None:
    values = {**reminder_values(one), "changed_at": moment_text(at)}
    if is_new:
        names = ", ".join(values)
        marks = ", ".join(f":{name}" for name in values)
        connection.execute(f"INSERT INTO reminder({names}) VALUES ({marks})", values)
    else:
        sets = ", ".join(f"{name} = :{name}" for name in values if name != "id")
        connection.execute(f"UPDATE reminder SET {sets} WHERE id = :id", values)


def _claim(connection: sqlite3.Connection, firing: Firing, at: datetime) -> Due | None:
    before = _row(connection, firing.reminder.id)
    if before is None or before.revision != firing.before or before.state != "active":
        return None
    after = replace(firing.reminder, revision=firing.before + 1)
    _put(connection, after, False, at)
    row = (
        after.id,
        firing.occurrence,
        moment_text(firing.due_at),
        moment_text(at),
        "skipped" if firing.skip else "claimed",
        int(firing.late),
        firing.missed,
        optional_text(firing.first_due),
    )
    cursor = connection.execute(
        "INSERT INTO notice(reminder_id, occurrence, due_at, claimed_at, state, late, missed, first_due) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(reminder_id, occurrence) DO NOTHING",
        row,
    )
    if cursor.rowcount != 1:
        return None
    made = cursor.lastrowid
    older = "UPDATE notice SET state = 'passed' WHERE reminder_id = ? AND state = 'shown' AND id <> ?"
    connection.execute(older, (after.id, made))
    if firing.skip:
        return None
    (row,) = connection.execute(f"SELECT {NOTICE} FROM notice WHERE id = ?", (made,))
    return Due(notice=notice_from(row), reminder=after)


def _row(connection: sqlite3.Connection, id: ReminderId) -> Reminder | None:
    row = connection.execute(f"SELECT {REMINDER} FROM reminder WHERE id = ?", (id,)).fetchone()
    return None if row is None else reminder_from(row)


def _entries(connection: sqlite3.Connection, where: str, *values: object) -> list[Entry]:
    sql = f"SELECT {ENTRY} FROM reminder_history WHERE {where} ORDER BY id DESC LIMIT 1"
    return [entry_from(row) for row in connection.execute(sql, values)]


def _entry(connection: sqlite3.Connection, id: EntryId | None) -> Entry:
    if id is not None:
        found = _entries(connection, "id = ?", id)
    else:
        found = _entries(connection, "undone = 0 AND operation <> 'undo'")
    if not found:
        raise no_entry()
    return found[0]


def _each(connection: sqlite3.Connection, sql: str, rows: Sequence[tuple[object, ...]]) -> None:
    connection.executemany(sql, rows)
