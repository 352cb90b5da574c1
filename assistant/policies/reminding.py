"""From what was read to a reminder, and a reminder as it is after an act of the user (pure)."""

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime, time
from typing import assert_never

from assistant.policies.due import scheduled
from assistant.policies.when.types import DateOnly, DefaultTimes, Instant, Options, Reading, Recurrence, WallTime
from assistant.policies.when.zones import to_local
from assistant.reminder_settings import ReminderSettings
from memory.reminders import Entry, IfMissed, Occurrence, Reminder, ReminderId
from memory.types import MessageId

_DAYS = {"monday": 0, "saturday": 5, "sunday": 6}


def reading_options(settings: ReminderSettings, now: datetime, here: str) -> Options:
    """How this user's phrases about time are read."""
    return Options(
        now=now,
        zone=here,
        day_first=settings.day_first,
        week_start=_DAYS[settings.week_starts],
        next_weekday=None if settings.next_weekday == "ask" else settings.next_weekday,
        times=DefaultTimes(day=time.fromisoformat(settings.day_time)),
    )


def reminder_of(
    reading: Reading,
    text: str,
    *,
    id: ReminderId,
    now: datetime,
    here: str,
    if_missed: IfMissed = "tell",
    message_id: MessageId | None = None,
) -> Reminder:
    """A new reminder, scheduled. One whose zone was not said follows the wall clock of wherever the user is."""
    bare = Reminder(
        id=id, text=text, kind="instant", zone=here, created_at=now, if_missed=if_missed, message_id=message_id
    )
    return scheduled(_timed(bare, reading, here), now, here)


def retimed(reminder: Reminder, reading: Reading, now: datetime, here: str) -> Reminder:
    """The same reminder at another time; what it fired before says nothing about the new time."""
    bare = replace(reminder, at=None, local=None, rule="", taken=None, snoozed_until=None, state="active")
    return scheduled(_timed(bare, reading, here), now, here)


def _timed(bare: Reminder, reading: Reading, here: str) -> Reminder:
    match reading.value:
        case Instant(at=at):
            return replace(bare, kind="instant", at=at, zone=here, floating=False)
        case WallTime(local=local, zone=zone):
            return replace(bare, kind="wall", local=local, zone=zone, floating=zone == here)
        case Recurrence(start=start, rule=rule):
            return replace(
                bare, kind="wall", local=start.local, zone=start.zone, floating=start.zone == here, rule=rule
            )
        case DateOnly():
            local = to_local(reading.due, reading.zone)
            return replace(bare, kind="date", local=local, zone=reading.zone, floating=reading.zone == here)
        case _:
            assert_never(reading.value)


def is_over(reminder: Reminder) -> bool:
    """Nothing of it comes any more, so "done" ends it."""
    return reminder.next is None


def done(reminder: Reminder, now: datetime, here: str) -> Reminder:
    """Done for this time; for good when nothing comes any more. What comes once and has not come yet is done too."""
    kept = replace(reminder, snoozed_until=None)
    if is_over(reminder) or not reminder.rule:
        return replace(kept, state="done", next=None, next_at=None)
    return scheduled(kept, now, here)


def snoozed(reminder: Reminder, until: datetime, now: datetime, here: str) -> Reminder:
    """Told again at `until`. What comes once and has not come yet comes then instead."""
    if reminder.next is not None and not reminder.rule:
        reminder = replace(reminder, taken=reminder.next)
    return scheduled(replace(reminder, state="active", snoozed_until=until), now, here)


def deleted(reminder: Reminder) -> Reminder:
    return replace(reminder, state="deleted", next=None, next_at=None)


def restored(entry: Entry, current: Reminder, now: datetime, here: str, delivered: Collection[Occurrence]) -> Reminder:
    """The reminder without that change: as it was before, except that what was delivered since is not told again."""
    if entry.before is None:
        return deleted(current)
    planned = scheduled(replace(entry.before, revision=current.revision), now, here)
    for _ in range(len(delivered)):
        if planned.next is None or planned.next not in delivered:
            break
        planned = scheduled(replace(planned, taken=planned.next), now, here)
    return planned
