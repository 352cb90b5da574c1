"""Reminders for tests."""

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import count
from typing import Any

from memory.reminders import Change, Firing, Occurrence, Reminder, ReminderId
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
