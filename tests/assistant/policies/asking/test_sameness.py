"""A wish in other words is the one that waits; one that differs in anything that tells is another."""

from typing import Any

import pytest

from assistant.policies.asking.sameness import say_the_same, wants_another


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"to": "Ann", "text": "I am late"}, {"to": "Ann", "text": "I'm late"}),
        (
            {"to": "bob@x.org", "text": "The meeting is moved to Friday at 3 pm"},
            {"to": "bob@x.org", "text": "Our meeting is moved to Friday, 3 pm"},
        ),
        ({"what": "table", "place": None, "time": None}, {"what": "the table", "place": None, "time": None}),
        ({"payee": "Tom", "amount": "20 euros"}, {"payee": "Tom", "amount": "20 Euros"}),
        (
            {"text": "The heating in the kitchen has been broken since Monday, please send somebody"},
            {"text": "the kitchen heating is broken since Monday, please send somebody to look"},
        ),
        ({"names": ["Ann", "Bob"], "seats": 2}, {"names": ["ann", "bob"], "seats": 2}),
    ],
)
def test_the_same_in_other_words(one: Any, other: Any) -> None:
    assert say_the_same(one, other)
    assert say_the_same(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"to": "Ann", "text": "I am late"}, {"to": "Bob", "text": "I am late"}),
        ({"text": "I am coming"}, {"text": "I am not coming"}),
        ({"text": "Let us meet on Friday at the station"}, {"text": "Let us meet on Thursday at the station"}),
        ({"amount": "20 euros"}, {"amount": "200 euros"}),
        ({"what": "table", "place": "Bella"}, {"what": "table", "place": None}),
        ({"text": "buy milk"}, {"text": "buy bread"}),
        (
            {"text": "Please bring the blue folder to the meeting tomorrow morning"},
            {"text": "Please bring the red folder to the meeting tomorrow morning"},
        ),
        ({"text": "The plumber can come on Monday"}, {"text": "The plumber cannot come on Monday"}),
        ({"text": "a"}, {"text": "b"}),
        ({"seats": 2}, {"seats": True}),
    ],
)
def test_anything_that_tells_makes_it_another(one: Any, other: Any) -> None:
    assert not say_the_same(one, other)
    assert not say_the_same(other, one)


def test_whoever_says_another_means_another() -> None:
    assert wants_another("Add another task: buy milk")
    assert not wants_another("Add a task: buy milk")
