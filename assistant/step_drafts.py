"""What a message asks to be done in several steps: by rules, and with the model only where they do not reach.

The model is asked one closed question about a thing whose kind its words do not tell, and for a short constrained list
where the things are not plainly parted, or where only a goal was named. What it lists and the user did not say is a
proposal: shown, and not begun before they agree.
"""

import asyncio
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from importlib.resources import files
from tomllib import loads
from typing import Any, Literal
from zoneinfo import ZoneInfo

from assistant.acting import Actor
from assistant.policies.asking.form import form_of
from assistant.policies.asking.grounded import words_of
from assistant.policies.cleaning import clean_line
from assistant.policies.stepping.items import Sort, is_plain, sort_of
from assistant.policies.stepping.joins import Piece, Read, several
from assistant.policies.stepping.requests import MOST_STEPS, PlanRequest, plan_request
from assistant.policies.stepping.steps import steps_of, steps_of_wishes
from assistant.ports import ChatModel
from assistant.tools.types import CallContext
from memory.plans import Step
from memory.types import Message
from models.errors import ModelError
from models.types import (
    Cancel,
    ChatMessage,
    ChoiceRequest,
    ClosedQuestion,
    Delta,
    Finished,
    GenerationRequest,
    Sampling,
)

MOST_TOKENS = 160
MOST_PROPOSED = 6
LEAST_GROUNDED = 0.8  # of a list's content words: less, and it is not the user's list
_DAY = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\btoday\b|\btonight\b|\btomorrow\b|\b\d{4}-\d\d-\d\d\b|\bnext\b|"
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|\b\d{1,2}[./]\d{1,2}\b|\bin \w+ (?:days?|weeks?)\b",
    re.IGNORECASE,
)
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "steps": {"type": "array", "minItems": 1, "maxItems": 8, "items": {"type": "string", "maxLength": 70}}
    },
    "required": ["steps"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """`plain`: several wishes in one message, which need no plan's words. `asides`: what else was told. `rest`: what
    was asked beside, for an answer."""

    goal: str
    steps: tuple[Step, ...]
    ends_at: datetime | None = None
    proposed: bool = False
    plain: bool = False
    asides: tuple[str, ...] = ()
    rest: str = ""


class Drafter:
    """A model that fails leaves what the rules make of the words."""

    def __init__(self, actor: Actor, model: ChatModel) -> None:
        self._actor = actor
        self._model = model

    async def is_several(self, text: str) -> bool:
        """Whether the message holds more than one wish."""
        return bool(await self._pieces(text, await self._actor.context()))

    async def draft(self, message: Message, before: Sequence[Message], cancel: Cancel) -> Draft | None:
        """None for every message that asks for no more than one thing."""
        if message.origin != "typed":
            return None
        context = await self._actor.context()
        untrusted = tuple(source.label for source in self._actor.untrusted(before))
        if (request := plan_request(message.content)) is not None:
            return await self._planned(request, context, untrusted, cancel)
        pieces = await self._pieces(message.content, context)
        if not pieces:
            return None
        wishes = [piece.text for piece in pieces if piece.wish]
        asked = [one.text for one in pieces if not one.wish and _asks(one.text)]
        told = tuple(one.text for one in pieces if not one.wish and not _asks(one.text))
        return Draft(
            goal=message.content,
            steps=steps_of_wishes(wishes, untrusted),
            plain=True,
            asides=told,
            rest=" ".join(asked),
        )

    async def _pieces(self, text: str, context: CallContext) -> tuple[Piece, ...]:
        """In a thread: the first use of the grammar of time reads files."""
        return await asyncio.to_thread(
            several, text, lambda words: self._reads(words, context), lambda words: _is_timed(words, context)
        )

    def _reads(self, text: str, context: CallContext) -> Read:
        found = self._actor.tools.readings(text, context)
        if any(reading.sure and reading.arguments is not None for _, reading in found):
            return "whole"
        return "maybe" if found and form_of(text) == "wish" else ""

    async def _planned(
        self, request: PlanRequest, context: CallContext, untrusted: tuple[str, ...], cancel: Cancel
    ) -> Draft | None:
        items, proposed = request.items, False
        if not items:
            items, proposed = await self._listed("proposal", request.goal, cancel), True
        elif not all(is_plain(item) for item in items):
            items = await self._parted(request, cancel)
        if not items:
            return None
        sorts = await self._sorts(items, context, cancel)
        on = await asyncio.to_thread(_date_of, request.day or (request.goal if proposed else ""), context)
        steps = await asyncio.to_thread(
            steps_of,
            list(zip(items, sorts, strict=True)),
            on=on,
            day=f"{on:%a} {on.day} {on:%b}" if on is not None else "",
            reads=lambda words: self._reads(words, context),
            names=lambda words: _names(words, context),
            tools=frozenset(tool.name for tool in self._actor.tools.all()),
            untrusted=untrusted,
        )
        ends = None if on is None else datetime.combine(on + timedelta(days=1), time(), ZoneInfo(context.zone))
        return Draft(goal=request.goal, steps=steps, ends_at=ends, proposed=proposed)

    async def _parted(self, request: PlanRequest, cancel: Cancel) -> tuple[str, ...]:
        """The model's list, where it holds what was said and nothing else; else that of the rules."""
        listed = await self._listed("parts", request.said, cancel)
        said = words_of(request.said)
        wanted = frozenset[str]().union(*(words_of(item) for item in request.items))
        found = frozenset[str]().union(*(words_of(item) for item in listed))
        if not listed or len(found & said) < LEAST_GROUNDED * len(found) or len(found & wanted) < 0.6 * len(wanted):
            return request.items
        return listed

    async def _listed(self, kind: Literal["parts", "proposal"], text: str, cancel: Cancel) -> tuple[str, ...]:
        prompts = await asyncio.to_thread(_prompts)
        shown: list[ChatMessage] = []
        for example in prompts[f"{kind}_example"]:
            shown.append(ChatMessage(role="user", content=_asked(prompts[kind], example["text"])))
            shown.append(ChatMessage(role="assistant", content=example["steps"]))
        request = GenerationRequest(
            messages=(
                ChatMessage(role="system", content=prompts["system"].strip()),
                *shown,
                ChatMessage(role="user", content=_asked(prompts[kind], text)),
            ),
            sampling=Sampling(temperature=0.0, max_tokens=MOST_TOKENS),
            json_schema=_SCHEMA,
            priority="user",
        )
        written, finished = "", False
        async for event in self._model.stream(request, cancel):
            match event:
                case Delta():
                    written += event.text
                case Finished():
                    finished = event.reason == "stop"
                case _:
                    pass
        try:
            lines = [clean_line(str(one), 80).strip(" .") for one in json.loads(written)["steps"]] if finished else []
        except (ValueError, KeyError, TypeError):
            return ()
        most = MOST_PROPOSED if kind == "proposal" else MOST_STEPS
        return tuple({line.casefold(): line for line in lines if line}.values())[:most]

    async def _sorts(self, items: Sequence[str], context: CallContext, cancel: Cancel) -> tuple[Sort, ...]:
        """By their words; a thing whose words do not tell is one closed question."""
        sorts: list[Sort] = [sort_of(item) for item in items]
        named = [await asyncio.to_thread(_names, item, context) for item in items]
        open_ = [place for place, sort in enumerate(sorts) if sort == "unclear" and "clock" not in named[place]]
        if not open_ or cancel.is_set:
            return tuple(sorts)
        prompts = await asyncio.to_thread(_prompts)
        options = tuple(prompts["sort_options"])
        request = ChoiceRequest(
            messages=(ChatMessage(role="system", content="You sort what people have on their lists."),),
            questions=tuple(
                ClosedQuestion(prompt=_asked(prompts["sort"], items[place]), options=options) for place in open_
            ),
            calibrate=True,
            priority="user",
        )
        try:
            answers = await self._model.choose(request, cancel)
        except ModelError:
            return tuple(sorts)
        for place, shares in zip(open_, answers, strict=True):
            sorts[place] = "appointment" if shares[0] > 0.6 else "errand"
        return tuple(sorts)


def _asks(text: str) -> bool:
    return text.rstrip().endswith("?") or form_of(text) == "question"


def _asked(prompt: str, text: str) -> str:
    return prompt.strip().replace("{text}", text.replace('"', "'").strip())


def _prompts() -> dict[str, Any]:
    return loads((files("assistant") / "prompts" / "stepping.toml").read_text(encoding="utf-8"))


def _is_timed(text: str, context: CallContext) -> bool:
    from assistant.policies.when.parse import parse
    from assistant.policies.when.types import NoTime, Options

    outcome = parse(text, Options(now=context.now, zone=context.zone))
    return not isinstance(outcome, NoTime) and bool(outcome.title.strip())


def _names(text: str, context: CallContext) -> frozenset[str]:
    from assistant.policies.when.parse import parse
    from assistant.policies.when.types import Ambiguous, Options, Understood

    outcome = parse(text, Options(now=context.now, zone=context.zone))
    kinds: set[str] = set()
    match outcome:
        case Understood(reading=reading):
            kinds = {reading.kind}
        case Ambiguous(readings=readings):
            kinds = {reading.kind for reading in readings}
        case _:
            pass
    found = {"clock"} if kinds & {"wall_time", "instant"} else set()
    if _DAY.search(text) or "recurrence" in kinds:
        found.add("day")
    return frozenset(found)


def _date_of(text: str, context: CallContext) -> date | None:
    from assistant.policies.when.parse import parse
    from assistant.policies.when.types import Options, Understood
    from assistant.policies.when.zones import to_local

    outcome = parse(text, Options(now=context.now, zone=context.zone)) if text else None
    if not isinstance(outcome, Understood) or outcome.reading.kind == "recurrence":
        return None
    return to_local(outcome.reading.due, outcome.reading.zone).date()
