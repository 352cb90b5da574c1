"""When events take place: zones, series, exceptions, conflicts."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.policies.occurrences import conflicts, day_span, happenings, next_of
from memory.items import Event, ItemId

DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
BERLIN = "Europe/Berlin"


def wall(text: str) -> datetime:
    return datetime.fromisoformat(text)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def event(starts: str, hours: float = 1, **fields: Any) -> Event:
    begins = wall(starts)
    given: dict[str, Any] = {"id": ItemId("e1"), "title": "x", "zone": BERLIN, "created_at": utc("2026-01-01")}
    return Event(**{**given, "starts": begins, "ends": begins + hours * HOUR, **fields})


def starts(events: list[Event], first: str, last: str, here: str = BERLIN) -> list[str]:
    found = happenings(events, utc(first), utc(last), here)
    return [one.starts.isoformat(timespec="minutes").removesuffix("+00:00") for one in found]


def test_a_series_keeps_its_wall_time_when_clocks_change() -> None:
    weekly = event("2026-03-23T09:00", rule="FREQ=WEEKLY")
    assert starts([weekly], "2026-03-20", "2026-04-01") == ["2026-03-23T08:00", "2026-03-30T07:00"]


def test_what_has_no_zone_is_where_the_user_is() -> None:
    floating = event("2026-03-23T09:00", zone="")
    assert starts([floating], "2026-03-23", "2026-03-24", "Asia/Tokyo") == ["2026-03-23T00:00"]


def test_a_whole_day_is_the_day_of_whoever_looks() -> None:
    (one,) = happenings(
        [event("2026-03-29T00:00", 24, all_day=True, zone="")], utc("2026-03-28T12:00"), utc("2026-03-30"), BERLIN
    )
    assert (one.starts, one.ends) == (utc("2026-03-28T23:00"), utc("2026-03-29T22:00"))  # a day of 23 hours


def test_what_began_before_and_is_still_on_is_seen() -> None:
    trip = event("2026-03-01T10:00", 24 * 5)
    assert starts([trip], "2026-03-03", "2026-03-04") == ["2026-03-01T09:00"]
    nightly = event("2026-03-01T22:00", 10, rule="FREQ=DAILY")
    assert starts([nightly], "2026-03-05T04:00", "2026-03-05T05:00") == ["2026-03-04T21:00"]


def test_an_event_that_lasts_no_time_is_seen() -> None:
    assert starts([event("2026-03-02T10:00", 0)], "2026-03-02T09:00", "2026-03-02T10:00") == ["2026-03-02T09:00"]


def test_excluded_occurrences_do_not_take_place_and_added_ones_do() -> None:
    daily = event(
        "2026-03-01T09:00",
        rule="FREQ=DAILY;COUNT=3",
        excluded=(wall("2026-03-02T09:00"),),
        added=(wall("2026-03-02T15:00"),),
    )
    assert starts([daily], "2026-03-01", "2026-03-09") == ["2026-03-01T08:00", "2026-03-02T14:00", "2026-03-03T08:00"]


def test_a_moved_occurrence_is_there_once_and_a_cancelled_one_not_at_all() -> None:
    series = event("2026-03-02T09:00", rule="FREQ=DAILY;COUNT=3", uid="u")
    moved = event("2026-03-20T09:00", id=ItemId("e2"), uid="u", recurrence=wall("2026-03-03T09:00"))
    gone = event("2026-03-04T09:00", id=ItemId("e3"), uid="u", recurrence=wall("2026-03-04T09:00"), cancelled=True)
    everything = [series, moved, gone]
    assert starts(everything, "2026-03-01", "2026-03-30") == ["2026-03-02T08:00", "2026-03-20T08:00"]
    assert starts(everything, "2026-03-01", "2026-03-10") == ["2026-03-02T08:00"]


def test_a_replaced_occurrence_that_is_not_in_the_series_is_shown_once() -> None:
    series = event("2026-03-02T09:00", rule="FREQ=DAILY;COUNT=1", uid="u")
    odd = event("2026-03-05T09:00", id=ItemId("e2"), uid="u", recurrence=wall("2026-03-05T09:00"))
    assert len(starts([series, odd], "2026-03-01", "2026-03-30")) == 2


def test_an_endless_series_of_long_ago_costs_nothing() -> None:
    old = event("1900-01-01T09:00", rule="FREQ=DAILY", zone="UTC")
    assert starts([old] * 1, "2026-03-01", "2026-03-02", "UTC") == ["2026-03-01T09:00"]


def test_a_rule_that_cannot_be_read_leaves_the_first_time() -> None:
    odd = event("2026-03-02T09:00", rule="FREQ=NEVER")
    assert starts([odd], "2026-03-01", "2026-03-30") == ["2026-03-02T08:00"]


def test_conflicts_are_between_timed_events_that_share_time() -> None:
    def one(starts: str, id: str, **fields: Any) -> Event:
        return event(starts, id=ItemId(id), **fields)

    events = [
        one("2026-03-02T09:00", "a"),
        one("2026-03-02T09:30", "b"),
        one("2026-03-02T10:00", "c"),
        one("2026-03-02T00:00", "d", all_day=True, zone=""),
    ]
    found = happenings(events, utc("2026-03-01T12:00"), utc("2026-03-03"), BERLIN)
    first = next(each for each in found if each.event.id == "a")
    assert [each.event.id for each in conflicts(first, found)] == ["b"]
    whole = next(each for each in found if each.event.id == "d")
    assert conflicts(whole, found) == ()


def test_next_is_what_is_on_or_comes() -> None:
    daily = event("2026-03-01T09:00", rule="FREQ=DAILY")
    found = next_of(daily, utc("2026-03-05T08:30"), BERLIN)
    assert found is not None
    assert found.starts == utc("2026-03-05T08:00")
    assert next_of(event("2026-03-01T09:00"), utc("2026-03-05"), BERLIN) is None


def test_a_day_may_have_23_hours() -> None:
    first, last = day_span(utc("2026-03-29T12:00"), 1, BERLIN)
    assert (first, last) == (utc("2026-03-28T23:00"), utc("2026-03-29T21:59:59"))


@given(
    start=st.datetimes(datetime(2026, 1, 1), datetime(2026, 12, 1)),  # noqa: DTZ001  wall times
    zone=st.sampled_from(["", "UTC", BERLIN, "America/New_York", "Australia/Lord_Howe"]),
    rule=st.sampled_from(["", "FREQ=DAILY", "FREQ=WEEKLY;BYDAY=MO,FR", "FREQ=MONTHLY;BYMONTHDAY=31"]),
    days=st.integers(0, 60),
)
def test_what_is_seen_touches_the_span_and_comes_in_order(start: datetime, zone: str, rule: str, days: int) -> None:
    begins = start.replace(microsecond=0)
    one = event(begins.isoformat(), zone=zone, rule=rule)
    first = begins.replace(tzinfo=UTC)
    found = happenings([one], first, first + days * DAY, BERLIN)
    assert list(found) == sorted(found, key=lambda each: each.starts)
    assert all(each.starts <= first + days * DAY and each.ends >= first for each in found)
    assert len({each.starts for each in found}) == len(found)


@pytest.mark.parametrize("days", [1, 30])
def test_a_part_of_a_span_shows_a_part_of_what_is_there(days: int) -> None:
    daily = event("2026-01-01T09:00", rule="FREQ=DAILY;INTERVAL=3")
    whole = set(starts([daily], "2026-01-01", "2026-12-31"))
    assert set(starts([daily], "2026-05-01", f"2026-05-{days:02d}T23:00")) <= whole
