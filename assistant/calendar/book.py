"""The user's calendar: what is in it, adding from a reading of words, import and export of files.

Everything is one transaction, with undo. Titles that came from a file are somebody else's text: quoted, cut, cleaned.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, assert_never

from assistant.calendar.words import event_words, short_words
from assistant.confined.parent import read_confined
from assistant.errors import FileUnreadable
from assistant.policies.cleaning import clean, clean_line
from assistant.policies.occurrences import Happening, conflicts, happenings, naive_span, next_of, shown_of
from assistant.policies.when.types import DateOnly, Instant, Reading, Recurrence, WallTime
from assistant.policies.when.zones import to_local
from assistant.receipts import ItemActs, ItemReceipt, new_id
from memory.errors import NotFound
from memory.items import Event, Item, ItemId

USUAL_LENGTH = timedelta(hours=1)
MOST_LETTERS = 300
MOST_CONFLICTS = 3
_FAR_PAST, _FAR_FUTURE = datetime(1800, 1, 1), datetime(2400, 1, 1)  # noqa: DTZ001  wall times


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """`receipt`: None where nothing was new. `problems`: what could not be read, named."""

    new: int
    changed: int
    same: int
    left_out: int
    problems: tuple[str, ...]
    receipt: ItemReceipt | None


class CalendarBook(ItemActs):
    kind = "event"

    async def between(self, first: datetime, last: datetime) -> tuple[Happening, ...]:
        """What takes place between two aware moments."""
        return happenings(await self.store.events(*naive_span(first, last)), first, last, self.here)

    async def every(self) -> tuple[Event, ...]:
        return await self.store.events(_FAR_PAST, _FAR_FUTURE)

    async def next_of(self, event: Event) -> Happening | None:
        return next_of(event, self.now, self.here, await self._series(event))

    async def _series(self, event: Event) -> tuple[Event, ...]:
        return await self.store.by_uid([event.uid]) if event.uid else ()

    def event_of(
        self, reading: Reading, what: str, *, lasts: timedelta | None = None, place: str = ""
    ) -> tuple[Event, tuple[str, ...]]:
        """The event as it would be, and what was assumed. Raises NotFound for a title of nothing."""
        title, whole_day = _title(what)
        if not title:
            raise NotFound("What is the event called?", 'For example: "dentist on Friday at 10 for an hour".')
        said = lasts if lasts is not None else reading.lasts
        assumed = [] if said is not None else ["it lasts an hour"]
        zone, starts, rule, all_day = self._when(reading)
        if whole_day and not all_day:
            all_day, starts = True, datetime.combine(starts.date(), datetime.min.time())
        if all_day:
            said, assumed, zone = max(said or timedelta(days=1), timedelta(days=1)), [], ""
        event = Event(
            id=ItemId(new_id()),
            title=title,
            starts=starts,
            ends=starts + (said if said is not None else USUAL_LENGTH),
            zone=zone,
            all_day=all_day,
            rule=rule,
            place=clean_line(place, MOST_LETTERS),
            created_at=self.now,
        )
        if reading.assumed and not all_day:
            assumed.insert(0, clean_line(reading.assumed, 200))
        return event, tuple(assumed)

    def _when(self, reading: Reading) -> tuple[str, datetime, str, bool]:
        match reading.value:
            case Instant(at=at):
                return self.here, to_local(at, self.here).replace(second=0, microsecond=0), "", False
            case WallTime(local=local, zone=zone):
                return zone, local, "", False
            case DateOnly(on=on):
                return "", datetime.combine(on, datetime.min.time()), "", True
            case Recurrence(start=start, rule=rule):
                return start.zone, start.local, rule, False
            case _:
                assert_never(reading.value)

    async def clashes(self, event: Event) -> tuple[Happening, ...]:
        """What is at the same time as its next occurrence, or its first."""
        one = shown_of(event, self.now, self.here)
        if one is None:
            return ()
        beside = await self.between(one.starts, one.ends)
        return conflicts(one, beside)

    async def add(self, event: Event, assumed: Sequence[str] = (), *, request: str = "") -> ItemReceipt:
        """Kept whatever else is at that time; what is, is said."""
        clashing = await self.clashes(event)
        notes = [f"Assumed: {'; '.join(assumed)}."] if assumed else []
        notes += [f"At the same time: {short_words(one, self.here, self.now)}." for one in clashing[:MOST_CONFLICTS]]
        if len(clashing) > MOST_CONFLICTS:
            notes.append(f"And {len(clashing) - MOST_CONFLICTS} more at that time.")
        words = f"In the calendar: {event_words(event, self.here, self.now)}"
        return await self.keep("add", (event,), words, notes=tuple(notes), request=request)

    async def import_file(self, content: bytes, name: str) -> ImportReport:
        """Take over what is new or changed; what is there stays, whatever the file leaves out.
        Raises FileUnreadable."""
        try:
            read = await read_confined("ics", content)
        except FileUnreadable as error:
            raise FileUnreadable(f"{clean_line(name, 100)} was not imported: {error.message}.", _ICS_HINT) from error
        wanted = [_event(values, clean_line(name, 100), self.now) for values in read["events"]]
        there = {(one.uid, one.recurrence): one for one in await self.store.by_uid([one.uid for one in wanted])}
        new: list[Item] = []
        changed: list[Item] = []
        for event in wanted:
            old = there.get((event.uid, event.recurrence))
            if old is None:
                new.append(event)
                continue
            after = replace(event, id=old.id, created_at=old.created_at, revision=old.revision)
            if replace(after, source=old.source) != old:
                (new if old.state == "deleted" else changed).append(after)
        receipt = None
        if new or changed:
            words = f"{_many(len(new) + len(changed), 'event')} of {clean_line(name, 100)}"
            receipt = await self.keep("import", (*new, *changed), words)
        return ImportReport(
            new=len(new),
            changed=len(changed),
            same=len(wanted) - len(new) - len(changed),
            left_out=int(read["left_out"]),
            problems=tuple(clean_line(str(one), 300) for one in read["problems"]),
            receipt=receipt,
        )


_ICS_HINT = "Nothing was changed. Export the calendar again as a .ics file."


def _title(what: str) -> tuple[str, bool]:
    title = clean_line(what, MOST_LETTERS)
    for phrase in (" all day", " the whole day", " all-day"):
        if title.lower().endswith(phrase):
            return title[: -len(phrase)].rstrip(" ,;:-"), True
    return title, False


def _event(values: dict[str, Any], source: str, now: datetime) -> Event:
    def moments(name: str) -> tuple[datetime, ...]:
        return tuple(datetime.fromisoformat(at) for at in values[name])

    recurrence = values["recurrence"]
    return Event(
        id=ItemId(new_id()),
        title=str(values["title"]),
        starts=datetime.fromisoformat(values["starts"]),
        ends=datetime.fromisoformat(values["ends"]),
        zone=str(values["zone"]),
        all_day=bool(values["all_day"]),
        rule=str(values["rule"]),
        excluded=moments("excluded"),
        added=moments("added"),
        uid=str(values["uid"]),
        recurrence=None if recurrence is None else datetime.fromisoformat(recurrence),
        place=str(values["place"]),
        text=clean(str(values["text"])),
        cancelled=bool(values["cancelled"]),
        source=source,
        created_at=now,
    )


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
