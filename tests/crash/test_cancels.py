"""Stopped at any moment, a turn ends once, keeps what was said, and the next one is an ordinary one.

STEWARD_FAULT_REPEATS sets how often more (a night: 80 stops; before a release: 320).
"""

import os
import random
from collections.abc import Sequence

import pytest

from assistant.events import TurnEnded, TurnEvent
from memory.types import Message
from models.scripted import Reply, ScriptedModel, Step
from models.types import Delta, Progress
from tests.support.talk import Talk, a_talk_with, ended, text_of

pytestmark = pytest.mark.crash

STOPS = 20 * int(os.environ.get("STEWARD_FAULT_REPEATS", "1"))
WORDS = [f"word{number} " for number in range(12)]


def an_answer(chance: random.Random) -> Reply:
    """Reads, thinks or not, and speaks."""
    steps: list[Step] = [Progress(stage="reading", done=done, total=900) for done in (0, 300, 900)]
    if chance.random() < 0.5:
        steps += [Delta(text=f"thought{number} ", thought=True) for number in range(3)]
    steps += WORDS
    return steps


async def stopped_after(talk: Talk, question: str, events: int) -> list[TurnEvent]:
    """Stops when so many events have come; all of them."""
    seen: list[TurnEvent] = []
    async for event in talk.session.say(question):
        seen.append(event)
        if len(seen) >= events:
            talk.session.cancel()
    return seen


def broken(messages: Sequence[Message], questions: Sequence[str]) -> list[str]:
    """What is wrong with a history: a question or an answer that is missing, or one that still says it is written."""
    roles = [message.role for message in messages]
    wrong = [] if roles == ["user", "assistant"] * len(questions) else [f"the order: {roles}"]
    wrong += [] if [one.content for one in messages if one.role == "user"] == list(questions) else ["the questions"]
    return wrong + [f"{one.id} is {one.status}" for one in messages if one.status == "writing"]


@pytest.mark.parametrize("number", range(STOPS))
async def test_a_stop_anywhere_ends_the_turn_once_and_keeps_what_was_said(number: int) -> None:
    chance = random.Random(number)
    model = ScriptedModel(an_answer(chance), "Fine.")
    talk = a_talk_with(model=model)
    seen = await stopped_after(talk, "Tell me a story", chance.randrange(1, 20))
    assert [type(event) for event in seen].count(TurnEnded) == 1
    last = seen[-1]
    assert isinstance(last, TurnEnded)
    assert last.finish_reason in ("cancelled", "stop")
    assert text_of(seen) == last.text
    assert "".join(WORDS).startswith(last.text)
    assert not talk.session.busy
    messages = await talk.session.messages()
    assert broken(messages, ["Tell me a story"]) == []
    assert messages[-1].content == last.text
    assert messages[-1].status == ("stopped" if last.finish_reason == "cancelled" else "complete")
    again = await ended(talk.session.say("And now?"))
    assert again.text in ("Fine.", "".join(WORDS))
    assert broken(await talk.session.messages(), ["Tell me a story", "And now?"]) == []


async def test_an_answer_that_is_missing_or_never_ends_is_noticed() -> None:
    """The control."""
    talk = a_talk_with("One.", "Two.")
    await ended(talk.session.say("First"))
    whole = await talk.session.messages()
    assert broken(whole, ["First"]) == []
    assert broken(whole[:1], ["First"])
    assert broken(whole, ["First", "Second"])
