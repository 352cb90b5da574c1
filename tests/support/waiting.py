"""Wait for what can be observed, with a limit; never for a length of time."""

import asyncio
from collections.abc import Callable

LIMIT_SECONDS = 60.0  # a machine may be busy with other things


async def eventually(true: Callable[[], object], limit: float = LIMIT_SECONDS) -> None:
    """Returns as soon as `true()` is; fails after `limit` seconds."""
    async with asyncio.timeout(limit):
        while not true():  # noqa: ASYNC110  # any predicate, not only those that have an event
            await asyncio.sleep(0.005)
