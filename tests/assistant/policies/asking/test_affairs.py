"""Which questions are about the user's own affairs, and what of a question has to be found."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.policies.asking.affairs import affair, bare, settled_by


@pytest.mark.parametrize(
    ("text", "asks", "about"),
    [
        ("when is the next tenants' meeting?", "when", "tenants' meeting"),
        ("Can you tell me what time my dentist appointment is?", "when", "dentist appointment"),
        ("where does the choir rehearsal take place?", "where", "choir rehearsal"),
        ("which day does the plumber come?", "when", "plumber"),
        ("how much is my rent?", "how much", "rent"),
        ("do I have anything planned with Tom?", "whether", "Tom"),
        ("what is my locker number?", "what", "locker number"),
        ("Where did I park the car?", "where", "park the car"),
        ("does the lease say who clears the snow?", "whether", "clears the snow"),
        ("according to the letter, when are the meters read?", "when", "meters read"),
    ],
)
def test_what_only_the_user_can_know_is_their_own(text: str, asks: str, about: str) -> None:
    found = affair(text)
    assert found is not None
    assert (found.own, found.asks, found.about) == (True, asks, about)


@pytest.mark.parametrize(
    "text",
    [
        "what are my rights as a tenant?",
        "how do I clean my washing machine?",
        "what should I cook for my parents?",
        "should I bring wine to my neighbour's dinner?",
        "why is my bread so dense?",
        "how much water do my tomatoes need?",
        "what is the difference between a meeting and a workshop?",
        "what is my name?",
        "explain what an event loop is",
        "write a poem about my garden",
        "My dog is ill. When is my appointment?",
    ],
)
def test_advice_and_what_anybody_knows_are_left_to_the_model(text: str) -> None:
    assert affair(text) is None


@pytest.mark.parametrize(
    "text", ["when is the next solar eclipse?", "who wrote The Trial?", "can I keep a dog in the flat?"]
)
def test_what_anybody_might_ask_is_looked_at_and_never_said_to_be_unknown(text: str) -> None:
    found = affair(text)
    assert found is not None
    assert not found.own


def test_the_words_that_name_a_paper_are_not_what_is_looked_for() -> None:
    assert bare("does the lease say who clears the snow?") == "who clears the snow"
    assert bare("what does the letter say about mail?") == "mail"
    assert bare("who clears the snow?") == "who clears the snow"


def test_what_would_settle_it_is_said_in_words_that_work() -> None:
    dated, paper, other = (
        affair("when is our parents' evening?"),
        affair("what does the lease say about pets?"),
        affair("what is my locker number?"),
    )
    assert dated is not None
    assert paper is not None
    assert other is not None
    assert "put parents' evening in my calendar on" in settled_by(dated)
    assert "steward documents add" in settled_by(paper)
    assert "note that" in settled_by(other)


@given(st.text(max_size=300))
def test_any_text_is_read_or_left(text: str) -> None:
    found = affair(text)
    assert found is None or found.stems
