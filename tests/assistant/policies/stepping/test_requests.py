"""What asks for a plan, and the things in it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.policies.stepping.items import event_words, items_of, sort_of
from assistant.policies.stepping.requests import plan_request


@pytest.mark.parametrize(
    ("text", "day", "items"),
    [
        (
            "plan my Saturday, I need to see the dentist and buy a present",
            "Saturday",
            ("see the dentist", "buy a present"),
        ),
        (
            "Plan my Saturday: dentist at 10, present for Ann, wash the car and pick up the parcel",
            "Saturday",
            ("dentist at 10", "present for Ann", "wash the car", "pick up the parcel"),
        ),
        (
            "I have to see the dentist and buy bread and butter. Can you plan my Saturday?",
            "Saturday",
            ("see the dentist", "buy bread and butter"),
        ),
        ("organize tomorrow for me: gym and call the bank", "tomorrow", ("gym", "call the bank")),
        ("plan my week. I need to renew my passport, and see the doctor", "", ("renew my passport", "see the doctor")),
        (
            "plan my Sunday\n- wash the car\n- lunch with Tom at noon",
            "Sunday",
            ("wash the car", "lunch with Tom at noon"),
        ),
        ("Make a plan: a birthday party for Ann", "", ()),
        ("make a plan: dentist, present", "", ("dentist", "present")),
        ("break moving house down into tasks", "", ()),
    ],
)
def test_a_plan_is_asked_for(text: str, day: str, items: tuple[str, ...]) -> None:
    request = plan_request(text)
    assert request is not None
    assert (request.day, request.items) == (day, items)


@pytest.mark.parametrize(
    "text",
    [
        "plan a trip to Rome",
        "Plan my Saturday",
        "make me a workout plan",
        "What is the plan for Saturday?",
        "My plan is to see the dentist on Saturday",
        "I plan to buy a present on Saturday",
    ],
)
def test_it_is_left_to_the_model(text: str) -> None:
    assert plan_request(text) is None


@pytest.mark.parametrize(
    ("item", "sort"),
    [
        ("see the dentist", "appointment"),
        ("lunch with Tom", "appointment"),
        ("buy a birthday present", "errand"),
        ("book the dentist", "errand"),
        ("wash the car", "errand"),
        ("present for Ann", "unclear"),
    ],
)
def test_what_words_tell(item: str, sort: str) -> None:
    assert sort_of(item) == sort


def test_an_event_is_called_by_what_takes_place() -> None:
    assert event_words("see the dentist") == "the dentist"
    assert event_words("lunch with Tom") == "lunch with Tom"


@given(st.text(max_size=400))
def test_any_text_is_taken(text: str) -> None:
    plan_request(text)
    items_of(text)
