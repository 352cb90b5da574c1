"""Prompts that did not fit, thoughts that leaked and turns that a template refused elsewhere: L01 to L28."""

import pytest

from assistant.events import ContextPlanned, TurnFailed
from assistant.policies.budget import Cost, Window, fit
from assistant.settings import AssistantSettings
from models.scripted import Reply
from models.types import Delta, Failure, Finished
from tests.models.test_thinking import split
from tests.support.talk import a_talk_with, all_of, ended


async def test_L01_history_that_does_not_fit_leaves_by_a_rule_and_it_is_said() -> None:
    talk = a_talk_with(*("word " * 60 for _ in range(12)), window=512)
    for turn in range(12):
        events = await all_of(talk.session.say(f"Question {turn}"))
    assert not any(isinstance(event, TurnFailed) for event in events)
    (plan,) = [event for event in events if isinstance(event, ContextPlanned)]
    assert plan.left_out
    assert plan.tokens_planned + plan.tokens_reserved <= 512
    sent = talk.model.requests[-1].messages
    assert (sent[0].role, sent[-1].content) == ("system", "Question 11")


async def test_L03_a_message_larger_than_the_window_is_refused_and_never_pushes_the_rules_out() -> None:
    talk = a_talk_with(window=2_048)
    events = await all_of(talk.session.say("word " * 10_000))
    failed = events[-2]
    assert isinstance(failed, TurnFailed)
    assert failed.failure.kind == "context_full"
    assert talk.model.requests == []


def test_L05_one_token_too_many_costs_whole_old_exchanges_each_of_them_named() -> None:
    """More than the least leaves at once, so that the start of the prompt then stays the same for many turns. Nothing
    is cut in half, and the latest stays."""
    window = Window(total=1_000, system=100, reserve=200, margin=0, keep=0.5)
    talk = [Cost(question=10, answer=90)] * 6 + [Cost(question=100)]
    assert fit(talk, window).dropped == ()
    over = fit([*talk[:-1], Cost(question=101)], window)
    assert over.dropped
    assert sorted((*over.dropped, *over.kept)) == list(range(7))
    assert over.kept == tuple(range(over.kept[0], 7))


def test_L08_a_closing_tag_that_is_only_spoken_of_ends_no_thought() -> None:
    thought, answer = split("<think>They ask about `</think>`, the tag.</think>It closes a thought.")
    assert answer == "It closes a thought."
    assert thought.startswith("They ask about")


def test_L10_a_thought_that_the_prompt_has_opened_is_one() -> None:
    assert split("so\n</think>\n\nYes.", open_tag="<think>") == ("so\n", "Yes.")


async def test_L11_thoughts_that_ate_the_answer_are_an_error_and_one_more_try_without_them() -> None:
    thinking: Reply = [Delta(text="Hm", thought=True), Finished(reason="length")]
    talk = a_talk_with(thinking, "Yes.", settings=AssistantSettings(think=True))
    assert (await ended(talk.session.say("Hello"))).text == "Yes."
    assert [request.think for request in talk.model.requests] == [True, False]
    silent = a_talk_with(thinking, thinking, settings=AssistantSettings(think=True))
    failed = (await all_of(silent.session.say("Hello")))[-2]
    assert isinstance(failed, TurnFailed)
    assert failed.failure.kind == "empty_answer"


@pytest.mark.parametrize("reason", ["worker_died", "failed"])
async def test_L18_two_messages_without_an_answer_between_become_one(reason: str) -> None:
    died = Failure(kind="worker_died", message="It stopped.", hint="It is restarted.")
    end = Finished(reason="worker_died", failure=died) if reason == "worker_died" else died
    talk = a_talk_with([end], "Fine.")
    await all_of(talk.session.say("One"))
    await ended(talk.session.say("Two"))
    roles = [message.role for message in talk.model.requests[-1].messages]
    assert roles == ["system", "user"]
    assert "One" in talk.model.requests[-1].messages[1].content
