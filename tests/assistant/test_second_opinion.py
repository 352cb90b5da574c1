"""A library is asked about doubts only, and never overrules."""

import pytest

from assistant.policies.when.parse import parse
from assistant.policies.when.types import Ambiguous
from assistant.second_opinion import with_second_opinion
from tests.support.when import options, short, shown


@pytest.mark.parametrize(
    "text",
    ["on Sunday at 6pm", "tonight at 9:30", "tomorrow at 12", "in half an hour", "31 April", "buy milk", "every 31st"],
)
def test_what_was_read_without_a_doubt_needs_no_agreement(text: str) -> None:
    outcome = parse(text, options())
    assert with_second_opinion(text, outcome, options()) is outcome


def test_a_disagreement_about_the_day_is_asked() -> None:
    text = "call the plumber next week"
    outcome = with_second_opinion(text, parse(text, options()), options())
    assert isinstance(outcome, Ambiguous)
    assert [short(reading) for reading in outcome.readings] == ["2026-03-09", "2026-03-11"]
    assert outcome.title == "call the plumber"
    assert outcome.about == "which_day"


def test_no_opinion_and_agreement_change_nothing() -> None:
    for text in ("quarter past eight", "tomorrow at 8"):
        outcome = parse(text, options())
        assert shown(with_second_opinion(text, outcome, options())) == shown(outcome)


def test_odd_input_has_no_opinion() -> None:
    for text in ("at 8 \x00 \u202e", "in May " + "x" * 500, "at 8 (" * 10):
        with_second_opinion(text, parse(text, options()), options())
