"""Runs `steward evaluate asking` and `evaluate deciding`: our own tasks on a perfect reader, or on the user's model."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from assistant.acting import Actor
from assistant.deps import Deps
from assistant.evaluation.asking import asking, deciding, live_through
from assistant.evaluation.asking_agents import Stage
from assistant.evaluation.asking_reader import PerfectReader
from assistant.evaluation.asking_tasks import Task, asking_tasks
from assistant.evaluation.injections import Say, attacked, injected, read_attacks
from assistant.evaluation.remembering_model import RememberingModel
from assistant.evaluation.results import Suite
from assistant.evaluation.vague import VagueFormat, judged, parted, read_requests, sample, telling, telling_held_out
from assistant.ports import ChatModel
from assistant.reading_calls import ActingPrompts, CallReader
from assistant.session import Session
from assistant.settings import AssistantSettings
from assistant.tools.registry import Registry
from assistant.tools.types import Tool
from memory.decision_store import DecisionStore
from memory.decisions_in_memory import InMemoryDecisions
from memory.types import Message, MessageId, SessionId
from models.scripted import ScriptedModel
from models.types import GenerationRequest
from ui.chat_acting import ChatActing
from ui.headless import walk
from ui.model_wiring import build_model
from ui.wiring import Options, in_memory, load_prompts, owned

SHORT = 80  # tokens of an answer to a question about a text
AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


class StandingClock:
    def now(self) -> datetime:
        return AT


async def own_suites(
    options: Options, *, live: int | None, every: int, told: Callable[[str], None]
) -> tuple[Suite, Suite]:
    """`live`: so many tasks on the model that a chat would use; else all of them without one, or each `every`th."""
    tasks, specs = await asyncio.to_thread(asking_tasks)
    began = time.perf_counter()
    chosen = spread(tasks, live) if live else tasks[::every]
    async with _model(options, chosen, live) as model:
        counted = RememberingModel(model)
        stage = Stage(
            model=counted,
            prompts=await asyncio.to_thread(ActingPrompts.load),
            clock=StandingClock(),
            store=InMemoryDecisions,
            specs=specs,
            message=_message,
        )
        runs = await live_through(stage, chosen, told)
    tokens = counted.tokens_out if live else 0
    seconds = time.perf_counter() - began
    suites = asking(runs), deciding(runs, tokens=tokens, turns=len(chosen) if live else 0)
    return replace(suites[0], seconds=seconds), suites[1]


async def public_suites(
    options: Options, data: Path, kind: VagueFormat, *, live: int | None, told: Callable[[str], None]
) -> tuple[Suite, ...]:
    """`live`: so many of the third that is held out also shown to the model that a chat would use."""
    began = time.perf_counter()
    requests = await asyncio.to_thread(read_requests, data, kind)
    training, held = parted(requests)
    if not live:
        crossed = await asyncio.to_thread(telling, requests)
        suite = await asyncio.to_thread(telling_held_out, training, held, None)
        return replace(crossed, seconds=time.perf_counter() - began), suite
    held = sample(held, live)
    async with _model(options, (), live) as model:
        odds = await judged(held, model.choose, told)
    suite = await asyncio.to_thread(telling_held_out, training, held, odds)
    return (replace(suite, seconds=time.perf_counter() - began),)


async def injection_suite(
    options: Options, data: Path, *, live: int | None, told: Callable[[str], None], first: int = 0
) -> Suite:
    """`live`: so many of the attacks, from the `first` on, before the model that a chat would use; else all of them
    before one that obeys whatever it reads."""
    began = time.perf_counter()
    attacks = await asyncio.to_thread(read_attacks, data)
    _, specs = await asyncio.to_thread(asking_tasks)
    if live:
        attacks = attacks[first : first + live]
        async with _model(options, (), live) as model:
            talker = await asyncio.to_thread(_talker, model)
            runs = await attacked(attacks, specs, talker, InMemoryDecisions, told)
    else:
        talker = await asyncio.to_thread(_talker, ScriptedModel(otherwise=_obeyed))
        runs = await attacked(attacks, specs, talker, InMemoryDecisions, told)
    return replace(injected(runs), seconds=time.perf_counter() - began)


def _obeyed(request: GenerationRequest) -> str:
    """Fills whatever form with what it read, and says it."""
    read = request.messages[-1].content
    names = (request.json_schema or {}).get("properties", {})
    return json.dumps(dict.fromkeys(names, read)) if names else read


def _talker(model: ChatModel) -> Callable[[Sequence[Tool[Any]], DecisionStore], Say]:
    """Conversations as a chat has them, with other tools and nothing kept."""
    prompts, acting, zone = load_prompts(), ActingPrompts.load(), "UTC"

    def begin(tools: Sequence[Tool[Any]], decisions: DecisionStore) -> Say:
        clock = StandingClock()
        reader = CallReader(model, acting)
        actor = Actor(Registry(tools), decisions, model, clock, zone=lambda: zone, reader=reader)
        session = Session(
            Deps(
                transcript=in_memory(),
                model=model,
                clock=clock,
                settings=AssistantSettings(reply_tokens=SHORT),
                prompts=prompts,
                acting=ChatActing(lambda: actor),
            )
        )

        async def say(text: str) -> str:
            return (await walk(session.say(text), lambda event: None)).ended.text

        return say

    return begin


def spread(tasks: Sequence[Task], most: int) -> tuple[Task, ...]:
    """Evenly over the file, so that every kind is there in its share."""
    if most >= len(tasks):
        return tuple(tasks)
    return tuple(tasks[place * len(tasks) // most] for place in range(most))


@asynccontextmanager
async def _model(options: Options, tasks: Sequence[Task], live: int | None) -> AsyncIterator[ChatModel]:
    if not live:
        reader = PerfectReader(tasks)
        yield ScriptedModel(otherwise=reader.filled, choices=[reader.chosen] * (len(tasks) * 200))
        return
    async with owned(options, "evaluate") as services:
        model = await asyncio.to_thread(build_model, services.configuration, services.home, options)
        try:
            await model.start()
            yield model
        finally:
            await model.close()


def _message(text: str) -> Message:
    return Message(
        id=MessageId(1),
        session_id=SessionId("evaluation"),
        parent_id=None,
        role="user",
        origin="typed",
        content=text,
        status="complete",
        created_at=AT,
    )
