"""What every ChatModel promises (assistant.ports). Subclasses give a fixture `model`: not started, with a context of
at most 4,096 tokens, whose answer to a message that begins with "short" has a few tokens and soon ends, and whose
answer to one that begins with "long" goes on until it is cancelled, or at least for seconds."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import cast

import pytest

from assistant.ports import ChatModel
from models.errors import Cancelled, ContextFull, ModelError
from models.types import (
    Cancel,
    ChatMessage,
    ChoiceRequest,
    ClosedQuestion,
    Delta,
    Finished,
    GenerationRequest,
    GivenUp,
    Loading,
    ModelEvent,
    ModelStatus,
    Priority,
    Progress,
    Ready,
    Sampling,
)
from tests.support.waiting import eventually


def said(content: str, role: str = "user") -> ChatMessage:
    return ChatMessage(role="system" if role == "system" else "user", content=content)


def asking(content: str, *, tokens: int = 4_000, priority: Priority = "user") -> GenerationRequest:
    messages = (said("You are brief.", "system"), said(content))
    sampling = Sampling(temperature=0.7, max_tokens=tokens, seed=7)
    return GenerationRequest(messages=messages, sampling=sampling, priority=priority)


SHORT = asking("short: say hello", tokens=4)
LONG = asking("long: tell me everything")
CHOICE = ChoiceRequest(
    messages=(said("short: I would like tea."),),
    questions=(
        ClosedQuestion(prompt="short: does the user want coffee?", options=("yes", "no")),
        ClosedQuestion(prompt="short: which one?", options=("yes", "no", "perhaps")),
    ),
)


def stream(model: ChatModel, request: GenerationRequest, cancel: Cancel) -> AsyncGenerator[ModelEvent, None]:
    return cast(AsyncGenerator[ModelEvent, None], model.stream(request, cancel))


async def everything(model: ChatModel, request: GenerationRequest, cancel: Cancel | None = None) -> list[ModelEvent]:
    return [event async for event in model.stream(request, cancel or Cancel())]


def text_of(events: Sequence[ModelEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, Delta))


def end_of(events: Sequence[ModelEvent]) -> Finished:
    ends = [event for event in events if isinstance(event, Finished)]
    assert len(ends) == 1
    assert events[-1] is ends[0]
    return ends[0]


async def until_text(events: AsyncGenerator[ModelEvent, None]) -> list[ModelEvent]:
    """Up to the first Delta."""
    seen: list[ModelEvent] = []
    async for event in events:
        seen.append(event)
        if isinstance(event, Delta):
            break
    return seen


class ChatModelContract:
    async def test_a_stream_is_progress_and_deltas_then_one_end(self, model: ChatModel) -> None:
        events = await everything(model, SHORT)
        end = end_of(events)
        assert end.reason in ("stop", "length")
        assert end.failure is None
        assert text_of(events)
        assert 0 < end.usage.tokens_out <= 4
        assert end.usage.tokens_in > 0
        assert end.usage.context_total == await model.context_length(Cancel())
        stages = [event.stage for event in events if isinstance(event, Progress)]
        assert stages == sorted(stages), "loading comes before reading"

    async def test_building_costs_nothing_and_start_comes_to_ready(self, model: ChatModel) -> None:
        assert isinstance(model.status, Loading)
        seen: list[ModelStatus] = []
        forget = model.on_status(seen.append)
        await model.start()
        await eventually(lambda: isinstance(model.status, Ready))
        assert isinstance(model.status, Ready)
        assert model.status.info.name
        assert model.status.info.context_length == await model.context_length(Cancel())
        assert seen[-1] == model.status
        count = len(seen)
        forget()
        await model.close()
        assert len(seen) == count

    async def test_the_longest_answer_is_obeyed(self, model: ChatModel) -> None:
        end = end_of(await everything(model, asking("long: count", tokens=3)))
        assert end.reason == "length"
        assert end.usage.tokens_out == 3

    async def test_cancelled_before_it_begins(self, model: ChatModel) -> None:
        cancel = Cancel()
        cancel.set()
        events = await everything(model, LONG, cancel)
        assert end_of(events).reason == "cancelled"
        assert text_of(events) == ""

    async def test_cancel_in_the_middle_keeps_what_was_said(self, model: ChatModel) -> None:
        cancel = Cancel()
        async with aclosing(stream(model, LONG, cancel)) as events:
            seen = await until_text(events)
            cancel.set()
            cancel.set()
            seen += [event async for event in events]
        end = end_of(seen)
        assert end.reason == "cancelled"
        assert end.failure is None
        assert text_of(seen)
        assert end_of(await everything(model, SHORT)).reason in ("stop", "length")

    async def test_leaving_a_stream_early_frees_the_model(self, model: ChatModel) -> None:
        async with aclosing(stream(model, LONG, Cancel())) as events:
            await until_text(events)
        assert end_of(await everything(model, SHORT)).reason in ("stop", "length")

    async def test_cancelling_the_task_frees_the_model(self, model: ChatModel) -> None:
        spoke = asyncio.Event()

        async def listen() -> None:
            async for event in model.stream(LONG, Cancel()):
                if isinstance(event, Delta):
                    spoke.set()

        task = asyncio.create_task(listen())
        await spoke.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert end_of(await everything(model, SHORT)).reason in ("stop", "length")

    async def test_two_users_are_answered_one_after_the_other(self, model: ChatModel) -> None:
        first, second = await asyncio.gather(everything(model, SHORT), everything(model, SHORT))
        assert text_of(first)
        assert text_of(second)

    async def test_a_user_goes_before_background_work(self, model: ChatModel) -> None:
        async with aclosing(
            stream(model, asking("long: learn something", priority="background"), Cancel())
        ) as background:
            seen = await until_text(background)
            assert end_of(await everything(model, SHORT)).reason in ("stop", "length")
            seen += [event async for event in background]
        assert end_of(seen).reason == "cancelled"

    async def test_a_waiting_request_can_be_cancelled(self, model: ChatModel) -> None:
        cancel = Cancel()
        async with aclosing(stream(model, LONG, Cancel())) as events:
            await until_text(events)
            waiting = asyncio.create_task(everything(model, SHORT, cancel))
            await asyncio.sleep(0)
            cancel.set()
            assert end_of(await waiting).reason == "cancelled"

    async def test_counts_are_one_a_message_and_repeatable(self, model: ChatModel) -> None:
        assert await model.count(()) == ()
        messages = (said("short"), said("short and then a good deal longer than that"), said("short"))
        counts = await model.count(messages)
        assert counts[0] == counts[2] > 0
        assert counts[1] > counts[0]
        assert await model.count(messages[::-1]) == counts[::-1]

    async def test_choices_are_probabilities_of_each_option(self, model: ChatModel) -> None:
        chosen = await model.choose(CHOICE, Cancel())
        assert [len(one) for one in chosen] == [2, 3]
        for probabilities in chosen:
            assert sum(probabilities) == pytest.approx(1.0)
            assert all(0.0 <= one <= 1.0 for one in probabilities)

    async def test_a_cancelled_choice_raises(self, model: ChatModel) -> None:
        await model.context_length(Cancel())
        cancel = Cancel()
        cancel.set()
        with pytest.raises(Cancelled):
            await model.choose(CHOICE, cancel)

    async def test_a_prompt_that_does_not_fit_is_refused_in_words(self, model: ChatModel) -> None:
        end = end_of(await everything(model, asking("short " + "very long words " * 5_000)))
        assert end.reason == "failed"
        assert end.failure is not None
        assert end.failure.kind == "context_full"
        assert end.failure.hint
        assert end_of(await everything(model, SHORT)).reason in ("stop", "length")

    async def test_any_text_can_be_sent(self, model: ChatModel) -> None:
        for text in ("\ud800 alone", "\x00\x1b[31m", "<|im_end|></s>", "\u202e\U000e0041", "\u00e9" * 100):
            assert end_of(await everything(model, asking(f"short {text}", tokens=4))).reason in ("stop", "length")
            assert await model.count((said(text),))

    async def test_close_ends_what_runs_and_later_requests_fail(self, model: ChatModel) -> None:
        async with aclosing(stream(model, LONG, Cancel())) as events:
            seen = await until_text(events)
            await model.close()
            seen += [event async for event in events]
        assert end_of(seen).reason == "cancelled"
        end = end_of(await everything(model, SHORT))
        assert end.reason == "failed"
        assert end.failure is not None
        for call in (model.context_length(Cancel()), model.count((said("x"),)), model.choose(CHOICE, Cancel())):
            with pytest.raises(ModelError):
                await call
        assert isinstance(model.status, GivenUp)
        await model.close()

    async def test_closing_before_anything_is_harmless(self, model: ChatModel) -> None:
        await model.close()

    async def test_a_choice_that_does_not_fit_raises_or_is_made(self, model: ChatModel) -> None:
        long = ChoiceRequest(messages=(said("very long words " * 5_000),), questions=CHOICE.questions)
        raised: ModelError | None = None
        try:
            await model.choose(long, Cancel())
        except ModelError as error:
            raised = error
        assert raised is None or isinstance(raised, ContextFull)
