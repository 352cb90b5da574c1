"""Dates and phrases that other assistants and date parsers got wrong: D01 to D53."""

from datetime import timedelta

import pytest

from assistant.policies.when.describe import describe, moment_in_words
from assistant.policies.when.parse import parse
from assistant.policies.when.recurrence import next_occurrences
from assistant.policies.when.types import Ambiguous, NoTime, Options, Recurrence, Refused, Understood, WallTime
from tests.support.when import options, read, understood, utc, wall

LOS_ANGELES = "America/Los_Angeles"
CHICAGO = "America/Chicago"


def test_D01_next_weekday_is_asked_once_and_the_answer_holds() -> None:
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


def test_D03_a_bare_weekday_looks_forward() -> None:
    assert read("Friday", options("2017-05-28 16:50")) == "2017-06-02"


def test_D05_the_phrase_is_consumed_whole() -> None:
    outcome = parse("Pay rent next Friday", options(next_weekday="coming"))
    assert isinstance(outcome, Understood)
    assert outcome.title == "Pay rent"


@pytest.mark.parametrize("preference", ["coming", "week_after"])
def test_D06_three_phrases_are_in_order(preference: str) -> None:
    at = options(next_weekday="coming" if preference == "coming" else "week_after")
    found = [read(phrase, at) for phrase in ("friday", "next friday", "friday after next")]
    assert found == sorted(found)
    assert found[0] == "2026-03-06"
    assert found[1] < found[2]


def test_D08_this_wednesday_on_a_wednesday_is_today() -> None:
    assert read("what is on this Wednesday") == "2026-03-04"


def test_D10_noon_is_twelve() -> None:
    assert read("Tuesday at Noon") == "2026-03-10 12:00"


def test_D13_midday_is_twelve() -> None:
    assert read("today at midday") == "2026-03-04 12:00"


def test_D15_twelve_noon_said_twice_is_twelve() -> None:
    assert read("12:00 Noon") == "2026-03-04 12:00"


def test_D20_a_name_that_begins_like_a_month_is_a_name() -> None:
    assert read("Julian Lee plays tonight") == "2026-03-04 20:00"
    assert understood("Julian Lee plays tonight").title == "Julian Lee plays"


def test_D50_the_day_after_tomorrow_and_a_day_that_does_not_exist() -> None:
    assert read("day after tomorrow") == "2026-03-06"
    assert read("31 April") == "no: April has 30 days."


def test_D51_no_word_is_dropped_in_silence() -> None:
    assert read("tomorrow at 12") == "2026-03-05 12:00"
    assert read("tomorrow at 25:00") == "no: 25:00 is no time of day."


def test_D11_a_zone_that_is_said() -> None:
    found = understood("February 24th 12PM PST")
    assert found.reading.value == WallTime(local=wall("2027-02-24 12:00"), zone=LOS_ANGELES)
    assert found.reading.due == utc("2027-02-24 20:00")


@pytest.mark.parametrize("text", ["a", "to"])
def test_D16_a_small_word_is_no_date(text: str) -> None:
    assert parse(text, options()) == NoTime(title=text)


@pytest.mark.parametrize("text", ["I may buy 2 apples", "May the force be with you"])
def test_D18_a_verb_is_no_month(text: str) -> None:
    assert parse(text, options()) == NoTime(title=text)


@pytest.mark.parametrize("text", ["read The 5th Wave", "read The 9/11 Report"])
def test_D21_numbers_of_a_title_stay_in_it(text: str) -> None:
    assert parse(text, options()) == NoTime(title=text)


@pytest.mark.parametrize("text", ["Renovation - 2nd Floor Bath"])
def test_D23_letters_within_a_word_are_no_month(text: str) -> None:
    assert parse(text, options()) == NoTime(title=text)


@pytest.mark.parametrize("text", ["buy paprika"])
def test_D25_a_spice_is_no_month(text: str) -> None:
    assert parse(text, options()) == NoTime(title=text)


@pytest.mark.parametrize("text", ["Buy 40th birthday gift"])
def test_D26_a_number_beyond_any_month_is_no_error(text: str) -> None:
    assert parse(text, options()) == NoTime(title=text)


@pytest.mark.parametrize("text", ["5 apples in the sun"])
def test_D53_the_sun_is_no_sunday(text: str) -> None:
    assert parse(text, options()) == NoTime(title=text)


def test_D28_past_and_future_by_the_local_clock() -> None:
    assert read("13:00", options("2026-03-04 14:23", "Africa/Cairo")) == "2026-03-05 13:00"


def test_D30_a_plain_time_is_never_nothing() -> None:
    assert read("3pm", options("2026-03-04 10:00", LOS_ANGELES)) == "2026-03-04 15:00"
    assert read("3pm", options("2026-03-04 15:00", LOS_ANGELES)) == "2026-03-05 15:00"


def test_D31_a_time_is_laid_over_the_local_date() -> None:
    at = options("2026-03-07 18:00", LOS_ANGELES)  # Sunday in UTC
    found = understood("7:30 PM", at)
    assert found.reading.value == WallTime(local=wall("2026-03-07 19:30"), zone=LOS_ANGELES)


def test_D33_the_time_of_today_that_is_still_to_come() -> None:
    found = understood("alarm for 4:45 today", options("2026-03-04 13:00"))
    assert found.reading.value == WallTime(local=wall("2026-03-04 16:45"), zone="Europe/Berlin")


@pytest.mark.parametrize("zone", [CHICAGO, "America/New_York", "Asia/Kathmandu"])
@pytest.mark.parametrize(("phrase", "seconds"), [("in 5 minutes", 300), ("in 10 seconds", 10)])
def test_D35_D36_spans_are_counted_from_now_in_any_zone(phrase: str, seconds: int, zone: str) -> None:
    now = utc("2026-07-04 03:30:12")
    found = parse(phrase, Options(now=now, zone=zone))
    assert isinstance(found, Understood)
    assert found.reading.due == now + timedelta(seconds=seconds)


def test_D38_midnight_is_the_coming_one() -> None:
    assert read("remind me at midnight") == "2026-03-05 00:00"


def test_D40_a_date_is_shown_with_its_true_weekday() -> None:
    found = understood("what day is 8 August 2026")
    assert describe(found.reading, options().now).startswith("Sat 8 Aug 2026")


def test_D41_the_words_for_now_have_weekday_date_and_zone() -> None:
    days = [moment_in_words(options(f"2026-03-{day:02d} 10:00").now, "Europe/Berlin") for day in range(2, 9)]
    assert [line[:3] for line in days] == ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    assert days[2] == "Wed 4 Mar 2026 10:00 (Europe/Berlin)"


@pytest.mark.parametrize(
    ("now", "phrase"),
    [("2026-10-29 10:00", "monthly on the 30th"), ("2026-01-29 10:00", "every month on the 30th")],
)
def test_D43_D45_monthly_on_a_day_that_february_lacks(now: str, phrase: str) -> None:
    found = understood(phrase, options(now))
    assert "in shorter months on their last day" in found.reading.assumed
    assert isinstance(found.reading.value, Recurrence)
    at = options("2027-01-01 00:00").now
    local = [each.astimezone(at.tzinfo) for each in next_occurrences(found.reading.value, at, 4)]
    assert [(each.month, each.day) for each in local] == [(1, 30), (2, 28), (3, 30), (4, 30)]


def test_D46_until_as_a_date_is_that_whole_day() -> None:
    start = WallTime(local=wall("2017-08-21 09:00"), zone="UTC")
    found = next_occurrences(Recurrence(start=start, rule="FREQ=MONTHLY;UNTIL=20180821"), utc("2017-01-01 00:00"), 50)
    assert len(found) == 13
    assert found[-1] == utc("2018-08-21 09:00")


def test_D48_until_in_utc_includes_the_last_occurrence() -> None:
    start = WallTime(local=wall("2026-01-04 12:30"), zone="Asia/Jerusalem")
    rule = "FREQ=WEEKLY;UNTIL=20260510T093000Z"  # 12:30 in Jerusalem's summer
    found = next_occurrences(Recurrence(start=start, rule=rule), utc("2026-01-01 00:00"), 50)
    assert found[-1] == utc("2026-05-10 09:30")


def test_a_reading_of_the_past_is_refused_with_the_moment() -> None:
    outcome = parse("yesterday at 5pm", options())
    assert isinstance(outcome, Refused)
    assert outcome.reason == "That moment has passed: Tue 3 Mar 2026 17:00 (Europe/Berlin), 17 hours ago."
