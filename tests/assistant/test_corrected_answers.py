"""After "in bullets, please" the same words in bullets are the right answer; the same words unchanged are not."""

import pytest

from assistant.deps import Deps, Prompts
from assistant.session import Session
from assistant.settings import AssistantSettings
from memory.preferences_in_memory import InMemoryPreferences
from memory.transcript_in_memory import InMemoryTranscript
from models.scripted import ScriptedModel
from tests.support.clock import FixedClock
from tests.support.english import english
from ui.headless import walk

PROSE = "Soak the beans over night. Boil them for ninety minutes in fresh water. Salt them at the very end."
BULLETS = "- Soak the beans over night.\n- Boil them for ninety minutes in fresh water.\n- Salt them at the very end."


english()  # read before there is an event loop


@pytest.mark.parametrize(
    ("wish", "second", "ended", "text"),
    [
        ("Please use bullet points.", BULLETS, "stop", BULLETS),
        ("Please use bullet points.", PROSE, "stop", BULLETS),  # put right by rule
        ("In German, please.", PROSE, "failed", ""),
    ],
)
async def test_alike_is_only_wrong_where_nothing_was_put_right(wish: str, second: str, ended: str, text: str) -> None:
    session = Session(
        Deps(
            transcript=InMemoryTranscript(),
            model=ScriptedModel(PROSE, second, second),
            clock=FixedClock(),
            settings=AssistantSettings(),
            prompts=Prompts(system="You are Steward."),
            preferences=InMemoryPreferences(),
            language=english(),
        )
    )
    session.new()
    await walk(session.say("How do I cook beans?"), lambda event: None)
    outcome = await walk(session.say(wish), lambda event: None)
    assert outcome.ended.finish_reason == ended
    assert outcome.ended.text == text


@pytest.mark.parametrize(
    ("said", "again"),
    [
        ("Shorter, please.", True),
        ("Please use bullet points.", True),
        ("No emojis from now on.", False),  # holds from now on; nothing is turned down
        ("Shorter. And what about rice?", False),
        ("I hate beans.", False),
    ],
)
async def test_a_correction_alone_asks_for_the_answer_again(said: str, again: bool) -> None:
    model = ScriptedModel(PROSE, BULLETS, BULLETS)
    session = Session(
        Deps(
            transcript=InMemoryTranscript(),
            model=model,
            clock=FixedClock(),
            settings=AssistantSettings(),
            prompts=Prompts(system="You are Steward."),
            preferences=InMemoryPreferences(),
            language=english(),
        )
    )
    session.new()
    await walk(session.say("How do I cook beans?"), lambda event: None)
    await walk(session.say(said), lambda event: None)
    assert ("Give your last answer again" in model.requests[1].messages[-1].content) is again
