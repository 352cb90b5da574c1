"""Reads a calendar file (RFC 5545) in the confined child: events as plain values, and what could not be read.

Every event is parsed on its own, so that a broken one costs only itself. Times become what the clock shows in a zone
known here; exceptions and replaced occurrences are brought into the zone of their series. Titles and descriptions are
data of whoever wrote the file: cleaned and cut, and nothing in them is ever acted on.
"""

import hashlib
import re
import warnings
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

from icalendar import Component, Event, vBroken, vRecur

from assistant.calendar.ics_blocks import known_zone, split
from assistant.confined.child import Unreadable
from assistant.files import MOST_CALENDAR_BYTES
from assistant.policies.cleaning import clean, clean_line
from assistant.policies.when.recurrence import next_occurrences
from assistant.policies.when.types import Recurrence, WallTime
from assistant.policies.when.zones import resolve, to_local

MOST_EVENTS: Final = 20_000
MOST_EXCEPTIONS: Final = 2_000  # EXDATE and RDATE of one event
MOST_OF_BLOCK: Final = 200_000  # characters of one event
MOST_PROBLEMS: Final = 50
TITLE: Final = 200
TEXT: Final = 4_000
YEARS: Final = range(1900, 2201)
MOST_COUNT: Final = 10_000
_FREQUENCIES: Final = ("DAILY", "WEEKLY", "MONTHLY", "YEARLY")
_RULE: Final = re.compile(r"[A-Z0-9=;,:+\-]{1,400}")


class _Odd(Exception):
    """One event that cannot be taken over, and why."""


def read_ics(content: bytes) -> dict[str, Any]:
    """{"events": [...], "problems": [...], "left_out": n}; the fields of an event are those of memory.items.Event.
    Raises Unreadable."""
    if len(content) > MOST_CALENDAR_BYTES:
        raise Unreadable(f"it is larger than {MOST_CALENDAR_BYTES // 1024 // 1024} MB")
    parts = split(content.decode("utf-8-sig", "replace"))
    problems: list[str] = []
    read: dict[tuple[str, str | None], dict[str, Any]] = {}
    left_out = max(len(parts.events) - MOST_EVENTS, 0)
    if left_out:
        problems.append(f"{left_out} events: more than {MOST_EVENTS:,} in one file")
    for number, block in enumerate(parts.events[:MOST_EVENTS], start=1):
        try:
            event, odd = _event(block, parts.zones, parts.default)
        except _Odd as error:
            left_out += 1
            problems.append(f"event {number}: {error}")
            continue
        except _PARSER_RAISES as error:
            left_out += 1
            problems.append(f"event {number}: it cannot be read ({type(error).__name__})")
            continue
        problems += [f"{event['title'] or f'event {number}'}: {one}" for one in odd]
        key = (event["uid"], event["recurrence"])
        if key in read:
            problems.append(f"{event['title']}: there twice, the later one counts")
        read[key] = event
    problems += [f"{count} × {what}: not an event" for what, count in parts.others.items()]
    _in_the_zone_of_their_series(read.values())
    more = len(problems) - MOST_PROBLEMS
    if more > 0:
        problems = [*problems[:MOST_PROBLEMS], f"and {more} more"]
    return {"events": list(read.values()), "problems": problems, "left_out": left_out}


def _event(block: str, zones: dict[str, str], default: str) -> tuple[dict[str, Any], list[str]]:
    """Raises _Odd."""
    if len(block) > MOST_OF_BLOCK:
        raise _Odd("it is too long")
    with warnings.catch_warnings(action="ignore"):  # its guesses about zones are ours to make
        component = Event.from_ical(block)
    if not isinstance(component, Component):
        raise _Odd("it cannot be read")
    _drop_broken(component)
    odd = [f"{clean_line(str(name), 40)} cannot be read" for name, _ in component.errors if name not in _IGNORED]
    title = clean_line(str(component.get("SUMMARY", "")), TITLE)
    start = _one(component, "DTSTART")
    if start is None:
        raise _Odd(f"{title or 'it'} has no start that can be read")
    all_day = not isinstance(start.dt, datetime)
    zone, starts = ("", _midnight(start.dt)) if all_day else _wall(start, zones, default, odd)
    if starts.year not in YEARS:
        raise _Odd(f"{title or 'it'} is in the year {starts.year}")
    ends = _ends(component, starts, zone, all_day, zones, default, odd)
    values: dict[str, Any] = {
        "title": title or "(no title)",
        "starts": starts.isoformat(),
        "ends": ends.isoformat(),
        "zone": zone,
        "all_day": all_day,
        "rule": _rule(component, starts, zone, odd),
        "excluded": _moments(component, "EXDATE", starts, zone, zones, odd),
        "added": _moments(component, "RDATE", starts, zone, zones, odd),
        "recurrence": None,
        "place": clean_line(str(component.get("LOCATION", "")), TITLE),
        "text": clean(str(component.get("DESCRIPTION", ""))[:TEXT]).strip(),
        "cancelled": str(component.get("STATUS", "")).upper() == "CANCELLED",
    }
    replaced = _one(component, "RECURRENCE-ID")
    if replaced is not None:
        if str(replaced.params.get("RANGE", "")).upper() == "THISANDFUTURE":
            odd.append("changes all later occurrences; only the one is taken over")
        values["recurrence"], values["recurrence_zone"] = _replaced(replaced, zones)
        values["rule"], values["added"] = "", []
    values["uid"] = clean_line(str(component.get("UID", "")), 300) or _made_uid(values)
    return values, odd


def _drop_broken(component: Component) -> None:
    """What the parser could not read is not looked at again; `errors` has its names."""
    for name, value in list(component.items()):
        if isinstance(value, list):
            component[name] = [one for one in value if not isinstance(one, vBroken)]
        elif isinstance(value, vBroken):
            del component[name]


# OSError: the parser looks for a file of the name that an event calls its zone
_PARSER_RAISES: Final = (ValueError, KeyError, IndexError, AttributeError, TypeError, OverflowError, OSError)
_IGNORED: Final = frozenset({"CREATED", "LAST-MODIFIED", "DTSTAMP", "GEO", "ATTACH", "URL", "SEQUENCE", "PRIORITY"})


def _one(component: Component, name: str) -> Any:
    """The first value of a property that holds one moment."""
    value = component.get(name)
    if isinstance(value, list):
        value = value[0] if value else None
    return value if value is not None and isinstance(getattr(value, "dt", None), date) else None


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day)  # noqa: DTZ001  wall time


def _wall(value: Any, zones: dict[str, str], default: str, odd: list[str]) -> tuple[str, datetime]:
    """The zone of a moment and what the clock shows there; "" is wherever the user is."""
    at: datetime = value.dt
    named = str(value.params.get("TZID", ""))
    if named:
        zone = known_zone(named, zones)
        if not zone:
            odd.append(f"its zone {clean_line(named, 60)!r} is not known here; the time is taken as yours")
        return zone, at.replace(tzinfo=None)
    if at.tzinfo is not None:
        return "UTC", at.astimezone(UTC).replace(tzinfo=None)
    return default, at


def _ends(
    component: Component,
    starts: datetime,
    zone: str,
    all_day: bool,
    zones: dict[str, str],
    default: str,
    odd: list[str],
) -> datetime:
    end, duration = _one(component, "DTEND"), component.get("DURATION")
    length = getattr(duration, "dt", None)
    if end is not None:
        if all_day or not isinstance(end.dt, datetime):
            ends = _midnight(end.dt)
        else:
            other, ends = _wall(end, zones, default, odd)
            if other != zone and other and zone:
                ends = to_local(resolve(ends, other), zone)
    elif isinstance(length, timedelta):
        ends = starts + min(length, timedelta(days=3_660))
    else:
        ends = starts + timedelta(days=1 if all_day else 0)
    if ends < starts or (all_day and ends == starts):
        if ends < starts:
            odd.append("ends before it begins")
        ends = starts + timedelta(days=1 if all_day else 0)
    return min(ends, starts + timedelta(days=3_660))


def _rule(component: Component, starts: datetime, zone: str, odd: list[str]) -> str:
    """The rule as text, or "" with the reason noted: then the event is kept once."""
    value = component.get("RRULE")
    if value is None:
        return ""
    if isinstance(value, list):
        odd.append("has several rules; the first is taken over")
        value = value[0]
    if not isinstance(value, vRecur):
        return ""
    rule = bytes(value.to_ical()).decode("ascii", "replace")  # type: ignore[no-untyped-call]  # icalendar
    reason = refused_rule(rule, starts, zone or "UTC")
    if reason:
        odd.append(f"{reason}; it is kept once")
        return ""
    return rule


def refused_rule(rule: str, starts: datetime, zone: str) -> str:
    """Why a rule is not taken over; "" when it is. What it costs to expand is bounded by what is allowed here."""
    if not _RULE.fullmatch(rule):
        return "repeats by a rule that cannot be read"
    parts = dict(part.partition("=")[::2] for part in rule.split(";") if part)
    if parts.get("FREQ") not in _FREQUENCIES or {"BYHOUR", "BYMINUTE", "BYSECOND"} & set(parts):
        return "repeats more often than daily"
    numbers = [parts.get("INTERVAL", "1"), parts.get("COUNT", "1")]
    if not all(number.isdecimal() and 1 <= int(number) <= MOST_COUNT for number in numbers):
        return "repeats by a rule that cannot be read"
    try:
        after = resolve(starts, zone) - timedelta(seconds=1)
        found = next_occurrences(Recurrence(start=WallTime(local=starts, zone=zone), rule=rule), after, 1)
    except (ValueError, OverflowError, TypeError, KeyError):
        return "repeats by a rule that cannot be read"
    return "" if found else "never takes place by its rule"


def _moments(
    component: Component, name: str, starts: datetime, zone: str, zones: dict[str, str], odd: list[str]
) -> list[str]:
    values = component.get(name)
    found: dict[str, None] = {}
    for value in values if isinstance(values, list) else [] if values is None else [values]:
        for one in getattr(value, "dts", []):
            if len(found) >= MOST_EXCEPTIONS:
                odd.append(f"has more than {MOST_EXCEPTIONS:,} single dates; the rest is left out")
                return list(found)
            if isinstance(one.dt, date):
                one.params.setdefault("TZID", value.params.get("TZID", ""))
                found[_in_zone(one, starts, zone, zones).isoformat()] = None
            else:
                odd.append(f"a period in {name} is left out")
    return list(found)


def _in_zone(value: Any, starts: datetime, zone: str, zones: dict[str, str]) -> datetime:
    """A moment of an exception as the clock of the series shows it; a day alone means the occurrence of that day."""
    at = value.dt
    if not isinstance(at, datetime):
        return datetime.combine(at, starts.time())
    named = known_zone(str(value.params.get("TZID", "") or ""), zones)
    if named and named != zone and zone:
        return to_local(resolve(at.replace(tzinfo=None), named), zone)
    if at.tzinfo is None or named:
        return at.replace(tzinfo=None)
    return to_local(at, zone or "UTC")


def _replaced(value: Any, zones: dict[str, str]) -> tuple[str, str]:
    """Which occurrence is replaced: what the clock shows, and in which zone; "" is that of the series."""
    at = value.dt
    if not isinstance(at, datetime):
        return _midnight(at).isoformat(), "day"
    named = known_zone(str(value.params.get("TZID", "") or ""), zones)
    if not named and at.tzinfo is not None:
        return at.astimezone(UTC).replace(tzinfo=None).isoformat(), "UTC"
    return at.replace(tzinfo=None).isoformat(), named


def _in_the_zone_of_their_series(events: Iterable[dict[str, Any]]) -> None:
    """A replaced occurrence may be named in another zone than its series: its name is brought into that of the
    series."""
    series = {one["uid"]: one for one in events if one["recurrence"] is None}
    for one in events:
        zone = one.pop("recurrence_zone", "")
        first = series.get(one["uid"], one)
        if one["recurrence"] is None:
            continue
        at = datetime.fromisoformat(one["recurrence"])
        if first["all_day"]:
            at = at.replace(hour=0, minute=0, second=0)
        elif zone == "day":
            at = datetime.combine(at.date(), datetime.fromisoformat(first["starts"]).time())
        elif zone and first["zone"] and zone != first["zone"]:
            at = to_local(resolve(at, zone), first["zone"])
        one["recurrence"] = at.isoformat()


def _made_uid(values: dict[str, Any]) -> str:
    """The same for the same event, so that importing twice changes nothing."""
    told = "\x1f".join(str(values[name]) for name in ("title", "starts", "ends", "zone", "rule", "place"))
    return f"steward-{hashlib.sha256(told.encode()).hexdigest()[:24]}"
