"""Ctrl+C while an event loop runs: a call of ours instead of an exception somewhere."""

import asyncio
import contextlib
import signal
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def on_interrupt(then: Callable[[], None]) -> Iterator[None]:
    """Within the block SIGINT calls `then` on the loop. Does nothing where signals cannot be had (other threads)."""
    loop = asyncio.get_running_loop()
    before = signal.getsignal(signal.SIGINT)
    try:
        loop.add_signal_handler(signal.SIGINT, then)
    except (NotImplementedError, RuntimeError, ValueError):
        yield
        return
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)
        if before is not None:  # None: it was not set from Python
            signal.signal(signal.SIGINT, before)
