"""Recurring things through changes of clocks: one a local date, no drift."""

from datetime import date, datetime, time, timedelta
from itertools import product

import pytest
from dateutil.rrule import rrulestr

from assistant.policies.when.recurrence import next_occurrences
from assistant.policies.when.types import Recurrence, WallTime
from assistant.policies.when.zones import resolve, to_local
from tests.support.when import utc, wall

ZONES = (
    "America/New_York", "Europe/Berlin", "Europe/London", "Australia/Lord_Howe", "America/Santiago", "Asia/Kathmandu",
    "Africa/Cairo", "Africa/Casablanca", "Pacific/Apia",
)  # fmt: skip
RULES = {
    "daily": "FREQ=DAILY",
    "weekly": "FREQ=WEEKLY;BYDAY=SU",
    "weekdays": "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
    "monthly on the 31st": "FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1",
    "yearly on 29 February": "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=28,29;BYSETPOS=-1",
}
TIMES = (time(0), time(0, 30), time(1, 30), time(2), time(2, 30))
DAYS = 400


def nominal(rule: str, start: datetime) -> list[datetime]:
    return list(rrulestr(rule, dtstart=start).between(start, start + timedelta(days=DAYS), inc=True))


@pytest.mark.parametrize(("zone", "began"), list(product(ZONES, ((2026, 2, 1), (2026, 9, 1)))))
def test_one_fire_a_local_date_without_drift(zone: str, began: tuple[int, int, int]) -> None:
    for (name, rule), at in product(RULES.items(), TIMES):
        start = datetime.combine(date(*began), at)
        wanted = nominal(rule, start)
        recurrence = Recurrence(start=WallTime(local=start, zone=zone), rule=rule)
        found = next_occurrences(recurrence, resolve(start, zone) - timedelta(seconds=1), len(wanted))
        local = [to_local(each, zone) for each in found]
        assert [each.date() for each in local] == [each.date() for each in wanted], (name, at)
        moved = [(each, want) for each, want in zip(local, wanted, strict=True) if each != want]
        for each, want in moved:  # only into the first valid minute of a gap
            assert each > want
            assert to_local(resolve(each, zone) - timedelta(minutes=1), zone) < want, (name, at, each, want)
        assert len(moved) <= 2, "a year has at most two gaps"


@pytest.mark.parametrize(
    ("local", "zone", "instant"),
    [
        ("2026-03-29 02:30", "Europe/Berlin", "2026-03-29 01:00"),  # gap: the first valid minute
        ("2026-10-25 02:30", "Europe/Berlin", "2026-10-25 00:30"),  # twice: the first
        ("2026-10-04 02:10", "Australia/Lord_Howe", "2026-10-03 15:30"),  # half an hour
        ("2026-09-06 00:00", "America/Santiago", "2026-09-06 04:00"),  # midnight does not exist
        ("2011-12-30 09:00", "Pacific/Apia", "2011-12-30 10:00"),  # a whole day does not exist
        ("2026-06-01 12:00", "Asia/Kathmandu", "2026-06-01 06:15"),
    ],
)
def test_resolve(local: str, zone: str, instant: str) -> None:
    assert resolve(wall(local), zone) == utc(instant)


def test_a_day_that_a_zone_skipped_has_no_daily_occurrence() -> None:
    start = WallTime(local=wall("2011-12-28 09:00"), zone="Pacific/Apia")
    found = next_occurrences(Recurrence(start=start, rule="FREQ=DAILY"), utc("2011-12-01 00:00"), 4)
    assert [to_local(each, "Pacific/Apia").day for each in found] == [28, 29, 31, 1]


def test_hours_are_counted_through_a_change_of_clocks() -> None:
    start = WallTime(local=wall("2026-10-25 00:00"), zone="Europe/Berlin")
    found = next_occurrences(Recurrence(start=start, rule="FREQ=HOURLY"), utc("2026-10-24 22:00"), 5)
    assert [later - earlier for earlier, later in zip(found, found[1:], strict=False)] == [timedelta(hours=1)] * 4


def test_a_rule_of_years_ago_costs_nothing() -> None:
    start = WallTime(local=wall("1990-01-01 00:00"), zone="Europe/Berlin")
    found = next_occurrences(Recurrence(start=start, rule="FREQ=MINUTELY;INTERVAL=7"), utc("2026-03-04 09:00"), 2)
    assert len(found) == 2
    assert (found[0] - resolve(start.local, start.zone)) % timedelta(minutes=7) == timedelta(0)


def test_every_other_week_keeps_its_weeks() -> None:
    start = WallTime(local=wall("2026-03-10 08:00"), zone="Europe/Berlin")
    rule = "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU;WKST=MO"
    late = next_occurrences(Recurrence(start=start, rule=rule), utc("2030-01-01 00:00"), 1)[0]
    assert (to_local(late, "Europe/Berlin") - start.local) % timedelta(weeks=2) == timedelta(0)


def test_an_end_is_an_end() -> None:
    start = WallTime(local=wall("2026-03-05 08:00"), zone="Europe/Berlin")
    until = Recurrence(start=start, rule="FREQ=DAILY;UNTIL=20260307T235959")
    assert len(next_occurrences(until, utc("2026-03-01 00:00"), 99)) == 3
    assert next_occurrences(until, utc("2026-03-08 00:00"), 99) == ()
    assert len(next_occurrences(Recurrence(start=start, rule="FREQ=DAILY;COUNT=4"), utc("2026-03-01 00:00"), 99)) == 4
    with pytest.raises(ValueError, match=r".+"):
        next_occurrences(Recurrence(start=start, rule="FREQ=NEVER"), utc("2026-03-01 00:00"), 1)
