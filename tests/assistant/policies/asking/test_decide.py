"""The verdict: gates that nothing opens, free sources first, and questions only where they pay."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.policies.asking.decide import MOST_QUESTIONS, decide
from assistant.policies.asking.types import (
    Act,
    ActAndState,
    Answer,
    Ask,
    Candidate,
    Inspect,
    Moment,
    OpenGap,
    Pause,
    Situation,
    Unknown,
)
from assistant.tools.types import EFFECTS, Assumption, Choice, Effect, Gap, Source, ToolName

DOCUMENT = Source(kind="document", label="offer.pdf, page 2")


def call(effect: Effect = "undoable", share: float = 0.95) -> Candidate:
    return Candidate(tool=ToolName("tasks.add"), arguments="{}", effect=effect, share=share)


def gap(*shares: float, argument: str = "day") -> OpenGap:
    choices = tuple(Choice(id=str(number), label=f"day {number}") for number in range(len(shares)))
    return OpenGap(gap=Gap(argument=argument, question="Which day?", choices=choices), shares=shares)


effects = st.sampled_from(EFFECTS)
shares = st.floats(0, 1)
gaps = st.lists(st.lists(shares, max_size=5).map(lambda found: gap(*found)), max_size=4).map(tuple)
situations = st.builds(
    Situation,
    candidates=st.lists(st.builds(call, effects, shares), max_size=3).map(tuple),
    gaps=gaps,
    look_ups=st.just(()) | st.just((DOCUMENT,)),
    looked_up=st.integers(0, 4),
    granted=st.booleans(),
    untrusted=st.just(()) | st.just((DOCUMENT,)),
    task_questions=st.integers(0, 5),
    prices=st.dictionaries(st.just("") | st.just("tasks.add:day"), st.floats(0.01, 100)),
    moment=st.sampled_from(("idle", "typing", "step_done")),
)


def test_a_clear_undoable_call_is_carried_out_without_a_question() -> None:
    assert isinstance(decide(Situation(candidates=(call(),))), Act)


def test_an_argument_that_nothing_says_is_asked_for() -> None:
    verdict = decide(Situation(candidates=(call(),), gaps=(gap(),)))
    assert isinstance(verdict, Ask)
    assert [open_gap.gap.argument for open_gap in verdict.gaps] == ["day"]


def test_what_can_be_looked_up_is_looked_up_before_the_user_is_asked() -> None:
    assert decide(Situation(candidates=(call(),), gaps=(gap(),), look_ups=(DOCUMENT,))) == Inspect(
        source=DOCUMENT, reason="offer.pdf, page 2 may already say it."
    )


def test_what_memory_filled_is_told() -> None:
    usual = Assumption(argument="place", value="Bella", because="our usual is Bella at 7")
    verdict = decide(Situation(candidates=(call(),), assumptions=(usual,)))
    assert isinstance(verdict, ActAndState)
    assert verdict.assumptions == (usual,)


def test_a_likely_reading_of_something_undoable_is_taken_and_told() -> None:
    verdict = decide(Situation(candidates=(call(),), gaps=(gap(0.8, 0.2),)))
    assert isinstance(verdict, ActAndState)
    assert verdict.fills == (("day", "0"),)


def test_two_even_readings_of_something_soft_are_asked_and_of_a_search_are_not() -> None:
    assert isinstance(decide(Situation(candidates=(call("soft"),), gaps=(gap(0.5, 0.5),))), Ask)
    assert isinstance(decide(Situation(candidates=(call("read"),), gaps=(gap(0.5, 0.5),))), ActAndState)


def test_nothing_known_after_the_last_question_is_said() -> None:
    verdict = decide(Situation(candidates=(call(),), gaps=(gap(),), task_questions=MOST_QUESTIONS))
    assert isinstance(verdict, Unknown)


def test_without_a_call_it_answers_lays_out_or_says_what_is_not_known() -> None:
    assert isinstance(decide(Situation()), Answer)
    assert isinstance(decide(Situation(life_decision="health")), Pause)
    assert isinstance(decide(Situation(fact_needed="when the contract ends")), Unknown)


@given(situations, st.sampled_from(("external", "grave")))
def test_no_price_belief_or_budget_opens_a_gate(situation: Situation, effect: Effect) -> None:
    situation = replace(situation, candidates=(call(effect, 1.0),), granted=False)
    assert isinstance(decide(situation), Pause | Inspect)


@given(situations)
def test_a_grant_never_covers_what_is_grave(situation: Situation) -> None:
    situation = replace(situation, candidates=(call("grave", 1.0),), granted=True)
    assert isinstance(decide(situation), Pause | Inspect)


@given(situations)
def test_with_untrusted_text_in_front_nothing_with_an_effect_is_done(situation: Situation) -> None:
    verdict = decide(replace(situation, untrusted=(DOCUMENT,)))
    if isinstance(verdict, Act | ActAndState):
        assert verdict.call.effect == "read"
    if isinstance(verdict, Pause) and verdict.call and verdict.call.effect != "grave" and not situation.granted:
        assert verdict.reason


@given(situations)
def test_questions_end(situation: Situation) -> None:
    if situation.task_questions >= MOST_QUESTIONS:
        assert not isinstance(decide(situation), Ask)


@given(situations, st.floats(1.01, 3))
def test_a_dearer_question_is_never_asked_sooner(situation: Situation, factor: float) -> None:
    cheap = replace(situation, prices={"": 1.0})
    dear = replace(situation, prices={"": factor})
    if isinstance(decide(dear), Ask):
        assert isinstance(decide(cheap), Ask)


@given(situations, st.floats(0, 1), st.floats(0, 1))
def test_more_belief_never_makes_a_question(situation: Situation, one: float, other: float) -> None:
    low, high = sorted((one, other))
    doubtful = replace(situation, candidates=(call("soft", low), call("soft", 0.0)), gaps=())
    sure = replace(doubtful, candidates=(call("soft", high), call("soft", 0.0)))
    if isinstance(decide(sure), Ask):
        assert isinstance(decide(doubtful), Ask)


@pytest.mark.parametrize("moment", ["idle", "typing", "step_done"])
def test_the_numbers_are_told(moment: Moment) -> None:
    verdict = decide(Situation(candidates=(call("soft"),), gaps=(gap(0.5, 0.5),), moment=moment))
    assert isinstance(verdict, Ask | ActAndState)
    assert verdict.numbers.loss == 8
    assert verdict.numbers.expected_loss > 0
    assert verdict.numbers.cost > 0


def test_what_waits_for_a_yes_is_never_done_at_once() -> None:
    verdict = decide(Situation(candidates=(call(share=1.0),), waits="It takes away 9 things at once."))
    assert isinstance(verdict, Pause)
    assert verdict.reason == "It takes away 9 things at once."
