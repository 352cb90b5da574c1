"""What is due, how late, for how many missed occurrences it stands, and when the next one comes (pure).

A reminder that follows the wall clock is asked for in the zone the user is in now; the occurrence fired last is kept by
what the clock showed then, so that neither a change of zone nor one of clocks fires it twice or catches up on what
was never missed. A clock that is set back does not repeat what was delivered.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from assistant.policies.when.recurrence import next_occurrences
from assistant.policies.when.types import Recurrence, WallTime
from assistant.policies.when.zones import resolve, to_local
from memory.reminders import Firing, Occurrence, Reminder

LATE_AFTER = timedelta(seconds=60)  # a tick and its neighbour; later than that is said
SKIP_AFTER = timedelta(minutes=15)  # what may be skipped when it is missed is skipped after this
MOST_MISSED = 2_000  # occurrences that are counted; more are said to be at least so many
CLOCK_WAS_AHEAD = timedelta(days=2)  # an occurrence fired last that lies further in the future is no reason to wait
_STEP = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Missed:
    """Occurrences up to a moment: how many, the first and the last of them."""

    count: int
    first: datetime
    last: datetime


def zone_of(reminder: Reminder, here: str) -> str:
    """The zone whose clock counts; `here` is where the user is."""
    return here if reminder.floating else reminder.zone


def key_of(reminder: Reminder, at: datetime, here: str) -> Occurrence:
    """The name of the occurrence at this moment."""
    if reminder.kind == "instant" or _by_elapsed_time(reminder):
        return Occurrence(at.astimezone(UTC).isoformat(timespec="seconds"))
    return Occurrence(to_local(at, zone_of(reminder, here)).isoformat(timespec="seconds"))


def moment_of(reminder: Reminder, key: Occurrence, here: str) -> datetime:
    """When the occurrence of this name is, by the clocks of now."""
    named = datetime.fromisoformat(key)
    return named.astimezone(UTC) if named.tzinfo is not None else resolve(named, zone_of(reminder, here))


def scheduled(
    reminder: Reminder, now: datetime, here: str, delivered: Collection[Occurrence] = frozenset()
) -> Reminder:
    """The reminder with `next` and `next_at` as they follow from its rule, what it fired last, and its snooze.

    `delivered`: all that it ever fired; looked at only when the clock was ahead (see `was_ahead`)."""
    if reminder.state != "active":
        return replace(reminder, next=None, next_at=None)
    at = _next(reminder, now, here, delivered)
    moments = [moment for moment in (at, reminder.snoozed_until) if moment is not None]
    return replace(
        reminder,
        next=None if at is None else key_of(reminder, at, here),
        next_at=min(moments, default=None),
    )


def was_ahead(reminder: Reminder, now: datetime, here: str) -> bool:
    """Whether it fired while the clock showed a day that has not come yet."""
    return reminder.taken is not None and moment_of(reminder, reminder.taken, here) > now + CLOCK_WAS_AHEAD


def firing(reminder: Reminder, now: datetime, here: str) -> Firing | None:
    """What to claim of a reminder whose `next_at` has come; None where nothing is due after all."""
    missed = _missed(reminder, now, here)
    snoozed = reminder.snoozed_until
    if missed is None and (snoozed is None or snoozed > now):
        return None
    if missed is None:
        assert snoozed is not None
        key = Occurrence(f"snoozed {snoozed.astimezone(UTC).isoformat(timespec='seconds')}")
        missed, taken = Missed(count=0, first=snoozed, last=snoozed), reminder.taken
    else:
        key = taken = key_of(reminder, missed.last, here)
    keeps = snoozed if snoozed is not None and snoozed > now else None
    after = replace(reminder, taken=taken, snoozed_until=keeps)
    after = scheduled(after, now, here) if missed.count < MOST_MISSED else _leap(after, now, here)
    late = now - missed.last > LATE_AFTER or missed.count > 0
    return Firing(
        reminder=after,
        before=reminder.revision,
        occurrence=key,
        due_at=missed.last,
        late=late,
        missed=missed.count,
        first_due=missed.first if missed.count else None,
        skip=reminder.if_missed == "skip" and now - missed.last > SKIP_AFTER,
    )


def _missed(reminder: Reminder, now: datetime, here: str) -> Missed | None:
    """The occurrences from `next` until now; `count` leaves out the last one, which is told."""
    if reminder.next is None:
        return None
    first = last = moment_of(reminder, reminder.next, here)
    if first > now:
        return None
    count, step = 0, 1  # mostly nothing was missed, so one is looked at first
    recurrence = _recurrence(reminder, here)
    while recurrence is not None and count < MOST_MISSED:
        found = [at for at in next_occurrences(recurrence, last, step) if at <= now]
        count += len(found)
        last = found[-1] if found else last
        if len(found) < step:
            break
        step = min(step * 8, _STEP)
    return Missed(count=count, first=first, last=last)


def _leap(reminder: Reminder, now: datetime, here: str) -> Reminder:
    """More was missed than is counted: go on after now."""
    recurrence = _recurrence(reminder, here)
    upcoming = next_occurrences(recurrence, now, 1) if recurrence is not None else ()
    at = upcoming[0] if upcoming else None
    moments = [moment for moment in (at, reminder.snoozed_until) if moment is not None]
    next = None if at is None else key_of(reminder, at, here)
    return replace(reminder, next=next, next_at=min(moments, default=None))


def _next(reminder: Reminder, now: datetime, here: str, delivered: Collection[Occurrence]) -> datetime | None:
    recurrence = _recurrence(reminder, here)
    if recurrence is None:
        return None if reminder.taken is not None else _start(reminder, here)
    if reminder.taken is None:
        return next(iter(next_occurrences(recurrence, _start(reminder, here) - timedelta(seconds=1), 1)), None)
    if not was_ahead(reminder, now, here):
        return next(iter(next_occurrences(recurrence, moment_of(reminder, reminder.taken, here), 1)), None)
    at = now
    while upcoming := next_occurrences(recurrence, at, _STEP):
        for each in upcoming:
            if key_of(reminder, each, here) not in delivered:
                return each
        at = upcoming[-1]
    return None


def _start(reminder: Reminder, here: str) -> datetime:
    if reminder.at is not None:
        return reminder.at
    assert reminder.local is not None
    return resolve(reminder.local, zone_of(reminder, here))


def _recurrence(reminder: Reminder, here: str) -> Recurrence | None:
    if not reminder.rule:
        return None
    zone = reminder.zone if _by_elapsed_time(reminder) else zone_of(reminder, here)
    local = reminder.local if reminder.local is not None else to_local(_start(reminder, here), zone)
    return Recurrence(start=WallTime(local=local, zone=zone), rule=reminder.rule)


def _by_elapsed_time(reminder: Reminder) -> bool:
    """Every 30 minutes goes by what has passed, whatever the clocks show."""
    return any(f"FREQ={often}" in reminder.rule.upper() for often in ("HOURLY", "MINUTELY", "SECONDLY"))
