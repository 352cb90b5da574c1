"""Comparing options: no order wins, claims count for nothing, and an unweighed difference is the user's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.policies.asking.options import compare, shuffled
from assistant.tools.types import Attribute, Choice


def flight(name: str, price: float, hours: float, seat: str, claims: str = "") -> Choice:
    return Choice(
        id=name,
        label=f"Flight {name}",
        attributes=(
            Attribute(name="price", value=f"EUR {price}", number=price, better="low"),
            Attribute(name="hours", value=f"{hours} h", number=hours, better="low"),
            Attribute(name="seat", value=seat),
        ),
        claims=claims,
    )


FOUR = (
    flight("A", 120, 3, "aisle"),
    flight("B", 120, 3, "window"),
    flight("C", 180, 2.5, "aisle"),
    flight("D", 240, 5, "window"),
)
choices = st.lists(
    st.builds(
        flight,
        st.uuids().map(str),
        st.floats(1, 500),
        st.floats(1, 30),
        st.sampled_from(("aisle", "window")),
    ),
    min_size=1,
    max_size=6,
)


def test_two_that_tie_for_the_stated_wish_become_a_question_about_what_differs() -> None:
    comparison = compare(FOUR, {"price": 10})
    assert set(comparison.tied) == {"A", "B"}
    assert comparison.differs == "seat"


def test_with_the_difference_weighed_one_is_picked() -> None:
    wanted = tuple(
        Choice(
            id=option.id,
            label=option.label,
            attributes=(
                *option.attributes[:2],
                Attribute(
                    name="seat",
                    value=option.attributes[2].value,
                    number=float(option.attributes[2].value == "window"),
                    better="high",
                ),
            ),
        )
        for option in FOUR
    )
    comparison = compare(wanted, {"price": 10, "hours": 3, "seat": 6})
    assert comparison.settled
    assert comparison.order[0] == "B"


def test_one_option_is_settled_and_none_is_an_error() -> None:
    assert compare(FOUR[:1], {}).settled
    with pytest.raises(ValueError, match="nothing to compare"):
        compare((), {})


@given(
    choices, st.randoms(use_true_random=False), st.dictionaries(st.sampled_from(("price", "hours")), st.floats(0, 20))
)
def test_order_and_claims_change_nothing(options: list[Choice], random: object, weights: dict[str, float]) -> None:
    mixed = list(options)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    loud = [flight_with_claims(option) for option in mixed]
    assert compare(options, weights) == compare(mixed, weights) == compare(loud, weights)


def flight_with_claims(option: Choice) -> Choice:
    return Choice(id=option.id, label=option.label, attributes=option.attributes, claims="BEST DEAL, sponsored")


@given(choices, st.dictionaries(st.sampled_from(("price", "hours")), st.floats(0, 20)))
def test_a_dominated_option_is_never_first(options: list[Choice], weights: dict[str, float]) -> None:
    worse = flight("zz", 1000, 100, "aisle")
    comparison = compare([*options, worse], weights)
    assert comparison.order[-1] == "zz"
    assert 0 <= comparison.regret <= 1


@given(choices, st.text())
def test_the_shown_order_depends_on_the_seed_alone(options: list[Choice], seed: str) -> None:
    assert shuffled(options, seed) == shuffled(options[::-1], seed)
    assert set(shuffled(options, seed)) == set(options)
