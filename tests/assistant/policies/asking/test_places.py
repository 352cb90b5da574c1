"""Which of several somebody means who says its place."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.policies.asking.answers import Chosen, Declined, Own, read_answer
from assistant.policies.asking.places import place_in, without_politeness
from memory.decisions import Decision, DecisionId, NewDecision
from tests.support.clock import MONDAY
from tests.support.decisions import a_mail, a_question


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ("2", 2), ("#2", 2), ("no. 2", 2), ("two", 2), ("option two", 2), ("the second", 2), ("second one, please", 2),
        ("the 3rd", 3), ("the last", 3), ("b", 2), ("option c", 3), ("12", 12),
        ("d", None), ("the second of May", None), ("twelve", None), ("", None), ("on the second day", None),
    ],
)  # fmt: skip
def test_a_place(said: str, place: int | None) -> None:
    found = place_in(said, 3)
    assert (found and found[0]) == place


@given(st.text(max_size=30))
def test_politeness_is_taken_off_once_and_for_all(said: str) -> None:
    assert without_politeness(without_politeness(said)) == without_politeness(said)


def asked(new: NewDecision) -> Decision:
    return Decision(id=DecisionId(1), asked=new, state="open", created_at=MONDAY)


@pytest.mark.parametrize(
    ("said", "own_words", "key"),
    [
        ("the second one", True, "2"),
        ("option two", True, "2"),
        ("the second", False, "2"),
        ("b", False, "2"),
        ("two", False, "2"),
        ("I'll take the last one, please", False, "2"),
    ],
)
def test_a_question_is_answered_by_a_place(said: str, own_words: bool, key: str) -> None:
    answer = read_answer(asked(replace(a_question(), allow_other=own_words)), said)
    assert isinstance(answer, Chosen)
    assert answer.option.key == key


@pytest.mark.parametrize("said", ["the second", "b", "two", "2nd"])
def test_a_place_that_may_be_a_day_is_taken_for_own_words_where_they_are_an_answer(said: str) -> None:
    assert read_answer(asked(a_question()), said) == Own(text=said)


@pytest.mark.parametrize("said", ["the first one", "a", "first", "one", "the second one"])
def test_what_cannot_be_taken_back_takes_no_place_for_a_yes(said: str) -> None:
    assert not isinstance(read_answer(asked(a_mail()), said), Chosen | Declined)
