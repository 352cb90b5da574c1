"""The composition root: the only place where implementations are chosen for the assistant's Protocols.

Everything heavy is imported inside the function that needs it, so that `steward --help` stays quick.
"""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assistant.ports import ChatModel, Clock, Transcript
    from memory.data_dir import Home
    from ui.configuration import Configuration


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The global options of one run: what stands before the command."""

    home_override: str | None = None  # --home; STEWARD_HOME is looked up by Home.resolve
    plain: bool = False  # line mode, no full screen, no colour
    incognito: bool = False  # nothing is read from or written to the transcript
    demo: bool = False  # scripted model, transcript in memory
    model: str | None = None  # a GGUF path, a catalogue name or a server URL, for this run only

    @property
    def keeps_nothing(self) -> bool:
        return self.incognito or self.demo


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """What a run that may write has in its hands. The owner lock is held as long as `owned` is."""

    options: Options
    home: "Home"
    configuration: "Configuration"
    transcript: "Transcript"
    clock: "Clock"


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)


def resolve_home(options: Options) -> "Home":
    """Where the four directories are; makes nothing."""
    from memory.data_dir import Home

    return Home.resolve(options.home_override, os.environ)


def open_home(options: Options) -> "Home":
    """The home with its directories made (0700). Raises HomeUnusable."""
    home = resolve_home(options)
    home.make()
    return home


def load_configuration(home: "Home") -> "Configuration":
    """config.toml of this home, or the defaults where there is none. Raises ConfigError."""
    from ui.configuration import load

    return load(home.config / "config.toml")


@asynccontextmanager
async def owned(options: Options) -> AsyncIterator[Services]:
    """Own the home: lock, log, configuration, transcript. Raises HomeInUse, HomeUnusable, StoreError, ConfigError.

    With --incognito or --demo nothing is locked, logged or opened: the transcript lives in memory."""
    if options.keeps_nothing:
        from memory.transcript_in_memory import InMemoryTranscript

        home = resolve_home(options)
        yield Services(
            options=options,
            home=home,
            configuration=load_configuration(home),
            transcript=InMemoryTranscript(),
            clock=SystemClock(),
        )
        return
    from memory.data_dir import OwnerLock

    home = open_home(options)
    configuration = load_configuration(home)
    with OwnerLock(home):
        from memory.sqlite_transcript import SqliteTranscript
        from ui.logs import start_logging

        start_logging(home.state)
        transcript = await SqliteTranscript.open(home.data / "steward.db")
        try:
            await transcript.interrupt_unfinished()
            yield Services(
                options=options, home=home, configuration=configuration, transcript=transcript, clock=SystemClock()
            )
        finally:
            await transcript.close()


@asynccontextmanager
async def reading(options: Options) -> AsyncIterator["Transcript"]:
    """The transcript for reading only, also while another Steward owns the home. Raises StoreError."""
    from memory.sqlite_transcript import SqliteTranscript

    home = resolve_home(options)
    transcript = await SqliteTranscript.open_reading(home.data / "steward.db")
    try:
        yield transcript
    finally:
        await transcript.close()


def build_model(configuration: "Configuration", home: "Home", options: Options) -> "ChatModel":
    """The model of this run, not yet started. Where none is set up it is a worker whose status says so."""
    if options.demo:
        from models.scripted import demo_model

        return demo_model()
    raise NotImplementedError
