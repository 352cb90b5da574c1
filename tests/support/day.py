"""A week with Steward on a real home, with a clock that a test moves.

The terminal UI runs while it is open, the daemon while it is closed.
"""

import asyncio
import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import assistant.turn  # noqa: F401  # the screen imports it in a thread, and a test sends before that is over
from assistant.ports import ChatModel
from assistant.proactive_types import Spoken
from assistant.reminder_settings import ReminderSettings
from memory.suggestions import Told
from tests.support.clock import MONDAY, FixedClock
from tests.support.pilot import Driver, opened
from ui.desk import Desk
from ui.suggestion_daemon import DaemonVoice, ticker_of
from ui.suggestion_wiring import acts_of
from ui.widgets.bars import Rows
from ui.wiring import Options, Services, owned

STEP = timedelta(minutes=20)


@dataclass(slots=True)
class Desktop:
    """Implements ui.notify.Notifier."""

    bodies: list[str] = field(default_factory=list)

    async def show(self, title: str, body: str) -> bool:
        self.bodies.append(body)
        return True


@dataclass(slots=True)
class Week:
    """`said`: what came, when, and through which of the two."""

    options: Options
    clock: FixedClock = field(default_factory=lambda: FixedClock(MONDAY))
    desktop: Desktop = field(default_factory=Desktop)
    said: list[tuple[datetime, str, Spoken | Told]] = field(default_factory=list)

    @asynccontextmanager
    async def services(self, what: str) -> AsyncIterator[Services]:
        async with owned(self.options, what) as services:
            yield replace(services, clock=self.clock)

    @asynccontextmanager
    async def screen(self, model: ChatModel) -> AsyncIterator[Driver]:
        """The terminal UI is open."""
        async with self.services("chat") as services:
            desk = await asyncio.to_thread(Desk, services, model)
            async with opened(desk, size=(80, 24)) as driver:
                yield driver

    async def set(self, **changes: str) -> None:
        async with self.services("suggestions") as services:
            acts = await asyncio.to_thread(acts_of, services)
            await acts.change(changes)

    async def closed_until(self, until: datetime, *, once: bool = False) -> None:
        """Nobody has it open; the daemon ticks every twenty minutes. `once`: until it says something."""
        async with self.services("daemon") as services:
            voice = DaemonVoice(ReminderSettings(notify_text=True), self.desktop, io.StringIO())
            ticker = await asyncio.to_thread(ticker_of, services, voice)
            while self.clock.now() < until:
                spoken = await ticker.tick()
                self.said += [(self.clock.now(), "daemon", one) for one in spoken]
                if once and spoken:
                    return
                self.clock.advance(STEP)

    async def open_until(self, driver: Driver, until: datetime) -> Told | None:
        """It is open and nobody types; until something new is said."""
        store = driver.app.desk.services.suggestions
        before = {one.id for one in await store.spoken_since(MONDAY)}
        while self.clock.now() < until:
            ticker = driver.app._voice_ticker
            assert ticker is not None
            await ticker.tick()
            for told in await store.list(channels=["spoken"]):
                if told.suggestion.id not in before and told.suggestion.text:
                    await driver.app.refresh_suggestion()
                    self.said.append((self.clock.now(), "screen", told))
                    return told
            self.clock.advance(STEP)
        return None


def line(driver: Driver) -> str:
    """The line of a suggestion, a digest or a rule, without its breaks; "" where there is none."""
    found = driver.chat.query("#suggestion")
    return " ".join(found.first(Rows).text.split()) if found and not found.first(Rows).has_class("hidden") else ""
