"""Files on their way from one process to another: one private file each, in one private folder.

A file appears whole (written beside, renamed) and goes when it is settled; what is to be said about it stands in a file
of the same name with another ending. A crash in between leaves the letter there, to be read once more.
"""

import contextlib
import logging
import os
import re
import time
from collections.abc import Callable
from pathlib import Path

from memory.data_dir import atomic_write, make_private_folder, unusable
from memory.home_key import Key, WrongKey, no_key, opened_with, sealed_for
from memory.text import random_id

logger = logging.getLogger(__name__)

_SUFFIX, _UNREADABLE = ".json", ".unreadable"
_NAME = re.compile(r"^\d{20}-[0-9a-z]{8}\.json$")
MOST_BYTES = 100_000


class Letters:
    """Every method blocks for some milliseconds. Raises HomeUnusable, StoreFull, and what `key` raises."""

    def __init__(self, folder: Path, *, answers: str, key: Callable[[], Key | None] = no_key) -> None:
        """`key`: of the home, looked up when it is needed; letters of an encrypted one are sealed."""
        self._folder = folder
        self._answers = answers  # the ending of what is answered: ".refused"
        self._key = key

    def post(self, content: bytes) -> str:
        """Durable when it returns: the name of the letter, for ever."""
        make_private_folder(self._folder)
        name = f"{time.time_ns():020}-{random_id()}"
        atomic_write(self._folder / f"{name}{_SUFFIX}", sealed_for(content, self._key()))
        return name

    def waiting(self) -> tuple[str, ...]:
        """Names of what nobody has settled yet, the oldest first."""
        try:
            return tuple(sorted(path.stem for path in self._folder.iterdir() if _NAME.match(path.name)))
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise unusable(self._folder, error) from error

    def read(self, name: str) -> bytes | None:
        """None: it is gone, or is no letter and was put aside."""
        path = self._folder / f"{name}{_SUFFIX}"
        try:
            if path.is_symlink() or path.stat().st_size > MOST_BYTES:
                raise ValueError("not a letter")
            return opened_with(path.read_bytes(), self._key())
        except FileNotFoundError:
            return None
        except (OSError, ValueError, WrongKey):
            self.put_aside(name)
            return None

    def put_aside(self, name: str) -> None:
        logger.warning("a file in the mailbox cannot be read and is put aside")
        path = self._folder / f"{name}{_SUFFIX}"
        path.replace(path.with_suffix(_UNREADABLE))

    def begin(self, name: str) -> None:
        """A sign that its owner is at it: the letter's time of change is the beginning of time."""
        with contextlib.suppress(OSError):
            os.utime(self._folder / f"{name}{_SUFFIX}", (0, 0))

    def is_begun(self, name: str) -> bool:
        try:
            return (self._folder / f"{name}{_SUFFIX}").stat().st_mtime == 0
        except OSError:
            return False

    def settle(self, name: str, answer: bytes = b"") -> None:
        """It is done with; an answer is there before the letter is gone."""
        path = self._folder / f"{name}{_SUFFIX}"
        if answer:
            atomic_write(path.with_suffix(self._answers), sealed_for(answer, self._key()))
        path.unlink(missing_ok=True)

    def is_waiting(self, name: str) -> bool:
        return (self._folder / f"{name}{_SUFFIX}").exists()

    def answer(self, name: str) -> str | None:
        """What was answered, once; None when nothing was. Raises OSError, ValueError."""
        path = self._folder / f"{name}{self._answers}"
        try:
            found = opened_with(path.read_bytes(), self._key()).decode("utf-8")
            path.unlink(missing_ok=True)
        except FileNotFoundError:
            return None
        except WrongKey as error:
            raise ValueError("sealed with another key") from error
        return found
