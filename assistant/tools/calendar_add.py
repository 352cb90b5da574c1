"""calendar.add: an event, from what and when in the user's words."""

import re
from dataclasses import replace
from typing import Final

from pydantic import Field

from assistant.calendar.words import event_words, short_words
from assistant.errors import ToolError
from assistant.policies.event_time import event_time
from assistant.policies.when.describe import day_in_words, describe
from assistant.policies.when.types import AboutEvent, Ambiguous, NoTime, Options, Reading, Refused, Understood, WallTime
from assistant.policies.when.types import DateOnly as Day
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
    ToolArguments,
    ToolName,
)
from assistant.tools.types import Reading as Call
from memory.items import Event

_ASKED: Final = re.compile(
    r"^(?:add|put|enter|write|note|schedule)\s+(?P<what>.+?)\s+(?:to|in|into|on)\s+(?:my|the|our)\s+calendar"
    r"(?:\s*[,:]?\s*(?P<when>.+))?$|^(?:add|schedule|create)\s+(?:an?\s+)?(?:event|calendar entry)[:,"
    r"]?\s+(?P<only>.+)$",
    re.IGNORECASE,
)
_MAYBE: Final = re.compile(r"^(?:schedule|pencil in)\s+(?P<what>.+)$", re.IGNORECASE)
_HOURS: Final = (("In the morning", "09:00"), ("In the afternoon", "15:00"), ("In the evening", "19:00"))


class CalendarAddArguments(ToolArguments):
    event: str | None = Field(
        max_length=500,
        description="What and when, in the user's own words, for example: dentist on Friday at 10 for an hour",
    )
    place: str = Field(default="", max_length=200, description="Where it is; empty when it was not said")
    when: str = Field(
        default="", max_length=200, description="when it is, as the user answered", json_schema_extra=NOT_IN_FORM
    )
    hour: bool = Field(default=False, description="a day alone does not say when it is", json_schema_extra=NOT_IN_FORM)

    @property
    def words(self) -> str:
        """What and when together; an answer that is only a number is an hour."""
        when = f"at {self.when}" if re.fullmatch(r"\d{1,2}(?:[:.]\d\d)?", self.when.strip()) else self.when
        return f"{self.event or ''} {when}".strip()


class CalendarAdd(OwnTool):
    name = ToolName("calendar.add")
    summary = "Put an event into the user's calendar"
    arguments = CalendarAddArguments

    def acts(self, context: CallContext) -> ItemActs:
        return self.calendar(context)

    def read(self, text: str, context: CallContext) -> Call[CalendarAddArguments] | None:
        said = asked_for(text)
        found = _ASKED.match(said)
        if found:
            words = found["only"] or f"{found['what']} {found['when'] or ''}".strip()
            return Call(arguments=CalendarAddArguments(event=words), sure=True)
        maybe = _MAYBE.match(said)
        return None if maybe is None else Call(arguments=CalendarAddArguments(event=maybe["what"]), sure=False)

    async def preview(self, arguments: CalendarAddArguments, context: CallContext) -> Preview:
        if not arguments.event:
            return _gap(Gap(argument="event", question="What shall be in the calendar, and when?"))
        outcome = event_time(arguments.words, _options(context))
        match outcome:
            case Understood() if arguments.hour and not arguments.when and outcome.reading.kind == "date":
                return _gap(await self._which_hour(arguments, outcome, context))
            case Understood():
                event, assumed = self.calendar(context).event_of(outcome.reading, outcome.title, place=arguments.place)
                return await self._shown(event, assumed, context)
            case Ambiguous():
                if arguments.when:  # the answer takes the place of the answer before, not of what it is about
                    outcome = replace(outcome, title="")
                argument = "when" if arguments.when else "event"
                return _gap(Gap(argument=argument, question=outcome.question, choices=_choices(outcome, context)))
            case NoTime() if arguments.when:
                title = event_time(arguments.event, _options(context)).title.strip()
                unread = f"No time could be read in “{arguments.when}”. When is {title or 'it'}?"
                return _gap(Gap(argument="when", question=unread))
            case NoTime():
                question = f"When is {outcome.title.strip() or 'it'}?"
                return _gap(Gap(argument="when", question=question))
            case AboutEvent():
                return _gap(Gap(argument="event", question=outcome.question))
            case Refused():
                raise ToolError(outcome.reason, "Say another time.")

    async def _which_hour(self, arguments: CalendarAddArguments, outcome: Understood, context: CallContext) -> Gap:
        """What cannot be guessed of an appointment: hours with what stands in the calendar then, and the day alone."""
        on = to_local(outcome.reading.due, outcome.reading.zone).date()
        question = f"At what time is {outcome.title.strip() or 'it'} on {day_in_words(on)}?"
        bare = Attribute(name="then", value="it stands on the whole day, and a time can be added later")
        choices = [Choice(id=" ", label="No time yet: the day alone", attributes=(bare,))]
        for label, hour in _HOURS:
            read = event_time(f"{arguments.event} at {hour}", _options(context))
            if isinstance(read, Understood) and read.reading.due > context.now:
                event, _ = self.calendar(context).event_of(read.reading, read.title, place=arguments.place)
                clashing = await self.calendar(context).clashes(event)
                then = "; ".join(short_words(one, context.zone, context.now) for one in clashing[:2])
                said = Attribute(name="then", value=f"at the same time: {then}" if then else "free in your calendar")
                choices.append(Choice(id=f"at {hour}", label=f"{label}, {hour}", attributes=(said,)))
        return Gap(argument="when", question=question, choices=tuple(choices))

    async def _shown(self, event: Event, assumed: tuple[str, ...], context: CallContext) -> Preview:
        clashing = await self.calendar(context).clashes(event)
        lines = [event_words(event, context.zone, context.now)]
        lines += [f"at the same time: {short_words(one, context.zone, context.now)}" for one in clashing[:3]]
        lines += [f"assumed: {one}" for one in assumed]
        return Preview(summary=f"Put into the calendar: {lines[0]}", lines=tuple(lines), undo=UNDO)

    async def run(self, arguments: CalendarAddArguments, key: EffectKey, context: CallContext) -> Outcome:
        kept(context)
        outcome = event_time(arguments.words, _options(context))
        if not isinstance(outcome, Understood):
            raise ToolError("When that is was not understood.", "Say the day and the time.")
        book = self.calendar(context)
        event, assumed = book.event_of(outcome.reading, outcome.title, place=arguments.place)
        return carried_out(await book.add(event, assumed, request=f"{self.name}:{key}"))


def _gap(gap: Gap) -> Preview:
    return Preview(summary="Put an event into the calendar", gaps=(gap,), undo=UNDO)


def _options(context: CallContext) -> Options:
    return Options(now=context.now, zone=context.zone)


def _choices(outcome: Ambiguous, context: CallContext) -> tuple[Choice, ...]:
    """Each as words that are understood in one way; () where they cannot be said so."""
    found = [(_plain(outcome.title, one), describe(one, context.now)) for one in outcome.readings]
    return tuple(Choice(id=words, label=label) for words, label in found) if all(words for words, _ in found) else ()


def _plain(title: str, reading: Reading) -> str:
    match reading.value:
        case WallTime(local=local):
            return f"{title} on {local:%Y-%m-%d} at {local:%H:%M}"
        case Day(on=on):
            return f"{title} on {on:%Y-%m-%d}"
        case _:
            return ""
