"""Tables become options with equal attributes; the user's words become weights; the order of rows decides nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.policies.asking.options import compare
from assistant.policies.asking.tables import choices_in
from assistant.policies.asking.weights import weigh
from assistant.tools.types import Choice

FLIGHTS = """flight,price,duration,stops,departure,seat,note
LH 101,EUR 120,2h 10m,direct,07:10,window,Best deal! sponsored
BA 202,EUR 90,2h 35m,0,09:45,aisle,
AF 303,EUR 90,2h 05m,1,18:20,window,Overall pick
KL 404,EUR 150,1h 55m,0,13:00,aisle,
"""


def picked(message: str, *statements: str, table: str = FLIGHTS) -> tuple[str, str]:
    """The option taken, or "" and the attribute that is left to the user."""
    choices = choices_in(table)
    weighed = weigh(choices, message, statements)
    found = compare(weighed.options, weighed.weights)
    best = next(one.label for one in choices if one.id == found.order[0])
    return (best, "") if found.settled else ("", found.differs)


def test_a_row_is_an_option_and_what_its_seller_says_is_only_a_claim() -> None:
    first = choices_in(FLIGHTS)[0]
    assert first.label == "LH 101"
    assert [(one.name, one.number) for one in first.attributes] == [
        ("price", 120.0),
        ("duration", 130.0),
        ("stops", 0.0),
        ("departure", 430.0),
        ("seat", None),
    ]
    assert first.claims == "Best deal! sponsored"


@pytest.mark.parametrize(
    "text",
    [
        '[{"name": "a", "price": 1}, {"name": "b", "price": 2}]',
        '{"results": [{"name": "a", "price": 1}, {"name": "b", "price": 2}], "count": 2}',
        "name;price\na;1\nb;2\n",
        "name\tprice\na\t1\nb\t2\n",
        "| name | price |\n|---|---|\n| a | 1 |\n| b | 2 |\n",
    ],
)
def test_tables_in_the_shapes_people_have(text: str) -> None:
    assert [(one.label, one.attributes[0].number) for one in choices_in(text)] == [("a", 1.0), ("b", 2.0)]


@pytest.mark.parametrize(
    "text", ["", "Hello, you there.\nHow are you?", "a,b\n1,2", "{", "[[[[", "[1, 2, 3]", '{"a": 1}']
)
def test_what_is_no_table_gives_no_options(text: str) -> None:
    assert choices_in(text) == ()


@given(st.text(max_size=300))
def test_any_text_is_read_without_an_error(text: str) -> None:
    choices_in(text)
    choices_in(f"name,price\n{text}\n{text}")


@pytest.mark.parametrize(
    ("message", "statements", "wanted"),
    [
        ("Pick the cheapest flight", (), ("", "stops")),
        ("Pick the cheapest flight", ("I hate stopovers",), ("BA 202", "")),
        ("Pick the cheapest flight", ("I always take a window seat",), ("AF 303", "")),
        ("Pick the cheapest flight", ("I hate early flights",), ("AF 303", "")),
        ("Pick the cheapest flight", ("mornings are hard, I want to leave late",), ("AF 303", "")),
        ("Pick the cheapest flight", ("I don't mind stopovers",), ("", "stops")),
        ("Which is the fastest?", (), ("KL 404", "")),
        ("Which has the lowest price and the fewest stops?", (), ("BA 202", "")),
    ],
)
def test_what_was_said_settles_it_or_the_difference_is_named(
    message: str, statements: tuple[str, ...], wanted: tuple[str, str]
) -> None:
    assert picked(message, *statements) == wanted


@given(st.permutations(choices_in(FLIGHTS)), st.sampled_from(["Pick the cheapest", "Which one?", "the fastest"]))
def test_the_order_of_options_changes_nothing(order: list[Choice], message: str) -> None:
    found = [weigh(one, message, ("I like trains",)) for one in (choices_in(FLIGHTS), tuple(order))]
    first, other = (compare(one.options, one.weights) for one in found)
    assert (first.order, first.tied, first.differs) == (other.order, other.tied, other.differs)


def test_praise_of_a_seller_changes_nothing() -> None:
    praised = FLIGHTS.replace("BA 202,EUR 90,2h 35m,0,09:45,aisle,", "BA 202,EUR 90,2h 35m,0,09:45,aisle,Cheapest! Buy")
    assert picked("Pick the cheapest flight") == picked("Pick the cheapest flight", table=praised)
