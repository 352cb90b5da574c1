"""The home changes hands: the daemon gives it to whoever opens it, and takes it back when they are gone.

Whoever wants the home leaves a file in state/handover and tries the lock; the daemon looks there and lets go. The file
goes as soon as the lock is taken. One whose process is gone counts for nothing.
"""

import os
import time
from datetime import datetime
from pathlib import Path

from memory.data_dir import Home, OwnerLock, holder_of, make_private_file, make_private_folder
from memory.errors import HomeInUse
from memory.text import random_id

DAEMON = "daemon"
REMINDERS = "reminders"  # changes reminders: hands them over instead
SUGGESTIONS = "suggestions"  # the same for what is said about suggestions
WAIT_SECONDS = 5.0
_STALE_SECONDS = 30.0
_LOOK_EVERY = 0.03


def take_home(home: Home, *, what: str, at: datetime | None) -> OwnerLock:
    """The lock of the home, held; a daemon that has it is asked for it. Blocks for some seconds at most.

    Raises HomeInUse, HomeUnusable, StoreFull."""
    lock = OwnerLock(home, what=what, at=at)
    try:
        return lock.acquire()
    except HomeInUse:
        holder = holder_of(home)
        if what in (DAEMON, REMINDERS, SUGGESTIONS) or (holder is not None and holder.what != DAEMON):
            raise
    wish = Wish(home)
    try:
        wish.leave()
        return _await(lock)
    finally:
        wish.withdraw()


def _await(lock: OwnerLock) -> OwnerLock:
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            return lock.acquire()
        except HomeInUse:
            if time.monotonic() > deadline:
                raise
            time.sleep(_LOOK_EVERY)


class Wish:
    """One process's wish to have the home."""

    def __init__(self, home: Home) -> None:
        self._path = _folder(home) / f"{os.getpid()}-{random_id()}"

    def leave(self) -> None:
        """Raises HomeUnusable, StoreFull."""
        make_private_folder(self._path.parent)
        make_private_file(self._path)

    def withdraw(self) -> None:
        self._path.unlink(missing_ok=True)


def is_wanted(home: Home) -> bool:
    """Whether a living process waits for the home. Blocks; clears away what the dead have left."""
    try:
        paths = tuple(_folder(home).iterdir())
    except FileNotFoundError:
        return False
    return len([path for path in paths if _is_living(path)]) > 0


def _is_living(path: Path) -> bool:
    pid = path.name.partition("-")[0]
    try:
        young = time.time() - path.stat().st_mtime < _STALE_SECONDS
    except FileNotFoundError:
        return False
    if young and pid.isdecimal() and is_running(int(pid)):
        return True
    path.unlink(missing_ok=True)
    return False


def is_running(pid: int) -> bool:
    if os.name == "nt":
        return True  # asking there means opening the process; the age of the file is good enough
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _folder(home: Home) -> Path:
    return home.state / "handover"
