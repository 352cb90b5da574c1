"""tasks.arrange: a booking that has to be made outside. Steward reaches no restaurant, doctor or shop, so it puts on
the list what is to be booked, where and when, and says so; the booking itself stays with the user."""

import asyncio
import re
from dataclasses import replace
from datetime import date
from typing import Final

from pydantic import Field

from assistant.policies.when.parse import parse
from assistant.policies.when.types import Options, Understood
from assistant.policies.when.zones import to_local
from assistant.receipts import ItemActs
from assistant.tools.own import UNDO, OwnTool, asked_for, carried_out, kept
from assistant.tools.types import (
    NOT_IN_FORM,
    Attribute,
    CallContext,
    Choice,
    EffectKey,
    Gap,
    Outcome,
    Preview,
    Reading,
    ToolArguments,
    ToolName,
)

_ASKED: Final = re.compile(
    r"^(?:book|reserve|make|get|arrange|order)\s+(?:me\s+|us\s+)?(?:(?:a|an|the|our|my|some)\s+)?(?:reservations?\s+for\s+)?"
    r"(?P<what>(?:[\w'-]+\s+){0,2}?(?:table|appointment|reservation|hotel|room|taxi|cab|haircut|massage|court|tickets?|"
    r"flight|train|hairdresser|dentist|doctor|restaurant|cinema|viewing|slot|car))\b(?P<rest>.*)$",
    re.IGNORECASE,
)  # fmt: skip


class TasksArrangeArguments(ToolArguments):
    what: str | None = Field(max_length=100, description="what is to be booked, in two words")
    place: str | None = Field(max_length=100, description="where, by its name")
    time: str | None = Field(max_length=100, description="which day and what time")
    answer: str = Field(
        default="", max_length=200, description="what the user answered when asked", json_schema_extra=NOT_IN_FORM
    )


class TasksArrange(OwnTool):
    name = ToolName("tasks.arrange")
    summary = "Note a booking that has to be made outside"
    arguments = TasksArrangeArguments

    def acts(self, context: CallContext) -> ItemActs:
        return self.tasks(context)

    def read(self, text: str, context: CallContext) -> Reading[TasksArrangeArguments] | None:
        return Reading(arguments=None, sure=True) if _ASKED.match(asked_for(text)) else None

    async def preview(self, arguments: TasksArrangeArguments, context: CallContext) -> Preview:
        summary = f"Put on the list: {_words(arguments)}"
        if arguments.answer or (arguments.place and arguments.time):
            return Preview(summary=summary, lines=(summary, "The booking itself is yours to make."), undo=UNDO)
        return Preview(summary=summary, gaps=(_gap(arguments),), undo=UNDO)

    async def run(self, arguments: TasksArrangeArguments, key: EffectKey, context: CallContext) -> Outcome:
        kept(context)
        words = f"{arguments.what or 'it'} {arguments.time or arguments.answer}"
        due = await asyncio.to_thread(_day, words, context)  # the first use of a zone reads its file
        receipt = await self.tasks(context).add(_words(arguments), due=due, request=f"{self.name}:{key}")
        outcome = carried_out(receipt)
        return replace(
            outcome, changed=(*outcome.changed, "I reach nobody outside, so the booking itself is yours to make")
        )


def _gap(arguments: TasksArrangeArguments) -> Gap:
    """One question for all that is open; what is offered is a way out, not a guess."""
    what = arguments.what or "reservation"
    if arguments.place:
        asks = f"When is the {what} at {arguments.place}?"
        ways: tuple[str, ...] = (_open("time"), "today", "tomorrow")
    elif arguments.time:
        asks, ways = f"Where is the {what} for {arguments.time}?", (_open("place"), "wherever there is room")
    else:
        asks, ways = (
            f"Where and when is the {what}?",
            (_open("place and time"), "today, any place", "tomorrow, any place"),
        )
    question = f"{asks} I cannot book it myself: with your answer it goes on your list."
    return Gap(argument="answer", question=question, choices=tuple(_choice(arguments, way) for way in ways))


def _choice(arguments: TasksArrangeArguments, way: str) -> Choice:
    words = _words(arguments.model_copy(update={"answer": way}))
    return Choice(id=way, label=way, attributes=(Attribute(name="on your list", value=words),))


def _open(what: str) -> str:
    return f"leave the {what} open"


def _words(arguments: TasksArrangeArguments) -> str:
    """ "Book the table: Bella, 7"."""
    said = "" if arguments.answer.startswith("leave the ") else arguments.answer
    parts = [one for one in (arguments.place, arguments.time, said) if one]
    return f"Book the {arguments.what or 'reservation'}{': ' if parts else ''}{', '.join(parts)}"


def _day(text: str, context: CallContext) -> date | None:
    """The day, where the words mean one only."""
    outcome = parse(text, Options(now=context.now, zone=context.zone))
    if not isinstance(outcome, Understood) or outcome.reading.kind == "recurrence":
        return None
    return to_local(outcome.reading.due, outcome.reading.zone).date()
