"""Real bugs of other assistants and date parsers, by their number in the case log: what is right holds here."""

from datetime import timedelta

import pytest

from assistant.policies.when.describe import describe, moment_in_words
from assistant.policies.when.parse import parse
from assistant.policies.when.recurrence import next_occurrences
from assistant.policies.when.types import Ambiguous, NoTime, Options, Recurrence, Refused, Understood, WallTime
from tests.support.when import options, read, understood, utc, wall

LOS_ANGELES = "America/Los_Angeles"
CHICAGO = "America/Chicago"


def test_d01_next_weekday_is_asked_once_and_the_answer_holds() -> None:
    asked = parse("next friday", options())
    assert isinstance(asked, Ambiguous)
    assert asked.about == "next_weekday"
    assert asked.answers == ("coming", "week_after")
    assert read("next friday") == "ask: 2026-03-06 | 2026-03-13"
    assert read("next friday", options(next_weekday="coming")) == "2026-03-06"
    assert read("next friday", options(next_weekday="week_after")) == "2026-03-13"
    assert read("next monday") == "2026-03-09", "both readings are the same day: nothing to ask"
    assert "Fri 6 Mar 2026" in asked.question
    assert "Fri 13 Mar 2026" in asked.question


def test_d03_a_bare_weekday_looks_forward() -> None:
    assert read("Friday", options("2017-05-28 16:50")) == "2017-06-02"


def test_d05_the_phrase_is_consumed_whole() -> None:
    outcome = parse("Pay rent next Friday", options(next_weekday="coming"))
    assert isinstance(outcome, Understood)
    assert outcome.title == "Pay rent"


@pytest.mark.parametrize("preference", ["coming", "week_after"])
def test_d06_three_phrases_are_in_order(preference: str) -> None:
    at = options(next_weekday="coming" if preference == "coming" else "week_after")
    found = [read(phrase, at) for phrase in ("friday", "next friday", "friday after next")]
    assert found == sorted(found)
    assert found[0] == "2026-03-06"
    assert found[1] < found[2]


def test_d08_this_wednesday_on_a_wednesday_is_today() -> None:
    assert read("what is on this Wednesday") == "2026-03-04"


@pytest.mark.parametrize(
    ("case", "phrase", "meaning"),
    [
        ("D10", "Tuesday at Noon", "2026-03-10 12:00"),
        ("D13", "today at midday", "2026-03-04 12:00"),
        ("D15", "12:00 Noon", "2026-03-04 12:00"),
        ("D20", "Julian Lee plays tonight", "2026-03-04 20:00"),
        ("D50", "day after tomorrow", "2026-03-06"),
        ("D50", "31 April", "no: April has 30 days."),
        ("D51", "tomorrow at 12", "2026-03-05 12:00"),
        ("D51", "tomorrow at 25:00", "no: 25:00 is no time of day."),
    ],
)
def test_d10_to_d51_phrases(case: str, phrase: str, meaning: str) -> None:
    assert read(phrase) == meaning


def test_d11_a_zone_that_is_said() -> None:
    found = understood("February 24th 12PM PST")
    assert found.reading.value == WallTime(local=wall("2027-02-24 12:00"), zone=LOS_ANGELES)
    assert found.reading.due == utc("2027-02-24 20:00")


@pytest.mark.parametrize(
    ("case", "text"),
    [
        ("D16", "a"),
        ("D16", "to"),
        ("D18", "I may buy 2 apples"),
        ("D18", "May the force be with you"),
        ("D21", "read The 5th Wave"),
        ("D21", "read The 9/11 Report"),
        ("D23", "Renovation - 2nd Floor Bath"),
        ("D25", "buy paprika"),
        ("D26", "Buy 40th birthday gift"),
        ("D53", "5 apples in the sun"),
    ],
)
def test_d16_to_d53_words_that_are_no_time_stay_in_the_title(case: str, text: str) -> None:
    assert parse(text, options()) == NoTime(title=text)


def test_d20_the_rest_is_the_title() -> None:
    assert understood("Julian Lee plays tonight").title == "Julian Lee plays"


def test_d28_past_and_future_by_the_local_clock() -> None:
    assert read("13:00", options("2026-03-04 14:23", "Africa/Cairo")) == "2026-03-05 13:00"


def test_d30_a_plain_time_is_never_nothing() -> None:
    assert read("3pm", options("2026-03-04 10:00", LOS_ANGELES)) == "2026-03-04 15:00"
    assert read("3pm", options("2026-03-04 15:00", LOS_ANGELES)) == "2026-03-05 15:00"


def test_d31_a_time_is_laid_over_the_local_date() -> None:
    at = options("2026-03-07 18:00", LOS_ANGELES)  # Sunday in UTC
    found = understood("7:30 PM", at)
    assert found.reading.value == WallTime(local=wall("2026-03-07 19:30"), zone=LOS_ANGELES)


def test_d33_the_time_of_today_that_is_still_to_come() -> None:
    found = understood("alarm for 4:45 today", options("2026-03-04 13:00"))
    assert found.reading.value == WallTime(local=wall("2026-03-04 16:45"), zone="Europe/Berlin")


@pytest.mark.parametrize(("case", "phrase", "seconds"), [("D35", "in 5 minutes", 300), ("D36", "in 10 seconds", 10)])
def test_d35_d36_spans_are_counted_from_now_in_any_zone(case: str, phrase: str, seconds: int) -> None:
    now = utc("2026-07-04 03:30:12")
    for zone in (CHICAGO, "America/New_York", "Asia/Kathmandu"):
        found = parse(phrase, Options(now=now, zone=zone))
        assert isinstance(found, Understood)
        assert found.reading.due == now + timedelta(seconds=seconds)


def test_d38_midnight_is_the_coming_one() -> None:
    assert read("remind me at midnight") == "2026-03-05 00:00"


def test_d40_a_date_is_shown_with_its_true_weekday() -> None:
    found = understood("what day is 8 August 2026")
    assert describe(found.reading, options().now).startswith("Sat 8 Aug 2026")


def test_d41_the_words_for_now_have_weekday_date_and_zone() -> None:
    days = [moment_in_words(options(f"2026-03-{day:02d} 10:00").now, "Europe/Berlin") for day in range(2, 9)]
    assert [line[:3] for line in days] == ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    assert days[2] == "Wed 4 Mar 2026 10:00 (Europe/Berlin)"


@pytest.mark.parametrize(
    ("case", "now", "phrase"),
    [("D43", "2026-10-29 10:00", "monthly on the 30th"), ("D45", "2026-01-29 10:00", "every month on the 30th")],
)
def test_d43_d45_monthly_on_a_day_that_february_lacks(case: str, now: str, phrase: str) -> None:
    found = understood(phrase, options(now))
    assert "in shorter months on their last day" in found.reading.assumed
    assert isinstance(found.reading.value, Recurrence)
    at = options("2027-01-01 00:00").now
    local = [each.astimezone(at.tzinfo) for each in next_occurrences(found.reading.value, at, 4)]
    assert [(each.month, each.day) for each in local] == [(1, 30), (2, 28), (3, 30), (4, 30)]


def test_d46_until_as_a_date_is_that_whole_day() -> None:
    start = WallTime(local=wall("2017-08-21 09:00"), zone="UTC")
    found = next_occurrences(Recurrence(start=start, rule="FREQ=MONTHLY;UNTIL=20180821"), utc("2017-01-01 00:00"), 50)
    assert len(found) == 13
    assert found[-1] == utc("2018-08-21 09:00")


def test_d48_until_in_utc_includes_the_last_occurrence() -> None:
    start = WallTime(local=wall("2026-01-04 12:30"), zone="Asia/Jerusalem")
    rule = "FREQ=WEEKLY;UNTIL=20260510T093000Z"  # 12:30 in Jerusalem's summer
    found = next_occurrences(Recurrence(start=start, rule=rule), utc("2026-01-01 00:00"), 50)
    assert found[-1] == utc("2026-05-10 09:30")


def test_a_reading_of_the_past_is_refused_with_the_moment() -> None:
    outcome = parse("yesterday at 5pm", options())
    assert isinstance(outcome, Refused)
    assert outcome.reason == "That moment has passed: Tue 3 Mar 2026 17:00 (Europe/Berlin), 17 hours ago."
