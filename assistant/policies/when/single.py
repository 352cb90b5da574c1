"""Puts a single moment together: every reading that the pieces allow."""

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta

from assistant.policies.when.moments import Moment, on_day, shown, without_day
from assistant.policies.when.outcomes import spans_of
from assistant.policies.when.pieces import Clock, Day, DayChoice, Lasting, PartOfDay, Place, Scene, Shift, Span
from assistant.policies.when.sorting import Sorted
from assistant.policies.when.spanning import move_day, move_moment, move_wall
from assistant.policies.when.types import Assumption, DateOnly, Instant, Reading, WallTime
from assistant.policies.when.zones import resolve, to_local


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What stands beside a span: days and times that were said, and where."""

    days: tuple[DayChoice, ...]
    clocks: tuple[Clock, ...]
    part: PartOfDay | None
    zone: str
    title: str


def readings_of(scene: Scene, found: Sorted, zone: str, title: str) -> tuple[Reading, ...] | None:
    """All readings, past ones too. None: the pieces contradict each other, or are too many."""
    part = _part(found)
    if len(found.parts) > 1 and part is None or len(found.shifts) > 1:
        return None
    shift = found.shifts[0].what if found.shifts else None
    clocks = [piece.what for piece in found.clocks if isinstance(piece.what, Clock)]
    if found.now is not None:
        return (
            None
            if found.days or clocks or shift or part
            else (_instant(scene, found, scene.options.now.astimezone(UTC), zone),)
        )
    days = _days(scene, found, part)
    if days is None:
        return None
    if isinstance(shift, Shift):
        return _shifted(scene, found, shift, Told(days=days, clocks=tuple(clocks), part=part, zone=zone, title=title))
    moments: list[Moment] = []
    said: list[Clock | None] = list(clocks) or [None]
    for clock in said:
        these = _moments(scene, days, clock, part, title)
        if these is None:
            return None
        moments += these
    return tuple(_reading(found, moment, zone) for moment in moments)


def _part(found: Sorted) -> PartOfDay | None:
    """The part of the day; "Wednesday evening tonight" has two that must agree."""
    parts = [piece.what for piece in found.parts if isinstance(piece.what, PartOfDay)]
    if len(parts) == 2 and (
        parts[0].name == parts[1].name or {parts[0].name, parts[1].name} <= {"tonight", "night", "evening"}
    ):
        return replace(parts[0], days=parts[0].days if parts[0].days is not None else parts[1].days)
    return parts[0] if len(parts) == 1 else None


def _moments(
    scene: Scene, days: tuple[DayChoice, ...], clock: Clock | None, part: PartOfDay | None, title: str
) -> list[Moment] | None:
    if days:
        found: list[Moment] = []
        for choice in days:
            these = on_day(scene, choice, clock, part, title)
            if these is None:
                return None
            found += these
        return found
    if part is not None:
        return _by_part(scene, clock, part, title)
    return list(without_day(scene, clock, title)) if clock is not None else []


def _by_part(scene: Scene, clock: Clock | None, part: PartOfDay, title: str) -> list[Moment] | None:
    """ "at 7 in the evening" without a day: today, or tomorrow when that has passed."""
    tomorrow = scene.today + timedelta(days=1)
    these = on_day(scene, DayChoice(on=scene.today, later=tomorrow), clock, part, title)
    return None if these is None else [replace(moment, notes=_without_passed(moment.notes)) for moment in these]


def _without_passed(notes: tuple[Assumption, ...]) -> tuple[Assumption, ...]:
    return tuple(note for note in notes if not note.text.endswith("has passed today"))


def _days(scene: Scene, found: Sorted, part: PartOfDay | None) -> tuple[DayChoice, ...] | None:
    """The days that may be meant. A weekday beside a date must agree with it."""
    days = [piece.what for piece in found.days if isinstance(piece.what, Day)]
    said_by_part = () if part is None or part.days is None else (DayChoice(on=scene.today + timedelta(days=part.days)),)
    if not days:
        return said_by_part
    chosen = _agreeing(scene, days) if len(days) > 1 else days[0].choices
    if said_by_part and chosen:
        both = tuple(choice for choice in chosen if choice.on == said_by_part[0].on)
        return both or (*chosen, *said_by_part)
    return chosen


def _agreeing(scene: Scene, days: list[Day]) -> tuple[DayChoice, ...]:
    """Of several days: those that all can mean; else all of them, which is asked."""
    common = [
        choice
        for choice in days[0].choices
        if all(any(choice.on == other.on for other in day.choices) for day in days[1:])
    ]
    if common:
        return tuple(common[:1])
    in_period = _within(days)
    if in_period is not None:
        return in_period
    weekday = next((day.weekday for day in days if day.weekday is not None), None)
    dated = [day for day in days if day.weekday is None]
    if weekday is not None and len(dated) == 1 and len(days) == 2:
        return _on_weekday(scene, dated[0], weekday)
    return tuple(choice for day in days for choice in day.choices)


def _within(days: list[Day]) -> tuple[DayChoice, ...] | None:
    """ "next month on the 3rd": the day of the month in that period."""
    period = next((day for day in days if day.last is not None), None)
    single = next((day for day in days if day.day_of_month is not None), None)
    if len(days) != 2 or period is None or period.last is None or single is None or single.day_of_month is None:
        return None
    first = period.choices[0].on
    if single.day_of_month > period.last.day or (period.last - first).days > 31 or first.day != 1:
        return None
    return (DayChoice(on=first.replace(day=single.day_of_month)),)


def _on_weekday(scene: Scene, day: Day, weekday: int) -> tuple[DayChoice, ...]:
    """A date with its weekday. If they do not agree, the date as it is and the nearest one that agrees are asked."""
    choices = [choice for choice in day.choices if choice.on.weekday() == weekday]
    if choices:
        return tuple(choices)
    plain = day.choices[0]
    if day.day_of_month is not None:
        agreeing = _next_month_with(scene, day.day_of_month, weekday)
        return (plain, DayChoice(on=agreeing)) if agreeing else (plain,)
    nearest = plain.on + timedelta(days=(weekday - plain.on.weekday() + 3) % 7 - 3)
    return (plain, DayChoice(on=nearest))


def _next_month_with(scene: Scene, day: int, weekday: int) -> date | None:
    on = scene.today
    for _ in range(800):
        if on.day == day and on.weekday() == weekday:
            return on
        on += timedelta(days=1)
    return None


def _reading(found: Sorted, moment: Moment, zone: str) -> Reading:
    offset = found.place.what.offset if found.place is not None and isinstance(found.place.what, Place) else None
    notes = moment.notes
    if found.place is not None and isinstance(found.place.what, Place) and found.place.what.note.split()[:1] != [zone]:
        notes = (*notes, Assumption(text=found.place.what.note))
    span = found.lasting.what.span if found.lasting is not None and isinstance(found.lasting.what, Lasting) else None
    due = resolve(moment.local, zone)
    if offset is None and to_local(due, zone) != moment.local:
        gap = f"there is no {shown(moment.local.time())} that day: clocks change"
        notes = (*notes, Assumption(text=gap))
    reading = Reading(
        kind="date" if moment.whole_day else "wall_time",
        value=DateOnly(on=moment.local.date()) if moment.whole_day else WallTime(local=moment.local, zone=zone),
        due=due,
        zone=zone,
        spans=spans_of(found),
        assumptions=notes,
        lasts=moment.lasts or (span.length if span is not None else None),
    )
    if offset is None:
        return reading
    at = (moment.local - offset).replace(tzinfo=UTC)
    return replace(reading, kind="instant", value=Instant(at=at), due=at)


def _instant(scene: Scene, found: Sorted, at: datetime, zone: str, notes: tuple[Assumption, ...] = ()) -> Reading:
    return Reading(kind="instant", value=Instant(at=at), due=at, zone=zone, spans=spans_of(found), assumptions=notes)


def _shifted(scene: Scene, found: Sorted, shift: Shift, told: Told) -> tuple[Reading, ...] | None:
    notes = (Assumption(text="a few read as 3", doubt="day"),) if shift.span.vague else ()
    if shift.anchor is not None or shift.at is not None:
        return _from_anchor(scene, found, shift, told)
    if shift.event:
        return None
    counted = shift.span.lead or not (shift.span.months or shift.span.days)
    if counted and not told.days and not told.clocks and not told.part:
        at = move_moment(scene, shift.span, shift.sign, told.zone)
        return None if at is None else (_instant(scene, found, at, told.zone, notes),)
    if told.days and (told.clocks or shift.span.lead):
        return _checked(scene, found, shift, told)
    if counted:
        return None
    on = move_day(scene.today, shift.span, shift.sign)
    if on is None:
        return None
    target = (DayChoice(on=on, notes=notes),)
    chosen = (
        target if not told.days else tuple(choice for choice in told.days if choice.on == on) or (*target, *told.days)
    )
    moments = _told_moments(scene, chosen, told)
    return None if moments is None else tuple(_reading(found, moment, told.zone) for moment in moments)


def _told_moments(scene: Scene, days: tuple[DayChoice, ...], told: Told) -> list[Moment] | None:
    if len(told.clocks) > 1:
        return None
    return _moments(scene, days, told.clocks[0] if told.clocks else None, told.part, told.title)


def _checked(scene: Scene, found: Sorted, shift: Shift, told: Told) -> tuple[Reading, ...] | None:
    """A full date and time with "in 4 days" beside it, as `describe` writes it: the span may only confirm."""
    moments = _told_moments(scene, told.days, told)
    at = move_moment(scene, shift.span, shift.sign, told.zone)
    if moments is None or at is None:
        return None
    readings = tuple(_reading(found, moment, told.zone) for moment in moments)
    agreeing = tuple(reading for reading in readings if _about_equal(reading, at, shift.span))
    return agreeing or (*readings, _instant(scene, found, at, told.zone))


def _about_equal(reading: Reading, at: datetime, span: Span) -> bool:
    if not span.lead:
        return to_local(reading.due, reading.zone).date() == to_local(at, reading.zone).date()
    seconds = span.lead.total_seconds()
    slack = 1800 if seconds >= 3600 else 30 if seconds >= 60 else 1
    return abs((reading.due - at).total_seconds()) <= slack


def _from_anchor(scene: Scene, found: Sorted, shift: Shift, told: Told) -> tuple[Reading, ...] | None:
    """ "two days before Friday", "an hour before 5pm tomorrow"."""
    if len(told.clocks) > 1:
        return None
    anchors = shift.anchor.choices if shift.anchor is not None else told.days
    if shift.span.lead:
        clock = shift.at or (told.clocks[0] if told.clocks else None)
        moments = _moments(scene, anchors, clock, told.part, told.title) if clock or told.part else None
        if moments is None:
            return None
        moved = [(moment, move_wall(moment.local, shift.span, shift.sign)) for moment in moments]
        return tuple(
            _reading(found, replace(moment, local=local), told.zone) for moment, local in moved if local is not None
        )
    if shift.at is not None:
        return None
    targets = [(choice, move_day(choice.on, shift.span, shift.sign)) for choice in anchors]
    chosen = tuple(replace(choice, on=on, later=None) for choice, on in targets if on is not None)
    if told.days and shift.anchor is not None:
        chosen = _agreeing(scene, [Day(choices=chosen), *[p.what for p in found.days if isinstance(p.what, Day)]])
    moments = _moments(scene, chosen, told.clocks[0] if told.clocks else None, told.part, told.title)
    return None if moments is None else tuple(_reading(found, moment, told.zone) for moment in moments)
