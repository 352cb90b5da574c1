"""calendar.delete: an event leaves the calendar; several that fit are asked."""

import re
from datetime import timedelta
from typing import Final

from pydantic import Field

from assistant.calendar.words import event_words
from assistant.errors import ToolError
from assistant.policies.event_matching import fitting
from assistant.receipts import ItemActs
from assistant.tools.own import UNDO, OwnTool, asked_for, carried_out, choices, kept
from assistant.tools.types import (
    CallContext,
    EffectKey,
    Gap,
    Outcome,
    Precondition,
    Preview,
    Reading,
    ToolArguments,
    ToolName,
)
from memory.errors import NotFound
from memory.items import Event

_ASKED: Final = re.compile(
    r"^(?:delete|remove|cancel|take)\s+(?P<what>.+?)\s+(?:from|in|out of|off)\s+(?:my|the|our)\s+calendar$",
    re.IGNORECASE,
)
_AHEAD: Final = timedelta(days=400)


class CalendarDeleteArguments(ToolArguments):
    event: str | None = Field(max_length=300, description="Which event, by the words of its title, or its id")


class CalendarDelete(OwnTool):
    name = ToolName("calendar.delete")
    summary = "Take an event out of the user's calendar"
    arguments = CalendarDeleteArguments

    def acts(self, context: CallContext) -> ItemActs:
        return self.calendar(context)

    def read(self, text: str, context: CallContext) -> Reading[CalendarDeleteArguments] | None:
        found = _ASKED.match(asked_for(text))
        return None if found is None else Reading(arguments=CalendarDeleteArguments(event=found["what"]), sure=True)

    async def preview(self, arguments: CalendarDeleteArguments, context: CallContext) -> Preview:
        found = await self._found(arguments.event or "", context)
        if len(found) == 1:
            words = event_words(found[0], context.zone, context.now)
            series = ("the whole series",) if found[0].rule else ()
            still = Precondition(name=f"event {found[0].id}", value=f"revision {found[0].revision}")
            return Preview(
                summary=f"Delete from the calendar: {words}", lines=(words, *series), preconditions=(still,), undo=UNDO
            )
        said = tuple(event_words(one, context.zone, context.now) for one in found)
        question = "Which event?" if found else "Which event? None in the calendar fits."
        gap = Gap(argument="event", question=question, choices=choices(found, said))
        return Preview(summary="Delete an event from the calendar", gaps=(gap,), undo=UNDO)

    async def run(self, arguments: CalendarDeleteArguments, key: EffectKey, context: CallContext) -> Outcome:
        kept(context)
        found = await self._found(arguments.event or "", context)
        if len(found) != 1:
            raise ToolError("Which event is meant is not clear.", "Name it by its title.")
        return carried_out(await self.calendar(context).delete(found[0].id, request=f"{self.name}:{key}"))

    async def _found(self, wanted: str, context: CallContext) -> tuple[Event, ...]:
        if not wanted.strip():
            return ()
        book = self.calendar(context)
        try:
            exact = await book.store.find("event", wanted.strip())
        except NotFound:
            coming = await book.between(context.now, context.now + _AHEAD)
            return tuple(fit.happening.event for fit in fitting(wanted, coming))
        return (exact,) if isinstance(exact, Event) and exact.id == wanted.strip() else ()
