"""Turns as stories: everything that is said, in order, and what is stored afterwards."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from datetime import timedelta
from typing import cast

import pytest

from assistant.events import (
    ContextPlanned,
    LeftOut,
    ReplyDelta,
    StageChanged,
    ThoughtDelta,
    TurnEnded,
    TurnEvent,
    TurnFailed,
    TurnStarted,
)
from assistant.settings import AssistantSettings
from memory.types import MessageId
from models.scripted import Hang, ScriptedModel
from models.types import (
    Cancel,
    Delta,
    Failure,
    Finished,
    GenerationRequest,
    GivenUp,
    Loading,
    ModelEvent,
    Progress,
    Restarting,
    Usage,
)
from tests.support.talk import FullDisk, a_talk_with, all_of, ended

SYSTEM, HELLO = 3 + 4, 1 + 4
RESTARTING = Restarting(reason="It stopped.", attempt=1, delay=1.0)
DIED = Failure(kind="worker_died", message="The model stopped.", hint="It is restarted.")


def planned(
    tokens: int, included: int = 1, *, left_out: tuple[LeftOut, ...] = (), total: int = 2_048
) -> ContextPlanned:
    """The margin of 16 tokens is on top of `tokens`."""
    return ContextPlanned(
        tokens_planned=tokens + 16,
        tokens_reserved=min(1_024, total - tokens - 16),
        context_total=total,
        messages_included=included,
        left_out=left_out,
    )


def thought(text: str) -> Delta:
    return Delta(text=text, thought=True)


def reading(done: int, total: int) -> Progress:
    return Progress(stage="reading", done=done, total=total)


def usage(tokens_in: int, tokens_out: int) -> Usage:
    return Usage(
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        context_used=tokens_in + tokens_out,
        context_total=2_048,
    )


async def test_a_plain_answer() -> None:
    talk = a_talk_with("Good morning.")
    await talk.model.start()
    events = await all_of(talk.session.say("Hello"))
    assert talk.session.info is not None
    session_id = talk.session.info.id
    assert events == [
        TurnStarted(session_id=session_id, user_message_id=MessageId(1), reply_message_id=MessageId(2)),
        planned(SYSTEM + HELLO),
        StageChanged(stage="writing"),
        ReplyDelta(text="Good"),
        ReplyDelta(text=" morning."),
        TurnEnded(
            text="Good morning.",
            finish_reason="stop",
            usage=usage(SYSTEM + HELLO, 2),
            session_id=session_id,
            user_message_id=MessageId(1),
            reply_message_id=MessageId(2),
        ),
    ]
    assert await talk.path() == [("user", "Hello", "complete"), ("assistant", "Good morning.", "complete")]


async def test_what_is_stored_with_an_answer() -> None:
    talk = a_talk_with("Good morning.")
    last = await ended(talk.session.say("Hello"))
    assert last.reply_message_id is not None
    reply = await talk.transcript.message(last.reply_message_id)
    assert (reply.model, reply.finish_reason, reply.tokens_in, reply.tokens_out) == ("scripted", "stop", 12, 2)
    assert reply.seconds == 0.0


async def test_stages_of_a_long_turn() -> None:
    talk = a_talk_with([reading(0, 8), reading(8, 8), thought("Hm"), thought("m."), "Yes", "."])
    await talk.model.start()
    events = await all_of(talk.session.say("Hello"))
    assert events[2:-1] == [
        StageChanged(stage="reading", done=0, total=8),
        StageChanged(stage="reading", done=8, total=8),
        StageChanged(stage="thinking"),
        ThoughtDelta(text="Hm"),
        ThoughtDelta(text="m."),
        StageChanged(stage="writing"),
        ReplyDelta(text="Yes"),
        ReplyDelta(text="."),
    ]


async def test_thoughts_are_kept_apart_and_not_sent_again() -> None:
    talk = a_talk_with([thought("A greeting."), "Hi."], "Fine.")
    first = await ended(talk.session.say("Hello"))
    assert first.text == "Hi."
    assert first.reply_message_id is not None
    reply = await talk.transcript.message(first.reply_message_id)
    assert (reply.content, reply.thought) == ("Hi.", "A greeting.")
    await ended(talk.session.say("How are you?"))
    assert [message.content for message in talk.model.requests[1].messages[1:]] == ["Hello", "Hi.", "How are you?"]


async def test_the_users_message_is_stored_before_the_model_is_asked() -> None:
    talk = a_talk_with()
    events = talk.session.say("Hello")
    assert isinstance(await anext(events), TurnStarted)
    assert await talk.path() == [("user", "Hello", "complete"), ("assistant", "", "writing")]
    assert talk.model.requests == []
    await cast(AsyncGenerator[TurnEvent, None], events).aclose()


async def test_a_message_said_while_the_model_loads_is_answered() -> None:
    talk = a_talk_with("Hi.")
    await talk.model.start()
    ready = talk.model.status
    talk.model.become(RESTARTING)
    events = talk.session.say("Hello")
    assert isinstance(await anext(events), TurnStarted)
    assert await anext(events) == StageChanged(stage="loading")
    for done in (1, 3):
        talk.model.become(Loading(name="scripted", done=done, total=4))
        assert await anext(events) == StageChanged(stage="loading", done=done, total=4)
    talk.model.become(ready)
    last = (await all_of(events))[-1]
    assert isinstance(last, TurnEnded)
    assert last.text == "Hi."


async def test_stopped_while_the_model_loads() -> None:
    talk = a_talk_with()
    talk.model.become(RESTARTING)
    events = talk.session.say("Hello")
    await anext(events)
    await anext(events)
    assert talk.session.cancel()
    (last,) = await all_of(events)
    assert isinstance(last, TurnEnded)
    assert (last.text, last.finish_reason) == ("", "cancelled")
    assert await talk.path() == [("user", "Hello", "complete"), ("assistant", "", "stopped")]


async def test_stopped_while_writing_keeps_what_came() -> None:
    talk = a_talk_with(["One", " two", Hang()])
    seen: list[TurnEvent] = []
    async for event in talk.session.say("Count"):
        seen.append(event)
        if event == ReplyDelta(text=" two"):
            assert talk.session.cancel()
    last = seen[-1]
    assert isinstance(last, TurnEnded)
    assert (last.text, last.finish_reason) == ("One two", "cancelled")
    assert not any(isinstance(event, TurnFailed) for event in seen)
    assert await talk.path() == [("user", "Count", "complete"), ("assistant", "One two", "stopped")]


async def test_stopped_while_reading() -> None:
    talk = a_talk_with([reading(0, 900), Hang()])
    async for event in talk.session.say("Hello"):
        if isinstance(event, StageChanged):
            talk.session.cancel()
    assert await talk.path() == [("user", "Hello", "complete"), ("assistant", "", "stopped")]


async def test_left_early_cancels_and_keeps_what_came() -> None:
    talk = a_talk_with(["One", " two", Hang()], "Again.")
    async with contextlib.aclosing(cast(AsyncGenerator[TurnEvent, None], talk.session.say("Count"))) as events:
        async for event in events:
            if event == ReplyDelta(text=" two"):
                break
    assert await talk.path() == [("user", "Count", "complete"), ("assistant", "One two", "stopped")]
    assert not talk.session.busy
    assert (await ended(talk.session.say("Hello"))).text == "Again."


async def test_a_cancelled_task_keeps_what_came() -> None:
    talk = a_talk_with(["One", Hang()])
    said = asyncio.Event()

    async def walk() -> None:
        async for event in talk.session.say("Count"):
            if isinstance(event, ReplyDelta):
                said.set()

    task = asyncio.create_task(walk())
    await said.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await talk.path() == [("user", "Count", "complete"), ("assistant", "One", "stopped")]
    assert not talk.session.busy


@pytest.mark.parametrize("came", [[], ["One", " two"]])
async def test_a_model_that_dies_is_told_and_the_next_question_is_answered(came: list[str]) -> None:
    talk = a_talk_with([*came, Finished(reason="worker_died", failure=DIED)], "Hi.")
    events = await all_of(talk.session.say("Count"))
    assert events[-2] == TurnFailed(failure=DIED, retryable=True)
    assert isinstance(events[-1], TurnEnded)
    assert (events[-1].text, events[-1].finish_reason) == ("".join(came), "worker_died")
    assert (await talk.path())[1] == ("assistant", "".join(came), "interrupted")
    assert (await ended(talk.session.say("Hello"))).text == "Hi."


async def test_without_a_model_the_message_is_kept() -> None:
    talk = a_talk_with()
    missing = Failure(kind="model_missing", message="No model is set up.", hint="steward models pull")
    talk.model.become(GivenUp(failure=missing))
    events = await all_of(talk.session.say("Hello"))
    assert [type(event) for event in events] == [TurnStarted, TurnFailed, TurnEnded]
    assert events[1] == TurnFailed(failure=missing, retryable=False)
    assert await talk.path() == [("user", "Hello", "complete"), ("assistant", "", "failed")]


async def test_an_empty_answer_is_a_failure() -> None:
    talk = a_talk_with(["", " "])
    events = await all_of(talk.session.say("Hello"))
    failed = events[-2]
    assert isinstance(failed, TurnFailed)
    assert failed.failure.kind == "empty_answer"
    assert (await talk.path())[1] == ("assistant", " ", "failed")


async def test_a_thinking_model_that_never_answers_is_asked_once_more_without_thinking() -> None:
    talk = a_talk_with([thought("Hm"), Finished(reason="length")], "Yes.", settings=AssistantSettings(think=True))
    assert (await ended(talk.session.say("Hello"))).text == "Yes."
    assert [request.think for request in talk.model.requests] == [True, False]


async def test_a_prompt_the_model_finds_too_long_is_sent_shorter_once() -> None:
    full = Failure(kind="context_full", message="The prompt does not fit.", hint="Send less.")
    talk = a_talk_with("word " * 350, "word " * 350, [full], "Yes.", window=1_000)
    await ended(talk.session.say("one"))
    await ended(talk.session.say("two"))
    events = await all_of(talk.session.say("three"))
    plans = [event for event in events if isinstance(event, ContextPlanned)]
    assert [plan.messages_included for plan in plans] == [5, 3]
    assert isinstance(events[-1], TurnEnded)
    assert events[-1].text == "Yes."


async def test_an_answer_is_saved_every_200_characters_or_every_second() -> None:
    saved: list[int] = []

    class Watched(FullDisk):
        async def checkpoint_reply(self, message_id: MessageId, content: str, thought: str = "") -> None:
            saved.append(len(content))

    talk = a_talk_with(["x" * 150, "x" * 49, "x", "x", "y", "z"], transcript=Watched())
    async for event in talk.session.say("Hello"):
        if event == ReplyDelta(text="y"):
            talk.clock.advance(timedelta(seconds=1))
    assert saved == [200, 202]


async def test_every_answer_is_cleaned_also_over_chunks() -> None:
    talk = a_talk_with(["a\x1b[31m", "b\r", "\nc\x9b\udcc3", "\r"])
    last = await ended(talk.session.say("x\x1b]52;c;aGk=\x07y"))
    assert last.text == "a\ufffd[31mb\nc\ufffd\ufffd"
    assert (await talk.path())[0][1] == "x\ufffd]52;c;aGk=\ufffdy"


class TestFullDisk:
    async def test_the_message_cannot_be_stored(self) -> None:
        talk = a_talk_with("Hi.", transcript=FullDisk(refuses={"add_user_message"}))
        failed, last = await all_of(talk.session.say("Hello"))
        assert isinstance(failed, TurnFailed)
        assert failed.failure.kind == "not_saved"
        assert failed.failure.message == "Your message could not be saved: The disk is full."
        assert failed.retryable
        assert isinstance(last, TurnEnded)
        assert last.user_message_id is None
        assert talk.model.requests == []

    async def test_the_next_try_uses_the_session_already_made(self) -> None:
        disk = FullDisk(refuses={"add_user_message"})
        talk = a_talk_with("Hi.", transcript=disk)
        await ended(talk.session.say("Hello"))
        disk.refuses.clear()
        assert (await ended(talk.session.say("Hello"))).text == "Hi."
        assert len(await disk.sessions()) == 1

    async def test_the_answer_cannot_be_begun(self) -> None:
        talk = a_talk_with("Hi.", transcript=FullDisk(refuses={"begin_reply"}))
        failed, last = await all_of(talk.session.say("Hello"))
        assert isinstance(failed, TurnFailed)
        assert failed.failure.message == "The answer could not be saved: The disk is full."
        assert isinstance(last, TurnEnded)
        assert (last.user_message_id, last.reply_message_id) == (1, None)
        assert await talk.path() == [("user", "Hello", "complete")]

    async def test_a_checkpoint_that_fails_does_not_end_the_answer(self) -> None:
        talk = a_talk_with(["x" * 300, " end"], transcript=FullDisk(refuses={"checkpoint_reply"}))
        last = await ended(talk.session.say("Hello"))
        assert last.text == "x" * 300 + " end"
        assert (await talk.path())[1] == ("assistant", last.text, "complete")

    async def test_the_end_that_cannot_be_stored_is_told_with_the_whole_text(self) -> None:
        talk = a_talk_with(["Hi", "."], transcript=FullDisk(refuses={"finish_reply"}))
        events = await all_of(talk.session.say("Hello"))
        assert isinstance(events[-2], TurnFailed)
        assert events[-2].failure.kind == "not_saved"
        assert isinstance(events[-1], TurnEnded)
        assert events[-1].text == "Hi."

    async def test_a_conversation_that_cannot_be_read(self) -> None:
        talk = a_talk_with("Hi.", transcript=FullDisk(refuses={"path"}))
        await talk.model.start()
        events = await all_of(talk.session.say("Hello"))
        assert [type(event) for event in events] == [TurnStarted, TurnFailed, TurnEnded]


class Broken(ScriptedModel):
    """Fails once in the middle of an answer, as no model should."""

    broke = False

    async def stream(self, request: GenerationRequest, cancel: Cancel) -> AsyncGenerator[ModelEvent, None]:
        if not self.broke:
            self.broke = True
            yield Delta(text="One")
            raise ZeroDivisionError("oops")
        async for event in super().stream(request, cancel):
            yield event


class TestBug:
    async def test_is_told_and_logged_and_the_next_turn_goes_on(self, caplog: pytest.LogCaptureFixture) -> None:
        talk = a_talk_with(model=Broken("Hi."), reraise_bugs=False)
        events = await all_of(talk.session.say("Hello"))
        assert isinstance(events[-2], TurnFailed)
        assert events[-2].failure.kind == "bug"
        assert "steward.log" in events[-2].failure.hint
        assert isinstance(events[-1], TurnEnded)
        assert (events[-1].text, events[-1].finish_reason) == ("One", "failed")
        assert "ZeroDivisionError" in caplog.text
        assert await talk.path() == [("user", "Hello", "complete"), ("assistant", "One", "interrupted")]
        assert (await ended(talk.session.say("Hello"))).text == "Hi."

    async def test_is_raised_again_in_tests(self) -> None:
        talk = a_talk_with(model=Broken())
        events = talk.session.say("Hello")
        while not isinstance(await anext(events), TurnEnded):
            pass
        with pytest.raises(ZeroDivisionError):
            await anext(events)

    async def test_a_stream_without_its_end_is_one(self) -> None:
        class Mute(ScriptedModel):
            async def stream(self, request: GenerationRequest, cancel: Cancel) -> AsyncGenerator[ModelEvent, None]:
                return
                yield

        talk = a_talk_with(model=Mute())
        with pytest.raises(RuntimeError, match="without Finished"):
            await all_of(talk.session.say("Hello"))
