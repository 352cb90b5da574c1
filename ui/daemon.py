"""The headless owner of the home: fires reminders while no Steward is open, and gives way to one that opens."""

import asyncio
import contextlib
import logging
import os
import signal
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TextIO

from assistant.ports import Clock
from assistant.reminder_settings import ReminderSettings
from memory.data_dir import Home
from memory.errors import HomeInUse
from memory.reminders import Due
from ui.daemon_sign import living_daemon, lower_sign, raise_sign, touch_sign
from ui.handover import DAEMON, is_wanted
from ui.local_zone import local_zone
from ui.notify import Notifier, find_notifier
from ui.reminder_words import due_words, zone_words
from ui.reminding import scheduler_of
from ui.suggestion_daemon import DaemonVoice, ticker_of
from ui.wiring import Options, Services, owned, resolve_home

logger = logging.getLogger(__name__)

LOOK_EVERY = 0.5  # for somebody who wants the home
TRY_EVERY = 0.25  # to take it back
SIGN_EVERY = timedelta(seconds=15)  # that it looked
_MOST_NOTES = 3  # notifications at once; more become one


class DaemonTeller:
    """Notifies, writes the log, and says it on a terminal. What a reminder says never goes to the log."""

    def __init__(self, settings: ReminderSettings, clock: Clock, notifier: Notifier | None, out: TextIO) -> None:
        self._settings = settings
        self._clock = clock
        self._notifier = notifier if settings.notify else None
        self._out = out

    async def due(self, dues: tuple[Due, ...]) -> bool:
        here = await asyncio.to_thread(local_zone)
        words = await asyncio.to_thread(_words, dues, here, self._clock)
        for due in dues:
            late = " late" if due.notice.late else ""
            logger.info("reminder %s came%s, for %d missed", due.reminder.id, late, due.notice.missed)
        self._print(words)
        if self._notifier is None:
            return False
        return all([await self._notifier.show("Steward", body) for body in self._bodies(words)])

    def _bodies(self, words: Sequence[str]) -> Sequence[str]:
        if not self._settings.notify_text:
            return ("A reminder is due." if len(words) == 1 else f"{len(words)} reminders are due.",)
        return words if len(words) <= _MOST_NOTES else (f"{len(words)} reminders: {'; '.join(words)}",)

    async def zone_changed(self, before: str, after: str, moved: int) -> None:
        line = zone_words(before, after, moved)
        logger.info("%s", line)
        self._print([line])
        if self._notifier is not None:
            await self._notifier.show("Steward", line)

    async def decided(self, lines: Sequence[str]) -> None:
        self._print(lines, "decision")
        if self._notifier is not None:
            words = lines[0] if len(lines) == 1 else f"{len(lines)} decisions were finished or have expired."
            await self._notifier.show("Steward", words if self._settings.notify_text else "A decision was finished.")

    def _print(self, lines: Sequence[str], what: str = "reminder") -> None:
        if self._out.isatty():
            for line in lines:
                self._out.write(f"{what}: {line}\n")
            self._out.flush()


def _words(dues: Sequence[Due], here: str, clock: Clock) -> list[str]:
    return [due_words(due, here, clock.now()) for due in dues]


async def run_daemon(options: Options, out: TextIO = sys.stdout) -> None:
    """Until SIGTERM or Ctrl+C. Raises StoreError, ConfigError."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for ending in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(NotImplementedError):  # Windows: Ctrl+C raises KeyboardInterrupt there
            loop.add_signal_handler(ending, stop.set)
    await serve(options, stop, out)


async def serve(options: Options, stop: asyncio.Event, out: TextIO) -> None:
    """Own the home whenever nobody else wants it, until `stop`."""
    home = await asyncio.to_thread(resolve_home, options)
    try:
        while not stop.is_set():
            if await asyncio.to_thread(is_wanted, home):
                await _pause(stop, LOOK_EVERY)
                continue
            try:
                async with owned(options, DAEMON) as services:
                    await asyncio.to_thread(raise_sign, home)
                    await _own(services, home, stop, out)
            except HomeInUse:
                await asyncio.to_thread(_wait_for, home)
                await _pause(stop, TRY_EVERY)
    finally:
        await asyncio.to_thread(lower_sign, home)


def _wait_for(home: Home) -> None:
    """Somebody else owns it; that a daemon waits can be seen."""
    sign = living_daemon(home)
    if sign is None:
        raise_sign(home)
    elif sign.pid == os.getpid() and datetime.now(UTC) - sign.looked_at > SIGN_EVERY:
        touch_sign(home, datetime.now(UTC))


async def _own(services: Services, home: Home, stop: asyncio.Event, out: TextIO) -> None:
    notifier = await asyncio.to_thread(find_notifier, os.environ)
    teller = DaemonTeller(services.configuration.reminders, services.clock, notifier, out)
    logger.info("the daemon owns the home; notifications: %s", "yes" if notifier else "no tool was found")
    await _finish_decisions(services, teller)
    voice = DaemonVoice(services.configuration.reminders, notifier, out)
    ticker = await asyncio.to_thread(ticker_of, services, voice)
    signed = services.clock.now()
    async with scheduler_of(services, teller).running() as scheduler, ticker.running():
        while not stop.is_set() and not await asyncio.to_thread(is_wanted, home):
            await _pause(stop, LOOK_EVERY)
            looked = scheduler.looked_at
            if looked is not None and looked - signed >= SIGN_EVERY:
                signed = looked
                await asyncio.to_thread(touch_sign, home, looked)
    logger.info("the daemon lets go of the home")


async def _finish_decisions(services: Services, teller: DaemonTeller) -> None:
    """What was answered and cut off. What a decision is about never goes to the log."""
    from ui.acting_wiring import without_model
    from ui.deciding_begins import begin_decisions

    lines = await begin_decisions(services, without_model())
    if lines:
        logger.info("decisions: %d finished, handed over or expired", len(lines))
        await teller.decided(lines)


async def _pause(stop: asyncio.Event, seconds: float) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await stop.wait()
