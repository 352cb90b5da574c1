"""A conversation on the true llama.cpp path, with a tiny random model: what it says is noise, what it costs is not."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from assistant.deps import Deps, Prompts
from assistant.events import ContextPlanned, ReplyDelta, TurnEnded, TurnFailed
from assistant.session import Session
from assistant.settings import AssistantSettings
from memory.transcript_in_memory import InMemoryTranscript
from models.launching import engine_of
from models.settings import ModelSettings
from models.worker import WorkerModel
from tests.support.clock import FixedClock
from tests.support.talk import all_of
from tests.support.tiny_model import write_tiny


@pytest.fixture
async def session(tmp_path: Path) -> AsyncIterator[Session]:
    path = await asyncio.to_thread(write_tiny, tmp_path / "tiny.gguf", context=512)
    settings = ModelSettings(context_length=512, gpu_layers=0, threads=1)
    model = WorkerModel(engine_of(settings, path, "tiny", state=tmp_path, cache=tmp_path))
    deps = Deps(
        transcript=InMemoryTranscript(),
        model=model,
        clock=FixedClock(),
        settings=AssistantSettings(reply_tokens=40, seed=1, temperature=0.0),
        prompts=Prompts(system="You are Steward."),
        reraise_bugs=True,
    )
    try:
        await model.start()
        yield Session(deps)
    finally:
        await model.close()


async def test_twenty_five_turns_in_512_tokens(session: Session) -> None:
    """No turn fails, the count before is never less than what the engine counts, and most of it is not read again."""
    plans: list[ContextPlanned] = []
    ends: list[TurnEnded] = []
    for turn in range(25):
        events = await all_of(session.say(f"Question {turn}, why?"))
        assert [event for event in events if isinstance(event, TurnFailed)] == []
        plans += [event for event in events if isinstance(event, ContextPlanned)]
        ends += [event for event in events if isinstance(event, TurnEnded)]
    assert plans[-1].left_out
    for plan, end in zip(plans, ends, strict=True):
        assert plan.tokens_planned + plan.tokens_reserved <= plan.context_total == 512
        assert end.usage.tokens_in <= plan.tokens_planned
    read = sum(end.usage.tokens_in - end.usage.tokens_cached for end in ends)
    assert read < sum(end.usage.tokens_in for end in ends) / 3


async def test_stopped_while_it_writes_and_asked_again(session: Session) -> None:
    seen = []
    async for event in session.say("Hello"):
        seen.append(event)
        if isinstance(event, ReplyDelta):
            session.cancel()
    last = seen[-1]
    assert isinstance(last, TurnEnded)
    assert last.finish_reason == "cancelled"
    assert [(message.role, message.status) for message in await session.messages()] == [
        ("user", "complete"),
        ("assistant", "stopped"),
    ]
    assert isinstance((await all_of(session.say("Hello again")))[-1], TurnEnded)


async def test_a_message_that_is_too_long_is_cut_with_consent(session: Session) -> None:
    text = "why not " * 500
    refused = (await all_of(session.say(text)))[-1]
    assert isinstance(refused, TurnEnded)
    assert refused.finish_reason == "failed"
    assert refused.user_message_id is not None
    answered = (await all_of(session.edit(refused.user_message_id, text, cut_to_fit=True)))[-1]
    assert isinstance(answered, TurnEnded)
    assert answered.finish_reason in ("stop", "length")
    assert 200 < answered.usage.tokens_in < 512
