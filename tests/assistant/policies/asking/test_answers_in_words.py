"""Answers in people's own words: corrected ones, ones that say nothing, several at once."""

import pytest

from assistant.policies.asking.answers import fills_of, said_plainly
from assistant.policies.asking.grounded import is_vague, part_of, resolved


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        ("8 pm", "8 pm"),
        ("Roma, no wait, Luigi's", "Luigi's"),
        ("at 8, sorry, make it 9", "9"),
        ("Nora", "Nora"),
        ("no idea", ""),
        ("whatever", ""),
        ("you decide", ""),
        ("something nice", ""),
    ],
)
def test_the_last_word_counts_and_nothing_said_is_nothing(said: str, plain: str) -> None:
    assert said_plainly(said) == plain


@pytest.mark.parametrize(
    ("text", "fills"),
    [
        ("Bella, 8 pm", {"place": "Bella", "time": "8 pm"}),
        ("Bella", {"place": "Bella"}),
        ("Bella, whatever", {"place": "Bella"}),
        ("Bella, Friday, 8 pm", {"place": "Bella", "time": "Friday, 8 pm"}),
    ],
)
def test_one_answer_fills_several_arguments(text: str, fills: dict[str, str]) -> None:
    assert fills_of("place,time", text) == fills


def test_one_argument_takes_the_whole_answer() -> None:
    assert fills_of("text", "Come, please, at 8") == {"text": "Come, please, at 8"}


@pytest.mark.parametrize("value", ["it", "somewhere nice", "a friend", "the usual place", "one of my lists", "early"])
def test_words_that_name_nothing(value: str) -> None:
    assert is_vague(value)


@pytest.mark.parametrize("value", ["Ann", "the station", "the landlord", "Thursday", "1"])
def test_words_that_name_something(value: str) -> None:
    assert not is_vague(value)


@pytest.mark.parametrize(
    ("value", "statement", "meant"),
    [
        ("my sister", "my sister is Ann", "Ann"),
        ("my boss", "Peter is my boss", "Peter"),
        ("my office", "my office is at 5 Mill Lane", "5 Mill Lane"),
    ],
)
def test_names_that_the_user_once_explained(value: str, statement: str, meant: str) -> None:
    assert resolved(value, (statement,)) == (meant, statement)
    assert resolved("Bob", (statement,)) is None


def test_the_one_time_or_amount_in_a_statement() -> None:
    assert part_of("our usual is Bella at 7", "time: what time") == "7"
    assert part_of("I owe Bob 120 euros", "amount: how much") == "120 euros"
    assert part_of("I get up at 6:40 or 7:10", "time") == ""
    assert part_of("our usual is Bella at 7", "place: where") == ""


def test_a_part_of_the_day_is_no_time_but_may_be_a_word() -> None:
    assert is_vague("morning", about="time: what time")
    assert not is_vague("morning", about="text: what it says")
    assert not is_vague("Friday morning", about="time: what time")
