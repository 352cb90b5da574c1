"""What is said about being asked is heard, and nothing else is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.policies.asking.about_asking import about_asking

LESS = (
    "Stop asking so much",
    "stop asking",
    "Please stop asking me.",
    "ok, stop asking me all these questions!",
    "Don't ask so many questions",
    "Don’t ask me so much, please",
    "do not ask me about everything",
    "Ask less.",
    "Ask me fewer questions from now on",
    "You ask too much.",
    "you ask too many questions",
    "That wasn't necessary",
    "That question was not needed.",
    "Too many questions!",
    "No more questions, please.",
    "You didn't have to ask that",
    "Can you stop asking?",
    "could you please ask me less often",
)
MORE = (
    "You should have asked",
    "You should've asked me first.",
    "No, you should have asked me before doing that!",
    "Next time ask first",
    "Next time, please ask me before you change anything",
    "Why didn't you ask me?",
    "Ask me more often",
    "Always ask before acting",
    "I would have liked to be asked.",
    "In future, check with me first, please",
)
NEITHER = (
    "",
    "Stop asking Anna for money",
    "You should have asked Anna",
    "What should I have asked the doctor?",
    "Remind me to ask mum about Sunday",
    "Don't ask me why, but the cat is on the roof",
    "Should I stop asking him out?",
    "Ask the bank about the fees",
    "He said: stop asking so much, and hung up",
    "How do I stop people asking me for money?",
    "I have too many questions for one mail",
    "you should have asked me whether the blue one fits, because it does not",
    "That was not necessary for the proof, was it",
    "stop",
)


@pytest.mark.parametrize("text", LESS)
def test_less_is_heard(text: str) -> None:
    assert about_asking(text) == "stop_asking"


@pytest.mark.parametrize("text", MORE)
def test_more_is_heard(text: str) -> None:
    assert about_asking(text) == "should_have_asked"


@pytest.mark.parametrize("text", NEITHER)
def test_anything_else_is_a_message(text: str) -> None:
    assert about_asking(text) is None


@given(st.text(max_size=400))
def test_any_text_is_answered(text: str) -> None:
    assert about_asking(text) in (None, "stop_asking", "should_have_asked")


@pytest.mark.parametrize("text", [*LESS, *MORE])
def test_more_than_a_sentence_about_asking_is_a_message(text: str) -> None:
    assert about_asking(f"{text} and write down that the bins go out on Monday") is None
