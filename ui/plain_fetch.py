"""Fetching a model in line mode: /model fetch runs behind the conversation and says how far it is."""

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from assistant.policies.cleaning import clean_line
from models.errors import FetchError
from ui.errors import UiError, explain
from ui.plain_words import model_words

if TYPE_CHECKING:
    from models.catalog import Entry
    from models.fetch.types import FetchEvent
    from ui.plain import PlainChat

FETCH = "fetch: "
_STEP = 10  # percent between two lines
_STAGES = {"checking": "checking what is here already", "fetching": "fetching", "verifying": "verifying"}


class PlainFetch:
    """At most one at a time. What it needs is loaded when it is first used."""

    def __init__(self, chat: "PlainChat") -> None:
        self._chat = chat
        self.task: asyncio.Task[None] | None = None  # of the latest fetch
        self._cancel = threading.Event()
        self._told: tuple[str, str, int] = ("", "", 0)  # file, stage, tenths

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """What runs at the end is stopped; what came is kept."""
        try:
            yield
        finally:
            if self.task is not None:
                self._cancel.set()
                with contextlib.suppress(asyncio.CancelledError):
                    await self.task

    def start(self, entry: "Entry") -> None:
        """Raises UiError."""
        if self.task is not None and not self.task.done():
            raise UiError("A model is being fetched already.", "/model stop pauses it; what came is kept.")
        if self._chat.desk.options.demo:
            raise UiError("The demo fetches nothing.", "Leave out --demo.")
        self._cancel, self._told = threading.Event(), ("", "", 0)
        self.task = asyncio.create_task(self._fetch(entry))

    def stop(self) -> None:
        """Raises UiError."""
        if self.task is None or self.task.done():
            raise UiError("No model is being fetched.", "/model list numbers them; /model fetch NUMBER begins.")
        self._cancel.set()

    async def _fetch(self, entry: "Entry") -> None:
        from models.fetch.pull import pull
        from models.fetch.types import FetchSettings
        from ui.rendering import bytes_text

        chat, cancel, loop = self._chat, self._cancel, asyncio.get_running_loop()

        def watch(event: "FetchEvent") -> None:
            loop.call_soon_threadsafe(self._watch, event)

        chat.status(f"{entry.title} is being fetched, {bytes_text(entry.size)}; go on meanwhile. /model stop pauses it")
        try:
            outcome = await asyncio.to_thread(
                pull,
                entry,
                chat.desk.home.models,
                FetchSettings(cache=chat.desk.home.cache),
                watch=watch,
                cancelled=cancel.is_set,
            )
        except FetchError as error:
            chat.announce(f"{FETCH}{clean_line(f'{error.message} {error.hint}', 600)}")
            return
        if not isinstance(outcome, tuple):
            kept = f"{bytes_text(outcome.done)} of {bytes_text(outcome.total)} are kept"
            chat.announce(f"{FETCH}paused, {kept}; /model fetch {entry.name} goes on from there")
            return
        await self._take(entry)

    async def _take(self, entry: "Entry") -> None:
        from models.errors import ModelError

        chat = self._chat
        if entry.role != "chat":
            chat.announce(f"{FETCH}{entry.title} is here")
            return
        if chat.desk.conversation.session.busy:
            chat.announce(f"{FETCH}{entry.title} is here; /model {entry.name} takes it")
            return
        try:
            await chat.desk.use_model(entry.name)
        except (UiError, ModelError) as error:
            explained = explain(error)
            assert explained is not None
            chat.announce(f"{FETCH}{clean_line(f'{explained.message} {explained.hint}', 600)}")
            return
        chat.announce(f"{FETCH}{entry.title} is here. {model_words(chat.desk.model.status)}")

    def _watch(self, event: "FetchEvent") -> None:
        from models.fetch.types import SourceSkipped

        if isinstance(event, SourceSkipped):
            self._chat.announce(f"{FETCH}{clean_line(event.reason, 300)}; trying the next source")
            return
        tenths = event.done * 100 // event.total // _STEP if event.total else 0
        now = (event.file, event.stage, tenths)
        if now[:2] != self._told[:2] or tenths > self._told[2]:
            self._told = now
            percent = f", {tenths * _STEP} percent" if tenths else ""
            self._chat.announce(f"{FETCH}{_STAGES[event.stage]}{percent}")
