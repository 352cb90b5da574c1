"""Looking without owning: a store beside another Steward that owns the home, or one that holds nothing."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from ui.acting_wiring import no_decisions
from ui.item_wiring import no_items
from ui.wiring import Options, no_preferences, no_reminders, resolve_home

if TYPE_CHECKING:
    from memory.decision_store import DecisionStore
    from memory.home_key import Key
    from memory.item_store import ItemStore
    from memory.preference_store import PreferenceStore
    from memory.reminder_store import ReminderStore
    from memory.sqlite_transcript import SqliteTranscript
    from memory.transcript_in_memory import InMemoryTranscript


class Closing(Protocol):
    async def close(self) -> None: ...


C = TypeVar("C", bound=Closing)


@asynccontextmanager
async def store_beside(
    options: Options, open_reading: Callable[[Path, "Key | None"], Awaitable[C | None]]
) -> AsyncIterator[C | None]:
    """None where nothing of it was ever kept, or this run keeps nothing. Raises StoreError."""
    store = None
    if not options.keeps_nothing:
        store = await open_reading(*await asyncio.to_thread(_kept, options))
    try:
        yield store
    finally:
        if store is not None:
            await store.close()


def _kept(options: Options) -> "tuple[Path, Key | None]":
    """Where the history is, and what opens it. Raises HomeLocked."""
    from memory.key_file import key_of

    home = resolve_home(options)
    return home.database, key_of(home)


@asynccontextmanager
async def reading(options: Options) -> AsyncIterator["SqliteTranscript | InMemoryTranscript"]:
    """The transcript, for reading only. Raises StoreError."""
    from memory.sqlite_transcript import SqliteTranscript

    transcript = await SqliteTranscript.open_reading(*await asyncio.to_thread(_kept, options))
    try:
        yield transcript
    finally:
        await transcript.close()


@asynccontextmanager
async def reading_reminders(options: Options) -> AsyncIterator["ReminderStore"]:
    """Reminders, for reading only. Raises StoreError."""
    from memory.sqlite_reminders import SqliteReminders

    async with store_beside(options, SqliteReminders.open_reading) as reminders:
        yield reminders or no_reminders()


@asynccontextmanager
async def reading_memory(options: Options) -> AsyncIterator["PreferenceStore"]:
    """What is remembered, for reading only. Raises StoreError."""
    from memory.sqlite_preferences import SqlitePreferences

    async with store_beside(options, SqlitePreferences.open_reading) as preferences:
        yield preferences or no_preferences()


@asynccontextmanager
async def reading_decisions(options: Options) -> AsyncIterator["DecisionStore"]:
    """Decisions, for reading only. Raises StoreError."""
    from memory.sqlite_decisions import SqliteDecisions

    async with store_beside(options, SqliteDecisions.open_reading) as decisions:
        yield decisions or no_decisions()


@asynccontextmanager
async def reading_items(options: Options) -> AsyncIterator["ItemStore"]:
    """Events, tasks and notes, for reading only. Raises StoreError."""
    from memory.sqlite_items import SqliteItems

    async with store_beside(options, SqliteItems.open_reading) as items:
        yield items or no_items()
