"""Arithmetic that is exact, bounded, and reads nothing but numbers."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.policies.arithmetic import NoSum, evaluate


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("1+2*3", "7"),
        ("0.1 + 0.2", "0.3"),
        ("(1 + 2) * -4", "-12"),
        ("80 + 25%", "100"),
        ("200 - 10%", "180"),
        ("50% * 8", "4"),
        ("2^10", "1024"),
        ("2^3^2", "512"),
        ("-2^2", "-4"),
        ("2^-2", "0.25"),
        ("1,234.50 × 2", "2469"),
        ("1'000 + 1", "1001"),
        ("7 ÷ 8", "0.875"),
        ("10 / 4 − 1", "1.5"),
        ("1 - -1", "2"),
        (".5 + .5", "1"),
    ],
)
def test_sums(text: str, shown: str) -> None:
    result = evaluate(text)
    assert (result.text, result.exact) == (shown, True)


def test_what_does_not_end_is_rounded_and_says_so() -> None:
    third, two_thirds = evaluate("1/3"), evaluate("-2/3")
    assert (third.text, third.exact) == ("0.333333333333", False)
    assert two_thirds.text == "-0.666666666667"
    assert evaluate("1 - 1/3*10^-13").text == "1.0"


@pytest.mark.parametrize(
    "text",
    ["", "1/0", "0^-1", "2^0.5", "9^9^9", "2^99999", "1e5", "import os", "(1", "1)", "1 2", "+", "x", "__import__",
     "1+", "(" * 60 + "1" + ")" * 60, "1" * 501, "2^" * 60 + "1"],
)  # fmt: skip
def test_what_cannot_be_worked_out_says_why(text: str) -> None:
    with pytest.raises(NoSum) as refused:
        evaluate(text)
    assert refused.value.reason.endswith(".")


def test_a_long_sum_is_bounded_in_size() -> None:
    with pytest.raises(NoSum):
        evaluate("*".join(["9^1000"] * 50))


@given(st.text(max_size=60))
def test_nothing_but_a_result_or_a_reason_comes_out(text: str) -> None:
    try:
        result = evaluate(text)
    except NoSum:
        return
    assert isinstance(result.value, Fraction)


@given(st.integers(-999, 999), st.integers(-999, 999), st.sampled_from("+-*"))
def test_it_agrees_with_integers(left: int, right: int, sign: str) -> None:
    wanted = {"+": left + right, "-": left - right, "*": left * right}[sign]
    assert evaluate(f"({left}) {sign} ({right})").text == str(wanted)
