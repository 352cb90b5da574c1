"""The mask, the decision and what a rating teaches."""

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.policies.proactive.decide import Knobs, decide
from assistant.policies.proactive.features import features
from assistant.policies.proactive.learning import calibration_error, faded, learn, predict, topic_of
from assistant.policies.proactive.mask import gap_now, held_now, most_today
from assistant.policies.proactive.situation import Situation
from assistant.policies.proactive.why import counterfactual, without, would_speak
from memory.suggestions import (
    Answer,
    DecisionId,
    Hours,
    OpportunityId,
    Posteriors,
    Reason,
    Rule,
    Settings,
    Suggestion,
    SuggestionId,
)
from tests.support.suggestions import an_opportunity, some_factors

MONDAY = datetime(2026, 3, 2, 11, 0, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
ON = Settings(on=True, asked=True, windows=(Hours(start=time(10), stop=time(12)), Hours(start=time(17), stop=time(20))))
CALM = Situation(now=MONDAY, zone="UTC", settings=ON)
REASONS: tuple[Reason, ...] = ("", "time", "topic", "often", "style")
ANSWERS: tuple[Answer, ...] = ("useful", "not", "snooze", "mute", "acted", "dismissed", "ignored")


def told(number: int, at: datetime, answer: Answer | None = None, topic: str = "food") -> Suggestion:
    return Suggestion(
        id=SuggestionId(number), opportunity_id=OpportunityId(f"t{number}"), decision_id=DecisionId(number),
        topic=topic, channel="spoken", claimed_at=at, answer=answer, answered_at=at if answer else None,
    )  # fmt: skip


def rule(kind: str, **fields: object) -> Rule:
    return Rule(kind=kind, said=kind, at=MONDAY, **fields)  # type: ignore[arg-type]  # of a table


MASKED = {
    "off": (replace(CALM, settings=replace(ON, on=False)), "off"),
    "typing": (replace(CALM, typing=True), "typing"),
    "generating": (replace(CALM, generating=True), "generating"),
    "night": (replace(CALM, now=MONDAY.replace(hour=23)), "quiet_hours"),
    "outside": (replace(CALM, now=MONDAY.replace(hour=15)), "outside_windows"),
    "not before": (replace(CALM, rules=(rule("not_before", start=time(11, 30)),)), "rule"),
    "not after": (replace(CALM, rules=(rule("not_after", start=time(10, 30)),)), "rule"),
    "not between": (replace(CALM, rules=(rule("not_between", start=time(10), stop=time(12)),)), "rule"),
    "only between": (replace(CALM, rules=(rule("only_between", start=time(13), stop=time(14)),)), "rule"),
    "day off": (replace(CALM, rules=(rule("day_off", days=(0,)),)), "day_off"),
    "budget": (replace(CALM, rules=(rule("most_a_day", number=0),)), "budget"),
    "gap": (replace(CALM, spoken=(told(1, MONDAY - HOUR),)), "gap"),
    "longer gap": (replace(CALM, spoken=(told(1, MONDAY - 4 * HOUR),), rules=(rule("gap", span=5 * HOUR),)), "gap"),
    "pause": (replace(CALM, rules=(rule("off", until=MONDAY + HOUR),)), "off"),
}


@pytest.mark.parametrize("name", MASKED)
def test_the_mask_names_what_holds(name: str) -> None:
    situation, by = MASKED[name]
    verdict = decide(situation, [an_opportunity(opens_at=MONDAY - DAY)])
    assert (verdict.decision.action, [held.by for held in verdict.decision.held]) == ("silent", [by])


def test_a_rule_that_is_over_or_undone_holds_nothing() -> None:
    rules = (
        rule("off", until=MONDAY - HOUR),
        rule("off", state="undone"),
        rule("not_before", start=time(15), days=(5,)),
    )
    assert held_now(replace(CALM, rules=rules)) is None


def test_one_thing_is_said_in_the_middle_of_a_window() -> None:
    verdict = decide(CALM, [an_opportunity("a", opens_at=MONDAY - DAY), an_opportunity("b", opens_at=MONDAY - DAY)])
    assert (verdict.decision.action, verdict.decision.opportunity_id) == ("speak", "a")
    assert [(held.by, held.opportunity_id) for held in verdict.decision.held] == [("another_first", "b")]
    factors = verdict.decision.factors
    assert factors is not None
    assert factors.window == ON.windows[0]
    assert would_speak(factors)


@pytest.mark.parametrize(
    ("fields", "by"),
    [
        ({"opens_at": MONDAY + HOUR}, "too_early"),
        ({"closes_at": MONDAY}, "expired"),
        ({"state": "told"}, "told_before"),
        ({"snoozed_until": MONDAY + HOUR}, "snoozed"),
        ({"topic": "money"}, "topic_muted"),
    ],
)  # fmt: skip
def test_what_may_not_be_told_now_is_held(fields: dict[str, object], by: str) -> None:
    situation = replace(CALM, settings=replace(ON, muted=("money",)))
    one = replace(an_opportunity(opens_at=MONDAY - DAY), **fields)  # type: ignore[arg-type]  # of a table
    verdict = decide(situation, [one])
    assert [held.by for held in verdict.decision.held] == [by]


def test_at_the_edge_of_a_window_it_waits_for_the_middle() -> None:
    verdict = decide(replace(CALM, now=MONDAY.replace(hour=10)), [an_opportunity(opens_at=MONDAY - DAY)])
    assert verdict.decision.action == "wait"
    assert [held.by for held in verdict.decision.held] == ["better_later"]


def test_a_topic_that_was_turned_down_again_and_again_is_not_spoken() -> None:
    learned = Posteriors()
    for number in range(8):
        learned = learn(
            learned, answer="not", reason="topic", topic="travel", x=features(CALM), factors=some_factors(),
            settings=ON, at=MONDAY + number * HOUR,
        )  # fmt: skip
    verdict = decide(replace(CALM, learned=learned), [an_opportunity(opens_at=MONDAY - DAY)])
    assert verdict.decision.action in ("silent", "wait")


def test_three_unwelcome_in_a_row_halve_the_day_and_a_good_one_does_not() -> None:
    late = tuple(told(number, MONDAY - DAY + number * HOUR, "not") for number in (3, 2, 1))
    settings = replace(ON, most_a_day=4)
    assert most_today(replace(CALM, settings=settings, spoken=late)) == 2
    assert most_today(replace(CALM, settings=settings, spoken=(replace(late[0], answer="useful"), *late[1:]))) == 4
    assert most_today(replace(CALM, settings=settings, spoken=late, now=MONDAY + 3 * DAY)) == 4


@given(st.sampled_from(ANSWERS), st.sampled_from(REASONS))
def test_credit_goes_to_the_factor_named(answer: Answer, reason: Reason) -> None:
    x = features(CALM)
    after = learn(
        Posteriors(), answer=answer, reason=reason, topic="travel", x=x, factors=some_factors(), settings=ON, at=MONDAY
    )
    time_moved = predict(after, x) - predict(Posteriors(), x)
    topic_moved = topic_of(after, "travel", ON).mean - topic_of(Posteriors(), "travel", ON).mean
    if answer in ("useful", "acted"):
        assert time_moved > 0
        assert topic_moved > 0
    elif answer == "not" and reason == "time":
        assert time_moved < 0
        assert topic_moved == 0
    elif answer == "not" and reason == "topic":
        assert time_moved > 0
        assert topic_moved < 0
    elif answer == "not" and reason in ("often", "style"):
        assert time_moved == topic_moved == 0
    elif answer == "snooze":
        assert time_moved < 0
        assert topic_moved == 0
    elif answer in ("mute", "ignored"):
        assert time_moved == topic_moved == 0
    else:
        assert time_moved < 0
        assert topic_moved < 0
    assert (after.gap_factor > 1) == (answer == "not" and reason == "often")


def test_too_often_takes_one_off_and_said_twice_in_a_week_for_good() -> None:
    learned = Posteriors()
    for day in (0, 5):
        learned = learn(
            learned, answer="not", reason="often", topic="food", x=(), factors=None, settings=ON, at=MONDAY + day * DAY
        )
    soon, later = (replace(CALM, learned=learned, now=MONDAY + day * DAY) for day in (6, 30))
    assert (most_today(soon), most_today(later)) == (1, 2)
    assert gap_now(later) > ON.gap


def test_what_was_learned_fades_towards_the_prior() -> None:
    x = features(CALM)
    learned = Posteriors()
    for hour in range(6):
        learned = learn(
            learned, answer="not", reason="time", topic="food", x=x, factors=some_factors(), settings=ON,
            at=MONDAY + hour * HOUR,
        )  # fmt: skip
    old = faded(learned, MONDAY + 400 * DAY)
    assert predict(learned, x) < predict(old, x) <= predict(Posteriors(), x) + 1e-9
    assert abs(predict(old, x) - predict(Posteriors(), x)) < 0.02


def test_weights_of_an_earlier_vector_are_the_prior_and_its_ratings_teach_no_time() -> None:
    old = Posteriors(mean=(0.5,) * 20, covariance=((1.0,) * 20,) * 20, drifted_at=MONDAY)
    x = features(CALM)
    assert predict(faded(old, MONDAY + 3 * DAY), x) == predict(Posteriors(), x)
    after = learn(
        old, answer="useful", reason="", topic="food", x=(0.1,) * 20, factors=some_factors(), settings=ON, at=MONDAY
    )
    assert predict(after, x) == predict(Posteriors(), x)
    assert topic_of(after, "food", ON).good == 1


def test_calibration_is_the_mean_distance_of_what_was_said_from_what_came() -> None:
    assert calibration_error(()) == 1.0
    assert calibration_error(((4.0, 2.0, 2.0),)) == 0.0


@given(
    st.floats(0.01, 0.99), st.floats(0.01, 0.99), st.floats(0.05, 1), st.floats(0.5, 3), st.floats(0, 8),
)  # fmt: skip
def test_the_factor_named_as_decisive_is(fit: float, topic: float, need: float, value: float, dosage: float) -> None:
    acceptance = fit * topic
    cost = Knobs().cost * (1 + 0.125 * max(0.0, dosage - 2))
    speak = acceptance * need * value - (1 - acceptance) * cost
    factors = some_factors(
        need=need, time_fit=fit, topic_mean=topic, acceptance=acceptance, speak=speak, dosage=dosage,
        inbox=0.2 * need * value * topic - 0.05, wait=0.0,
    )  # fmt: skip
    named = counterfactual(factors)
    if named:
        assert would_speak(factors)
        assert not would_speak(without(factors, named))


@given(
    st.integers(0, 365 * 24 * 6), st.sampled_from(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "UTC"])
)
def test_nothing_is_ever_said_in_quiet_hours_whatever_clocks_do(tens: int, zone: str) -> None:
    situation = Situation(
        now=datetime(2026, 1, 1, tzinfo=UTC) + tens * timedelta(minutes=10), zone=zone, settings=replace(ON, windows=())
    )
    one = an_opportunity(opens_at=situation.now - DAY, closes_at=situation.now + DAY)
    if decide(situation, [one]).decision.action == "speak":
        assert 8 <= situation.local.hour < 22
