"""A number is said in digits or in words; any other is the model's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.policies.asking.numbers import is_number_said


@pytest.mark.parametrize(
    ("value", "message", "said"),
    [
        (30, "send 30 euros to Ann", True),
        (30.0, "send EUR 30.00 to Ann", True),
        (1200, "send 1,200 dollars", True),
        (1200, "send 1.200 euros", True),
        (1.2, "send 1.2 litres", True),
        (1234567.89, "pay 1,234,567.89", True),
        (3, "three tickets", True),
        (12, "a dozen eggs", True),
        (19, "wake me at 7pm", True),
        (7, "wake me at 7pm", True),
        (20, "wake me at 7pm", False),
        (1_000_000, "please send money", False),
        (0.01, "send money to Ann", False),
        (300, "send 30 euros to Ann", False),
        (1, "send someone the letter", False),
    ],
)
def test_said_or_not(value: float, message: str, said: bool) -> None:
    assert is_number_said(value, message) is said


@given(st.integers(0, 10**9))
def test_a_number_in_digits_is_said(value: int) -> None:
    assert is_number_said(value, f"make it {value}, please")
    assert is_number_said(value, f"make it {value:,}, please")


@given(st.text(), st.integers(-(10**9), 10**9))
def test_any_text_is_read(message: str, value: int) -> None:
    is_number_said(value, message)
