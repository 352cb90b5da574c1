"""Reminders that were skipped, doubled, lost or told at the wrong hour elsewhere: T01 to T30."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assistant.policies.due import firing, scheduled
from assistant.policies.proactive.decide import decide as speak_or_not
from assistant.policies.when.recurrence import next_occurrences
from assistant.policies.when.types import Recurrence, WallTime
from assistant.policies.when.zones import to_local
from assistant.scheduler import Scheduler
from memory.database import Database
from memory.reminders import Change
from memory.sqlite_reminders import SqliteReminders
from tests.assistant.policies.proactive.test_decide import CALM
from tests.assistant.policies.proactive.test_decide import MONDAY as ELEVEN
from tests.assistant.policies.proactive.test_decide import told as said_before
from tests.assistant.policies.test_due import NEW_YORK, TOKYO, a_reminder, fire_on_time, must_fire, wall
from tests.assistant.test_scheduler import Place, Told, daily
from tests.support.clock import MONDAY, FixedClock
from tests.support.reminders import added, an_instant
from tests.support.suggestions import an_opportunity
from tests.support.when import read, utc

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    async with await Database.open(tmp_path / "steward.db") as opened:
        yield opened


def a_start(database: Database, clock: FixedClock, told: Told, place: Place | None = None) -> Scheduler:
    """As a program that was just started."""
    return Scheduler(SqliteReminders(database), clock, (place or Place()).here, told)


def test_T01_T03_once_a_local_date_whatever_the_clocks_do() -> None:
    midnight = a_reminder(wall(2026, 3, 6), "FREQ=DAILY", zone=NEW_YORK)
    fired = fire_on_time(midnight, NEW_YORK, utc("2026-03-11 12:00"))
    assert [to_local(at, NEW_YORK).day for at in fired] == [6, 7, 8, 9, 10, 11]
    for local, until in (
        (wall(2026, 10, 31, 1, 30), "2026-11-03 12:00"),
        (wall(2026, 3, 7, 2, 30), "2026-03-10 12:00"),
    ):
        fired = fire_on_time(a_reminder(local, "FREQ=DAILY", zone=NEW_YORK), NEW_YORK, utc(until))
        days = [to_local(at, NEW_YORK).date() for at in fired]
        assert len(days) == len(set(days)) == 4
    gap = fire_on_time(
        a_reminder(wall(2026, 3, 8, 2, 30), "FREQ=DAILY", zone=NEW_YORK), NEW_YORK, utc("2026-03-08 20:00")
    )
    assert [to_local(at, NEW_YORK).hour for at in gap] == [3]


@pytest.mark.parametrize("late", [timedelta(seconds=2), 8 * HOUR])
def test_T05_late_is_told_as_late_and_never_dropped(late: timedelta) -> None:
    reminder = a_reminder(wall(2026, 3, 2, 10))
    assert reminder.next_at is not None
    done = must_fire(reminder, reminder.next_at + late, "UTC")
    assert not done.skip
    assert done.late == (late > timedelta(minutes=2))


async def test_T06_T11_T28_reminders_are_rows_and_are_there_once_after_any_restart(database: Database) -> None:
    await SqliteReminders(database).apply(added(daily()), at=MONDAY)
    for _ in range(3):
        scheduler = a_start(database, FixedClock(), Told())
        await scheduler.tick()
    assert [one.text for one in await SqliteReminders(database).list()] == ["stretch"]


async def test_T08_of_two_that_look_at_once_one_tells(database: Database) -> None:
    """tests/assistant/test_reminder_kills.py races whole processes."""
    await SqliteReminders(database).apply(added(an_instant()), at=MONDAY)
    told = Told()
    first, second = (a_start(database, FixedClock(MONDAY + HOUR), told) for _ in range(2))
    await first.tick()
    await second.tick()
    assert told.words == ["call mum"]


async def test_T10_what_came_due_in_sleep_comes_at_the_wake(database: Database) -> None:
    clock, told = FixedClock(), Told()
    weekly = scheduled(replace(daily(), rule="FREQ=WEEKLY", local=wall(2026, 3, 3, 3)), MONDAY, "UTC")
    await SqliteReminders(database).apply(added(weekly), at=MONDAY)
    scheduler = a_start(database, clock, told)
    for week in range(4):
        clock.at = MONDAY + timedelta(days=1, hours=5, weeks=week)
        await scheduler.tick()
    assert len(told.dues) == 4
    assert all(due.notice.late for due in told.dues)


async def test_T13_T15_once_told_it_is_not_told_again_by_a_restart(database: Database) -> None:
    await SqliteReminders(database).apply(added(an_instant()), at=MONDAY)
    told = Told()
    for minutes in (60, 61, 90, 600):
        await a_start(database, FixedClock(MONDAY + timedelta(minutes=minutes)), told).tick()
    assert told.words == ["call mum"]


async def test_T16_what_was_deleted_comes_from_nowhere(database: Database) -> None:
    store, one = SqliteReminders(database), an_instant()
    await store.apply(added(one), at=MONDAY)
    gone = replace(one, revision=1, state="deleted", next=None, next_at=None)
    await store.apply(Change(operation="delete", reminder=gone), at=MONDAY)
    told = Told()
    await a_start(database, FixedClock(MONDAY + DAY), told).tick()
    assert told.words == []
    assert await store.list() == ()


def test_T18_a_reminder_keeps_the_zone_it_was_made_in() -> None:
    fixed = a_reminder(wall(2026, 3, 6, 9), "FREQ=DAILY", zone=NEW_YORK, floating=False)
    fired = fire_on_time(fixed, "UTC", utc("2026-03-10 23:00"))
    assert fixed.zone == NEW_YORK
    assert {to_local(at, NEW_YORK).hour for at in fired} == {9}


def test_T20_what_floats_follows_the_wall_clock_and_what_is_fixed_stays() -> None:
    floating = a_reminder(wall(2026, 3, 10, 9), zone="Europe/London")
    fixed = replace(floating, floating=False)
    before = utc("2026-03-09 00:00")
    assert scheduled(floating, before, "Europe/Berlin").next_at == utc("2026-03-10 08:00")
    assert scheduled(fixed, before, "Europe/Berlin").next_at == utc("2026-03-10 09:00")


def test_T21_another_zone_catches_nothing_up() -> None:
    done = must_fire(a_reminder(wall(2026, 3, 2, 9), "FREQ=DAILY"), utc("2026-03-02 09:00"), "UTC")
    moved = scheduled(done.reminder, utc("2026-03-02 19:00"), TOKYO)
    assert firing(moved, utc("2026-03-02 19:00"), TOKYO) is None


def test_T23_with_nothing_to_say_nothing_is_said() -> None:
    assert speak_or_not(CALM, []).decision.action == "silent"


@pytest.mark.parametrize("day", ["2026-03-28", "2026-10-24"])
def test_T25_quiet_hours_hold_through_a_night_that_changes_its_clocks(day: str) -> None:
    """From 22:00 to 07:00 on the wall, and not a minute less."""
    start = datetime.fromisoformat(f"{day}T12:00:00+00:00")
    for step in range(24 * 6):
        now = start + timedelta(minutes=10 * step)
        night = replace(CALM, now=now, zone="Europe/Berlin", settings=replace(CALM.settings, windows=()))
        hour = to_local(now, "Europe/Berlin").hour
        if hour >= 22 or hour < 7:
            verdict = speak_or_not(night, [an_opportunity(opens_at=start - DAY, closes_at=start + 5 * DAY)])
            assert [held.by for held in verdict.decision.held] == ["quiet_hours"], now


def test_T26_after_enough_of_a_day_or_a_short_while_ago_it_waits() -> None:
    soon = speak_or_not(replace(CALM, spoken=(said_before(1, ELEVEN - HOUR),)), [an_opportunity(opens_at=ELEVEN - DAY)])
    assert [held.by for held in soon.decision.held] == ["gap"]
    many = tuple(said_before(number, ELEVEN - timedelta(hours=number * 3)) for number in range(1, 4))
    full = speak_or_not(replace(CALM, spoken=many), [an_opportunity(opens_at=ELEVEN - DAY)])
    assert full.decision.action != "speak"


def test_T30_sunday_is_sunday() -> None:
    assert read("every sunday at 9").startswith("FREQ=WEEKLY;BYDAY=SU from 2026-03-08")
    rule = Recurrence(start=WallTime(local=wall(2026, 3, 2, 9), zone="UTC"), rule="FREQ=WEEKLY;BYDAY=SU")
    assert {at.weekday() for at in next_occurrences(rule, datetime(2026, 3, 1, tzinfo=UTC), 5)} == {6}
