"""Reminders in line mode: what is due comes as a line of its own, and the acts of `steward reminders` as commands."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from memory.reminders import Due, Reminder
from ui.errors import UiError
from ui.item_wiring import calendar_of
from ui.local_zone import local_zone
from ui.looked import missed, reminders_looked_at
from ui.reminder_acts import Question, Receipt, ReminderActs, chosen
from ui.reminder_lines import agenda
from ui.reminder_questions import remember_answer
from ui.reminder_words import away_words, due_words, open_words, zone_words
from ui.reminding import scheduler_of

if TYPE_CHECKING:
    from assistant.scheduler import Scheduler
    from ui.plain import PlainChat

REMINDER = "reminder: "
MOST = 200


class PlainReminders:
    """Says what is due, and does what is asked."""

    def __init__(self, chat: "PlainChat") -> None:
        self._chat = chat
        self._settings = chat.desk.configuration.reminders
        self._scheduler: Scheduler | None = None
        self.listed: tuple[str, ...] = ()  # ids in the order they were last shown

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Ticks meanwhile; what waits from before is said first."""
        services = self._chat.desk.services
        waiting = await services.reminders.open_notices()
        away = missed(waiting, await reminders_looked_at(services))
        if waiting:
            here, now = await asyncio.to_thread(local_zone), services.clock.now()
            words = away_words if away else open_words
            self._chat.announce(REMINDER + await asyncio.to_thread(words, away or waiting, here, now))
            self.listed = tuple(due.reminder.id for due in away or waiting)
        async with scheduler_of(services, self).running() as self._scheduler:
            yield

    async def due(self, dues: tuple[Due, ...]) -> bool:
        here, now = await asyncio.to_thread(local_zone), self._chat.desk.clock.now()
        for due in dues:
            words = await asyncio.to_thread(due_words, due, here, now)
            self._chat.announce(f"{REMINDER}{words}. /done or /snooze")
        self.listed = (dues[-1].reminder.id,)
        return True

    async def zone_changed(self, before: str, after: str, moved: int) -> None:
        self._chat.announce(REMINDER + zone_words(before, after, moved))

    async def acts(self) -> ReminderActs:
        services = self._chat.desk.services
        here = await asyncio.to_thread(local_zone)
        calendar = calendar_of(services, here)
        return ReminderActs(services.reminders, services.clock, self._settings, here, self._wake, calendar)

    def _wake(self) -> None:
        if self._scheduler is not None:
            self._scheduler.wake()

    async def list(self) -> None:
        store, acts = self._chat.desk.services.reminders, await self.acts()
        found, waiting = await store.list(limit=MOST), await store.open_notices(limit=MOST)
        parts = await asyncio.to_thread(agenda, found, waiting, acts.here, acts.now)
        numbered: list[Reminder] = []
        for part in parts:
            self._chat.line(f"{part.name}:")
            for row in part.rows:
                numbered.append(row.reminder)
                self._chat.line(f"{len(numbered)}. {row.words}")
        self.listed = tuple(one.id for one in numbered)
        if not numbered:
            self._chat.status("no reminders. /remind call mum on Sunday at 6pm")

    async def which(self, wanted: str) -> str:
        """The id that a number of the last list, an id, or nothing (what came last) means. Raises UiError."""
        if wanted.isdecimal() and len(wanted) < 5:
            if not 1 <= int(wanted) <= len(self.listed):
                raise UiError(f"There is no reminder {wanted} in the last list.", "/reminders shows them.")
            return self.listed[int(wanted) - 1]
        if wanted:
            return wanted
        waiting = await self._chat.desk.services.reminders.open_notices(limit=1)
        if not waiting:
            raise UiError("No reminder waits for you.", "/reminders shows those that come.")
        return waiting[0].reminder.id

    async def asked(self, question: Question) -> int:
        """The number of the reading. Raises UiError when none is chosen."""
        number = await self._chat.choose(question.text, question.words)
        if number is None:
            raise UiError("Nothing was changed.", "Say it in other words.")
        options = self._chat.desk.options
        self._settings, said = await asyncio.to_thread(remember_answer, options, self._settings, question, number + 1)
        if said:
            self._chat.status(said)
        return number + 1


async def remind(chat: "PlainChat", text: str) -> None:
    if chat.desk.conversation.incognito:
        raise UiError("Nothing is kept in an incognito conversation.", "/new begins one that is.")
    acts = await chat.reminders.acts()
    read = await acts.read(text)
    if isinstance(read, Question):
        receipt = await acts.add(chosen(read, await chat.reminders.asked(read)), read.title)
    else:
        receipt = await acts.add(read.reading, read.title)
    chat.status(f"{receipt.words} (/reminders undo takes it back)")


async def reminders(chat: "PlainChat", argument: str) -> None:
    """/reminders alone lists; its first word may be one of the acts."""
    first, _, rest = argument.partition(" ")
    act = _ACTS.get(first.lower())
    if not argument:
        await chat.reminders.list()
    elif act is None:
        raise UiError(f"/reminders knows no {first!r}.", f"It takes nothing, or: {', '.join(_ACTS)}.")
    else:
        _say(chat, await act(chat, rest.strip()))


async def done(chat: "PlainChat", wanted: str) -> None:
    _say(chat, await _done(chat, wanted))


async def snooze(chat: "PlainChat", argument: str) -> None:
    """What came last, for a time; or NUMBER first."""
    _say(chat, await _snooze(chat, argument))


def _say(chat: "PlainChat", receipt: Receipt) -> None:
    back = "" if receipt.operation == "undo" else " (/reminders undo takes it back)"
    chat.status(f"{receipt.words}{back}")


async def _done(chat: "PlainChat", wanted: str) -> Receipt:
    return await (await chat.reminders.acts()).done(await chat.reminders.which(wanted))


async def _snooze(chat: "PlainChat", argument: str) -> Receipt:
    first, _, rest = argument.partition(" ")
    named = first.startswith("#") and first[1:].isdecimal()
    wanted = await chat.reminders.which(first.removeprefix("#") if named else "")
    return await (await chat.reminders.acts()).snooze(wanted, rest.strip() if named else argument)


async def _delete(chat: "PlainChat", wanted: str) -> Receipt:
    if not wanted:
        raise UiError("Which one?", "/reminders delete NUMBER, of the last list.")
    return await (await chat.reminders.acts()).delete(await chat.reminders.which(wanted))


async def _edit(chat: "PlainChat", argument: str) -> Receipt:
    wanted, _, text = argument.partition(" ")
    if not text.strip():
        raise UiError("Say which and what.", "/reminders edit 2 tomorrow at 9")
    acts, id = await chat.reminders.acts(), await chat.reminders.which(wanted)
    outcome = await acts.edit(id, text)
    if isinstance(outcome, Question):
        outcome = await acts.edit(id, text, await chat.reminders.asked(outcome))
    assert isinstance(outcome, Receipt)
    return outcome


async def _undo(chat: "PlainChat", _: str) -> Receipt:
    return await (await chat.reminders.acts()).undo()


_ACTS: dict[str, Callable[["PlainChat", str], Awaitable[Receipt]]] = {
    "done": _done,
    "snooze": _snooze,
    "edit": _edit,
    "delete": _delete,
    "undo": _undo,
}

COMMANDS: tuple[tuple[str, str, str, Callable[["PlainChat", str], Awaitable[None]]], ...] = (
    ("remind", "TEXT", "a reminder, at a time in your own words", remind),
    ("reminders", "[ACT [NUMBER]]", "what waits, today, later; ACT: done, snooze, edit, delete, undo", reminders),
    ("done", "[NUMBER]", "the reminder that came last is done, or that one", done),
    ("snooze", "[#NUMBER] [FOR]", "the reminder that came last again later: an hour, tomorrow at 9", snooze),
)
