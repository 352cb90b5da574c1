"""What a run that owns the home for a while does quietly: the daily backup, and what time does to memory."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path

from assistant.ports import Clock
from memory.backups import Backups
from memory.data_dir import Home
from memory.errors import StoreError

logger = logging.getLogger(__name__)

OWNERS = ("chat", "daemon")  # runs that last
FIRST_AFTER = 10.0  # seconds: not while everything starts
LOOK_EVERY = 900.0


class _Ended(Exception):
    """The run ends: a copy that is being made is let go of."""


class Keeper:
    """`trouble` is why the last backup could not be made; `listener` hears of it, at most once a reason. `keep_up` ends
    what its date ended and demotes what faded (`memory.upkeep`), at the moment it is given."""

    def __init__(
        self,
        home: Home,
        clock: Clock,
        *,
        keep_up: Callable[[datetime], Awaitable[object]] | None = None,
        first_after: float = FIRST_AFTER,
    ) -> None:
        self._home = home
        self._clock = clock
        self._keep_up = keep_up
        self._first_after = first_after
        self._ended = False
        self.trouble: StoreError | None = None
        self.listener: Callable[[StoreError], None] | None = None

    async def run(self) -> None:
        """Until cancelled."""
        await asyncio.sleep(self._first_after)
        while True:
            await self.look_at_memory()
            await self.look()
            await asyncio.sleep(LOOK_EVERY)

    async def look_at_memory(self) -> None:
        """Let time do to memory what it does; what cannot be written now is done the next time."""
        if self._keep_up is None:
            return
        try:
            await self._keep_up(self._clock.now())
        except StoreError as error:
            logger.warning("memory could not be kept up: %s", error.message)

    async def look(self) -> Path | None:
        """Make today's backup if it is due; where it is."""
        try:
            made = await asyncio.to_thread(Backups(self._home).make_daily, self._clock.now(), self._go_on)
        except StoreError as error:
            logger.warning("the daily backup could not be made: %s", error.message)
            new = self.trouble is None or self.trouble.message != error.message
            self.trouble = error
            if new and self.listener is not None:
                self.listener(error)
            return None
        except _Ended:
            return None
        self.trouble = None
        if made is not None:
            logger.info("backed up to %s", made.name)
        return made

    def end(self) -> None:
        self._ended = True

    def _go_on(self, done: int, total: int) -> None:
        if self._ended:
            raise _Ended


@asynccontextmanager
async def keeping(
    home: Home, clock: Clock, what: str, keep_up: Callable[[datetime], Awaitable[object]] | None = None
) -> AsyncIterator[Keeper | None]:
    """Meanwhile; None for a run that is over in a moment. A copy that is being made at the end is let go of."""
    if what not in OWNERS:
        yield None
        return
    keeper = Keeper(home, clock, keep_up=keep_up)
    task = asyncio.create_task(keeper.run(), name="keeper")
    try:
        yield keeper
    finally:
        keeper.end()
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
