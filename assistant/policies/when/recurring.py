"""Builds a recurrence from the pieces that were said: a rule, its first occurrence, its end."""

from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import Final, Literal

from assistant.policies.when.days import month_start
from assistant.policies.when.moments import default_time, hours, shown, without_day
from assistant.policies.when.pieces import Clock, Day, PartOfDay, Repeat, Scene, Span
from assistant.policies.when.recurrence import next_occurrences
from assistant.policies.when.repeating import month_day_rule
from assistant.policies.when.types import Assumption, Recurrence, WallTime
from assistant.policies.when.words import MONTH_NAMES, RRULE_DAYS, WEEKDAY_NAMES
from assistant.policies.when.zones import resolve, to_local

_ELAPSED: Final = {"SECONDLY": timedelta(seconds=1), "MINUTELY": timedelta(minutes=1), "HOURLY": timedelta(hours=1)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What was said about a recurrence besides how often."""

    clocks: tuple[Clock, ...] = ()
    part: PartOfDay | None = None
    on: Day | None = None
    start: Day | None = None
    until: Day | None = None
    until_exclusive: bool = False
    span: Span | None = None
    count: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """A recurrence, its first instant, and what was assumed."""

    recurrence: Recurrence
    due: datetime
    notes: tuple[Assumption, ...]
    lasts: timedelta | None = None


Failure = Literal["unread", "never"]


def build(scene: Scene, repeat: Repeat, said: Said, zone: str, title: str) -> tuple[Built, ...] | Failure:
    """Every recurrence that can be meant. "unread": the pieces do not fit together; "never": it would not happen
    once."""
    placed = _with_day(repeat, said.on)
    if placed is None:
        return "unread"
    found: list[Built] = []
    for each in (placed, *placed.others):
        if each.frequency in _ELAPSED:
            if said.part or said.on or len(said.clocks) > 1 or any(clock.lasts for clock in said.clocks):
                return "unread"
            built = _elapsed(scene, each, said, zone)
            found += [built] if built else []
            continue
        times = _times(scene, each, said, title)
        if times is None:
            return "unread"
        for at, more, notes, lasts in times:
            built = _first(scene, each, said, zone, at, more, notes, lasts)
            found += [built] if built else []
    return tuple(found) or "never"


def _with_day(repeat: Repeat, day: Day | None) -> Repeat | None:
    """ "weekly" with "on Monday", "monthly" with "on the 31st": the rule with its days."""
    if day is None:
        return repeat
    plain = not (repeat.days or repeat.month_days)
    if day.weekday is not None and plain and repeat.frequency in ("WEEKLY", "DAILY"):
        return replace(repeat, frequency="WEEKLY", days=(day.weekday,))
    if day.nth is not None and plain and repeat.frequency == "MONTHLY":
        nth, weekday = day.nth
        return replace(repeat, days=(weekday,), nth=(nth,)) if weekday >= 0 else replace(repeat, month_days=(nth,))
    if day.day_of_month is not None and plain and repeat.frequency == "MONTHLY":
        return replace(repeat, month_days=month_day_rule(day.day_of_month))
    if day.month_day is not None and plain and repeat.frequency == "YEARLY":
        month, number = day.month_day
        return replace(repeat, month=month, month_days=(28, 29) if (month, number) == (2, 29) else (number,))
    return None


Timing = tuple[time, tuple[int, ...], tuple[Assumption, ...], timedelta | None]


def _times(scene: Scene, repeat: Repeat, said: Said, title: str) -> list[Timing] | None:
    """(time, further hours, notes, length) for each way to read the times that were said."""
    part = said.part or repeat.part
    defaults = scene.options.times
    if not said.clocks:
        if repeat.times > 1:
            several = (
                (defaults.morning, defaults.evening)
                if repeat.times == 2
                else (defaults.morning, defaults.afternoon, defaults.evening)
            )
            words = " and ".join(shown(each) for each in several)
            note = Assumption(text=f"no time was said: at {words}", doubt="time")
            return [(several[0], tuple(each.hour for each in several[1:]), (*repeat.notes, note), None)]
        at = default_time(defaults, part) if part else defaults.day
        words = f"{part.name} read as {shown(at)}" if part else f"no time was said: at {shown(at)}"
        return [(at, (), (*repeat.notes, Assumption(text=words)), None)]
    first = hours(said.clocks[0], part, title)
    if first is None or any(hour.days and len(first) == 1 for hour in first) and part is None:
        return None
    rest: list[int] = []
    for clock in said.clocks[1:]:
        more = hours(clock, part, title)
        if more is None or len(more) != 1 or len(first) != 1 or more[0].at.minute != first[0].at.minute:
            return None
        rest.append(more[0].at.hour)
    return [
        (hour.at, tuple(rest), (*repeat.notes, *hour.notes), hour.lasts)
        for hour in first
        if not hour.days or len(first) == 1
    ]


def _first(
    scene: Scene,
    repeat: Repeat,
    said: Said,
    zone: str,
    at: time,
    more: tuple[int, ...],
    notes: tuple[Assumption, ...],
    lasts: timedelta | None,
) -> Built | None:
    """The first occurrence is found with interval 1, the rule then counts from it."""
    begin = said.start.choices[0].on if said.start else scene.today
    repeat, note = _anchored(repeat, begin)
    notes = (*notes, *note)
    base = _rule(repeat, at, more)
    opening = Recurrence(start=WallTime(local=datetime.combine(begin, at) - timedelta(days=1), zone=zone), rule=base)
    after = max(resolve(scene.now, zone), resolve(datetime.combine(begin, time(0)), zone) - timedelta(seconds=1))
    ahead = next_occurrences(opening, after, 1)
    if not ahead:
        return None
    local = to_local(ahead[0], zone)
    wall = datetime.combine(local.date(), at) if not more else local
    rule = base + (f";INTERVAL={repeat.interval}" if repeat.interval > 1 else "")
    rule += (
        f";WKST={RRULE_DAYS[scene.options.week_start]}" if repeat.interval > 1 and repeat.frequency == "WEEKLY" else ""
    )
    ending, end_notes = _ending(said, wall)
    recurrence = Recurrence(start=WallTime(local=wall, zone=zone), rule=_ordered(rule + ending))
    due = next_occurrences(recurrence, resolve(scene.now, zone), 1)
    return (
        Built(recurrence=recurrence, due=due[0], notes=(*notes, *end_notes), lasts=lasts or _length(said))
        if due
        else None
    )


def _anchored(repeat: Repeat, begin: date) -> tuple[Repeat, tuple[Assumption, ...]]:
    """ "weekly" and "every month" without a day: from the day it begins."""
    if repeat.days or repeat.month_days or repeat.frequency == "DAILY":
        many = repeat.month_days and repeat.month_days[-1] > 28 and repeat.frequency == "MONTHLY"
        note = (Assumption(text="in shorter months on their last day"),) if many else ()
        if repeat.frequency == "YEARLY" and repeat.month_days == (28, 29):
            note = (Assumption(text="in other years on 28 February"),)
        return repeat, note
    if repeat.frequency == "WEEKLY":
        return replace(repeat, days=(begin.weekday(),)), (
            Assumption(text=f"on {WEEKDAY_NAMES[begin.weekday()]}, as it begins then"),
        )
    days = (
        month_day_rule(begin.day)
        if repeat.frequency == "MONTHLY"
        else ((28, 29) if (begin.month, begin.day) == (2, 29) else (begin.day,))
    )
    month = begin.month if repeat.frequency == "YEARLY" else None
    words = f"on day {begin.day} of the month" if month is None else f"on {begin.day} {MONTH_NAMES[begin.month - 1]}"
    return replace(repeat, month_days=days, month=month), (Assumption(text=f"{words}, as it begins then"),)


def _rule(repeat: Repeat, at: time, more: tuple[int, ...]) -> str:
    """RRULE text without INTERVAL and end."""
    parts = [f"FREQ={repeat.frequency}"]
    if repeat.month is not None:
        parts.append(f"BYMONTH={repeat.month}")
    if repeat.month_days:
        parts.append("BYMONTHDAY=" + ",".join(str(day) for day in repeat.month_days))
        if len(repeat.month_days) > 1 and repeat.month_days[0] == 28:
            parts.append("BYSETPOS=-1")
    if repeat.days and repeat.nth and len(repeat.days) == 1:
        parts.append("BYDAY=" + ",".join(f"{nth}{RRULE_DAYS[repeat.days[0]]}" for nth in repeat.nth))
    elif repeat.days:
        parts.append("BYDAY=" + ",".join(RRULE_DAYS[day] for day in repeat.days))
        parts += [f"BYSETPOS={repeat.nth[0]}"] if repeat.nth else []
    if more:
        parts.append("BYHOUR=" + ",".join(str(hour) for hour in sorted({at.hour, *more})))
    return ";".join(parts)


def _ordered(rule: str) -> str:
    """FREQ and INTERVAL first, as people write them."""
    parts = rule.split(";")
    return ";".join(sorted(parts, key=lambda part: {"FREQ": 0, "INTERVAL": 1}.get(part.split("=")[0], 2)))


def _ending(said: Said, first: datetime) -> tuple[str, tuple[Assumption, ...]]:
    if said.count is not None:
        return f";COUNT={said.count}", ()
    if said.until is not None:
        choice = said.until.choices[0]
        if said.until.last is not None and not said.until_exclusive:
            on = said.until.last
        elif said.until.last is not None or said.until_exclusive:
            on = choice.on - timedelta(days=1)
        else:
            on = choice.on
        note = (
            Assumption(text=f"the last one on or before {on.day} {MONTH_NAMES[on.month - 1]} {on.year}")
            if on != choice.on
            else None
        )
        return f";UNTIL={on:%Y%m%d}T235959", (note,) if note else ()
    if said.span is not None and _repeats_for(said.span):
        months = month_start(first.date(), said.span.months)
        day = min(first.day, (month_start(months, 1) - timedelta(days=1)).day)
        on = months.replace(day=day) + timedelta(days=said.span.days - 1)
        return f";UNTIL={on:%Y%m%d}T235959", ()
    return "", ()


def _repeats_for(span: Span) -> bool:
    return bool(span.months or span.days)


def _length(said: Said) -> timedelta | None:
    return said.span.length if said.span is not None and not _repeats_for(said.span) else None


def _elapsed(scene: Scene, repeat: Repeat, said: Said, zone: str) -> Built | None:
    """ "every 2 hours": from the time that was said, or one interval from now."""
    step = _ELAPSED[repeat.frequency] * repeat.interval
    now = scene.now.replace(second=0, microsecond=0)
    start = now + step if not said.clocks else _coming(scene, said.clocks[0])
    if said.start is not None:
        start = datetime.combine(said.start.choices[0].on, start.time() if said.clocks else scene.options.times.day)
    rule = f"FREQ={repeat.frequency}" + (f";INTERVAL={repeat.interval}" if repeat.interval > 1 else "")
    ending, notes = _ending(said, start)
    if said.span is not None and not _repeats_for(said.span):
        ending = f";UNTIL={start + said.span.lead:%Y%m%dT%H%M%S}"
    recurrence = Recurrence(start=WallTime(local=start, zone=zone), rule=rule + ending)
    due = next_occurrences(recurrence, resolve(scene.now, zone), 1)
    return Built(recurrence=recurrence, due=due[0], notes=(*repeat.notes, *notes)) if due else None


def _coming(scene: Scene, clock: Clock) -> datetime:
    return min(moment.local for moment in without_day(scene, clock, ""))
