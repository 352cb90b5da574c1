"""Reminders live through changes of clocks, sleep, wrong clocks and travel: each is told once, at its time.

Nine zones are lived through around both of their changes, with five rules at five times each. STEWARD_TICK_EVERY sets
the minutes between two looks (a night: 1). What has to come is counted out minute by minute, by another way than ours.
The control lives in the same hours with a clock that does not know of the change.
"""

import asyncio
import os
import random
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from assistant.policies.due import LATE_AFTER, scheduled
from assistant.scheduler import Scheduler
from memory.data_dir import Home
from memory.database import Database
from memory.reminder_store import ReminderStore
from memory.reminders import Due, Reminder, ReminderId
from memory.reminders_in_memory import InMemoryReminders
from memory.sqlite_reminders import SqliteReminders
from tests.support.clock import MONDAY, FixedClock
from tests.support.reminders import added, an_instant

pytestmark = [pytest.mark.crash, pytest.mark.timeout(1_800)]

EVERY = timedelta(minutes=int(os.environ.get("STEWARD_TICK_EVERY", "15")))
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
CHANGES: dict[str, tuple[date, date]] = {  # the days on which clocks go forward and back
    "America/New_York": (date(2026, 3, 8), date(2026, 11, 1)),
    "Europe/Berlin": (date(2026, 3, 29), date(2026, 10, 25)),
    "Europe/London": (date(2026, 3, 29), date(2026, 10, 25)),
    "Australia/Lord_Howe": (date(2026, 10, 4), date(2026, 4, 5)),  # by half an hour
    "America/Santiago": (date(2026, 9, 6), date(2026, 4, 4)),  # at midnight
    "Asia/Kathmandu": (date(2026, 3, 29), date(2026, 10, 25)),  # never; +05:45
    "Africa/Cairo": (date(2026, 4, 24), date(2026, 10, 29)),  # at midnight
    "Africa/Casablanca": (date(2026, 3, 22), date(2026, 2, 15)),  # around Ramadan
    "Pacific/Apia": (date(2011, 12, 31), date(2021, 4, 4)),  # over the date line: no 30 December 2011
}
TIMES = (time(0), time(0, 30), time(1, 30), time(2), time(2, 30))
RULES: dict[str, Callable[[date, date], bool]] = {  # whether a rule made for a day takes another day
    "FREQ=DAILY": lambda day, changes: True,
    "FREQ=WEEKLY": lambda day, changes: day.weekday() == changes.weekday(),
    "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR": lambda day, changes: day.weekday() < 5,
    "FREQ=MONTHLY": lambda day, changes: day.day == changes.day,
    "FREQ=YEARLY": lambda day, changes: (day.month, day.day) == (changes.month, changes.day),
}


@dataclass(slots=True)
class Told:
    """Everything that was told, and the changes of zone that were said."""

    dues: list[Due] = field(default_factory=list)
    zones: list[str] = field(default_factory=list)

    async def due(self, dues: tuple[Due, ...]) -> bool:
        self.dues += dues
        return True

    async def zone_changed(self, before: str, after: str, moved: int) -> None:
        self.zones.append(after)

    def moments(self, id: str) -> list[datetime]:
        return [due.notice.due_at for due in self.dues if due.reminder.id == id]


def a_series(id: str, local: datetime, rule: str, zone: str, now: datetime, *, floating: bool = True) -> Reminder:
    bare = Reminder(
        id=ReminderId(id),
        text="stretch",
        kind="wall",
        zone=zone,
        created_at=now,
        local=local,
        rule=rule,
        floating=floating,
    )
    return scheduled(bare, now, zone)


def minutes_of(zone: str, changes: date) -> dict[datetime, datetime]:
    """What a clock on the wall of the zone shows in every minute of the five days around a change."""
    middle = datetime.combine(changes, time(12), UTC)
    every = (middle + number * MINUTE for number in range(-60 * 60, 60 * 60))
    return {at: at.astimezone(ZoneInfo(zone)).replace(tzinfo=None) for at in every}


def counted_out(minutes: dict[datetime, datetime], at: time, takes: Callable[[date], bool]) -> list[datetime]:
    """Each local day that the rule takes: its first minute in which the clock shows the time or a later one. A day
    that does not exist stands at the beginning of the next, which has its own where the rule takes both."""
    first, midnight = dict[date, datetime](), dict[date, datetime]()
    for moment, shown in minutes.items():
        midnight.setdefault(shown.date(), moment)
        if shown.time() >= at and takes(shown.date()):
            first.setdefault(shown.date(), moment)
    begins, *days = midnight  # the first day is there in part
    missing = {day: day - DAY for day in days if day - DAY not in midnight and takes(day - DAY)}
    late = {day: midnight[day] for day in missing if day not in first}
    return sorted(moment for day, moment in {**first, **late}.items() if day > begins)


async def lived_through(reminders: Sequence[Reminder], start: datetime, end: datetime, here: str) -> Told:
    """Looks every few minutes; now and then the program is started anew."""
    store, clock, told, chance = InMemoryReminders(), FixedClock(start), Told(), random.Random(here)
    for one in reminders:
        await store.apply(added(one), at=start)
    scheduler = Scheduler(store, clock, lambda: here, told)
    while clock.at <= end:
        before = len(told.dues)
        await scheduler.tick()
        assert all(clock.at - due.notice.due_at < EVERY for due in told.dues[before:])
        if chance.random() < 0.01:
            scheduler = Scheduler(store, clock, lambda: here, told)
        clock.advance(EVERY)
    return told


def wrong_ones(zone: str, changes: date, *, here: str = "") -> list[str]:
    """Lives in `here` (else in the zone) through the change of the zone; what came otherwise than it has to."""
    minutes = minutes_of(zone, changes)
    start, end = min(minutes), max(minutes)
    series, wanted = list[Reminder](), dict[str, list[datetime]]()
    for rule, takes in RULES.items():
        for at in TIMES:
            id = f"r{len(series):07}"
            wanted[id] = counted_out(minutes, at, lambda one, takes=takes: takes(one, changes))  # type: ignore[misc]
            begun = datetime.combine(minutes[wanted[id][0]].date(), at)
            series.append(a_series(id, begun, rule, here or zone, start))
    assert sum(map(len, wanted.values())) > 2 * len(TIMES)
    told = asyncio.run(lived_through(series, start, end, here or zone))
    last = end - EVERY  # what comes after may not have been looked at any more
    first = min(at for moments in wanted.values() for at in moments)
    return [
        f"{one.rule} at {one.local}: {[str(at) for at in told.moments(one.id)]}"
        for one in series
        if [at for at in told.moments(one.id) if first <= at <= last] != [at for at in wanted[one.id] if at <= last]
    ]


@pytest.mark.parametrize("season", ["spring", "autumn"])
@pytest.mark.parametrize("zone", CHANGES)
def test_once_each_local_day_through_a_change_of_clocks(zone: str, season: str) -> None:
    assert wrong_ones(zone, CHANGES[zone][season == "autumn"]) == []


@pytest.mark.parametrize("season", [0, 1])
def test_a_clock_that_does_not_know_of_the_change_is_noticed(season: int) -> None:
    """The control: New York by the offset that it had before the change."""
    assert wrong_ones("America/New_York", CHANGES["America/New_York"][season], here=("Etc/GMT+5", "Etc/GMT+4")[season])


# --- sleep, clocks that are wrong, travel: on the real store, running on or started anew ------------------------------


@asynccontextmanager
async def a_store(path: Path) -> AsyncIterator[ReminderStore]:
    home = Home.resolve(str(path), {})
    await asyncio.to_thread(home.make)
    async with await Database.open(home.database) as database:
        yield SqliteReminders(database)


def often(id: str = "often001") -> Reminder:
    return a_series(id, MONDAY.replace(tzinfo=None) + HOUR, "FREQ=MINUTELY;INTERVAL=30", "UTC", MONDAY)


@pytest.mark.parametrize("anew", [False, True])
@pytest.mark.parametrize("asleep", [8 * HOUR, 3 * DAY, 30 * DAY])
@pytest.mark.parametrize("before", [MINUTE, 3 * HOUR])
def test_after_sleep_each_comes_once_as_late_and_a_burst_as_one(
    before: timedelta, asleep: timedelta, anew: bool, tmp_path: Path
) -> None:
    series = often()

    async def sleep() -> None:
        async with a_store(tmp_path) as store:
            clock, told = FixedClock(), Told()
            scheduler = Scheduler(store, clock, lambda: "UTC", told)
            for number in range(40):
                one = an_instant(f"once{number:04}", at=MONDAY + HOUR + number * 10 * MINUTE)
                await store.apply(added(one), at=MONDAY)
            await store.apply(added(series), at=MONDAY)
            while clock.at < MONDAY + before:
                await scheduler.tick()
                clock.advance(10 * MINUTE)
            awake = len(told.dues)
            clock.advance(asleep)
            if anew:
                scheduler = Scheduler(store, clock, lambda: "UTC", told)
            await scheduler.tick()
            woken = told.dues[awake:]
            assert all(due.notice.late for due in woken if clock.at - due.notice.due_at > LATE_AFTER)
            ids = [due.reminder.id for due in woken]
            assert len(set(ids)) == len(ids)
            assert {id for id in ids if id != series.id} == {
                f"once{number:04}" for number in range(40) if MONDAY + HOUR + number * 10 * MINUTE <= clock.at
            } - {due.reminder.id for due in told.dues[:awake]}
            (burst,) = [due for due in woken if due.reminder.id == series.id]
            shown = sum(due.notice.missed + 1 for due in told.dues if due.reminder.id == series.id)
            assert burst.notice.missed > 10
            assert shown == (clock.at - MONDAY - HOUR) // (HOUR / 2) + 1
            assert await scheduler.tick() == ()

    asyncio.run(sleep())


STEPS = {
    "ten minutes": -10 * MINUTE,
    "a day back": -DAY,
    "a day ahead": DAY,
    "1970": datetime(1970, 1, 1, tzinfo=UTC) - (MONDAY + HOUR),
    "2099": datetime(2099, 1, 1, tzinfo=UTC) - (MONDAY + HOUR),
}


@pytest.mark.parametrize("anew", [False, True])
@pytest.mark.parametrize("step", STEPS)
def test_a_wrong_clock_repeats_nothing_and_the_days_to_come_still_come(step: str, anew: bool, tmp_path: Path) -> None:
    daily = a_series("daily001", MONDAY.replace(tzinfo=None) + HOUR, "FREQ=DAILY", "UTC", MONDAY)

    async def be_wrong() -> None:
        async with a_store(tmp_path) as store:
            clock, told = FixedClock(), Told()
            for one in (daily, an_instant("once0001"), an_instant("later001", at=MONDAY + 40 * DAY)):
                await store.apply(added(one), at=MONDAY)
            scheduler = Scheduler(store, clock, lambda: "UTC", told)
            clock.advance(HOUR)
            await scheduler.tick()
            assert len(told.dues) == 2
            clock.advance(STEPS[step])
            if anew:
                scheduler = Scheduler(store, clock, lambda: "UTC", told)
            await scheduler.tick()
            clock.at = MONDAY + HOUR + 5 * MINUTE  # somebody sets it right
            if anew:
                scheduler = Scheduler(store, clock, lambda: "UTC", told)
            for _ in range(3 * 24):
                await scheduler.tick()
                clock.advance(HOUR)
            assert told.moments("once0001") == [MONDAY + HOUR]
            days = told.moments("daily001")
            assert len(set(days)) == len(days)
            wanted = {MONDAY + HOUR + number * DAY for number in range(3)}
            assert {day for day in days if day <= clock.at} == wanted

    asyncio.run(be_wrong())


JOURNEYS = [
    ("Europe/Berlin", "Asia/Tokyo"),
    ("Europe/Berlin", "America/New_York"),
    ("America/New_York", "Europe/London"),
    ("Pacific/Auckland", "Pacific/Honolulu"),
    ("Pacific/Honolulu", "Pacific/Auckland"),
]


@pytest.mark.parametrize("anew", [False, True])
@pytest.mark.parametrize(("home", "away"), JOURNEYS)
def test_a_journey_keeps_wall_times_and_moments_and_is_said_once(
    home: str, away: str, anew: bool, tmp_path: Path
) -> None:
    local = (MONDAY + DAY).replace(tzinfo=None, hour=9)
    floating = a_series("floats01", local, "FREQ=DAILY", home, MONDAY)
    fixed = a_series("fixed001", local, "FREQ=DAILY", home, MONDAY, floating=False)

    async def travel() -> None:
        async with a_store(tmp_path) as store:
            clock, told, place = FixedClock(), Told(), [home]
            for one in (floating, fixed):
                await store.apply(added(one), at=MONDAY)
            scheduler = Scheduler(store, clock, lambda: place[0], told)
            for hour in range(10 * 24):
                await scheduler.tick()
                if hour == 5 * 24 + 7:
                    place[0] = away
                    if anew:
                        scheduler = Scheduler(store, clock, lambda: place[0], told)
                clock.advance(HOUR)
            assert told.zones == [away]
            late = [due.reminder.id for due in told.dues if due.notice.late]
            assert late in ([], ["floats01"])  # its hour of that day was flown over
            on_time = [due for due in told.dues if not due.notice.late]
            shown = await asyncio.to_thread(_on_the_wall, on_time, home, away, MONDAY + (5 * 24 + 7) * HOUR)
            for id in ("floats01", "fixed001"):
                assert {(hour, minute) for _, hour, minute in shown[id]} == {(9, 0)}
            for id in ("floats01", "fixed001"):
                days = [day for day, _, _ in shown[id]]
                assert len(set(days)) == len(days)
                assert 8 <= len(days) <= 10
            assert not [due for due in told.dues if due.notice.missed]

    asyncio.run(travel())


def _on_the_wall(dues: Sequence[Due], home: str, away: str, left: datetime) -> dict[str, list[tuple[date, int, int]]]:
    """The day and time that a clock shows when each comes: at home for what is fixed, else where the user is."""
    found: dict[str, list[tuple[date, int, int]]] = {}
    for due in dues:
        zone = home if due.reminder.id == "fixed001" or due.notice.due_at <= left else away
        shown = due.notice.due_at.astimezone(ZoneInfo(zone))
        found.setdefault(due.reminder.id, []).append((shown.date(), shown.hour, shown.minute))
    return found
