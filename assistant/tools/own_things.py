"""Which of the user's own reminders, events, tasks and notes a wish names, each with its name and its words."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Final, Literal, assert_never, cast

from assistant.calendar.book import CalendarBook
from assistant.calendar.words import event_words, titled
from assistant.policies.asking.clearing import Clearing, Kind
from assistant.policies.cleaning import clean_line
from assistant.policies.when.describe import day_in_words, moment_in_words
from assistant.policies.when.parse import parse
from assistant.policies.when.types import Options, Understood
from assistant.policies.when.zones import resolve, to_local
from assistant.receipts import named
from assistant.task_list import task_words
from assistant.tools.types import CallContext
from memory.item_store import ItemStore
from memory.items import Event, Item, Note, Task
from memory.reminder_store import ReminderStore
from memory.reminders import Reminder, ReminderId
from memory.words import stems_of

MOST: Final = 500
_AHEAD: Final = timedelta(days=400)
_WEEK: Final = re.compile(r"^(?P<which>this|next|coming|the|all) week$", re.IGNORECASE)
_CALLED: Final = frozenset({"appointment", "meeting", "event", "reminder", "task", "note"})
_NAME: Final = re.compile(r"(reminder|event|task|note):([^\s:@,]+)(?:@([\dT:-]+))?")

Days = tuple[date, date]  # the first and the last


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """ "task:id"; with "@" and its start in its own zone where one event of a series is meant."""

    kind: Kind
    id: str
    at: datetime | None = None

    def __str__(self) -> str:
        at = f"@{self.at:%Y-%m-%dT%H:%M:%S}" if self.at is not None else ""
        return f"{self.kind}:{self.id}{at}"


def names_in(text: str) -> tuple[Name, ...]:
    """Of names with commas; () where the text is anything else."""
    found: list[Name] = []
    for part in filter(None, (one.strip() for one in text.split(","))):
        match = _NAME.fullmatch(part)
        if match is None:
            return ()
        at = datetime.fromisoformat(match[3]) if match[3] else None
        found.append(Name(kind=cast(Kind, match[1]), id=match[2], at=at))
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """`state`: must still be so when something is done to it. `series`: it comes again and again."""

    name: Name
    title: str
    words: str
    state: str
    text: str  # all of it, for matching
    series: bool = False


class OwnThings:
    """Raises StoreError."""

    def __init__(self, store: ItemStore, reminders: ReminderStore, context: CallContext) -> None:
        self._store = store
        self._reminders = reminders
        self._now = context.now
        self._zone = context.zone

    async def meant(self, wanted: Clearing) -> tuple[tuple[Thing, ...], tuple[Thing, ...]]:
        """What fits, and what fits but comes again where one day of it was named."""
        days = days_in(wanted.day, self._now, self._zone) if wanted.day else None
        found: list[Thing] = []
        for kind in wanted.kinds:
            found += await self._of_kind(kind, wanted, days)
        fitting = [one for one in found if _fits(wanted, one.text)]
        again = tuple(one for one in fitting if days is not None and one.series)
        return _best(wanted, [one for one in fitting if one not in again]), again

    async def named(self, name: Name) -> Thing | None:
        """None: it is gone already."""
        if name.kind == "reminder":
            reminder = await self._reminders.reminder(ReminderId(name.id))
            return self._reminder(reminder) if reminder.state == "active" else None
        item = await self._store.find(name.kind, name.id)
        if item.state != "active":
            return None
        thing = self._item(item)
        if name.at is None:
            return thing
        return _only(thing, name.at)

    async def _of_kind(self, kind: Kind, wanted: Clearing, days: Days | None) -> list[Thing]:
        match kind:
            case "reminder":
                reminders = await self._reminders.list(limit=MOST)
                return [self._reminder(one) for one in reminders if _on(self._day(one.next_at), days)]
            case "task":
                tasks = await self._store.tasks(limit=MOST)
                return [self._item(one) for one in tasks if _on(one.due, days)]
            case "note":
                notes = await self._store.notes(limit=MOST)
                return [self._item(one) for one in notes if _on(self._day(one.created_at), days)]
            case "event":
                return list(await self._events(days))
            case _:
                assert_never(kind)

    async def _events(self, days: Days | None) -> Iterable[Thing]:
        """Those to come; where days were named, of a series only what takes place then."""
        book = CalendarBook(self._store, _At(self._now), self._zone)
        first, last = self._now, self._now + _AHEAD
        if days is not None:
            first, last = self._midnight(days[0]), self._midnight(days[1] + timedelta(days=1))
        found: dict[str, Thing] = {}
        for one in await book.between(first, last - timedelta(seconds=1)):
            event = one.event
            thing = self._item(event)
            if days is not None and event.rule:
                at = to_local(one.starts, event.zone or self._zone).replace(tzinfo=None)
                thing = _only(thing, at)
            found.setdefault(str(thing.name), thing)
        return found.values()

    def _midnight(self, day: date) -> datetime:
        return resolve(datetime.combine(day, datetime.min.time()), self._zone)

    def _day(self, at: datetime | None) -> date | None:
        return None if at is None else to_local(at, self._zone).date()

    def _reminder(self, reminder: Reminder) -> Thing:
        words = clean_line(reminder.text, 160)
        if reminder.next_at is not None:
            words += f", {moment_in_words(reminder.next_at, self._zone)}"
        series = bool(reminder.rule)
        return Thing(
            name=Name(kind="reminder", id=reminder.id),
            title=clean_line(reminder.text, 80),
            words=f"{words}, again and again" if series else words,
            state=reminder.text,
            text=reminder.text,
            series=series,
        )

    def _item(self, item: Item) -> Thing:
        kind: Literal["event", "task", "note"]
        match item:
            case Event():
                kind, words = "event", event_words(item, self._zone, self._now)
                text, series = f"{item.title} {item.place} {item.text}", bool(item.rule)
            case Task():
                kind, words, series = "task", task_words(item, to_local(self._now, self._zone).date()), False
                text = f"{item.title} {item.project} {item.text}"
            case Note():
                kind, words, text, series = "note", named(item), f"{item.title} {item.text}", False
            case _:
                assert_never(item)
        state = f"revision {item.revision}"
        name, title = Name(kind=kind, id=item.id), titled(item) if isinstance(item, Event) else named(item, 80)
        return Thing(name=name, title=title, words=words, state=state, text=text, series=series)


def _only(thing: Thing, at: datetime) -> Thing:
    """One of a series."""
    words = f"{thing.title}, {day_in_words(at.date())} {at:%H:%M} (this time only)"
    return replace(thing, name=replace(thing.name, at=at), words=words, series=False)


class _At:
    """One moment, as a clock."""

    def __init__(self, at: datetime) -> None:
        self._moment = at

    def now(self) -> datetime:
        return self._moment


def days_in(words: str, now: datetime, zone: str) -> Days | None:
    """None where the words say anything but a day or a week."""
    said = re.sub(r"^(?:on|for) ", "", " ".join(words.split()).rstrip(" ?!."), flags=re.IGNORECASE)
    today = to_local(now, zone).date()
    if week := _WEEK.match(said):
        next_monday = today + timedelta(days=7 - today.weekday())
        if week["which"].lower() == "next":
            return next_monday, next_monday + timedelta(days=6)
        return today, next_monday - timedelta(days=1)
    if said.lower() in ("today", "tonight"):
        return today, today
    outcome = parse(said, Options(now=now, zone=zone, next_weekday="coming"))
    if not isinstance(outcome, Understood) or outcome.title.strip() or outcome.reading.kind == "recurrence":
        return None
    day = to_local(outcome.reading.due, zone).date()
    return day, day


def _fits(wanted: Clearing, text: str) -> bool:
    """Half of the words that tell things apart."""
    asked = stems_of(wanted.about) - _CALLED
    return not asked or 2 * len(asked & stems_of(text)) >= len(asked)


def _best(wanted: Clearing, things: Sequence[Thing]) -> tuple[Thing, ...]:
    """Those that have all the words, where some have."""
    asked = stems_of(wanted.about) - _CALLED
    return tuple([one for one in things if asked <= stems_of(one.text)] or things)


def _on(day: date | None, days: Days | None) -> bool:
    return days is None or (day is not None and days[0] <= day <= days[1])
