"""Puts a day and a time of day together: which wall times can be meant."""

from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import Final

from assistant.policies.when.pieces import Clock, DayChoice, PartOfDay, Scene
from assistant.policies.when.types import Assumption, DefaultTimes, NextWeekday
from assistant.policies.when.words import EVENING_TITLES, MORNING_TITLES

WAKING: Final = (7, 23)  # hours in which a bare "at 8" is taken as the nearest one
_PART_ENDS: Final = {"morning": time(12), "noon": time(14), "afternoon": time(18), "evening": time(23)}
_LAST_DAY: Final = date(9990, 1, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """One wall time that may be meant; `whole_day`: no time was said, `local` has the default. `floor`: when it is
    certain to
    have passed, another of its kind follows at `later`."""

    local: datetime
    whole_day: bool = False
    notes: tuple[Assumption, ...] = ()
    answer: NextWeekday | None = None
    lasts: timedelta | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hour:
    """A time of day for a day that is known. `days`: 1 when it is after the midnight that ends that day."""

    at: time
    days: int = 0
    notes: tuple[Assumption, ...] = ()
    lasts: timedelta | None = None


def default_time(times: DefaultTimes, part: PartOfDay) -> time:
    if part.at is not None:
        return time(*part.at)
    match part.name:
        case "morning":
            return times.morning
        case "noon":
            return times.noon
        case "afternoon":
            return times.afternoon
        case "evening":
            return times.evening
        case "tonight":
            return times.tonight
        case _:
            return times.night


def shown(at: time) -> str:
    return at.strftime("%H:%M:%S" if at.second else "%H:%M")


def hours(said: Clock, part: PartOfDay | None, title: str) -> tuple[Hour, ...] | None:
    """The times of day that `said` can mean on a known day. None: it contradicts the part of the day."""
    found: list[Hour] = []
    for clock in (said, *said.others):
        these = _open(clock, part, title) if clock.open else _known(clock, part)
        if these is None:
            return None
        found += [replace(hour, notes=(*clock.notes, *hour.notes), lasts=clock.lasts) for hour in these]
    return tuple(found)


def _at(clock: Clock, hour: int) -> time:
    return time(hour % 24, clock.minute, clock.second)


def _known(clock: Clock, part: PartOfDay | None) -> tuple[Hour, ...] | None:
    at = _at(clock, clock.hour)
    night = part is not None and part.name in ("night", "tonight")
    if clock.midnight:
        return (Hour(at=at, days=1),) if night or clock.hour else (Hour(at=at), Hour(at=at, days=1))
    if part is None or (night and clock.hour >= 12):
        return (Hour(at=at),)
    if night:
        return (Hour(at=at, days=1), Hour(at=at)) if clock.hour < 6 else None
    fits = {"morning": clock.hour < 12, "noon": 10 <= clock.hour <= 14, "afternoon": 12 <= clock.hour < 19}
    return (Hour(at=at),) if fits.get(part.name, clock.hour >= 15) else None


def _open(clock: Clock, part: PartOfDay | None, title: str) -> tuple[Hour, ...] | None:
    if part is not None:
        return _open_in(clock, part)
    early, late = _at(clock, clock.hour % 12), _at(clock, clock.hour % 12 + 12)
    written = f"{clock.hour}:{clock.minute:02d}" if clock.minute else str(clock.hour)
    if clock.hour == 12:
        return (Hour(at=late),)
    words = set(title.lower().split())
    for hints, at in ((MORNING_TITLES, early), (EVENING_TITLES, late)):
        hint = min(words & hints, default="")
        if hint:
            return (
                Hour(
                    at=at, notes=(Assumption(text=f"{written} read as {shown(at)} because of “{hint}”", doubt="time"),)
                ),
            )
    if clock.hour >= 7:
        note = Assumption(text=f"{written} read as {shown(early)}", doubt="time")
        return (Hour(at=early, notes=() if clock.spelled else (note,)),)
    return (Hour(at=late), Hour(at=early))


def _open_in(clock: Clock, part: PartOfDay) -> tuple[Hour, ...] | None:
    """A bare hour in a part of the day that was said."""
    early, late = _at(clock, clock.hour % 12), _at(clock, clock.hour % 12 + 12)
    written = f"{clock.hour}:{clock.minute:02d}" if clock.minute else str(clock.hour)
    said = {"tonight": "tonight", "noon": "lunchtime"}.get(part.name, part.name)
    why = (Assumption(text=f"{written} read as {shown(late)} because you said {said}"),)
    match part.name:
        case "morning":
            return (Hour(at=early),) if clock.hour < 12 else None
        case "noon" | "afternoon":
            fits = clock.hour == 12 or clock.hour < 8
            return (
                (Hour(at=late, notes=why),)
                if fits
                else ((Hour(at=early),) if part.name == "noon" and clock.hour > 9 else None)
            )
        case "evening" if clock.hour >= 3:
            return (Hour(at=late, notes=why),) if clock.hour < 12 else (Hour(at=early, days=1),)
        case _ if clock.hour == 12:
            return (Hour(at=early, days=1, notes=(Assumption(text=f"12 read as midnight because you said {said}"),)),)
        case _ if clock.hour >= 5:
            return (Hour(at=late, notes=why),)
        case _:
            return (Hour(at=early, days=1), Hour(at=early))


def on_day(
    scene: Scene, choice: DayChoice, clock: Clock | None, part: PartOfDay | None, title: str
) -> tuple[Moment, ...] | None:
    """The moments of one day. None: day, time and part of the day contradict each other."""
    if choice.on >= _LAST_DAY:
        return None
    if clock is None:
        return (_without_clock(scene, choice, part),)
    found = hours(clock, part, title)
    if found is None:
        return None
    moments = [_moment(choice, hour) for hour in found]
    ahead = [moment for moment in moments if moment.local > scene.now]
    if choice.on == scene.today and ahead:
        moments = ahead
    if not ahead and choice.later is not None:
        note = Assumption(text=f"{shown(found[0].at)} has passed today")
        moments = [
            _moment(DayChoice(on=choice.later, notes=(*choice.notes, note), answer=choice.answer), hour)
            for hour in found
        ]
    return tuple(moments)


def _moment(choice: DayChoice, hour: Hour) -> Moment:
    local = datetime.combine(choice.on + timedelta(days=hour.days), hour.at)
    return Moment(local=local, notes=(*choice.notes, *hour.notes), answer=choice.answer, lasts=hour.lasts)


def _without_clock(scene: Scene, choice: DayChoice, part: PartOfDay | None) -> Moment:
    times = scene.options.times
    if part is not None:
        at = default_time(times, part)
        local = datetime.combine(choice.on, at)
        end = datetime.combine(choice.on, _PART_ENDS.get(part.name, time(23, 59)))
        if choice.on == scene.today and local <= scene.now < end:
            local = min(_soon(scene.now), end)
        name = {"noon": "noon", "tonight": "tonight"}.get(part.name, f"{part.name}")
        notes = (*choice.notes, Assumption(text=f"{name} read as {shown(local.time())}"))
        if local <= scene.now and choice.later is not None:
            local = datetime.combine(choice.later, at)
        return Moment(local=local, notes=notes, answer=choice.answer)
    local = datetime.combine(choice.on, times.day)
    if choice.on == scene.today:
        usual = (times.day, times.noon, times.afternoon, times.evening, times.night)
        ahead = [each for each in usual if datetime.combine(choice.on, each) > scene.now]
        local = (
            datetime.combine(choice.on, ahead[0])
            if ahead
            else min(_soon(scene.now), datetime.combine(choice.on, time(23, 59)))
        )
    note = Assumption(text=f"no time was said: at {shown(local.time())}")
    return Moment(local=local, whole_day=True, notes=(*choice.notes, note), answer=choice.answer)


def _soon(now: datetime) -> datetime:
    return (now + timedelta(minutes=30)).replace(second=0, microsecond=0)


def without_day(scene: Scene, clock: Clock, title: str) -> tuple[Moment, ...]:
    """A time alone: the next one. A bare hour is the nearer of two when that is by day; else both may be meant."""
    found: list[Moment] = []
    for said in (clock, *clock.others):
        dial = {said.hour % 12, said.hour % 12 + 12} if said.open else {said.hour}
        dial = _hinted(dial, title) if said.open else dial
        ahead = sorted(_next(scene.now, _at(said, hour)) for hour in dial)
        near = ahead[0]
        alone = len(ahead) == 1
        if alone or WAKING[0] <= near.hour < WAKING[1] or near.hour == 12:
            notes = said.notes
            if not alone:
                notes = (*notes, Assumption(text=f"read as the next one, {shown(near.time())}", doubt="time"))
            found.append(Moment(local=near, notes=notes, lasts=said.lasts))
        else:
            found += [Moment(local=each, notes=said.notes, lasts=said.lasts) for each in ahead]
    return tuple(found)


def _hinted(dial: set[int], title: str) -> set[int]:
    words = set(title.lower().split())
    if words & MORNING_TITLES:
        return {min(dial)}
    return {max(dial)} if words & EVENING_TITLES else dial


def _next(now: datetime, at: time) -> datetime:
    today = datetime.combine(now.date(), at)
    return today if today > now else today + timedelta(days=1)
