"""own.look: a question about the user's own affairs, looked up in all that is kept here before anything is answered.

What is found is told as it stands; no model words it, so that no date, place or name is made up. An outcome without
text: nothing was found.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from pydantic import Field

from assistant.calendar.words import event_words
from assistant.documents.library import Library
from assistant.documents.quoting import Quote, quotes_for
from assistant.policies.asking.affairs import Affair, affair, specific
from assistant.policies.cleaning import clean_line
from assistant.policies.when.describe import day_in_words
from assistant.policies.when.zones import to_local
from assistant.ports import Clock
from assistant.receipts import named
from assistant.task_list import task_words
from assistant.tools.own import OwnTool, source_of
from assistant.tools.types import CallContext, EffectKey, Outcome, Preview, Reading, Source, ToolArguments, ToolName
from memory.item_store import ItemStore
from memory.reminder_store import ReminderStore
from memory.words import stems_of

MOST: Final = 6  # lines
LINE: Final = 240  # characters of a note's line
LEAST_BESIDE: Final = 0.47  # of a sentence, where the question names no paper
PLAIN: Final = 0.5  # below it a sentence is only the nearest
_POINTS: Final = re.compile(
    r"\b(?:they|i|we)\b|^(?:when|until|how|can|may|is|are)\b.*\bthe\b", re.IGNORECASE
)  # at something of the user's world
_AHEAD: Final = timedelta(days=400)
_BACK: Final = timedelta(days=60)

Known = Callable[[str], Awaitable[Sequence[str]]]  # a question -> what the user said that matters for it


async def nothing_known(_question: str) -> Sequence[str]:
    return ()


class OwnLookArguments(ToolArguments):
    question: str | None = Field(max_length=500, description="The question, in the user's words")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    words: str
    source: Source
    foreign: bool = False  # written by somebody else


class OwnLook(OwnTool):
    name = ToolName("own.look")
    summary = "Look into everything the user keeps here"
    effect = "read"
    arguments = OwnLookArguments

    def __init__(
        self, store: ItemStore, reminders: ReminderStore, clock: Clock, library: Library, known: Known = nothing_known
    ) -> None:
        super().__init__(store, clock)
        self._reminders = reminders
        self._library = library
        self._known = known

    def read(self, text: str, context: CallContext) -> Reading[OwnLookArguments] | None:
        found = affair(text)
        if found is None:
            return None
        return Reading(arguments=OwnLookArguments(question=text.strip()[:500]), sure=False, otherwise=True)

    async def preview(self, arguments: OwnLookArguments, context: CallContext) -> Preview:
        return Preview(summary=f"Look into what is kept here: {arguments.question or ''}")

    async def run(self, arguments: OwnLookArguments, key: EffectKey, context: CallContext) -> Outcome:
        question = arguments.question or ""
        asked = affair(question)
        if asked is None:
            return Outcome(text="")
        await asyncio.to_thread(to_local, context.now, context.zone)  # a zone's file is read with its first use
        lines = list[_Line]()
        if asked.own and not asked.paper:  # "learn the piano" on a list does not say what a piano is
            lines += [*await self._planned(asked, context), *await self._written(asked, question)]
        quotes = await quotes_for(self._library, question, whole=asked.own or bool(_POINTS.search(question)))
        least = 0.0 if asked.paper else LEAST_BESIDE
        kind = frozenset() if asked.paper else asked.stems - specific(asked.stems)  # a meeting, not any word of tenants
        quotes = tuple(one for one in quotes if one.score >= least and (not kind or kind & stems_of(one.text)))
        lines += [_quoted(one) for one in quotes]
        if not lines:
            return Outcome(text="")
        shown = lines[:MOST]
        more = f"\n- and {len(lines) - MOST} more" if len(lines) > MOST else ""
        return Outcome(
            text=f"{_lead(lines, quotes)}\n" + "\n".join(f"- {one.words}" for one in shown) + more,
            sources=tuple(dict.fromkeys(one.source for one in shown)),
            untrusted=any(one.foreign for one in shown),
            final=True,
        )

    async def _planned(self, asked: Affair, context: CallContext) -> list[_Line]:
        """Of the calendar, the reminders and the tasks; one line a series, the next one first."""
        found: dict[str, _Line] = {}
        book = self.calendar(context)
        for one in await book.between(context.now - _BACK, context.now + _AHEAD):
            event = one.event
            if event.id not in found and _fits(asked, f"{event.title} {event.place} {event.text}"):
                words = f"calendar: {event_words(event, context.zone, context.now)}"
                found[event.id] = _Line(words=words, source=source_of(event, "calendar"), foreign=bool(event.source))
        for reminder in await self._reminders.list():
            if _fits(asked, reminder.text):
                words = clean_line(reminder.text, LINE)
                if reminder.next_at is not None:
                    at = to_local(reminder.next_at, context.zone)
                    words += f", {day_in_words(at.date())} {at:%H:%M}"
                found[reminder.id] = _Line(
                    words=f"reminder: {words}", source=Source(kind="task", label=clean_line(reminder.text, 100))
                )
        tasks = self.tasks(context)
        for task in await tasks.store.tasks():
            if _fits(asked, f"{task.title} {task.project} {task.text}"):
                words = f"task: {task_words(task, tasks.today)}"
                found[task.id] = _Line(words=words, source=source_of(task, "task"), foreign=bool(task.source))
        return list(found.values())

    async def _written(self, asked: Affair, question: str) -> list[_Line]:
        """Of the notes, and of what the user said."""
        found: list[_Line] = []
        for note in await self._store.notes():
            if _fits(asked, f"{note.title} {note.text}"):
                told = [line for line in note.text.splitlines() if stems_of(line) & specific(asked.stems)]
                words = "; ".join(clean_line(line, LINE) for line in told[:2])
                title = named(note)
                words = title if not words or words == title else f"{title}: {words}"
                found.append(_Line(words=f"note: {words}", source=source_of(note, "note"), foreign=bool(note.source)))
        for statement in await self._known(question):
            if _fits(asked, statement):
                said = clean_line(statement, LINE)
                found.append(_Line(words=f"you told me: “{said}”", source=Source(kind="memory", label=said)))
        return found


def _lead(lines: Sequence[_Line], quotes: Sequence[Quote]) -> str:
    """How sure it is that this answers."""
    if len(lines) > len(quotes):
        return "This is kept here:"
    return "Your documents say:" if max(one.score for one in quotes) >= PLAIN else "The nearest in your documents:"


def _fits(asked: Affair, text: str) -> bool:
    """Half of the words that tell things apart."""
    wanted = specific(asked.stems)
    return 2 * len(wanted & stems_of(text)) >= len(wanted) > 0


def _quoted(one: Quote) -> _Line:
    page = f", page {one.passage.page}" if one.passage.page else ""
    label = clean_line(f"{one.document.name}{page}", 120)
    source = Source(kind="document", label=label, reference=one.document.id)
    return _Line(words=f"{label}: “{clean_line(one.text, 400)}”", source=source, foreign=True)
