"""Stored rows as the model reads them."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.policies.compose import as_sent, exchanges, merged, speaks_of_time, system_message
from models.types import ChatMessage
from tests.support.builders import a_message, a_talk


def in_utc(at: datetime) -> datetime:
    return at.astimezone(UTC)


def test_the_system_text_stands_alone_without_instructions() -> None:
    assert system_message("Be kind.\n", "  ") == ChatMessage(role="system", content="Be kind.")


def test_instructions_follow_the_system_text() -> None:
    assert system_message("Be kind.", "In French.").content == (
        "Be kind.\n\nThe user set these instructions:\nIn French."
    )


def test_a_question_and_its_answer_are_one_exchange() -> None:
    first, second = exchanges(a_talk("Hi", "Hello!", "How are you?"), None)
    assert first.messages == (
        ChatMessage(role="user", content="Hi"),
        ChatMessage(role="assistant", content="Hello!"),
    )
    assert first.ids == (1, 2)
    assert second.messages == (ChatMessage(role="user", content="How are you?"),)


def test_thoughts_are_never_sent_back() -> None:
    question, answer = a_talk("Hi", "Hello!")
    (exchange,) = exchanges([question, replace(answer, thought="a greeting")], None)
    assert [message.content for message in exchange.messages] == ["Hi", "Hello!"]


def test_an_answer_cut_short_is_sent_as_it_is_and_an_empty_one_is_not() -> None:
    path = (
        a_message(1, "Tell me a story"),
        a_message(2, "Once upon a", role="assistant", parent_id=1, status="stopped"),
        a_message(3, "Go on", parent_id=2),
        a_message(4, "", role="assistant", parent_id=3, status="failed"),
        a_message(5, "Please", parent_id=4),
    )
    sent = [message for exchange in exchanges(path, None) for message in exchange.messages]
    assert [message.content for message in sent] == ["Tell me a story", "Once upon a", "Go on", "Please"]


def test_two_messages_of_one_role_become_one() -> None:
    said = [ChatMessage(role="user", content="a"), ChatMessage(role="user", content="b")]
    assert merged(said) == (ChatMessage(role="user", content="a\n\nb"),)


@given(st.lists(st.builds(ChatMessage, role=st.sampled_from(["user", "assistant"]), content=st.text(max_size=5))))
def test_merged_roles_alternate_and_no_text_is_lost(messages: list[ChatMessage]) -> None:
    result = merged(messages)
    assert all(first.role != second.role for first, second in zip(result, result[1:], strict=False))
    assert "\n\n".join(message.content for message in result) == "\n\n".join(message.content for message in messages)


@pytest.mark.parametrize("text", ["What day is it today?", "How old is she now?", "Wake me at 7am", "until Friday"])
def test_words_of_time_are_seen(text: str) -> None:
    assert speaks_of_time(text)


@pytest.mark.parametrize(
    "text", ["Translate 'cheese' into French", "Fix this update() function", "x" * 9_000 + " today"]
)
def test_other_words_are_not(text: str) -> None:
    assert not speaks_of_time(text)


def test_the_date_stands_beside_a_message_that_speaks_of_time() -> None:
    message = a_message(1, "What day is it today?")
    assert as_sent(message, in_utc).content == ("What day is it today?\n\n(Said on Monday, 02 March 2026, at 09:00.)")
    assert as_sent(message, None).content == "What day is it today?"


def test_the_date_is_that_of_the_row_so_the_same_row_is_always_sent_the_same() -> None:
    talk = a_talk("What day is it today?", "Monday.", "And tomorrow?")
    earlier, later = exchanges(talk[:1], in_utc), exchanges(talk, in_utc)
    assert later[0].question == earlier[0].question
