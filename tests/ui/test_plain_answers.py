"""What an answer to numbered choices may look like, and what is none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.plain_answers import AskAgain, Chosen, Heard, NoneOfThem, SomethingElse, hear, how_to_answer

DELETE = ("Yes, delete it", "No, keep it")
TIMES = ("Fri 4 Dec 2026 17:00, in 2 days", "Fri 4 Dec 2026 05:00, in 2 days", "Sat 5 Dec 2026 17:00, in 3 days")
SETUP = ("Yes, as usual", "Yes, and ask me when", "No", "Not now")
FIRST, SECOND, THIRD = Chosen(number=0), Chosen(number=1), Chosen(number=2)


@pytest.mark.parametrize(
    ("said", "choices", "heard"),
    [
        ("2", TIMES, SECOND),
        (" 2. ", TIMES, SECOND),
        ("2)", TIMES, SECOND),
        ("#2", TIMES, SECOND),
        ("2 of 3", TIMES, SECOND),
        ("number 2", TIMES, SECOND),
        ("option two", TIMES, SECOND),
        ("two", TIMES, SECOND),
        ("the second", TIMES, SECOND),
        ("The second one, please.", TIMES, SECOND),
        ("I'll take the second", TIMES, SECOND),
        ("2nd", TIMES, SECOND),
        ("the last one", TIMES, THIRD),
        ("b", TIMES, SECOND),
        ("B)", TIMES, SECOND),
        ("sat 5 dec", TIMES, THIRD),
        ("yes", DELETE, FIRST),
        ("yes please", DELETE, FIRST),
        ("Yes, please!", DELETE, FIRST),
        ("y", DELETE, FIRST),
        ("ok", DELETE, FIRST),
        ("no", DELETE, SECOND),
        ("no thanks", DELETE, SECOND),
        ("n", DELETE, SECOND),
        ("delete it", DELETE, FIRST),
        ("keep it", DELETE, SECOND),
        ("no", SETUP, THIRD),
        ("not now", SETUP, Chosen(number=3)),
        ("ask me when", SETUP, SomethingElse()),
        ("and ask me when", SETUP, SECOND),
        ("", TIMES, NoneOfThem()),
        ("   ", TIMES, NoneOfThem()),
        ("cancel", DELETE, NoneOfThem()),
        ("none of them", TIMES, NoneOfThem()),
        ("never mind", TIMES, NoneOfThem()),
        ("no", TIMES, NoneOfThem()),
        ("later", TIMES, NoneOfThem()),
        ("/help", TIMES, SomethingElse()),
        ("What is the weather like?", DELETE, SomethingElse()),
        ("fri 4 dec", TIMES, SomethingElse()),
        ("z", TIMES, SomethingElse()),
    ],
)
def test_an_answer_in_any_usual_wording(said: str, choices: tuple[str, ...], heard: Heard) -> None:
    assert hear(said, choices) == heard


@pytest.mark.parametrize(("said", "choices"), [("4", TIMES), ("0", TIMES), ("the fifth", TIMES), ("yes", SETUP)])
def test_an_answer_that_names_none_of_them_is_asked_again(said: str, choices: tuple[str, ...]) -> None:
    assert isinstance(hear(said, choices), AskAgain)


def test_a_yes_to_what_is_no_question_of_yes_and_no_is_asked_again() -> None:
    assert hear("yes", TIMES) == AskAgain(say="Which one? Answer with its number, 1 to 3.")


@given(st.text(max_size=40), st.lists(st.text(max_size=30), min_size=1, max_size=6))
def test_whatever_is_typed_is_one_of_the_four(said: str, choices: list[str]) -> None:
    heard = hear(said, choices)
    assert not isinstance(heard, Chosen) or 0 <= heard.number < len(choices)


def test_the_line_before_the_answer_says_how_to_answer() -> None:
    assert [how_to_answer(many) for many in (1, 2, 4)] == [
        "number, 1 (empty: none): ",
        "number, 1 or 2 (empty: none): ",
        "number, 1 to 4 (empty: none): ",
    ]
