"""The ticker of speaking first: asks the engine, tells what it claimed, and marks what was seen. Runs where the home is
owned, once a process; what one process claimed and could not show is shown by the next.

A tick comes every 15 seconds, and when something happened that makes a moment to decide (an answer was read, the user
came back). Most of them cost a look at a number: the engine decides every ten minutes, or at such a moment.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Protocol

from assistant.ports import Clock
from assistant.proactive_port import Proactive
from assistant.proactive_types import Digest, Presence, Spoken
from memory.errors import StoreError

logger = logging.getLogger(__name__)

EVERY = timedelta(seconds=15)


class Voice(Protocol):
    """Says what was decided. Raises nothing expected."""

    def presence(self) -> Presence | None:
        """What is known of the user now; None: nothing may be looked at or said (an incognito conversation)."""
        ...

    async def spoken(self, spoken: tuple[Spoken, ...]) -> bool:
        """Whether the user could see it; if not, it is said again by the next owner of the home."""
        ...

    async def digest(self, digest: Digest) -> None: ...


class ProactiveTicker:
    """Drives `assistant.proactive_port.Proactive`."""

    def __init__(self, engine: Proactive, clock: Clock, voice: Voice) -> None:
        self._engine = engine
        self._clock = clock
        self._voice = voice
        self._woken = asyncio.Event()

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator["ProactiveTicker"]:
        """Ticks meanwhile. A tick in progress is cut off at the end: what it claimed is said by the next owner."""
        task = asyncio.get_running_loop().create_task(self._run())
        try:
            yield self
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def wake(self) -> None:
        """Look at once."""
        self._woken.set()

    async def _run(self) -> None:
        while True:
            self._woken.clear()
            try:
                await self.tick()
            except StoreError as error:
                logger.warning("suggestions could not be looked at: %s", error.message)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(EVERY.total_seconds()):
                    await self._woken.wait()

    async def tick(self) -> tuple[Spoken, ...]:
        """One look. Raises StoreError."""
        presence = self._voice.presence()
        if presence is None:
            return ()
        now = self._clock.now()
        spoken = await self._engine.tick(now, presence)
        if spoken and await self._voice.spoken(spoken):
            await self._engine.mark_shown(tuple(one.suggestion.id for one in spoken))
        if not presence.typing and not presence.generating:
            digest = await self._engine.digest(now)
            if digest is not None:
                await self._voice.digest(digest)
        return spoken
