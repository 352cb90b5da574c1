"""Events in words: weekday, date, times and zone, always; titles quoted where they are somebody else's."""

from datetime import datetime, timedelta

from assistant.policies.cleaning import clean_line
from assistant.policies.occurrences import Happening, shown_of
from assistant.policies.when.describe import day_in_words, recurrence_in_words
from assistant.policies.when.types import Recurrence, WallTime
from assistant.policies.when.zones import to_local
from memory.items import Event

TITLE = 80


def titled(event: Event) -> str:
    """Cleaned and cut; in quotation marks where it came from a file, for then it is somebody else's text."""
    title = clean_line(event.title, TITLE) or "(no title)"
    return f"“{title}”" if event.source else title


def event_words(event: Event, here: str, now: datetime) -> str:
    """ "dentist, Fri 6 Mar 2026 10:00-11:00 (Europe/Berlin)"; a series says its rule and its next time."""
    one = shown_of(event, now, here)
    when = span_words(one, here) if one is not None else _first(event, here)
    if event.rule:
        start = WallTime(local=event.starts, zone=event.zone or here)
        rule = recurrence_in_words(Recurrence(start=start, rule=event.rule))
        when = f"{rule}; next {when}" if one is not None else f"{rule}; first {when}"
    place = f", at {clean_line(event.place, TITLE)}" if event.place else ""
    return f"{titled(event)}, {when}{place}"


def span_words(one: Happening, here: str) -> str:
    """In the zone of the event, and in that of the user where that is another."""
    event = one.event
    if event.all_day:
        first = to_local(one.starts, here).date()
        last = (to_local(one.ends, here) - timedelta(seconds=1)).date()
        days = f"{day_in_words(first)} to {day_in_words(last)}" if last > first else day_in_words(first)
        return f"{days}, all day"
    zone = event.zone or here
    words = _timed(one, zone)
    return words if zone == here else f"{words}, {_timed(one, here)} for you"


def _timed(one: Happening, zone: str) -> str:
    start, end = to_local(one.starts, zone), to_local(one.ends, zone)
    until = ""
    if end.date() != start.date():
        until = f" to {day_in_words(end.date())} {end:%H:%M}"
    elif end > start:
        until = f"-{end:%H:%M}"
    return f"{day_in_words(start.date())} {start:%H:%M}{until} ({zone})"


def short_words(one: Happening, here: str, now: datetime) -> str:
    """ "10:00-11:00 dentist", with the day unless it is today."""
    event = one.event
    start, end = to_local(one.starts, here), to_local(one.ends, here)
    day = "" if start.date() == to_local(now, here).date() else f"{day_in_words(start.date())} "
    if event.all_day:
        return f"{day}all day {titled(event)}"
    until = f"-{end:%H:%M}" if end > start and end.date() == start.date() else ""
    return f"{day}{start:%H:%M}{until} {titled(event)}"


def _first(event: Event, here: str) -> str:
    zone = event.zone or here
    if event.all_day:
        return f"{day_in_words(event.starts.date())}, all day"
    return f"{day_in_words(event.starts.date())} {event.starts:%H:%M} ({zone})"
