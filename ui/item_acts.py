"""What a user does with events, tasks and notes: the same for the command line, line mode and the screens."""

import asyncio
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from assistant.calendar.book import CalendarBook, ImportReport
from assistant.errors import FileUnreadable
from assistant.files import MOST_CALENDAR_BYTES, read_bytes
from assistant.note_book import NoteBook
from assistant.policies.cleaning import clean_line
from assistant.policies.event_time import event_time
from assistant.policies.occurrences import Happening, day_span
from assistant.policies.reminding import reading_options
from assistant.policies.when.parse import parse
from assistant.policies.when.types import NoTime, Options, Reading, Understood
from assistant.policies.when.zones import resolve, to_local
from assistant.receipts import ItemReceipt
from assistant.reminder_settings import ReminderSettings
from assistant.task_list import TaskList
from ui.errors import UiError
from ui.reminder_acts import Question, chosen, settled

EVENT_EXAMPLE = 'For example: steward calendar add "dentist on Friday at 10 for an hour"'
TASK_EXAMPLE = 'For example: steward tasks add "renew the passport by Friday"'
USUAL_DAYS = 14
MOST_DAYS = 3_700


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    first: datetime
    last: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemHands:
    """The three books of one user, and how this user's phrases about time are read. Raises UiError, StoreError."""

    calendar: CalendarBook
    tasks: TaskList
    notes: NoteBook
    settings: ReminderSettings

    @property
    def here(self) -> str:
        return self.calendar.here

    @property
    def now(self) -> datetime:
        return self.calendar.now

    def options(self) -> Options:
        return reading_options(self.settings, self.now, self.here)

    # the calendar

    async def read_event(self, text: str) -> Understood | Question:
        outcome = await asyncio.to_thread(event_time, clean_line(text, 1_000), self.options())
        read = settled(outcome, self.now, f"Say the day itself. {EVENT_EXAMPLE}")
        if isinstance(read, NoTime):
            raise UiError("When? There is no time in that.", EVENT_EXAMPLE)
        return read

    async def add_event(self, read: Understood | Question, number: int = 0, place: str = "") -> ItemReceipt:
        reading: Reading = read.reading if isinstance(read, Understood) else chosen(read, number)
        event, assumed = self.calendar.event_of(reading, read.title, place=place)
        return await self.calendar.add(event, assumed)

    async def import_events(self, path: str) -> ImportReport:
        name = path.rpartition("/")[2]
        try:
            content = await asyncio.to_thread(read_bytes, path, MOST_CALENDAR_BYTES)
        except FileUnreadable as error:
            raise UiError(
                f"{clean_line(path, 200)} was not imported: {error.message}.", "Nothing was changed."
            ) from error
        return await self.calendar.import_file(content, name)

    async def span(self, since: str = "", until: str = "") -> Span:
        """Whole days: from today for two weeks, unless `since` or `until` say otherwise."""
        first = await self._day(since) if since else to_local(self.now, self.here).date()
        last = await self._day(until) if until else first + timedelta(days=USUAL_DAYS - 1)
        if not 0 <= (last - first).days <= MOST_DAYS:
            raise UiError(
                "That span ends before it begins, or lasts more than ten years.", "--from 2026-12-01 --to 2026-12-31"
            )
        midnight = datetime.combine(first, datetime.min.time())
        begins, _ = day_span(resolve(midnight, self.here), 1, self.here)
        ends = resolve(datetime.combine(last, datetime.min.time()) + timedelta(days=1), self.here)
        return Span(first=begins, last=ends - timedelta(seconds=1))

    async def happenings(self, span: Span) -> tuple[Happening, ...]:
        return await self.calendar.between(span.first, span.last)

    async def _day(self, text: str) -> date:
        """ "2026-12-01", "Friday", "tomorrow"."""
        said = clean_line(text, 60)
        try:
            return date.fromisoformat(said)
        except ValueError:
            pass
        outcome = await asyncio.to_thread(event_time, said, self.options())
        if isinstance(outcome, Understood) and not outcome.title.strip():
            return to_local(outcome.reading.due, self.here).date()
        raise UiError(f"{said!r} is no day.", 'For example: 2026-12-01, "Friday", "tomorrow".')

    # tasks

    async def read_task(self, text: str) -> Understood | Question | NoTime:
        outcome = await asyncio.to_thread(parse, clean_line(text, 1_000), self.options())
        if isinstance(outcome, Understood) and outcome.reading.kind == "recurrence":
            raise UiError(
                "A task is done once.", "For what comes again and again: steward remind, or steward calendar add."
            )
        return settled(outcome, self.now, f"Say the day itself. {TASK_EXAMPLE}")

    async def add_task(
        self, text: str, read: Understood | Question | NoTime, number: int = 0, project: str = ""
    ) -> ItemReceipt:
        """A title that would be nothing is the text itself."""
        if isinstance(read, NoTime):
            return await self.tasks.add(text, project=project)
        reading = read.reading if isinstance(read, Understood) else chosen(read, number)
        due = to_local(reading.due, reading.zone).date()
        return await self.tasks.add(read.title or text, due=due, project=project)

    async def edit_task(self, wanted: str, text: str, project: str | None = None) -> ItemReceipt:
        """Other words, another day, or both; "no day" takes the day away."""
        if text.strip().lower() in ("no day", "some day", "no date"):
            return await self.tasks.edit(wanted, no_due=True, project=project)
        read = await self.read_task(text) if text.strip() else NoTime(title="")
        if isinstance(read, Question):
            raise UiError(read.text, "Say the day in other words, such as 2026-12-04.")
        if isinstance(read, NoTime):
            return await self.tasks.edit(wanted, what=text, project=project)
        due = to_local(read.reading.due, read.reading.zone).date()
        return await self.tasks.edit(wanted, what=read.title, due=due, project=project)


def utc_text(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
