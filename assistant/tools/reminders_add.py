"""reminders.add: a reminder, from what and when in the user's words."""

import asyncio
from datetime import timedelta

from pydantic import Field

from assistant.calendar.book import CalendarBook
from assistant.errors import ToolError
from assistant.policies.asks_reminder import asks_for_reminder, names_a_deed
from assistant.policies.cleaning import clean_line
from assistant.policies.event_matching import fitting
from assistant.policies.event_time import relative_to
from assistant.policies.reminding import deleted, reading_options, reminder_of
from assistant.policies.when.describe import describe
from assistant.policies.when.outcomes import before_list
from assistant.policies.when.parse import parse
from assistant.policies.when.types import AboutEvent, Ambiguous, DateOnly, NoTime, Refused, Understood, WallTime
from assistant.policies.when.types import Reading as Moment
from assistant.ports import Clock
from assistant.reminder_settings import ReminderSettings
from assistant.tools.own import UNDO, asked_for, kept
from assistant.tools.types import (
    NOT_IN_FORM,
    CallContext,
    Choice,
    Effect,
    EffectKey,
    Gap,
    Outcome,
    Preview,
    Reading,
    ToolArguments,
    ToolName,
)
from memory.errors import StoreError
from memory.item_store import ItemStore
from memory.reminder_store import ReminderStore
from memory.reminders import Change, EntryId, ReminderId
from memory.text import random_id

_AHEAD = timedelta(days=400)
_LONGEST = 500  # characters of what a reminder says


class RemindersAddArguments(ToolArguments):
    reminder: str | None = Field(max_length=1_000, description="What to be reminded of, and when, in the user's words")
    when: str = Field(
        default="", max_length=200, description="when, as the user answered", json_schema_extra=NOT_IN_FORM
    )

    @property
    def words(self) -> str:
        return f"{self.reminder or ''} {self.when}".strip()


class RemindersAdd:
    """In a conversation a wish to be reminded is taken before any tool is looked at (ui/chat_reminders.py); as a step
    of a plan it is this call."""

    name = ToolName("reminders.add")
    summary = "Remind the user of something at a time"
    effect: Effect = "undoable"
    arguments = RemindersAddArguments
    repeatable = True  # a change writes its key in its own transaction

    def __init__(self, store: ReminderStore, items: ItemStore, clock: Clock, settings: ReminderSettings) -> None:
        self._store = store
        self._items = items
        self._clock = clock
        self._settings = settings

    def read(self, text: str, context: CallContext) -> Reading[RemindersAddArguments] | None:
        said = asked_for(text)
        if not asks_for_reminder(said):
            return None
        options = reading_options(self._settings, context.now, context.zone)
        if not names_a_deed(said) and isinstance(parse(clean_line(said, 2 * _LONGEST), options), NoTime):
            return None
        return Reading(arguments=RemindersAddArguments(reminder=said), sure=True)

    async def preview(self, arguments: RemindersAddArguments, context: CallContext) -> Preview:
        if not arguments.reminder:
            return _gap(Gap(argument="reminder", question="What shall the reminder say, and when?"))
        found = await self._read(arguments, context)
        if isinstance(found, Gap):
            return _gap(found)
        moment, title = found
        words = f"{clean_line(title, _LONGEST)}, {await asyncio.to_thread(describe, moment, context.now)}"
        lines = (words, f"assumed: {moment.assumed}") if moment.assumed else (words,)
        return Preview(summary=f"Remind you: {words}", lines=lines, undo=UNDO)

    async def run(self, arguments: RemindersAddArguments, key: EffectKey, context: CallContext) -> Outcome:
        kept(context)
        found = await self._read(arguments, context)
        if isinstance(found, Gap):
            raise ToolError("When that is was not understood.", "Say the day and the time.")
        moment, title = found
        made = await asyncio.to_thread(
            reminder_of,
            moment,
            clean_line(title, _LONGEST),
            id=ReminderId(random_id()),
            now=context.now,
            here=context.zone,
        )
        if made.next_at is None:
            raise ToolError("That never comes.", "Say another time.")
        entry = await self._store.apply(
            Change(operation="add", reminder=made), at=context.now, request=f"{self.name}:{key}"
        )
        words = await asyncio.to_thread(describe, moment, context.now)
        assumed = f" (assumed: {clean_line(moment.assumed, 200)})" if moment.assumed else ""
        changed = f"Reminder: {clean_line(title, _LONGEST)}, {words}{assumed}"
        return Outcome(text=f"{changed}.", undo_token=str(entry.id), changed=(changed,))

    async def undo(self, token: str, context: CallContext) -> Outcome:
        if not token.isdecimal():
            raise ToolError("There is nothing to take back.")
        try:
            entry = await self._store.entry(EntryId(int(token)))
            one = await self._store.reminder(entry.reminder_id)
            change = Change(operation="undo", reminder=deleted(one), undoes=entry.id)
            await self._store.apply(change, at=context.now)
        except StoreError as error:
            raise ToolError(error.message, error.hint) from error
        words = f"Reminder taken back: {clean_line(one.text, 200)}"
        return Outcome(text=words, changed=(words,))

    async def _read(self, arguments: RemindersAddArguments, context: CallContext) -> tuple[Moment, str] | Gap:
        """The moment and what it says, or what has to be asked. Raises ToolError."""
        options = reading_options(self._settings, context.now, context.zone)
        outcome = await asyncio.to_thread(parse, clean_line(arguments.words, 2 * _LONGEST), options)
        match outcome:
            case Understood():
                if not outcome.title.strip():
                    return Gap(argument="reminder", question="What shall the reminder say?")
                return outcome.reading, outcome.title
            case Ambiguous():
                title = "" if arguments.when else outcome.title
                argument = "when" if arguments.when else "reminder"
                choices = _choices(outcome, title, context)
                question = _which(outcome) if choices else outcome.question
                return Gap(argument=argument, question=question, choices=choices)
            case NoTime():
                said = parse(clean_line(arguments.reminder or "", 2 * _LONGEST), options) if arguments.when else outcome
                unread = f"No time could be read in “{clean_line(arguments.when, 120)}”. " if arguments.when else ""
                return Gap(argument="when", question=f"{unread}When shall I remind you: {clean_line(said.title, 120)}?")
            case Refused():
                raise ToolError(outcome.reason, "Say another time.")
            case AboutEvent():
                return await self._counted(outcome, context)

    async def _counted(self, outcome: AboutEvent, context: CallContext) -> tuple[Moment, str]:
        """From an event of the calendar. Raises ToolError where none, or more than one, fits."""
        options = reading_options(self._settings, context.now, context.zone)
        book = CalendarBook(self._items, self._clock, context.zone)
        coming = await book.between(context.now, context.now + _AHEAD)
        fits = await asyncio.to_thread(fitting, outcome.event, coming)
        timed = [found for fit in fits if (found := relative_to(outcome, fit, options)) is not None]
        if len(timed) != 1:
            raise ToolError(outcome.question, "Say the day and the time.")
        return timed[0].reading, timed[0].title


def _gap(gap: Gap) -> Preview:
    return Preview(summary="Remind you of something", gaps=(gap,), undo=UNDO)


def _which(outcome: Ambiguous) -> str:
    """The question over its readings; it names the reminder, because it is also seen in a list of many."""
    which, title = before_list(outcome), clean_line(outcome.title, 120)
    return f"{title}: {which[0].lower()}{which[1:]}" if title else which


def _choices(outcome: Ambiguous, title: str, context: CallContext) -> tuple[Choice, ...]:
    """Each as words that are understood in one way; () where they cannot be said so."""
    found = [(_plain(title, one), describe(one, context.now)) for one in outcome.readings]
    return tuple(Choice(id=words, label=label) for words, label in found) if all(words for words, _ in found) else ()


def _plain(title: str, moment: Moment) -> str:
    match moment.value:
        case WallTime(local=local):
            return f"{title} on {local:%Y-%m-%d} at {local:%H:%M}".strip()
        case DateOnly(on=on):
            return f"{title} on {on:%Y-%m-%d}".strip()
        case _:
            return ""
