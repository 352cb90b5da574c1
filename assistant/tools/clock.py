"""clock.now: the date and the time, and which weekday a date is."""

import re
from typing import Final
from zoneinfo import ZoneInfo

from pydantic import Field

from assistant.errors import ToolError
from assistant.policies.event_time import event_time
from assistant.policies.when.describe import day_in_words, moment_in_words
from assistant.policies.when.types import Options, Understood
from assistant.policies.when.zones import to_local
from assistant.tools.own import asked_for
from assistant.tools.types import CallContext, Effect, EffectKey, Outcome, Preview, Reading, ToolArguments, ToolName

_NOW: Final = re.compile(
    r"^(?:what(?:'s| is)?(?: the)? (?:time|date)(?: is it| now| today)*|what time is it(?: now)?|what "
    r"day is (?:it|today)(?: today)?"
    r"|what(?:'s| is) today'?s date|tell me the (?:time|date)|which day is (?:it|today))$",
    re.IGNORECASE,
)
_WEEKDAY: Final = re.compile(
    r"^(?:what|which) (?:day|weekday|day of the week) (?:is|was|will be|does|falls?)\s*(?:on\s+)?(?P<d"
    r"ate>.*\d.*?)(?: fall on| on)?$",
    re.IGNORECASE,
)


class ClockArguments(ToolArguments):
    date: str = Field(default="", max_length=100, description="A date whose weekday is asked; empty for now")


class ClockNow:
    name = ToolName("clock.now")
    summary = "Say the date and the time, or the weekday of a date"
    effect: Effect = "read"
    arguments = ClockArguments
    repeatable = True

    def read(self, text: str, context: CallContext) -> Reading[ClockArguments] | None:
        said = asked_for(text)
        if _NOW.match(said):
            return Reading(arguments=ClockArguments(), sure=True)
        found = _WEEKDAY.match(said)
        return None if found is None else Reading(arguments=ClockArguments(date=found["date"]), sure=True)

    async def preview(self, arguments: ClockArguments, context: CallContext) -> Preview:
        return Preview(summary="Look at the clock")

    async def run(self, arguments: ClockArguments, key: EffectKey, context: CallContext) -> Outcome:
        if not arguments.date.strip():
            local = context.now.astimezone(ZoneInfo(context.zone))
            return Outcome(text=f"It is {moment_in_words(context.now, context.zone)}, week {local:%V}.", final=True)
        outcome = event_time(f"on {arguments.date}", Options(now=context.now, zone=context.zone))
        if not isinstance(outcome, Understood):
            raise ToolError(f"{arguments.date!r} is no date.", "For example: 8 August 2026.")
        day = to_local(outcome.reading.due, outcome.reading.zone).date()
        return Outcome(text=f"{day_in_words(day)} is a {day:%A}.", final=True)

    async def undo(self, token: str, context: CallContext) -> Outcome:
        raise ToolError("There is nothing to take back.")
