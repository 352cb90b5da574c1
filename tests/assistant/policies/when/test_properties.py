"""What holds for every phrase at every moment."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.policies.when.describe import describe
from assistant.policies.when.parse import parse
from assistant.policies.when.types import (
    Ambiguous,
    DateOnly,
    Instant,
    NextWeekday,
    Options,
    Reading,
    Recurrence,
    Understood,
    WallTime,
)
from tests.support.work import Calls

ZONES = ("America/New_York", "Europe/Berlin", "Europe/London", "Australia/Lord_Howe", "America/Santiago")
PHRASES = (
    "tomorrow", "today", "tonight", "tonight at 9:30", "this evening at 6", "on Friday", "on Friday at 6pm",
    "next Friday", "at noon", "at midnight", "13:00", "3pm", "at 8", "quarter past eight", "in half an hour",
    "in 3 days", "in a month", "in 2 days and 3 hours", "on the 31st", "on the 5th at 7pm", "29 February",
    "4 March", "4 March at 02:30", "2027-03-28 02:30", "this weekend", "next week", "next month",
    "end of the month", "Monday morning", "first Monday of the month", "the second Sunday of March at 02:30",
    "every day at 02:30", "every other Tuesday at 8", "every 31st", "every 2 hours", "first Monday of each month",
    "every weekday at 7", "on Christmas Eve", "tomorrow 9am EST", "every day at 9am and 6pm",
)  # fmt: skip
WORDS = (
    *" ".join(PHRASES).split(),
    *("or", "except", "before", "after", "until", "may", "sun", "-", ",", "31", "25:00", "\n", "9/11"),
)
MOMENTS = st.datetimes(datetime(2020, 1, 1), datetime(2035, 1, 1)).map(lambda naive: naive.replace(tzinfo=UTC))  # noqa: DTZ001
PREFERENCES = st.sampled_from([None, "coming", "week_after"])


def readings(text: str, at: Options) -> tuple[Reading, ...]:
    outcome = parse(text, at)
    match outcome:
        case Understood(reading=reading):
            return (reading,)
        case Ambiguous(readings=several):
            return several
        case _:
            return ()


@given(st.sampled_from(PHRASES), MOMENTS, st.sampled_from(ZONES), PREFERENCES)
def test_nothing_is_due_in_the_past(phrase: str, now: datetime, zone: str, preference: NextWeekday | None) -> None:
    for reading in readings(phrase, Options(now=now, zone=zone, next_weekday=preference)):
        assert reading.due > now


@given(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join), MOMENTS, st.sampled_from(ZONES))
def test_words_in_any_order_look_forward(text: str, now: datetime, zone: str) -> None:
    for reading in readings(text, Options(now=now, zone=zone)):
        assert reading.due >= now
        assert all(0 <= start < stop <= len(text) for start, stop in reading.spans)


@given(st.sampled_from(PHRASES), MOMENTS, st.sampled_from(ZONES), PREFERENCES)
def test_what_is_shown_is_read_back(phrase: str, now: datetime, zone: str, preference: NextWeekday | None) -> None:
    at = Options(now=now, zone=zone, next_weekday=preference)
    for reading in readings(phrase, at):
        if isinstance(reading.value, Recurrence):
            continue
        line = describe(reading, now)
        back = parse(line, at)
        assert isinstance(back, Understood), (line, back)
        assert abs((back.reading.due - reading.due).total_seconds()) < 1, line
        assert back.title == ""
        assert not back.reading.doubtful or isinstance(reading.value, DateOnly | WallTime | Instant)


@given(st.sampled_from(PHRASES), MOMENTS, st.sampled_from(ZONES))
def test_the_line_has_weekday_date_and_zone(phrase: str, now: datetime, zone: str) -> None:
    for reading in readings(phrase, Options(now=now, zone=zone)):
        local = reading.due.astimezone(ZoneInfo(reading.zone))
        line = describe(reading, now)
        assert f"{local:%a} {local.day} {local:%b} {local.year}" in line
        assert reading.zone in line
        assert f"{local:%H:%M}" in line


@given(st.text(st.characters(exclude_categories=()), max_size=300), MOMENTS)
def test_any_text_has_an_outcome(text: str, now: datetime) -> None:
    parse(text, Options(now=now, zone="Europe/Berlin"))


@given(
    st.lists(st.sampled_from((*WORDS, "🎉", "\x00", "\u202e", "İ", "…", "(", "''")), max_size=60).map("".join), MOMENTS
)
def test_glued_words_have_an_outcome(text: str, now: datetime) -> None:
    parse(text, Options(now=now, zone="America/Santiago"))


HOSTILE = (
    "a", "1 ", "in ", "twenty ", "every ", " ", "\n", "at 5 ", "monday ", "🎉", "in 1 day 2 ", "(",
    "two days before ", "12:",
    "the last ", "a a ", "sun, ", "next ", "9/", "first of ", "\x1b[2J", "\u202e",
)  # fmt: skip


@pytest.mark.parametrize("unit", HOSTILE)
def test_ten_thousand_characters_take_linear_work(unit: str) -> None:
    """Four times the length, four times the calls; tests/benchmarks/waits.py takes the time."""
    at = Options(now=datetime(2026, 3, 4, 9, tzinfo=UTC), zone="Europe/Berlin")

    def work(length: int) -> int:
        text = (unit * length)[:length]
        with Calls() as calls:
            parse(text, at)
        return calls.count

    work(500)  # what is made once is made here
    assert work(10_000) < 4.5 * work(2_500)


def test_far_away_moments_are_refused_or_asked_not_raised() -> None:
    at = Options(now=datetime(2026, 3, 4, 9, tzinfo=UTC), zone="Europe/Berlin")
    for text in ("in 9999 years", "in 2000 years", "on 31.12.9999 at 23:59", "0001-01-01", "9999-12-31",
    "in 9999 months",
                 "every 999 years", "every 999 months", "9999 weeks from now",
    "1 decade before 0001-01-01"):  # fmt: skip
        parse(text, at)
    late = Options(now=datetime(9980, 1, 1, tzinfo=UTC), zone="Europe/Berlin")
    for phrase in PHRASES:
        parse(phrase, late)


def test_two_days_of_one_instant() -> None:
    """The second 02:30 of an autumn night says its offset, and is read back as that instant."""
    now = datetime(2026, 10, 25, 1, 0, tzinfo=UTC) - timedelta(minutes=5)
    at = Options(now=now, zone="Europe/Berlin")
    outcome = parse("in 35 minutes", at)
    assert isinstance(outcome, Understood)
    line = describe(outcome.reading, now)
    assert line == "Sun 25 Oct 2026 02:30 (UTC+01:00 Europe/Berlin), in 35 minutes"
    back = parse(line, at)
    assert isinstance(back, Understood)
    assert back.reading.due == outcome.reading.due
