"""Whether stated windows still fit, and when a user is usually there."""

from datetime import UTC, datetime, time, timedelta

from assistant.policies.proactive.fitting import DOUBTED, Answered, doubt, inside_windows
from assistant.policies.proactive.habits import SLOTS, half_hours, usual_hours
from memory.suggestions import Hours, Settings, Suggestion, SuggestionId
from tests.support.suggestions import an_opportunity, some_factors, spoken

MONDAY = datetime(2026, 3, 2, 11, 0, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
MORNING, EVENING = Hours(start=time(10), stop=time(12)), Hours(start=time(17), stop=time(19))
ON = Settings(on=True, asked=True, windows=(MORNING, EVENING))
BAD: Answered = (MONDAY, "not", "time")
GOOD: Answered = (MONDAY, "useful", "")


def test_three_bad_times_raise_the_question_and_a_useful_one_between_does_not() -> None:
    assert doubt([BAD, BAD]) < DOUBTED <= doubt([BAD, BAD, BAD])
    assert doubt([BAD, BAD, GOOD, BAD]) < DOUBTED
    assert doubt([GOOD] * 20 + [BAD] * 3) >= DOUBTED  # a good month does not hide a bad week


def test_other_answers_say_nothing_about_hours() -> None:
    assert (
        doubt([(MONDAY, "not", "topic"), (MONDAY, "not", "often"), (MONDAY, "ignored", ""), (MONDAY, "mute", "")]) == 0
    )


def test_only_answers_inside_the_windows_stated_now_count() -> None:
    one = an_opportunity()
    said = Suggestion(
        id=SuggestionId(1), opportunity_id=one.id, decision_id=spoken(one).id, topic="travel", channel="spoken",
        claimed_at=MONDAY, answer="not", reason="time", answered_at=MONDAY,
    )  # fmt: skip
    inside, before = (
        spoken(one, factors=some_factors(window=window)) for window in (MORNING, Hours(start=time(8), stop=time(9)))
    )
    assert inside_windows([(said, inside), (said, before), (said, spoken(one))], ON) == (BAD,)


def test_the_profile_is_highest_where_the_user_is_and_flat_where_nothing_is_known() -> None:
    there = [
        MONDAY.replace(hour=hour, minute=minute) - day * DAY
        for day in range(14)
        for hour in (14,)
        for minute in (0, 40)
    ]
    usual = usual_hours(there, "UTC", ON)
    assert len(usual) == SLOTS
    assert usual[28] == usual[29] == max(usual)
    assert usual[20] < 0 < usual[28]
    assert usual_hours([], "UTC", ON) == ()
    few = usual_hours(there[:1], "UTC", ON)
    assert max(few) < max(usual)


def test_moments_of_one_half_hour_count_once_and_hours_are_those_of_the_wall() -> None:
    assert half_hours([MONDAY, MONDAY + timedelta(minutes=3)], "Europe/Berlin") == {(MONDAY.date(), 24)}
