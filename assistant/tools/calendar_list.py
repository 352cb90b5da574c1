"""calendar.list: what takes place on some days."""

import re
from datetime import date, datetime, timedelta
from typing import Final

from pydantic import Field

from assistant.calendar.words import short_words
from assistant.policies.occurrences import Happening
from assistant.policies.when.describe import day_in_words
from assistant.policies.when.parse import parse
from assistant.policies.when.types import Options, Understood
from assistant.policies.when.zones import resolve, to_local
from assistant.receipts import ItemActs
from assistant.tools.own import OwnTool, asked_for, source_of
from assistant.tools.types import CallContext, EffectKey, Outcome, Preview, Reading, ToolArguments, ToolName

_ASKED: Final = re.compile(
    r"^(?:what(?:'s| is| do i have| have i got)?|show(?: me)?|read(?: me)?|list|is there anything|do i have anything"
    r"|do i have any (?:appointments?|meetings?|events?)|what appointments do i have|am i (?:free|busy))\b"
    r"(?P<rest>.*)$",
    re.IGNORECASE,
)
_CALENDAR: Final = re.compile(
    r"\b(?:my |the )?(?:calendar|agenda|schedule|appointments?|meetings?|events?)\b", re.IGNORECASE
)
_WRITTEN: Final = re.compile(  # of what a text says of a meeting, not of the meeting
    r"\b(?:document|letter|minutes|report|contract|notice|file|pdf|notes?|e-?mail|message|invitation)s?\b"
    r".*\b(?:says?|said|states?|mentions?|about|contains?)\b|\b\w+\.(?:txt|md|pdf|docx?|html?|csv)\b",
    re.IGNORECASE,
)
_FREE: Final = re.compile(r"^(?:am i (?:free|busy)|do i have any)\b", re.IGNORECASE)
_WEEK: Final = re.compile(r"\b(this|next|coming) week\b|\bweek\b", re.IGNORECASE)
MOST: Final = 40


class CalendarListArguments(ToolArguments):
    day: str = Field(
        default="", max_length=100, description="The day in words, such as today, Friday, 2026-12-04; empty: two weeks"
    )
    days: int = Field(default=1, ge=1, le=60, description="How many days from there")


class CalendarList(OwnTool):
    name = ToolName("calendar.list")
    summary = "Look up what is in the user's calendar"
    effect = "read"
    arguments = CalendarListArguments

    def acts(self, context: CallContext) -> ItemActs:
        return self.calendar(context)

    def read(self, text: str, context: CallContext) -> Reading[CalendarListArguments] | None:
        said = asked_for(text)
        found = _ASKED.match(said)
        if found is None or _WRITTEN.search(said) or not (_CALENDAR.search(said) or _FREE.match(said)):
            return None
        sure = bool(re.search(r"\b(?:calendar|agenda)\b", said, re.IGNORECASE) or _FREE.match(said))
        if week := _WEEK.search(said):
            first = to_local(context.now, context.zone).date()
            if week[1] and week[1].lower() == "next":
                first += timedelta(days=7 - first.weekday())
            return Reading(arguments=CalendarListArguments(day=first.isoformat(), days=7), sure=sure)
        day = _day(_CALENDAR.sub(" ", found["rest"]), context)
        arguments = CalendarListArguments(day="" if day is None else day.isoformat())
        return Reading(arguments=arguments, sure=sure)

    async def preview(self, arguments: CalendarListArguments, context: CallContext) -> Preview:
        return Preview(summary=f"Look into the calendar: {arguments.day or 'the next two weeks'}")

    async def run(self, arguments: CalendarListArguments, key: EffectKey, context: CallContext) -> Outcome:
        first = _day(arguments.day, context) if arguments.day else None
        days = arguments.days if first is not None else 14
        first = first or to_local(context.now, context.zone).date()
        begins = resolve(datetime.combine(first, datetime.min.time()), context.zone)
        ends = resolve(datetime.combine(first + timedelta(days=days), datetime.min.time()), context.zone)
        found = await self.calendar(context).between(begins, ends - timedelta(seconds=1))
        until = "" if days == 1 else f" to {day_in_words(first + timedelta(days=days - 1))}"
        span = f"{day_in_words(first)}{until}"
        return Outcome(
            text=_text(found, span, context),
            sources=tuple(source_of(one.event, "calendar") for one in found[:MOST]),
            untrusted=any(one.event.source for one in found),
            final=True,
        )


def _text(found: tuple[Happening, ...], span: str, context: CallContext) -> str:
    if not found:
        return f"Nothing is in the calendar for {span}."
    lines = [f"- {short_words(one, context.zone, context.now)}" for one in found[:MOST]]
    more = f"\n- and {len(found) - MOST} more" if len(found) > MOST else ""
    return f"In the calendar for {span}:\n" + "\n".join(lines) + more


def _day(words: str, context: CallContext) -> date | None:
    try:
        return date.fromisoformat(words.strip())
    except ValueError:
        pass
    outcome = parse(words, Options(now=context.now, zone=context.zone, next_weekday="coming"))
    if isinstance(outcome, Understood):
        return to_local(outcome.reading.due, context.zone).date()
    return to_local(context.now, context.zone).date() if "today" in words.lower() else None
