"""Suggestions of this home, wired: the store for whoever owns it, the engine over it, and the engine for looking beside
an owner."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from assistant.later import later

if TYPE_CHECKING:
    from assistant.policies.when.types import Options as DateOptions
    from assistant.proactive import ProactiveEngine
    from assistant.proactive_drafting import Drafter
    from memory.database import Database
    from memory.suggestion_store import SuggestionStore
    from memory.typed_messages import TypedMessages
    from memory.types import Message, MessageId
    from ui.configuration import Configuration
    from ui.suggestion_acts import SuggestionActs
    from ui.wiring import Options, Services


def no_suggestions() -> "SuggestionStore":
    """Suggestions that end with the process."""
    from memory.suggestions_in_memory import InMemorySuggestions

    return InMemorySuggestions()


def nothing_typed() -> "TypedMessages":
    """Of a run that keeps nothing."""
    return NothingTyped()


class NothingTyped:
    """Implements memory.typed_messages.TypedMessages."""

    async def after(self, id: "MessageId", *, limit: int = 200) -> "tuple[Message, ...]":
        return ()

    async def newest(self) -> "MessageId":
        from memory.types import MessageId

        return MessageId(0)


def kept_suggestions(database: "Database") -> "SuggestionStore":
    def make() -> "SuggestionStore":
        from memory.sqlite_suggestions import SqliteSuggestions

        return SqliteSuggestions(database)

    return later(make)


def kept_typed(database: "Database") -> "TypedMessages":
    def make() -> "TypedMessages":
        from memory.sqlite_typed_messages import SqliteTypedMessages

        return SqliteTypedMessages(database)

    return later(make)


def engine_of(services: "Services", drafter: "Drafter | None" = None) -> "ProactiveEngine":
    """The engine of whoever owns the home. `drafter` None: templates. Reads files."""
    from assistant.proactive import ProactiveEngine
    from assistant.proactive_facts import StoreLookout
    from ui.local_zone import local_zone

    lookout = StoreLookout(
        services.typed,
        reminders=services.reminders,
        preferences=services.preferences,
        items=services.items,
        options=_date_options(services.configuration),
    )
    return ProactiveEngine(services.suggestions, lookout, local_zone, drafter)


def acts_of(services: "Services", engine: "ProactiveEngine | None" = None) -> "SuggestionActs":
    """What a user does with suggestions, in a run that owns the home. Reads files."""
    from ui.local_zone import local_zone
    from ui.suggestion_acts import SuggestionActs

    return SuggestionActs(
        engine or engine_of(services),
        services.suggestions,
        services.clock,
        local_zone(),
        _date_options(services.configuration),
    )


def _date_options(configuration: "Configuration") -> "DateOptions":
    from assistant.policies.reminding import reading_options
    from ui.local_zone import local_zone
    from ui.wiring import SystemClock

    return reading_options(configuration.reminders, SystemClock().now(), local_zone())


@asynccontextmanager
async def reading_acts(options: "Options") -> AsyncIterator["SuggestionActs"]:
    """For looking only, also while another Steward owns the home. Raises StoreError, ConfigError."""
    import asyncio

    from memory.database import Database, has_tables
    from memory.key_file import key_of
    from ui.wiring import resolve_home

    home = await asyncio.to_thread(resolve_home, options)
    database = None
    if not options.keeps_nothing:
        key = await asyncio.to_thread(key_of, home)
        database = await Database.open_read_only(home.database, knows=has_tables("suggestion"), key=key)
    try:
        yield await asyncio.to_thread(_acts_over, options, database)
    finally:
        if database is not None:
            await database.close()


def _acts_over(options: "Options", database: "Database | None") -> "SuggestionActs":
    """Over a database that is open for reading; None: over nothing."""
    from ui.wiring import Services, SystemClock, in_memory, load_configuration, resolve_home

    home = resolve_home(options)
    bare = Services(
        options=options,
        home=home,
        configuration=load_configuration(home),
        transcript=in_memory(),
        clock=SystemClock(),
    )
    return acts_of(bare if database is None else _with_stores(bare, database))


def _with_stores(services: "Services", database: "Database") -> "Services":
    from dataclasses import replace

    from ui.item_wiring import kept_items
    from ui.wiring import kept_preferences, kept_reminders

    return replace(
        services,
        suggestions=kept_suggestions(database),
        typed=kept_typed(database),
        reminders=kept_reminders(database),
        preferences=kept_preferences(database),
        items=kept_items(database),
    )


@asynccontextmanager
async def owning_acts(options: "Options") -> AsyncIterator["tuple[SuggestionActs, Services]"]:
    """For changing: the home is owned; a daemon that has it does it instead. Raises HomeInUse, StoreError,
    ConfigError."""
    import asyncio

    from ui.handover import SUGGESTIONS
    from ui.wiring import owned

    async with owned(options, SUGGESTIONS) as services:
        yield await asyncio.to_thread(acts_of, services), services
