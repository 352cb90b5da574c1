"""A conversation on the true llama.cpp path, with a tiny random model: what it says is noise, what it costs is not."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
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


@asynccontextmanager
async def talking(
    folder: Path, *, context: int, reply: int, temperature: float = 0.0, endless: bool = False
) -> AsyncIterator[Session]:
    """A session with a tiny model; tokens of context and of the longest reply."""
    path = await asyncio.to_thread(write_tiny, folder / "tiny.gguf", context=context, endless=endless)
    settings = ModelSettings(context_length=context, gpu_layers=0, threads=1)
    model = WorkerModel(engine_of(settings, path, "tiny", state=folder, cache=folder))
    deps = Deps(
        transcript=InMemoryTranscript(),
        model=model,
        clock=FixedClock(),
        settings=AssistantSettings(reply_tokens=reply, seed=1, temperature=temperature),
        prompts=Prompts(system="You are Steward."),
        reraise_bugs=True,
    )
    try:
        await model.start()
        yield Session(deps)
    finally:
        await model.close()


@pytest.fixture
async def session(tmp_path: Path) -> AsyncIterator[Session]:
    async with talking(tmp_path, context=512, reply=40) as found:
        yield found


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


async def stopped(session: Session, text: str) -> TurnEnded:
    """Say something, and stop the reply at its first piece."""
    last = None
    async for last in session.say(text):
        if isinstance(last, ReplyDelta):
            session.cancel()
    assert isinstance(last, TurnEnded)
    return last


async def test_stopped_while_it_writes_and_asked_again(tmp_path: Path) -> None:
    """The reply would take seconds: no machine is so busy that it is over before it is stopped."""
    async with talking(tmp_path, context=4096, reply=3_000, temperature=1.0, endless=True) as session:
        assert (await stopped(session, "Hello")).finish_reason == "cancelled"
        assert (await stopped(session, "Hello again")).finish_reason == "cancelled"
        assert [(message.role, message.status) for message in await session.messages()] == [
            ("user", "complete"),
            ("assistant", "stopped"),
        ] * 2


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
