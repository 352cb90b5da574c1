"""What is due: through changes of clocks, sleep, travel, and clocks that are wrong."""

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.policies.due import LATE_AFTER, MOST_MISSED, firing, scheduled, was_ahead
from assistant.policies.when.zones import resolve, to_local
from memory.reminders import Firing, Reminder, ReminderId
from tests.support.clock import MONDAY

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
BERLIN, TOKYO, NEW_YORK = "Europe/Berlin", "Asia/Tokyo", "America/New_York"
ZONES = (
    NEW_YORK,
    BERLIN,
    "Europe/London",
    "Australia/Lord_Howe",  # half an hour
    "America/Santiago",  # at midnight
    "Asia/Kathmandu",  # +05:45
    "Africa/Cairo",
    "Africa/Casablanca",
    "Pacific/Apia",
)
RULES = ("FREQ=DAILY", "FREQ=WEEKLY", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "FREQ=MONTHLY;BYMONTHDAY=31", "FREQ=YEARLY")
TIMES = (time(0), time(0, 30), time(1, 30), time(2), time(2, 30))


def wall(*parts: int) -> datetime:
    """What a clock on the wall shows."""
    return datetime(*parts)  # type: ignore[arg-type]  # noqa: DTZ001  it has no zone


def a_reminder(local: datetime, rule: str = "", *, zone: str = "UTC", here: str = "", **fields: object) -> Reminder:
    """Follows the wall clock unless `floating=False` is given; made an hour before its first occurrence."""
    now = resolve(local, here or zone) - HOUR
    bare = Reminder(
        id=ReminderId("r1"),
        text="stretch",
        kind="wall",
        zone=zone,
        created_at=now,
        local=local,
        rule=rule,
        floating=True,
        revision=1,
    )
    return scheduled(replace(bare, **fields), now, here or zone)  # type: ignore[arg-type]  # fields of Reminder


def fire_on_time(reminder: Reminder, here: str, until: datetime) -> list[datetime]:
    """Everything that fires, each at its very moment."""
    fired: list[datetime] = []
    while reminder.next_at is not None and reminder.next_at <= until:
        done = firing(reminder, reminder.next_at, here)
        assert done is not None
        assert not done.late
        fired.append(done.due_at)
        reminder = replace(done.reminder, revision=reminder.revision + 1)
    return fired


def must_fire(reminder: Reminder, now: datetime, here: str) -> Firing:
    done = firing(reminder, now, here)
    assert done is not None
    return done


# --- clocks that change (R11) ----------------------------------------------------------------------------------


CASES = [(zone, date(2024, 2, 29)) for zone in ZONES] + [(zone, date(2026, 1, 31)) for zone in ZONES[:2]]


@pytest.mark.parametrize(("zone", "start"), CASES)
def test_once_a_local_date_at_the_same_wall_time_for_400_days(zone: str, start: date) -> None:
    for rule in RULES:
        for at in TIMES:
            reminder = a_reminder(datetime.combine(start, at), rule, zone=zone)
            fired = fire_on_time(reminder, zone, resolve(datetime.combine(start, at), zone) + 400 * DAY)
            local = [to_local(each, zone) for each in fired]
            assert len({each.date() for each in local}) == len(local), (zone, rule, at)
            assert sorted(fired) == fired
            for each in local:
                # at its time, or in the first minute after a gap
                wanted = datetime.combine(each.date(), at)
                assert each in (wanted, to_local(resolve(wanted, zone), zone)), (zone, rule, each)
            if rule == "FREQ=DAILY":
                assert len(local) in (400, 401)


def test_in_spring_a_skipped_time_comes_once_after_the_gap_and_in_autumn_once() -> None:
    spring = fire_on_time(
        a_reminder(wall(2026, 3, 7, 2, 30), "FREQ=DAILY", zone=NEW_YORK), NEW_YORK, datetime(2026, 3, 9, tzinfo=UTC)
    )
    assert [f"{to_local(at, NEW_YORK):%d %H:%M}" for at in spring] == ["07 02:30", "08 03:00"]
    autumn = fire_on_time(
        a_reminder(wall(2026, 10, 31, 1, 30), "FREQ=DAILY", zone=NEW_YORK),
        NEW_YORK,
        datetime(2026, 11, 3, tzinfo=UTC),
    )
    assert [f"{to_local(at, NEW_YORK):%d %H:%M}" for at in autumn] == ["31 01:30", "01 01:30", "02 01:30"]
    assert autumn[1] == datetime(2026, 11, 1, 5, 30, tzinfo=UTC)  # the first of the two


def test_every_half_hour_goes_by_what_has_passed() -> None:
    reminder = a_reminder(wall(2026, 11, 1, 0, 30), "FREQ=MINUTELY;INTERVAL=30", zone=NEW_YORK)
    fired = fire_on_time(reminder, NEW_YORK, resolve(wall(2026, 11, 1, 3, 0), NEW_YORK))
    assert {later - sooner for sooner, later in zip(fired, fired[1:], strict=False)} == {HOUR / 2}
    assert len(fired) == 8  # from 0:30 to 3:00 there are three and a half hours on that day


# --- sleep (R9) ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gap", [8 * HOUR, 3 * DAY, 30 * DAY])
def test_after_sleep_each_comes_once_as_late_and_a_burst_as_one(gap: timedelta) -> None:
    once = a_reminder(wall(2026, 3, 2, 10))
    often = a_reminder(wall(2026, 3, 2, 10), "FREQ=MINUTELY;INTERVAL=30")
    asleep = resolve(wall(2026, 3, 2, 10), "UTC") - HOUR / 2
    now = asleep + gap
    one, burst = must_fire(once, now, "UTC"), must_fire(often, now, "UTC")
    assert (one.late, one.missed, one.reminder.next_at) == (True, 0, None)
    assert burst.missed + 1 == (now - datetime(2026, 3, 2, 10, tzinfo=UTC)) // (HOUR / 2) + 1
    assert burst.first_due == datetime(2026, 3, 2, 10, tzinfo=UTC)
    assert now - HOUR / 2 < burst.due_at <= now
    assert burst.reminder.next_at == burst.due_at + HOUR / 2
    assert firing(burst.reminder, now, "UTC") is None


def test_what_is_a_tick_too_late_is_not_called_late() -> None:
    reminder = a_reminder(wall(2026, 3, 2, 10))
    assert reminder.next_at is not None
    assert not must_fire(reminder, reminder.next_at + LATE_AFTER, "UTC").late
    assert must_fire(reminder, reminder.next_at + LATE_AFTER + timedelta(seconds=1), "UTC").late


def test_what_may_be_skipped_is_skipped_only_when_it_is_really_late() -> None:
    reminder = a_reminder(wall(2026, 3, 2, 10), "FREQ=DAILY", if_missed="skip")
    assert reminder.next_at is not None
    assert not must_fire(reminder, reminder.next_at + timedelta(minutes=5), "UTC").skip
    skipped = must_fire(reminder, reminder.next_at + HOUR, "UTC")
    assert skipped.skip
    assert skipped.reminder.next_at == reminder.next_at + DAY


def test_more_missed_than_is_counted_still_ends_and_goes_on_after_now() -> None:
    reminder = a_reminder(wall(2026, 3, 2, 10), "FREQ=MINUTELY")
    now = datetime(2026, 3, 30, tzinfo=UTC)
    done = must_fire(reminder, now, "UTC")
    assert done.missed >= MOST_MISSED
    assert done.reminder.next_at == now + timedelta(minutes=1)


# --- clocks that are wrong (R10) -------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [timedelta(minutes=-10), -DAY, -20_000 * DAY])
def test_a_clock_set_back_repeats_nothing(step: timedelta) -> None:
    once, daily = a_reminder(wall(2026, 3, 2, 10)), a_reminder(wall(2026, 3, 2, 10), "FREQ=DAILY")
    at = datetime(2026, 3, 2, 10, tzinfo=UTC)
    one, first = must_fire(once, at, "UTC"), must_fire(daily, at, "UTC")
    back = at + step
    assert scheduled(one.reminder, back, "UTC", {one.occurrence}).next_at is None
    again = scheduled(first.reminder, back, "UTC", {first.occurrence})
    assert again.next_at == at + DAY


def test_after_a_clock_that_showed_2099_the_coming_days_still_come() -> None:
    daily = a_reminder(wall(2026, 3, 2, 10), "FREQ=DAILY")
    ahead = must_fire(daily, datetime(2031, 1, 1, tzinfo=UTC), "UTC")
    now = datetime(2026, 3, 3, 9, tzinfo=UTC)
    assert was_ahead(ahead.reminder, now, "UTC")
    assert scheduled(ahead.reminder, now, "UTC", {ahead.occurrence}).next_at == datetime(2026, 3, 3, 10, tzinfo=UTC)


# --- travel (R12) ----------------------------------------------------------------------------------------------


def test_what_follows_the_wall_clock_does_so_in_another_zone_and_what_is_fixed_stays() -> None:
    local = wall(2026, 3, 10, 9)
    floating, fixed = a_reminder(local, zone=BERLIN), a_reminder(local, zone=BERLIN, floating=False)
    now = datetime(2026, 3, 9, tzinfo=UTC)
    assert scheduled(floating, now, TOKYO).next_at == resolve(local, TOKYO)
    assert scheduled(fixed, now, TOKYO).next_at == resolve(local, BERLIN)
    instant = replace(floating, kind="instant", local=None, at=MONDAY, floating=False)
    assert scheduled(instant, now, TOKYO).next_at == MONDAY


def test_flying_east_or_west_after_it_came_brings_nothing_back() -> None:
    """cases.tsv T21: a 9:00 item, at 19:00 UTC the zone becomes Tokyo's."""
    daily = a_reminder(wall(2026, 3, 2, 9), "FREQ=DAILY")
    done = must_fire(daily, datetime(2026, 3, 2, 9, tzinfo=UTC), "UTC")
    now = datetime(2026, 3, 2, 19, tzinfo=UTC)
    east = scheduled(done.reminder, now, TOKYO)
    assert east.next_at == resolve(wall(2026, 3, 3, 9), TOKYO)
    assert firing(east, now, TOKYO) is None
    west = scheduled(done.reminder, now, "Pacific/Honolulu")
    assert west.next_at == resolve(wall(2026, 3, 3, 9), "Pacific/Honolulu")


def test_a_snooze_is_a_moment_and_comes_beside_the_rule() -> None:
    daily = a_reminder(wall(2026, 3, 2, 9), "FREQ=DAILY")
    at = datetime(2026, 3, 2, 9, tzinfo=UTC)
    done = must_fire(daily, at, "UTC").reminder
    until = at + timedelta(minutes=10)
    snoozed = scheduled(replace(done, snoozed_until=until), at, "UTC")
    assert snoozed.next_at == until
    again = must_fire(snoozed, until, "UTC")
    assert (again.due_at, again.missed, again.reminder.snoozed_until) == (until, 0, None)
    assert again.reminder.next_at == at + DAY
    late = must_fire(snoozed, at + DAY, "UTC")  # both: the rule's occurrence stands for both
    assert (late.due_at, late.reminder.snoozed_until) == (at + DAY, None)


# --- properties ------------------------------------------------------------------------------------------------

steps = st.lists(st.timedeltas(min_value=timedelta(minutes=-90), max_value=3 * DAY), min_size=1, max_size=12)


@given(steps=steps, zones=st.lists(st.sampled_from(ZONES), min_size=1, max_size=4), rule=st.sampled_from(RULES[:3]))
def test_nothing_fires_twice_whatever_clock_and_zone_do(steps: list[timedelta], zones: list[str], rule: str) -> None:
    now, here = datetime(2026, 3, 5, 12, tzinfo=UTC), zones[0]
    reminder = a_reminder(wall(2026, 3, 6, 1, 30), rule, here=here, zone=here)
    delivered: list[str] = []
    for number, step in enumerate(steps):
        now += step
        moved = zones[number % len(zones)]
        if moved != here or step < timedelta():
            here = moved
            reminder = scheduled(reminder, now, here, frozenset(delivered))  # type: ignore[arg-type]  # keys are texts
        if reminder.next_at is not None and reminder.next_at <= now:
            done = must_fire(reminder, now, here)
            assert done.occurrence not in delivered
            delivered.append(done.occurrence)
            reminder = replace(done.reminder, revision=done.before + 1)
            assert reminder.next_at is not None
            assert reminder.next_at > now
