"""The ticker: asks the store what is due, claims it, and only then tells. Runs where the home is owned, once a process.

APScheduler is no more than a clock here: its jobs are in memory and know nothing (no job store, nothing pickled). A
tick comes every 15 seconds, within a second of what is due or handed over, and when something was changed; what is late
because the machine slept is found by the next tick, as late. Times are worked out in a thread: zones are files.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Protocol

from assistant.policies.due import firing, scheduled, was_ahead
from assistant.ports import Clock
from memory.errors import StoreError
from memory.reminder_store import ReminderStore
from memory.reminders import Due, Firing, Occurrence, Reminder, ReminderId

if TYPE_CHECKING:
    from apscheduler.schedulers.asyncio import AsyncIOScheduler

logger = logging.getLogger(__name__)

EVERY = timedelta(seconds=15)
GLANCE_EVERY = timedelta(seconds=1)
KEPT_WHEN_DELETED = timedelta(days=30)
SET_BACK = timedelta(minutes=1)  # less is the clock's own correction
_BATCH = 200
_PAGE = 500
_MOST_DELIVERED = 5_000


class Teller(Protocol):
    """Shows what came. Raises nothing expected."""

    async def due(self, dues: tuple[Due, ...]) -> bool:
        """Whether the user could see it; if not, it is told again by the next owner of the home."""
        ...

    async def zone_changed(self, before: str, after: str, moved: int) -> None:
        """The user's zone is another one; `moved` reminders keep their wall time there."""
        ...


class Mail(Protocol):
    """Changes that other processes handed over."""

    async def drain(self) -> int:
        """Apply them all; how many there were. Raises StoreError."""
        ...


class Scheduler:
    """`here` names the user's zone (IANA) and may read files; it is asked in a thread."""

    def __init__(
        self, store: ReminderStore, clock: Clock, here: Callable[[], str], teller: Teller, mail: Mail | None = None
    ) -> None:
        self._store = store
        self._clock = clock
        self._here = here
        self._teller = teller
        self._mail = mail
        self._ticking = asyncio.Lock()
        self._last: datetime | None = None  # None: nothing was asked yet in this run
        self._zone = ""
        self._ticker: AsyncIOScheduler | None = None
        self._woken: set[asyncio.Task[None]] = set()

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator["Scheduler"]:
        """Ticks meanwhile. A tick in progress is waited for at the end."""
        ticker = await asyncio.to_thread(_ticker)
        self._ticker = ticker
        for work, every in ((self._safely, EVERY), (self._glance, GLANCE_EVERY)):
            ticker.add_job(work, "interval", seconds=every.total_seconds(), max_instances=1, coalesce=True)
        ticker.start()
        self.wake()
        try:
            yield self
        finally:
            self._ticker = None
            ticker.shutdown(wait=False)
            for task in self._woken:
                task.cancel()
            await asyncio.gather(*self._woken, return_exceptions=True)
            async with self._ticking:
                pass

    @property
    def looked_at(self) -> datetime | None:
        """When it last asked what is due; None: not yet in this run."""
        return self._last

    def wake(self) -> None:
        """Something was changed: look at once. Harmless when nothing runs."""
        if self._ticker is not None:
            task = asyncio.get_running_loop().create_task(self._safely())
            self._woken.add(task)
            task.add_done_callback(self._woken.discard)

    async def _safely(self) -> None:
        try:
            await self.tick()
        except StoreError as error:
            logger.warning("reminders could not be looked at: %s", error.message)

    async def _glance(self) -> None:
        """Cheap: was something handed over, is something due?"""
        try:
            mail = self._mail is not None and await self._mail.drain()
            upcoming = await self._store.next_at()
            if mail or (upcoming is not None and upcoming <= self._clock.now()):
                await self.tick()
        except StoreError as error:
            logger.warning("reminders could not be looked at: %s", error.message)

    async def tick(self) -> tuple[Due, ...]:
        """One look: take mail, follow zone and clock, claim what is due, tell it. Raises StoreError."""
        async with self._ticking:
            now, here = self._clock.now(), await asyncio.to_thread(self._here)
            first = self._last is None
            if first:
                await self._begin(now)
            await self._follow(now, here)
            self._last = now
            told: list[Due] = []
            if first:
                told += await self._tell(await self._store.unshown())
            while reminders := await self._store.due(now, limit=_BATCH):
                firings, idle = await asyncio.to_thread(_looked_at, reminders, now, here)
                told += await self._tell(await self._store.claim(firings, at=now))
                await self._store.replan(idle)
                if len(reminders) < _BATCH:
                    break
            return tuple(told)

    async def _begin(self, now: datetime) -> None:
        if self._mail is not None:
            await self._mail.drain()
        await self._store.purge(now - KEPT_WHEN_DELETED)
        self._zone = await self._store.noted("zone")

    async def _follow(self, now: datetime, here: str) -> None:
        """Another zone, or a clock that was set back: the times of what follows them are worked out again."""
        set_back = self._last is not None and now < self._last - SET_BACK
        if self._zone == here and self._last is not None and not set_back:
            return
        before, changed = self._zone, list[Reminder]()
        while page := await self._store.list(limit=_PAGE, offset=len(changed)):
            changed += page
        ahead = await asyncio.to_thread(_those_ahead, changed, now, here)
        delivered = {
            id: [one.occurrence for one in await self._store.notices(id, limit=_MOST_DELIVERED)] for id in ahead
        }
        changed = [one for one in changed if (one.floating and before != here) or one.id in ahead]
        await self._store.replan(await asyncio.to_thread(_planned, changed, now, here, delivered))
        moved = sum(one.floating and one.next_at is not None for one in changed)
        if before != here:
            await self._store.note("zone", here)
            self._zone = here
            if before and moved:
                await self._teller.zone_changed(before, here, moved)

    async def _tell(self, dues: tuple[Due, ...]) -> tuple[Due, ...]:
        if dues and await self._teller.due(dues):
            await self._store.mark_shown([due.notice.id for due in dues])
        return dues


def _looked_at(
    reminders: Sequence[Reminder], now: datetime, here: str
) -> tuple[tuple[Firing, ...], tuple[Reminder, ...]]:
    """What to claim, and those that are not due after all, with their right time."""
    found = [(one, firing(one, now, here)) for one in reminders]
    idle = tuple(scheduled(one, now, here) for one, due in found if due is None)
    return tuple(due for _, due in found if due is not None), idle


def _those_ahead(reminders: Sequence[Reminder], now: datetime, here: str) -> frozenset[ReminderId]:
    return frozenset(one.id for one in reminders if one.rule and was_ahead(one, now, here))


def _planned(
    reminders: Sequence[Reminder], now: datetime, here: str, delivered: Mapping[ReminderId, Sequence[Occurrence]]
) -> tuple[Reminder, ...]:
    return tuple(scheduled(one, now, here, frozenset(delivered.get(one.id, ()))) for one in reminders)


def _ticker() -> "AsyncIOScheduler":
    from apscheduler.schedulers.asyncio import AsyncIOScheduler

    logging.getLogger("apscheduler").setLevel(logging.WARNING)  # else two lines a second
    return AsyncIOScheduler(timezone=UTC, job_defaults={"misfire_grace_time": None, "coalesce": True})
