"""A fetch beside an event loop: the blocking work in one thread, events and cancel across."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from models.catalog import Entry
from models.fetch.pull import pull
from models.fetch.types import Fetched, FetchEvent, FetchSettings, Stopped
from models.types import Cancel


async def pull_beside(
    entry: Entry, folder: Path, settings: FetchSettings, *, watch: Callable[[FetchEvent], None], cancel: Cancel
) -> tuple[Fetched, ...] | Stopped:
    """`pull` without blocking the loop; `watch` is called on the loop. Raises FetchError.

    Cancelling the task cancels the fetch, and waits until it has let go of its files."""
    loop = asyncio.get_running_loop()
    stop = threading.Event()

    def tell(event: FetchEvent) -> None:
        loop.call_soon_threadsafe(watch, event)

    threads = ThreadPoolExecutor(max_workers=1, thread_name_prefix="fetch")
    work = loop.run_in_executor(threads, lambda: pull(entry, folder, settings, watch=tell, cancelled=stop.is_set))
    threads.shutdown(wait=False)  # ends with the work
    waiting: asyncio.Future[None] = asyncio.ensure_future(cancel.wait())
    try:
        either: list[asyncio.Future[Any]] = [work, waiting]
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        stop.set()
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        stop.set()
        await asyncio.wait({work})
        raise
    finally:
        waiting.cancel()
