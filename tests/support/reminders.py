"""Reminders for tests."""

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import count
from typing import Any

from memory.database import Database
from memory.reminders import Change, Firing, Occurrence, Reminder, ReminderId
from memory.sqlite_reminders import SqliteReminders
from memory.text import moment_text
from tests.support.clock import MONDAY

_NUMBERS = count(1)


def an_instant(id: str = "", *, at: datetime = MONDAY + timedelta(hours=1), **fields: Any) -> Reminder:
    """Due once, an hour after MONDAY unless said otherwise; not stored yet."""
    given: dict[str, Any] = {
        "id": ReminderId(id or f"r{next(_NUMBERS):07}"),
        "text": "call mum",
        "kind": "instant",
        "zone": "UTC",
        "created_at": MONDAY,
        "at": at,
        "next": Occurrence(moment_text(at)),
        "next_at": at,
    }
    return Reminder(**{**given, **fields})


def added(reminder: Reminder) -> Change:
    return Change(operation="add", reminder=reminder)


def fired(reminder: Reminder, **fields: Any) -> Firing:
    """The only occurrence of a stored reminder that is due once."""
    assert reminder.next is not None
    assert reminder.next_at is not None
    after = replace(reminder, taken=reminder.next, next=None, next_at=None)
    given: dict[str, Any] = {
        "reminder": after,
        "before": reminder.revision,
        "occurrence": reminder.next,
        "due_at": reminder.next_at,
    }
    return Firing(**{**given, **fields})


async def ten_thousand(database: Database) -> None:
    """As many as an empty store can get quickly, all due an hour after MONDAY."""
    await SqliteReminders(database).apply(added(an_instant()), at=MONDAY)
    copy = (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999) "
        "INSERT INTO reminder(id, text, kind, zone, created_at, at, floating, rule, if_missed, state, next, "
        "next_at, revision, changed_at) SELECT 'c' || i, text, kind, zone, created_at, at, floating, rule, "
        "if_missed, state, next, next_at, revision, changed_at FROM reminder, n"
    )
    await database.write(lambda connection: connection.execute(copy).rowcount)
