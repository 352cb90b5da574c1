"""What a user does with reminders: the same acts for the command line, line mode and the screen.

Every act is one transaction of the store and answers with a receipt, which exists only after the commit.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Protocol, assert_never

from assistant.policies.cleaning import clean_line
from assistant.policies.reminding import (
    deleted,
    done,
    is_over,
    reading_options,
    reminder_of,
    restored,
    retimed,
    snoozed,
)
from assistant.policies.when.outcomes import before_list
from assistant.policies.when.parse import parse
from assistant.policies.when.types import (
    AboutEvent,
    Ambiguous,
    NextWeekday,
    NoTime,
    Options,
    Outcome,
    Reading,
    Refused,
    Understood,
)
from assistant.ports import Clock
from assistant.reminder_settings import ReminderSettings
from memory.errors import ChangeRefused
from memory.reminders import (
    OPEN,
    Change,
    Due,
    Entry,
    EntryId,
    IfMissed,
    Notice,
    NoticeId,
    Operation,
    Reminder,
    ReminderId,
    ReminderState,
)
from memory.text import random_id
from memory.types import MessageId
from ui.errors import UiError
from ui.reminder_words import comes, moment_words, reading_words, title

if TYPE_CHECKING:
    from assistant.calendar.book import CalendarBook

MOST_LETTERS = 500  # of what a reminder says
_MOST_NOTICES = 5_000
_TRIES = 3  # when the scheduler changes a reminder at the same moment
_EXAMPLE = 'For example: steward remind "call mum on Sunday at 6pm"'

Notices = tuple[Notice, ...]
Made = tuple[Change, str]


class Kept(Protocol):
    """What the acts need of a store: the owner's own, or one that hands changes over."""

    async def apply(self, change: Change, *, at: datetime, request: str = "") -> Entry: ...
    async def reminder(self, id: ReminderId) -> Reminder: ...
    async def find(self, wanted: str) -> Reminder: ...
    async def list(
        self, states: Sequence[ReminderState] = ("active",), *, limit: int = 500, offset: int = 0
    ) -> tuple[Reminder, ...]: ...
    async def open_notices(self, *, limit: int = 500) -> tuple[Due, ...]: ...
    async def notices(self, id: ReminderId, *, limit: int = 50) -> tuple[Notice, ...]: ...
    async def entry(self, id: EntryId | None = None) -> Entry: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    words: str
    reminder: Reminder
    operation: Operation


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Two or more readings, or one that leaves a part unread. `answers`: what each choice says about "next Friday"."""

    text: str
    title: str
    readings: tuple[Reading, ...]
    words: tuple[str, ...]
    answers: tuple[NextWeekday, ...] = ()


def settled(outcome: Outcome, now: datetime, not_known: str) -> Understood | Question | NoTime:
    """What words say about when: understood, a question with its readings, or nothing. `not_known`: what to do where
    the time of the event that it is counted from is not known. Raises UiError where the words name no moment."""
    match outcome:
        case Understood() | NoTime():
            return outcome
        case Ambiguous():
            if not outcome.readings:
                unread = f" {outcome.unread!r} could not be read." if outcome.unread else ""
                raise UiError(f"{outcome.question}{unread}", "Say it in other words.")
            return Question(
                text=before_list(outcome),
                title=outcome.title,
                readings=outcome.readings,
                words=tuple(reading_words(one, now) for one in outcome.readings),
                answers=outcome.answers,
            )
        case Refused():
            raise UiError(outcome.reason, "Say another time.")
        case AboutEvent():
            raise UiError(outcome.question, not_known)
        case _:
            assert_never(outcome)


class ReminderActs:
    """`here`: the user's zone. `calendar`: where events are looked up that a time is counted from.
    Raises UiError for what cannot be done, StoreError for the store's refusals."""

    def __init__(
        self,
        store: Kept,
        clock: Clock,
        settings: ReminderSettings,
        here: str,
        changed: Callable[[], None] = lambda: None,
        calendar: "CalendarBook | None" = None,
    ) -> None:
        self.store = store
        self._calendar = calendar
        self.here = here
        self._clock = clock
        self.settings = settings
        self._changed = changed

    @property
    def now(self) -> datetime:
        return self._clock.now()

    def options(self) -> Options:
        return reading_options(self.settings, self.now, self.here)

    # new ones

    def names_a_time(self, text: str) -> bool:
        return not isinstance(parse(clean_line(text, MOST_LETTERS * 2), self.options()), NoTime)

    async def read(self, text: str) -> Understood | Question:
        """What the words mean. Raises UiError where they name no moment."""
        options = self.options()
        outcome = await asyncio.to_thread(parse, clean_line(text, MOST_LETTERS * 2), options)
        if isinstance(outcome, AboutEvent) and self._calendar is not None:
            from ui.event_reminders import counted_from

            return await counted_from(outcome, self._calendar, options)
        return self.settled(outcome)

    def settled(self, outcome: Outcome) -> Understood | Question:
        """What was read, where it names a moment. Raises UiError where it does not."""
        found = settled(outcome, self.now, f"Its time is not known here. {_EXAMPLE}")
        if isinstance(found, NoTime):
            raise UiError("When? There is no time in that.", _EXAMPLE)
        return found

    async def add(
        self, reading: Reading, what: str, *, if_missed: IfMissed = "tell", message_id: MessageId | None = None
    ) -> Receipt:
        text = clean_line(what, MOST_LETTERS)
        if not text:
            raise UiError("What shall the reminder say?", _EXAMPLE)
        now = self.now

        def make() -> tuple[Reminder, str]:
            id = ReminderId(random_id())
            made = reminder_of(
                reading, text, id=id, now=now, here=self.here, if_missed=if_missed, message_id=message_id
            )
            assumed = f" (assumed: {clean_line(reading.assumed, 200)})" if reading.assumed else ""
            return made, f"Reminder: {title(made)}, {reading_words(reading, now)}{assumed}"

        made, words = await asyncio.to_thread(make)
        if made.next_at is None:
            raise UiError("That never comes.", "Say another time.")
        await self.store.apply(Change(operation="add", reminder=made), at=now)
        self._changed()
        return Receipt(words=words, reminder=made, operation="add")

    # those there are

    async def done(self, wanted: str) -> Receipt:
        def change(one: Reminder, notices: Notices) -> Made:
            waiting = _open(notices)
            if one.rule and not is_over(one) and not waiting and one.snoozed_until is None:
                raise UiError(
                    f"{title(one)!r} has not come yet: {comes(one, self.now, self.here)}.",
                    f"To end it: steward reminders delete {one.id}",
                )
            after = done(one, self.now, self.here)
            again = f"; next {comes(after, self.now, self.here)}" if after.next_at is not None else ""
            return Change(operation="done", reminder=after, notices=waiting), f"Done: {title(one)}{again}"

        return await self._change(wanted, change)

    async def snooze(self, wanted: str, how_long: str = "") -> Receipt:
        def change(one: Reminder, notices: Notices) -> Made:
            until = self._until(how_long)
            after = snoozed(one, until, self.now, self.here)
            words = f"Snoozed: {title(one)}, until {moment_words(until, self.here, self.now)}"
            made = Change(operation="snooze", reminder=after, notices=_open(notices), notice_state="snoozed")
            return made, words

        return await self._change(wanted, change)

    def _until(self, how_long: str) -> datetime:
        """ "20 minutes", "an hour", "tomorrow at 9"; nothing means the usual time."""
        said = clean_line(how_long, 100)
        if not said:
            return self.now + timedelta(minutes=self.settings.snooze_minutes)
        for phrase in (f"in {said}", said, f"in {said} minutes" if said.isdecimal() else ""):
            outcome = parse(phrase, self.options()) if phrase else NoTime(title="")
            if isinstance(outcome, Understood) and outcome.reading.kind != "recurrence" and not outcome.title.strip():
                return outcome.reading.due
        raise UiError(f"{said!r} is no time to snooze for.", 'For example: "20 minutes", "an hour", "tomorrow at 9".')

    async def edit(self, wanted: str, text: str, choice: int | None = None) -> Receipt | Question:
        """Other words, another time, or both; what is not said stays."""
        said = clean_line(text, MOST_LETTERS * 2)
        outcome = await asyncio.to_thread(parse, said, self.options())
        reading, words = None, said
        if not isinstance(outcome, NoTime):
            settled = self.settled(outcome)
            if isinstance(settled, Question) and choice is None:
                return settled
            reading = settled.reading if isinstance(settled, Understood) else chosen(settled, choice or 0)
            words = settled.title

        def change(one: Reminder, notices: Notices) -> Made:
            after = replace(one, text=clean_line(words, MOST_LETTERS) or one.text)
            if reading is not None:
                after = retimed(after, reading, self.now, self.here)
            made = Change(operation="edit", reminder=after, notices=_open(notices) if reading is not None else ())
            return made, f"Changed: {title(after)}, {comes(after, self.now, self.here)}"

        return await self._change(wanted, change)

    async def delete(self, wanted: str) -> Receipt:
        def change(one: Reminder, notices: Notices) -> Made:
            if one.state == "deleted":
                raise UiError(f"{title(one)!r} is deleted already.", "steward reminders undo brings the last one back.")
            return Change(operation="delete", reminder=deleted(one)), f"Deleted: {title(one)}"

        return await self._change(wanted, change)

    async def undo(self) -> Receipt:
        """Take back the last change."""
        entry = await self.store.entry()

        def change(one: Reminder, notices: Notices) -> Made:
            delivered = frozenset(each.occurrence for each in notices)
            after = restored(entry, one, self.now, self.here, delivered)
            ids = tuple(id for id, state in entry.notices if state in OPEN)
            made = Change(operation="undo", reminder=after, undoes=entry.id, notices=ids, notice_state="shown")
            state = "deleted" if after.state == "deleted" else comes(after, self.now, self.here)
            what = "" if entry.operation == "add" else f" ({entry.operation})"
            return made, f"Taken back{what}: {title(after)}, {state}"

        return await self._change(entry.reminder_id, change)

    async def _change(self, wanted: str, change: Callable[[Reminder, Notices], Made]) -> Receipt:
        """Again with what is there now, when it was changed at the same moment. Times are worked out in a thread."""
        for attempt in range(_TRIES):
            one = await self.store.find(wanted.strip())
            notices = await self.store.notices(one.id, limit=_MOST_NOTICES)
            made, words = await asyncio.to_thread(change, one, notices)
            try:
                await self.store.apply(made, at=self.now)
            except ChangeRefused:
                if attempt == _TRIES - 1:
                    raise
                continue
            self._changed()
            return Receipt(words=words, reminder=made.reminder, operation=made.operation)
        raise AssertionError("unreachable")


def _open(notices: Notices) -> tuple[NoticeId, ...]:
    return tuple(notice.id for notice in notices if notice.state in OPEN)


def chosen(question: Question, number: int) -> Reading:
    """`number` from 1. Raises UiError."""
    if not 1 <= number <= len(question.readings):
        raise UiError(f"There is no reading {number}.", f"Choose from 1 to {len(question.readings)}.")
    return question.readings[number - 1]
