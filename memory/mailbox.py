"""Changes of reminders on their way to the process that owns the home: one private file each, in state/mailbox.

A file appears whole (written beside, renamed) and goes when the change is in the database. A crash in between leaves it
there, and applying it once more changes nothing: the store knows the request by its name. What is refused is answered
with a file of the same name ending in ".refused".
"""

import json
import logging
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from memory.data_dir import Home, atomic_write, make_private_folder, unusable
from memory.reminders import Change, EntryId, NoticeId, NoticeState, Operation, Reminder
from memory.text import random_id

logger = logging.getLogger(__name__)

_SUFFIX, _REFUSED, _UNREADABLE = ".json", ".refused", ".unreadable"
_NAME = re.compile(r"^\d{20}-[0-9a-z]{8}\.json$")
_MOST_BYTES = 100_000


class _Letter(BaseModel):
    """What a file holds; everything in it is checked before it is believed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    operation: Operation
    reminder: Reminder
    notices: tuple[NoticeId, ...] = ()
    notice_state: NoticeState = "done"
    undoes: EntryId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """`name` identifies it for ever."""

    name: str
    change: Change


class Mailbox:
    """Every method blocks for some milliseconds. Raises HomeUnusable, StoreFull."""

    def __init__(self, home: Home) -> None:
        self._folder = home.state / "mailbox"

    def post(self, change: Change) -> str:
        """Durable when it returns: the name of the request."""
        letter = _Letter(
            operation=change.operation,
            reminder=change.reminder,
            notices=change.notices,
            notice_state=change.notice_state,
            undoes=change.undoes,
        )
        make_private_folder(self._folder)
        name = f"{time.time_ns():020}-{random_id()}"
        atomic_write(self._folder / f"{name}{_SUFFIX}", letter.model_dump_json().encode())
        return name

    def waiting(self) -> tuple[Request, ...]:
        """What nobody has taken yet, the oldest first. A file that cannot be read is put aside."""
        try:
            names = sorted(path.name for path in self._folder.iterdir() if _NAME.match(path.name))
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise unusable(self._folder, error) from error
        found = [self._read(self._folder / name) for name in names]
        return tuple(request for request in found if request is not None)

    def settle(self, name: str, refusal: str = "", hint: str = "") -> None:
        """It is in the database, or it is refused for this reason."""
        path = self._folder / f"{name}{_SUFFIX}"
        if refusal:
            answer = json.dumps({"message": refusal, "hint": hint}).encode()
            atomic_write(path.with_suffix(_REFUSED), answer)
        path.unlink(missing_ok=True)

    def is_waiting(self, name: str) -> bool:
        return (self._folder / f"{name}{_SUFFIX}").exists()

    def refusal(self, name: str) -> tuple[str, str] | None:
        """Message and hint of a refused request, once; None when it was not refused."""
        path = self._folder / f"{name}{_REFUSED}"
        try:
            found: Any = json.loads(path.read_text("utf-8"))
            path.unlink(missing_ok=True)
            return str(found["message"]), str(found["hint"])
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError):
            return "It was refused.", ""

    def _read(self, path: Path) -> Request | None:
        try:
            if path.is_symlink() or path.stat().st_size > _MOST_BYTES:
                raise ValueError("not a letter")
            letter = _Letter.model_validate_json(path.read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValueError, ValidationError):
            logger.warning("a file in the mailbox cannot be read and is put aside")
            path.replace(path.with_suffix(_UNREADABLE))
            return None
        change = Change(
            operation=letter.operation,
            reminder=letter.reminder,
            notices=letter.notices,
            notice_state=letter.notice_state,
            undoes=letter.undoes,
        )
        return Request(name=path.stem, change=change)
