"""When events take place: series expanded, exceptions applied, conflicts found (pure).

Series are expanded in the wall time of their zone and placed by `policies.when`, so that an occurrence stays at its
hour through changes of clocks. A replaced occurrence (RFC 5545, RECURRENCE-ID) takes the place of its original wherever
it was moved; one whose original is not in the series is shown once.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from assistant.policies.when.recurrence import next_occurrences
from assistant.policies.when.types import Recurrence, WallTime
from assistant.policies.when.zones import resolve, to_local
from memory.items import Event

MOST_OF_ONE = 1_000  # occurrences of one series in one look
AWHILE = timedelta(days=400)
_MOMENT = timedelta(seconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """One occurrence. `starts`, `ends`: aware UTC. An all-day one covers its days in the zone of whoever looks."""

    event: Event
    starts: datetime
    ends: datetime


def happenings(events: Sequence[Event], first: datetime, last: datetime, here: str) -> tuple[Happening, ...]:
    """What takes place between the aware `first` and `last`, by start; `here` is the zone of what has none.

    Cancelled events are left out, and so is a series whose rule cannot be read."""
    replaced: dict[str, list[Event]] = {}
    for event in events:
        if event.recurrence is not None and event.uid:
            replaced.setdefault(event.uid, []).append(event)
    found: list[Happening] = []
    for event in events:
        if event.cancelled:
            continue
        others = replaced.get(event.uid, []) if event.uid and event.recurrence is None else []
        found += _of_one(event, others, first, last, here)
    return tuple(sorted(found, key=lambda one: (one.starts, one.ends, one.event.id)))


def _of_one(event: Event, replaced: Iterable[Event], first: datetime, last: datetime, here: str) -> list[Happening]:
    zone = here if event.all_day or not event.zone else event.zone
    length = max(event.ends - event.starts, timedelta(0))
    without = {resolve(at, zone) for at in event.excluded}
    without |= {resolve(one.recurrence, zone) for one in replaced if one.recurrence is not None}
    starts = {at for at in _starts(event, zone, first - length - _MOMENT, last) if at not in without}
    found = []
    for at in sorted(starts):
        one = Happening(event=event, starts=at, ends=_end(event, at, length, zone))
        if one.starts <= last and (one.ends > first or one.starts == one.ends >= first):
            found.append(one)
    return found


def _starts(event: Event, zone: str, after: datetime, last: datetime) -> set[datetime]:
    starts = {resolve(at, zone) for at in event.added}
    if not event.rule or event.recurrence is not None:
        return starts | {resolve(event.starts, zone)}
    recurrence = Recurrence(start=WallTime(local=event.starts, zone=zone), rule=event.rule)
    try:
        coming = next_occurrences(recurrence, after, MOST_OF_ONE)
    except ValueError:
        coming = (resolve(event.starts, zone),)
    return starts | {at for at in coming if at <= last}


def _end(event: Event, at: datetime, length: timedelta, zone: str) -> datetime:
    """All-day events end with their last day, whatever its hours; others last as long as they last."""
    if event.all_day:
        return resolve(to_local(at, zone) + length, zone)
    if event.rule or event.added:
        return at + length
    return max(resolve(event.ends, zone), at)


def conflicts(one: Happening, others: Sequence[Happening]) -> tuple[Happening, ...]:
    """Those at the same time; whole days take nobody's time, and an event is no conflict with its own series."""
    if one.event.all_day:
        return ()
    return tuple(
        other
        for other in others
        if not other.event.all_day
        and other.event.id != one.event.id
        and (not one.event.uid or other.event.uid != one.event.uid)
        and other.starts < one.ends
        and one.starts < other.ends
    )


def next_of(event: Event, now: datetime, here: str, among: Sequence[Event] = ()) -> Happening | None:
    """The occurrence that is on or comes next, within 400 days."""
    found = happenings([event, *(one for one in among if one.id != event.id)], now, now + AWHILE, here)
    return next((one for one in found if one.event.id == event.id), None)


def shown_of(event: Event, now: datetime, here: str) -> Happening | None:
    """The occurrence that stands for an event: itself where it comes once, else the next within 400 days."""
    if event.rule or event.added:
        return next_of(event, now, here)
    at = resolve(event.starts, here if event.all_day or not event.zone else event.zone)
    found = happenings([event], at, at, here)
    return found[0] if found else None


def day_span(day_start: datetime, days: int, here: str) -> tuple[datetime, datetime]:
    """The aware instants of `days` whole days from the day of the aware `day_start`, in the zone `here`."""
    midnight = to_local(day_start, here).replace(hour=0, minute=0, second=0, microsecond=0)
    return resolve(midnight, here), resolve(midnight + timedelta(days=days), here) - _MOMENT


def naive_span(first: datetime, last: datetime) -> tuple[datetime, datetime]:
    """For `ItemReader.events`, which pads for zones."""
    return first.astimezone(UTC).replace(tzinfo=None), last.astimezone(UTC).replace(tzinfo=None)
