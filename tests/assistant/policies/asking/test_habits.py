"""An answer that tends to last is offered to be remembered, in words that the user can say; nothing is kept."""

from dataclasses import replace

import pytest

from assistant.policies.asking.habits import habit_of
from memory.decisions import Decision, DecisionId, DecisionOption, NewDecision, PlannedCall
from tests.support.clock import MONDAY

CALL = PlannedCall(tool="tasks.arrange", arguments='{"place":null,"time":null,"what":"table"}', hash="x")
ASKED = NewDecision(
    kind="clarify",
    effect="undoable",
    question="Where? When?",
    why_now="",
    options=(DecisionOption(key="1", label="Bella"),),
    call=CALL,
    argument="place,time",
)


def answered(answer: str, asked: NewDecision = ASKED) -> Decision:
    return Decision(id=DecisionId(1), asked=asked, state="answered", created_at=MONDAY, answer=answer)


@pytest.mark.parametrize(
    ("answer", "habit"),
    [
        ("Bella, tomorrow at 8", "our usual place for the table is Bella"),
        ("1", "our usual place for the table is Bella"),
        ("I don't know", ""),
        ("x" * 80, ""),
        ("my password is hunter22, now", ""),
    ],
)
def test_a_place_tends_to_last(answer: str, habit: str) -> None:
    assert habit_of(answered(answer)) == habit


def test_what_reaches_others_or_is_said_anew_is_no_habit() -> None:
    assert habit_of(answered("Bella", replace(ASKED, effect="external"))) == ""
    assert habit_of(answered("8 pm", replace(ASKED, argument="time"))) == ""
    assert habit_of(answered("yes", replace(ASKED, kind="confirm"))) == ""
    assert habit_of(answered("Bella", replace(ASKED, call=None))) == ""


@pytest.mark.parametrize(
    ("answer", "habit"),
    [
        ("Bella on Friday at 7", "our usual place for the table is Bella"),
        ("at the Blue Door, tomorrow at noon", "our usual place for the table is the Blue Door"),
        ("Luigi's", "our usual place for the table is Luigi's"),
        ("tomorrow at 8", ""),
        ("wherever there is room", ""),
        ("1", ""),  # a way out is no habit
        ("I would rather like to sit somewhere quiet at 7", ""),
    ],
)
def test_the_place_of_an_answer_that_holds_the_time_too(answer: str, habit: str) -> None:
    assert habit_of(answered(answer, replace(ASKED, argument="answer"))) == habit
