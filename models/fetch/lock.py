"""One fetch of a file at a time, across processes and threads."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from models.errors import FetchBusy
from models.fetch.partial import HIDDEN


@contextmanager
def fetching(folder: Path, name: str) -> Iterator[None]:
    """Hold the lock of `name`. The lock file stays: unlinking it would let two holders in. Raises FetchBusy."""
    place = folder / HIDDEN
    place.mkdir(mode=0o700, exist_ok=True)
    number = os.open(place / f"{name}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if not _take(number):
            holder = os.pread(number, 20, 0).decode("ascii", "replace").strip() if hasattr(os, "pread") else ""
            who = f" by process {holder}" if holder.isdigit() else ""
            raise FetchBusy(f"{name} is already being fetched{who}", "Wait until it is done, then look again.")
        if sys.platform != "win32":
            os.ftruncate(number, 0)
            os.pwrite(number, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(number)


def _take(number: int) -> bool:
    """Lock an open file until it is closed; False when another holds it."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(number, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
