"""Whether stated windows still fit, and when a user is usually there."""

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta

from hypothesis import given
from hypothesis import strategies as st

from assistant.policies.proactive.fitting import DOUBTED, Answered, better_windows, doubt, inside_windows
from assistant.policies.proactive.habits import SLOTS, half_hours, usual_hours
from assistant.policies.proactive.situation import is_within, minute_of
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


def test_windows_move_to_where_the_user_is_and_answers_are_good() -> None:
    bad = [(MONDAY - day * DAY, "not", "time") for day in (1, 2, 3)]
    there = [MONDAY.replace(hour=hour) - day * DAY for day in range(1, 13) for hour in (13, 14, 20, 21)]
    found = better_windows(replace(ON, quiet=Hours(start=time(23), stop=time(7))), bad, there, MONDAY, "UTC")  # type: ignore[arg-type]  # answers of a table
    assert len(found) == 2
    assert all(is_within(minute, one) for minute, one in zip((14 * 60, 21 * 60 - 1), found, strict=True))


def test_where_nothing_says_where_nothing_is_proposed() -> None:
    assert better_windows(ON, [GOOD, GOOD], [], MONDAY, "UTC") == ()


@given(st.lists(st.tuples(st.integers(1, 13), st.integers(0, 47), st.sampled_from((BAD, GOOD))), max_size=12))
def test_what_is_proposed_never_reaches_into_the_quiet_hours(rows: list[tuple[int, int, Answered]]) -> None:
    answered = [(MONDAY - day * DAY + slot * HOUR / 2, answer, reason) for day, slot, (_, answer, reason) in rows]
    found = better_windows(ON, answered, [at for at, _, _ in answered], MONDAY, "UTC")
    assert ON.quiet is not None
    assert not any(is_within(minute_of(one.start), ON.quiet) for one in found)
    assert len(found) in (0, 2)


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
