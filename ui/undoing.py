"""/undo: takes back whichever was last, something that was remembered, done, or changed by a command."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from assistant.policies.cleaning import clean_line
from assistant.reports import CouldNot
from memory.changes import EntryId, HistoryEntry
from memory.errors import NotFound
from ui.acting_words import report_words
from ui.errors import UiError
from ui.memory_acts import MemoryActs

if TYPE_CHECKING:
    from assistant.receipts import ItemActs
    from memory.effects import EffectRecord
    from ui.deciding import Deciding
    from ui.wiring import Services

_LOOKED_THROUGH = 50  # changes of memory


@dataclass(frozen=True, slots=True, kw_only=True)
class _Last:
    at: datetime
    take_back: Callable[[], Awaitable[str]]  # in words, what was taken back


async def undo_last(acts: MemoryActs, deciding: "Deciding") -> str:
    """In words, what was taken back. Raises UiError, StoreError."""
    services = deciding.services
    found = [await _deed(services, deciding), await _memory(acts), await _reminder(services), *await _items(services)]
    there = [one for one in found if one is not None]
    if not there:
        raise UiError("There is nothing to take back.", "/decisions and /memory show what there is.")
    return await max(there, key=lambda one: one.at).take_back()  # a deed stands before what it wrote


async def _deed(services: "Services", deciding: "Deciding") -> _Last | None:
    deeds = await services.decisions.effects()
    deed = next((one for one in deeds if one.state == "done" and one.undo_token), None)
    if deed is None:
        return None
    return _Last(at=deed.finished_at or deed.started_at, take_back=lambda: _undo_deed(deed, deciding))


async def _undo_deed(deed: "EffectRecord", deciding: "Deciding") -> str:
    plan = await deciding.plan_of(deed.key)
    report = await (deciding.undo(deed.key) if plan is None else deciding.undo_plan(plan.id))
    if isinstance(report, CouldNot):
        raise UiError(report.message, report.hint)
    return report_words(report)


async def _memory(acts: MemoryActs) -> _Last | None:
    entry = await _last_change(acts)
    if entry is None:
        return None
    id = entry.id

    async def take_back() -> str:
        return (await acts.undo(id)).words

    return _Last(at=entry.at, take_back=take_back)


async def _reminder(services: "Services") -> _Last | None:
    """What was asked for in so many words, or done on F10 and by /reminders."""
    try:
        entry = await services.reminders.entry()
    except NotFound:
        return None

    async def take_back() -> str:
        from ui.local_zone import local_zone
        from ui.reminder_acts import ReminderActs

        here = await asyncio.to_thread(local_zone)
        acts = ReminderActs(services.reminders, services.clock, services.configuration.reminders, here)
        return (await acts.undo()).words

    return _Last(at=entry.at, take_back=take_back)


async def _items(services: "Services") -> list[_Last]:
    """Events, tasks, notes: what the commands and screens changed."""
    from ui.item_commands import hands_of
    from ui.local_zone import local_zone

    hands = hands_of(services, await asyncio.to_thread(local_zone))
    return [last for acts in (hands.calendar, hands.tasks, hands.notes) if (last := await _item(acts)) is not None]


async def _item(acts: "ItemActs") -> _Last | None:
    try:
        entry = await acts.store.entry(acts.kind)
    except NotFound:
        return None

    async def take_back() -> str:
        return (await acts.undo(entry.id)).words

    return _Last(at=entry.at, take_back=take_back)


async def undo_change(acts: MemoryActs, number: str) -> str:
    """A change of memory by its number. Raises UiError, StoreError."""
    if not number.isdecimal():
        raise UiError(f"{clean_line(number, 20)} is no number of a change.", "/memory history numbers them.")
    return (await acts.undo(EntryId(int(number)))).words


async def _last_change(acts: MemoryActs) -> HistoryEntry | None:
    """The newest change by the user's hand or words that still stands."""
    for entry in await acts.store.history(limit=_LOOKED_THROUGH):
        theirs = entry.operation != "undo" and entry.actor in ("user", "rules")
        if theirs and entry.undoable and not entry.undone:
            return entry
    return None
