"""What people write, and what it means on Wednesday 4 March 2026, 10:00, in Berlin."""

from datetime import time, timedelta

import pytest

from assistant.policies.when.parse import around, parse
from assistant.policies.when.spans import parse_duration
from assistant.policies.when.types import AboutEvent, Ambiguous, DefaultTimes, NoTime, Options, Understood
from tests.support.when import options, read, understood, utc


@pytest.mark.parametrize(
    ("phrase", "meaning"),
    [
        # days
        ("tomorrow", "2026-03-05"),
        ("the day after tomorrow", "2026-03-06"),
        ("on Sunday", "2026-03-08"),
        ("on sun", "2026-03-08"),
        ("this Friday", "2026-03-06"),
        ("Friday next week", "2026-03-13"),
        ("next week on Tuesday", "2026-03-10"),
        ("Tuesday week", "2026-03-17"),
        ("a week from tomorrow", "2026-03-12"),
        ("this weekend", "2026-03-07"),
        ("next week", "2026-03-09"),
        ("next month", "2026-04-01"),
        ("next month on the 3rd", "2026-04-03"),
        ("end of the month", "2026-03-31"),
        ("in May", "2026-05-01"),
        ("on the 5th", "2026-03-05"),
        ("by the 15th", "2026-03-15"),
        ("on the 3rd", "2026-04-03"),
        ("2026-03-14", "2026-03-14"),
        ("14.03.2026", "2026-03-14"),
        ("5/4", "2026-04-05"),
        ("4 April", "2026-04-04"),
        ("April 4th", "2026-04-04"),
        ("the fourth of April 2027", "2027-04-04"),
        ("Sat 7 March", "2026-03-07"),
        ("29 February", "2028-02-29"),
        ("first Monday of April", "2026-04-06"),
        ("last Friday of the month", "2026-03-27"),
        ("on Christmas Eve", "2026-12-24"),
        ("two days before Friday", "2026-03-04"),
        ("in two weeks", "2026-03-18"),
        ("in a month", "2026-04-04"),
        ("in 3 business days", "2026-03-09"),
        ("6 months from now", "2026-09-04"),
        # times
        ("on Sunday at 6pm", "2026-03-08 18:00"),
        ("at noon", "2026-03-04 12:00"),
        ("14:30", "2026-03-04 14:30"),
        ("at 9am", "2026-03-05 09:00"),
        ("tomorrow at half past eight", "2026-03-05 08:30"),
        ("quarter past eight", "2026-03-04 20:15"),
        ("quarter to 9 tomorrow", "2026-03-05 08:45"),
        ("20 minutes past five tomorrow morning", "2026-03-05 05:20"),
        ("tonight at 9:30", "2026-03-04 21:30"),
        ("tonight at 12", "2026-03-05 00:00"),
        ("8 in the evening", "2026-03-04 20:00"),
        ("Friday morning at 10", "2026-03-06 10:00"),
        ("Monday morning", "2026-03-09 09:00"),
        ("late on Friday afternoon", "2026-03-06 15:00"),
        ("Friday late afternoon", "2026-03-06 16:00"),
        ("tomorrow night at 11", "2026-03-05 23:00"),
        ("dinner on Friday at 7", "2026-03-06 19:00"),
        ("wake me up at 6:30 tomorrow", "2026-03-05 06:30"),
        ("2026-03-14T09:05", "2026-03-14 09:05"),
        ("14 March 2026, 9:05pm", "2026-03-14 21:05"),
        ("tomorrow 9am EST", "2026-03-05 09:00"),
        ("an hour before 5pm tomorrow", "2026-03-05 16:00"),
        ("an hour before the meeting at 5pm tomorrow", "2026-03-05 16:00"),
        # counted
        ("in half an hour", "2026-03-04 10:30:00"),
        ("in an hour and a half", "2026-03-04 11:30:00"),
        ("in 1h30", "2026-03-04 11:30:00"),
        ("in 90 seconds", "2026-03-04 10:01:30"),
        ("in 2 days and 3 hours", "2026-03-06 13:00:00"),
        ("timer for 10 minutes", "2026-03-04 10:10:00"),
        ("right now", "2026-03-04 10:00:00"),
    ],
)
def test_one_moment(phrase: str, meaning: str) -> None:
    assert read(phrase) == meaning


@pytest.mark.parametrize(
    ("phrase", "meaning"),
    [
        ("every day", "FREQ=DAILY from 2026-03-05 09:00"),
        ("daily at 8pm", "FREQ=DAILY from 2026-03-04 20:00"),
        ("every other day at noon", "FREQ=DAILY;INTERVAL=2 from 2026-03-04 12:00"),
        ("every weekday at 7", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR from 2026-03-05 07:00"),
        ("Mon-Fri at 8", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR from 2026-03-05 08:00"),
        ("on Mondays", "FREQ=WEEKLY;BYDAY=MO from 2026-03-09 09:00"),
        ("every Monday and Thursday at 18:00", "FREQ=WEEKLY;BYDAY=MO,TH from 2026-03-05 18:00"),
        ("weekly on Friday at 3pm", "FREQ=WEEKLY;BYDAY=FR from 2026-03-06 15:00"),
        ("every other Tuesday at 8", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU;WKST=MO from 2026-03-10 08:00"),
        (
            "every other Tuesday at 8 until May",
            "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU;WKST=MO;UNTIL=20260430T235959 from 2026-03-10 08:00",
        ),
        ("every day at 7am until Friday", "FREQ=DAILY;UNTIL=20260306T235959 from 2026-03-05 07:00"),
        ("every day at 7am through April", "FREQ=DAILY;UNTIL=20260430T235959 from 2026-03-05 07:00"),
        ("every day at 8am for 10 days", "FREQ=DAILY;UNTIL=20260314T235959 from 2026-03-05 08:00"),
        ("every day at 8am 10 times", "FREQ=DAILY;COUNT=10 from 2026-03-05 08:00"),
        ("every Monday at 9am starting next week", "FREQ=WEEKLY;BYDAY=MO from 2026-03-09 09:00"),
        ("first Monday of each month", "FREQ=MONTHLY;BYDAY=1MO from 2026-04-06 09:00"),
        ("every month on the last Friday", "FREQ=MONTHLY;BYDAY=-1FR from 2026-03-27 09:00"),
        ("last day of every month", "FREQ=MONTHLY;BYMONTHDAY=-1 from 2026-03-31 09:00"),
        ("monthly on the 15th", "FREQ=MONTHLY;BYMONTHDAY=15 from 2026-03-15 09:00"),
        ("every 31st", "FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1 from 2026-03-31 09:00"),
        ("every 5 May", "FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=5 from 2026-05-05 09:00"),
        ("yearly on 29 February", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=28,29;BYSETPOS=-1 from 2027-02-28 09:00"),
        ("every quarter", "FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=4 from 2026-04-04 09:00"),
        ("every 2 hours", "FREQ=HOURLY;INTERVAL=2 from 2026-03-04 12:00"),
        ("every 15 minutes for 2 hours", "FREQ=MINUTELY;INTERVAL=15;UNTIL=20260304T121500 from 2026-03-04 10:15"),
        ("every day at 9am and 6pm", "FREQ=DAILY;BYHOUR=9,18 from 2026-03-04 18:00"),
        ("twice a day", "FREQ=DAILY;BYHOUR=9,19 from 2026-03-04 19:00"),
        ("every evening", "FREQ=DAILY from 2026-03-04 19:00"),
        ("every night at 10", "FREQ=DAILY from 2026-03-04 22:00"),
    ],
)
def test_recurrences(phrase: str, meaning: str) -> None:
    assert read(phrase) == meaning


@pytest.mark.parametrize(
    ("phrase", "meaning"),
    [
        ("tomorrow at 5", "ask: 2026-03-05 17:00 | 2026-03-05 05:00"),
        ("on Wednesday at 6pm", "ask: 2026-03-04 18:00 | 2026-03-11 18:00"),
        ("Saturday at midnight", "ask: 2026-03-07 00:00 | 2026-03-08 00:00"),
        ("tomorrow or Friday", "ask: 2026-03-05 | 2026-03-06"),
        ("buy tickets before Friday", "ask: 2026-03-06"),
        ("not tomorrow", "ask: 2026-03-05"),
        ("Friday 7 March", "ask: 2026-03-07 | 2026-03-06"),
        ("in 3 days on Friday", "ask: 2026-03-07 | 2026-03-06"),
        ("from 2 July to 10 July", "ask: 2026-07-02 | 2026-07-10"),
        ("by end of day", "ask: 2026-03-04 18:00 | 2026-03-04 23:59"),
        ("every Tuesday at 9am except holidays", "ask: FREQ=WEEKLY;BYDAY=TU from 2026-03-10 09:00"),
        ("later this week", "ask: "),
        ("twice a week", "ask: "),
        ("every hour from 9 to 17", "ask: "),
        ("the third week of July", "ask: "),
        ("book a table for 4 on Friday at 8", "ask: 2026-03-06 08:00"),
        ("send the weekly report on Friday", "ask: 2026-03-06"),
        ("watch Friday Night Lights tomorrow", "ask: 2026-03-05 21:00"),
        ("the evening before my exam", "ask: 2026-03-04 19:00"),
    ],
)
def test_what_is_not_certain_is_asked(phrase: str, meaning: str) -> None:
    assert read(phrase) == meaning


@pytest.mark.parametrize(
    ("phrase", "meaning"),
    [
        ("31 April", "no: April has 30 days."),
        ("30 February", "no: February has 28 days, 29 in a leap year."),
        ("2027-02-29", "no: February 2027 has 28 days."),
        ("tomorrow at 25:00", "no: 25:00 is no time of day."),
        ("every 31 June", "no: June has 30 days."),
        ("today at 9am", "no: That moment has passed: Wed 4 Mar 2026 09:00 (Europe/Berlin), 1 hour ago."),
        ("on 3 March 2026", "no: That moment has passed: Tue 3 Mar 2026 09:00 (Europe/Berlin), 25 hours ago."),
        ("every day until 1 March 2026", "no: That would never happen: it ends before it begins."),
        ("every 0 days", "no: every 0 days: that is never."),
    ],
)
def test_what_cannot_be_is_refused(phrase: str, meaning: str) -> None:
    assert read(phrase) == meaning


@pytest.mark.parametrize(
    "text",
    [
        "",
        "buy milk",
        "may",
        "sun",
        "read 1984",
        "1/2 cup of sugar",
        "win 3:2",
        "16:9 ratio",
        "version 2.5 release",
        "call +49 170 1234567",
        "the Monday meeting notes",
        "Friday's deadline",
        "tomorrow's weather",
        "buy Christmas presents",
        "see report-2026-03-10.pdf",
        "https://example.org/2026/03/10/12:00",
        "the 2nd floor",
        "second opinion",
        "mar the surface",
        "a table for 4",
        "run for 20 minutes",
        "I am off",
        "Mayday",
        "I am fascinated by the night sky",
    ],
)
def test_titles_without_a_time(text: str) -> None:
    outcome = parse(text, options())
    assert isinstance(outcome, NoTime)
    assert outcome.title == text


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("remind me to call mum on Sunday at 6pm", "call mum"),
        ("Remind me on Sunday at 6pm to call mum", "call mum"),
        ("tomorrow at 9am remind me to call the bank", "call the bank"),
        ("call the bank tomorrow at 9am, ask about the loan", "call the bank, ask about the loan"),
        ("remind me in 20 minutes to take out the pizza", "take out the pizza"),
        ("email Bob about yesterday's numbers on Friday", "email Bob about yesterday's numbers"),
        ("ask about last week's bill tomorrow", "ask about last week's bill"),
        ("remind me tomorrow", ""),
        ("buy 3 apples and 2 pears on Saturday", "buy 3 apples and 2 pears"),
        ("Zahnarzt 🦷 morgen? tomorrow 3pm", "Zahnarzt 🦷 morgen?"),
        ("set an alarm for 7am", ""),
        ("add 3/4 cup at 5pm", "add 3/4 cup"),
        ("dentist (tomorrow at 3pm) bring card", "dentist bring card"),
    ],
)
def test_the_title_is_what_is_left(text: str, title: str) -> None:
    assert understood(text).title == title


def test_assumptions_are_said() -> None:
    assert understood("tonight at 9:30").reading.assumed == "9:30 read as 21:30 because you said tonight"
    assert understood("on Sunday").reading.assumed == "no time was said: at 09:00"
    assert understood("on Sunday at 6pm").reading.assumptions == ()
    assert not understood("tonight at 9:30").reading.doubtful
    assert understood("tomorrow at 8").reading.doubtful


def test_the_order_of_day_and_month_is_a_setting() -> None:
    assert read("on 5/4", options(day_first=True)) == "2026-04-05"
    assert read("on 5/4", options(day_first=False)) == "2026-05-04"
    assert read("on 22/4", options(day_first=False)) == "2026-04-22"
    assert understood("on 5/4").reading.assumed.startswith("5/4 read as 5 April")


def test_the_first_day_of_the_week_is_a_setting() -> None:
    assert read("next week", options(week_start=0)) == "2026-03-09"
    assert read("next week", options(week_start=6)) == "2026-03-08"


def test_default_times_are_options() -> None:
    times = DefaultTimes(day=time(7, 30), evening=time(18))
    at = Options(now=options().now, zone="Europe/Berlin", times=times)
    assert understood("tomorrow", at).reading.due == utc("2026-03-05 06:30")
    assert read("tomorrow evening", at) == "2026-03-05 18:00"


@pytest.mark.parametrize(
    ("phrase", "minutes"), [("tomorrow 3pm for 20 minutes", 20), ("tomorrow from 3 to 4pm", 60), ("Monday 11-4", 300)]
)
def test_lengths(phrase: str, minutes: int) -> None:
    assert understood(phrase).reading.lasts == timedelta(minutes=minutes)


def test_a_length_alone_is_kept_beside_the_title() -> None:
    assert parse("run for 20 minutes", options()) == NoTime(title="run for 20 minutes", lasts=timedelta(minutes=20))


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("20 minutes", timedelta(minutes=20)),
        ("for an hour and a half", timedelta(minutes=90)),
        ("1h30", timedelta(minutes=90)),
        ("2 days", timedelta(days=2)),
        ("½ hour", timedelta(minutes=30)),
        ("1.5 hours", timedelta(minutes=90)),
        ("a while", None),
        ("20 minutes or so", None),
        ("0 minutes", None),
    ],
)
def test_durations(text: str, length: timedelta | None) -> None:
    assert parse_duration(text) == length


def test_something_before_an_event_that_is_known_by_name() -> None:
    outcome = parse("remind me the day before my dentist appointment", options())
    assert isinstance(outcome, AboutEvent)
    assert (outcome.event, outcome.days, outcome.lead) == ("my dentist appointment", -1, timedelta(0))
    hour = parse("an hour before my flight", options())
    assert isinstance(hour, AboutEvent)
    assert around(hour.days, hour.lead, utc("2026-03-29 07:00"), options()) == utc("2026-03-29 06:00")
    assert around(-1, timedelta(0), utc("2026-03-29 07:00"), options()) == utc("2026-03-28 08:00"), "same wall time"


def test_a_long_text_keeps_its_end_in_the_title() -> None:
    text = "tomorrow at 9am " + "word " * 3000 + "end"
    outcome = parse(text, options())
    assert isinstance(outcome, Understood | Ambiguous)
    assert outcome.title.endswith("word end")


@pytest.mark.parametrize(
    ("text", "title"),
    [("parents' evening on Sunday", "parents' evening"), ("the girls’ night on Sunday", "the girls’ night")],
)
def test_the_evening_of_somebody_is_an_event_and_no_time(text: str, title: str) -> None:
    found = understood(text)
    assert found.title == title
    assert found.reading.kind == "date"
    assert understood("dinner at Ann's this evening").reading.kind == "wall_time"
