"""A wish to be reminded, told from a question that begins alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.policies.asks_reminder import asks_for_reminder, names_a_deed


@pytest.mark.parametrize(
    "text",
    [
        "remind me to call mum on Sunday at 6pm",
        "Remind me tomorrow at 9 to pay the rent",
        "please remind me about the dentist on Friday",
        "Can you remind me to water the plants every Tuesday?",
        "Hey Steward, could you please remind me in half an hour to stretch",
        "set a reminder for 6pm: bread",
        "Set me another reminder to drink water in 20 minutes",
        "don't let me forget the bread at 6",
        "Reminder: bread at 6",
        "remind me that the shop closes at 6 tonight",
    ],
)
def test_wishes(text: str) -> None:
    assert asks_for_reminder(text)


@pytest.mark.parametrize(
    "text",
    [
        "remind me what we said about Friday",
        "Can you remind me how a leap second works?",
        "remind me why tomorrow is a holiday",
        "Could you remind me who wrote Hamlet again?",
        "remind me",
        "You remind me of my teacher",
        "That reminds me of last Friday",
        "What is a reminder?",
        "She said: remind me to call her at six",
        "Write a story in which someone says remind me to leave at 5",
        "remind me to\nparse this file at 5",
        "remind me to " + "x" * 400,
    ],
)
def test_other_messages(text: str) -> None:
    assert not asks_for_reminder(text)


def test_a_deed_without_a_time_is_worth_asking_when() -> None:
    assert names_a_deed("remind me to call mum")
    assert not names_a_deed("remind me of the plot of Hamlet")


@given(st.text())
def test_any_text_is_answered(text: str) -> None:
    asks_for_reminder(text)
    asks_for_reminder(f"remind me to {text}")
