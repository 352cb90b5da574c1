"""Waiting for something that the caller may stop wanting."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from models.endings import CANCELLED
from models.errors import Cancelled
from models.types import Cancel

T = TypeVar("T")


async def unless_cancelled(wanted: Awaitable[T], cancel: Cancel) -> T:
    """The result of `wanted`; raises Cancelled, and cancels `wanted`, when `cancel` is set."""
    work = asyncio.ensure_future(wanted)
    stop = asyncio.ensure_future(cancel.wait())
    try:
        await asyncio.wait((work, stop), return_when=asyncio.FIRST_COMPLETED)
        if cancel.is_set or not work.done():
            raise Cancelled(CANCELLED)
        return work.result()
    finally:
        for one in (work, stop):
            one.cancel()
        await asyncio.gather(work, stop, return_exceptions=True)


class Watch:
    """Calls `then` once when `cancel` is set, as long as the block is not left."""

    def __init__(self, cancel: Cancel, then: Callable[[], object]) -> None:
        self._cancel = cancel
        self._then = then
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> None:
        self._task = asyncio.create_task(self._run())

    async def __aexit__(self, *_: object) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        await self._cancel.wait()
        self._then()
