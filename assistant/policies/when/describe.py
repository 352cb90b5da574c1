"""A reading in words: weekday, date, time and zone, always."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Final, assert_never
from zoneinfo import ZoneInfo

from assistant.policies.when.types import DateOnly, Instant, Reading, Recurrence, WallTime
from assistant.policies.when.words import MONTH_NAMES, RRULE_DAYS, WEEKDAY_NAMES
from assistant.policies.when.zones import to_local

_UNITS: Final = {
    "SECONDLY": "second",
    "MINUTELY": "minute",
    "HOURLY": "hour",
    "DAILY": "day",
    "WEEKLY": "week",
    "MONTHLY": "month",
    "YEARLY": "year",
}
_ORDINALS: Final = {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth", -1: "last"}
_WORKDAYS: Final = "MO,TU,WE,TH,FR"


def describe(reading: Reading, now: datetime) -> str:
    """For example "Sun 6 Dec 2026 18:00 (Europe/Berlin), in 4 days". `now` is aware. `parse` reads it back."""
    away = _away(reading.due, now, reading.zone)
    match reading.value:
        case Instant(at=at):
            return f"{moment_in_words(at, reading.zone)}, {away}"
        case WallTime(zone=zone):
            shown = to_local(reading.due, zone)
            return f"{day_in_words(shown.date())} {_clock(shown)} ({zone}), {away}"
        case DateOnly(on=on):
            return f"{day_in_words(on)} {_clock(to_local(reading.due, reading.zone))} ({reading.zone}), {away}"
        case Recurrence():
            first = f"first {moment_in_words(reading.due, reading.zone)}, {away}"
            return f"{recurrence_in_words(reading.value)} ({reading.zone}); {first}"
        case _ as never:
            assert_never(never)


def moment_in_words(at: datetime, zone: str) -> str:
    """ "Sun 6 Dec 2026 18:00 (Europe/Berlin)" for the aware `at`; the second of two equal wall times says its
    offset."""
    local = at.astimezone(ZoneInfo(zone))
    offset = ""
    if local.fold:
        minutes = (local.utcoffset() or timedelta(0)) // timedelta(minutes=1)
        offset = f"UTC{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d} "
    return f"{day_in_words(local.date())} {_clock(local)} ({offset}{zone})"


def day_in_words(on: date) -> str:
    """ "Sun 6 Dec 2026"."""
    return f"{WEEKDAY_NAMES[on.weekday()][:3]} {on.day} {MONTH_NAMES[on.month - 1][:3]} {on.year:04d}"


def _clock(local: datetime) -> str:
    return local.strftime("%H:%M:%S" if local.second else "%H:%M")


def _away(at: datetime, now: datetime, zone: str) -> str:
    """How far it is from now: days between the dates, below two days the hours and minutes."""
    seconds = (at - now).total_seconds()
    days = (to_local(at, zone).date() - to_local(now, zone).date()).days
    size = abs(seconds)
    if size < 60:
        words = _many(int(size), "second")
    elif size < 3600:
        words = _many(round(size / 60), "minute")
    elif size < 36 * 3600 or days == 0:
        words = _many(round(size / 3600), "hour")
    else:
        words = _many(abs(days), "day")
    return f"in {words}" if seconds >= 0 else f"{words} ago"


def _many(count: int, unit: str) -> str:
    return f"{count} {unit}{'' if count == 1 else 's'}"


def fields(rule: str) -> dict[str, str]:
    """The parts of an RRULE text."""
    return dict(part.split("=", 1) for part in rule.split(";") if "=" in part)


def recurrence_in_words(recurrence: Recurrence) -> str:
    """ "every other Tuesday at 08:00, until 28 Feb 2027"."""
    parts = fields(recurrence.rule)
    frequency, interval = parts.get("FREQ", "DAILY"), int(parts.get("INTERVAL", "1"))
    words = _how_often(parts, frequency, interval, recurrence.start.local)
    if frequency in ("DAILY", "WEEKLY", "MONTHLY", "YEARLY"):
        words += " at " + _times(parts, recurrence.start.local)
    if "UNTIL" in parts:
        text = parts["UNTIL"]
        at = f" {text[9:11]}:{text[11:13]}" if len(text) > 12 and text[9:13] != "2359" else ""
        words += f", until {day_in_words(date(int(text[:4]), int(text[4:6]), int(text[6:8])))}{at}"
    return words + (f", {_many(int(parts['COUNT']), 'time')}" if "COUNT" in parts else "")


def _times(parts: dict[str, str], start: datetime) -> str:
    if "BYHOUR" not in parts:
        return _clock(start)
    return _listed([f"{int(hour):02d}:{start.minute:02d}" for hour in parts["BYHOUR"].split(",")])


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _how_often(parts: dict[str, str], frequency: str, interval: int, start: datetime) -> str:
    unit = _UNITS.get(frequency, "day")
    every = f"every {unit}" if interval == 1 else f"every {interval} {unit}s"
    days = parts.get("BYDAY", "")
    if frequency == "WEEKLY":
        if days == _WORKDAYS and interval == 1:
            return "every weekday"
        names = (
            _listed([WEEKDAY_NAMES[RRULE_DAYS.index(day)] for day in days.split(",")])
            if days
            else WEEKDAY_NAMES[start.weekday()]
        )
        return f"every {names}" if interval == 1 else f"every other {names}" if interval == 2 else f"{every} on {names}"
    if frequency == "MONTHLY":
        return (
            f"{_which_days(parts, days, start)} of {every}"
            if interval == 1
            else f"{every} on {_which_days(parts, days, start)}"
        )
    if frequency == "YEARLY":
        month_days = parts.get("BYMONTHDAY", str(start.day)).split(",")
        return f"{every} on {month_days[-1]} {MONTH_NAMES[int(parts.get('BYMONTH', start.month)) - 1]}"
    return every


def _which_days(parts: dict[str, str], days: str, start: datetime) -> str:
    position = parts.get("BYSETPOS", "")
    if days:
        if days == _WORKDAYS:
            return f"the {_ORDINALS.get(int(position or 1), position)} weekday"
        split = [(int(day[:-2] or position or 1), WEEKDAY_NAMES[RRULE_DAYS.index(day[-2:])]) for day in days.split(",")]
        return f"the {_listed([_ORDINALS.get(nth, str(nth)) for nth, _ in split])} {split[0][1]}"
    month_days = parts.get("BYMONTHDAY", str(start.day)).split(",")
    if month_days == ["-1"]:
        return "the last day"
    chosen = month_days[-1:] if position == "-1" else month_days
    return f"the {_listed([_ordinal(int(day)) for day in chosen])}"


def _ordinal(day: int) -> str:
    return f"{day}{'th' if 10 < day % 100 < 14 else {1: 'st', 2: 'nd', 3: 'rd'}.get(day % 10, 'th')}"
