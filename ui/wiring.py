"""The composition root: the only place where implementations are chosen for the assistant's Protocols.

Everything heavy is imported inside the function that needs it, so that `steward --help` stays quick.
"""

import os
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from assistant.later import later
from ui.acting_wiring import kept_decisions, new_run, no_decisions, plan_watch
from ui.item_wiring import erase_deleted, kept_documents, kept_items, no_documents, no_items
from ui.suggestion_wiring import kept_suggestions, kept_typed, no_suggestions, nothing_typed
from ui.unlocking import Unlocked

if TYPE_CHECKING:
    from assistant.deps import Prompts
    from assistant.learning_switch import LearningSwitch
    from assistant.policies.language import Language
    from assistant.ports import ChatModel, Clock, LearningQueue, Recall, Transcript
    from assistant.session import Session
    from assistant.tools.mcp.asked_back import AskedBack
    from assistant.tools.mcp.servers import McpServers
    from assistant.tools.types import Tool
    from memory.data_dir import Home
    from memory.database import Database
    from memory.decision_store import DecisionStore
    from memory.document_store import DocumentStore
    from memory.import_store import ImportStore
    from memory.indexer import Indexer
    from memory.item_store import ItemStore
    from memory.preference_store import PreferenceStore
    from memory.reminder_store import ReminderStore
    from memory.suggestion_store import SuggestionStore
    from memory.typed_messages import TypedMessages
    from models.embedder import MiniLmEmbedder
    from ui.chat_acting import ChatActing
    from ui.chat_reminders import ChatReminders
    from ui.configuration import Configuration
    from ui.keeping import Keeper
    from ui.mcp_wiring import Served
    from ui.memory_wiring import Memory
    from ui.plan_line import PlanWatch


SEARCHING = ("chat", "ask")  # what runs that look for memories call themselves
LONG_RUNS = ("chat", "daemon")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The global options of one run: what stands before the command."""

    home_override: str | None = None  # --home; STEWARD_HOME is looked up by Home.resolve
    plain: bool = False  # line mode, no full screen, no colour
    incognito: bool = False  # nothing is read from or written to the transcript
    demo: bool = False  # scripted model, transcript in memory
    model: str | None = None  # a GGUF path, a catalogue name or a server URL, for this run only
    unlocked: Unlocked = field(default_factory=Unlocked, compare=False, repr=False)  # keys of encrypted homes

    @property
    def keeps_nothing(self) -> bool:
        return self.incognito or self.demo


def no_preferences() -> "PreferenceStore":
    """What is remembered ends with the process."""
    from memory.preferences_in_memory import InMemoryPreferences

    return InMemoryPreferences()


def no_reminders() -> "ReminderStore":
    """Reminders that end with the process."""
    from memory.reminders_in_memory import InMemoryReminders

    return InMemoryReminders()


def learning_on() -> "LearningSwitch":
    """Everything may be learned."""
    from assistant.learning_switch import LearningSwitch

    return LearningSwitch()


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """What a run that may write has in its hands. The owner lock is held as long as `owned` is."""

    options: Options
    home: "Home"
    configuration: "Configuration"
    transcript: "Transcript"
    clock: "Clock"
    prompts: "Prompts | None" = None  # None: read when a session is built
    language: "Language | None" = None  # likewise
    preferences: "PreferenceStore" = field(default_factory=no_preferences)
    ranking: "Recall | None" = None  # None: by words and domains
    learning: "LearningQueue | None" = None  # None: nothing is learned in the background
    indexer: "Indexer | None" = None  # None: there is no embedder, or nothing is searched in this run
    reminders: "ReminderStore" = field(default_factory=no_reminders)
    switch: "LearningSwitch" = field(default_factory=learning_on)  # what may be learned
    mcp: "McpServers | None" = None  # None: this run calls no MCP server
    asked_back: "AskedBack | None" = None  # where questions of MCP servers wait
    keeper: "Keeper | None" = None  # makes the daily backup; None: this run does not
    imports: "ImportStore | None" = None  # None: this run keeps nothing
    decisions: "DecisionStore" = field(default_factory=no_decisions)
    run: str = field(default_factory=new_run)  # names this run of the process
    plan_watch: "PlanWatch" = field(default_factory=plan_watch)  # who shows where a plan is
    items: "ItemStore" = field(default_factory=no_items)
    documents: "DocumentStore" = field(default_factory=no_documents)
    suggestions: "SuggestionStore" = field(default_factory=no_suggestions)
    typed: "TypedMessages" = field(default_factory=nothing_typed)  # what suggestions are found in
    encrypted: bool = False  # whether what is kept is
    more_tools: "tuple[Tool[Any], ...]" = ()  # beside those that Steward brings


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)


def resolve_home(options: Options) -> "Home":
    """Where the four directories are; makes nothing."""
    from memory.data_dir import Home

    return replace(Home.resolve(options.home_override, os.environ), unlock=options.unlocked.key_of)


def open_home(options: Options) -> "Home":
    """The home with its directories made (0700). Raises HomeUnusable."""
    from memory.data_dir import restrict_umask

    restrict_umask()
    home = resolve_home(options)
    home.make()
    return home


def load_configuration(home: "Home") -> "Configuration":
    """config.toml of this home, or the defaults where there is none. Raises ConfigError."""
    from ui.configuration import load

    return load(home.config_file)


@asynccontextmanager
async def owned(options: Options, what: str = "chat") -> AsyncIterator[Services]:
    """Own the home: lock, log, configuration, transcript. `what` is what the lock tells others is running here.

    With --incognito or --demo nothing is locked, logged or opened: the transcript lives in memory.
    Raises HomeInUse, HomeUnusable, StoreError, ConfigError."""
    import asyncio

    clock = SystemClock()
    home = await asyncio.to_thread(resolve_home, options)
    if options.keeps_nothing:
        yield await asyncio.to_thread(_keeping_nothing, options, home, clock)
        return
    configuration, held = await asyncio.to_thread(_take, options, what, clock.now())
    try:
        async with _opened(home, clock, what) as (database, memory, keeper, mcp):
            transcript, items = await _put_in_order(database, clock, what)
            yield Services(
                options=options,
                home=home,
                configuration=configuration,
                transcript=transcript,
                clock=clock,
                prompts=await asyncio.to_thread(load_prompts),
                language=await asyncio.to_thread(load_language),
                preferences=memory.preferences,
                ranking=memory.ranking,
                learning=kept_learning(database),
                indexer=memory.indexer,
                reminders=kept_reminders(database),
                imports=kept_imports(database),
                switch=switch_of(configuration),
                keeper=keeper,
                mcp=mcp.servers,
                asked_back=mcp.asked_back,
                decisions=kept_decisions(database),
                items=items,
                documents=kept_documents(database),
                suggestions=kept_suggestions(database),
                typed=kept_typed(database),
                encrypted=database.encrypted,
            )
    finally:
        await asyncio.to_thread(held.close)


@asynccontextmanager
async def _opened(
    home: "Home", clock: "Clock", what: str
) -> "AsyncIterator[tuple[Database, Memory, Keeper | None, Served]]":
    """What is open, or runs, as long as the home is owned. Raises StoreError."""
    from ui.keeping import keeping
    from ui.mcp_wiring import serving
    from ui.memory_wiring import remembering

    async with (
        on_disk(home) as database,
        remembering(home, database, find_embedder(home), search=what in SEARCHING) as memory,
        keeping(home, clock, what, lambda at: memory.preferences.keep_up(at=at)) as keeper,
        serving(home, database, clock) as mcp,
    ):
        yield database, memory, keeper, mcp


async def _put_in_order(database: "Database", clock: "Clock", what: str) -> "tuple[Transcript, ItemStore]":
    """What a run that was cut short left half done is ended, and what was deleted long ago goes. Raises StoreError."""
    transcript, items = kept_transcript(database), kept_items(database)
    await transcript.interrupt_unfinished()
    if what in LONG_RUNS:
        await erase_deleted(items, clock)
    return transcript, items


def _keeping_nothing(options: Options, home: "Home", clock: "Clock") -> Services:
    """Blocks for some milliseconds. Raises ConfigError."""
    return Services(
        options=options,
        home=home,
        configuration=load_configuration(home),
        transcript=in_memory(),
        clock=clock,
        prompts=load_prompts(),
        language=load_language(),
    )


def switch_of(configuration: "Configuration") -> "LearningSwitch":
    """What these settings let be learned."""
    from assistant.learning_switch import LearningSwitch

    return LearningSwitch.of(configuration.assistant)


def _take(options: Options, what: str, at: datetime) -> "tuple[Configuration, ExitStack]":
    """Make the home, read its settings, lock it, begin the log. Blocks for some milliseconds."""
    from ui.handover import take_home
    from ui.logs import logging_to

    home = open_home(options)
    configuration = load_configuration(home)
    with ExitStack() as held:
        held.enter_context(take_home(home, what=what, at=at))
        held.enter_context(logging_to(home.log))
        return configuration, held.pop_all()


def in_memory() -> "Transcript":
    """A transcript that ends with the process."""
    from memory.transcript_in_memory import InMemoryTranscript

    return InMemoryTranscript()


@asynccontextmanager
async def on_disk(home: "Home") -> AsyncIterator["Database"]:
    """steward.db, which transcript and preferences share; the caller holds the owner lock. Raises StoreError."""
    import asyncio

    from memory.database import Database
    from memory.home_secrecy import seal_files
    from memory.key_file import key_of

    key = await asyncio.to_thread(key_of, home)
    if key is not None:
        await asyncio.to_thread(seal_files, home, key)
    async with await Database.open(home.database, key=key) as database:
        yield database


def kept_transcript(database: "Database") -> "Transcript":
    from memory.sqlite_transcript import SqliteTranscript

    return SqliteTranscript(database)


def kept_preferences(database: "Database") -> "PreferenceStore":
    from memory.sqlite_preferences import SqlitePreferences

    return SqlitePreferences(database)


def kept_learning(database: "Database") -> "LearningQueue":
    def make() -> "LearningQueue":
        from memory.sqlite_learning import SqliteLearningQueue

        return SqliteLearningQueue(database)

    return later(make)


def kept_reminders(database: "Database") -> "ReminderStore":
    def make() -> "ReminderStore":
        from memory.sqlite_reminders import SqliteReminders

        return SqliteReminders(database)

    return later(make)


def kept_imports(database: "Database") -> "ImportStore":
    def make() -> "ImportStore":
        from memory.sqlite_imports import SqliteImports

        return SqliteImports(database)

    return later(make)


def find_embedder(home: "Home") -> "MiniLmEmbedder":
    """What finds memories by their meaning; loaded when it is first used, if its files are here."""
    from models.embedder import MiniLmEmbedder

    return MiniLmEmbedder.in_folder(home.models)


def has_embedder(options: Options) -> bool:
    """Looks at the disk."""
    return find_embedder(resolve_home(options)).available


def load_prompts() -> "Prompts":
    """The fixed texts of the installed package. Blocks."""
    from assistant.deps import Prompts

    return Prompts.load()


def load_language() -> "Language":
    """How English says things. Blocks."""
    from assistant.deps import load_language

    return load_language("en")


def build_session(services: Services, model: "ChatModel") -> "Session":
    """The conversation that front ends drive."""
    from assistant.deps import Deps
    from assistant.session import Session

    acting = later(lambda: _acting(services, model))
    return Session(
        Deps(
            transcript=services.transcript,
            model=model,
            clock=services.clock,
            settings=services.configuration.assistant,
            prompts=services.prompts or load_prompts(),
            preferences=services.preferences,
            ranking=services.ranking,
            learning=services.learning,
            switch=services.switch,
            language=services.language or load_language(),
            reminding=later(lambda: _reminding(services, acting)),
            acting=acting,
        )
    )


def _acting(services: Services, model: "ChatModel") -> "ChatActing":
    from ui.acting_wiring import actor_of, planning_of
    from ui.chat_acting import ChatActing
    from ui.deciding import Deciding
    from ui.direct_answers import DirectAnswers
    from ui.local_zone import local_zone

    direct = DirectAnswers(services, Deciding(lambda: services, lambda: model), local_zone)
    return ChatActing(lambda: actor_of(services, model), lambda actor: planning_of(services, model, actor), direct)


def _reminding(services: Services, acting: "ChatActing") -> "ChatReminders":
    from ui.chat_reminders import ChatReminders

    settings = services.configuration.reminders
    return ChatReminders(services.reminders, services.clock, settings, services.items, acting.is_several)
