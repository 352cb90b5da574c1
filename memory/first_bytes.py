"""The first bytes of a file that SQLite may have open in this process.

Whoever closes any descriptor of a file gives up every POSIX lock that the process has on it (fcntl(2)), SQLite's as
well: another program that closes the database then takes it for abandoned and removes the journal under its owner
(sqlite.org/howtocorrupt.html, 2.2). So a descriptor that looked once stays open, as SQLite does it itself.
"""

import os
import sys
import threading
from functools import lru_cache
from pathlib import Path

_MOST_FILES = 64  # a run knows two or three databases; beyond that the oldest are closed
_LOOKING = threading.Lock()  # of two threads that open a file at once one would close it again, and the locks be gone


def first_bytes(path: Path, count: int) -> bytes:
    """Up to `count`. Raises OSError."""
    if (
        sys.platform == "win32"
    ):  # locks belong to a handle there, and an open one would keep the file from being replaced
        with path.open("rb") as file:
            return file.read(count)
    found = path.stat()
    with _LOOKING:
        kept = _kept(path, found.st_dev, found.st_ino)
        return os.pread(kept.descriptor, count, 0)


class _Open:
    def __init__(self, path: Path) -> None:
        self.descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    def __del__(self) -> None:
        if hasattr(self, "descriptor"):
            os.close(self.descriptor)


@lru_cache(maxsize=_MOST_FILES)
def _kept(path: Path, device: int, inode: int) -> _Open:
    """Held open for as long as it is remembered; device and number tell a file that has taken its place."""
    return _Open(path)
