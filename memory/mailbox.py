"""Changes on their way to the process that owns the home: letters, those of reminders in state/mailbox.

Applying one once more after a crash changes nothing: the store knows the request by its name. What is refused is
answered with the reason.
"""

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from memory.data_dir import Home
from memory.key_file import key_of
from memory.letters import Letters
from memory.reminders import Change, EntryId, NoticeId, NoticeState, Operation, Reminder

C = TypeVar("C")


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
class Request(Generic[C]):
    """`name` identifies it for ever."""

    name: str
    change: C


class ChangeMailbox(ABC, Generic[C]):
    """Every method blocks for some milliseconds. Raises HomeUnusable, StoreFull."""

    def __init__(self, home: Home, folder: str) -> None:
        self._letters = Letters(home.state / folder, answers=".refused", key=partial(key_of, home))

    @abstractmethod
    def written(self, change: C) -> bytes: ...

    @abstractmethod
    def read(self, content: bytes) -> C:
        """Raises ValidationError for what is no such change."""
        ...

    def post(self, change: C) -> str:
        """Durable when it returns: the name of the request."""
        return self._letters.post(self.written(change))

    def waiting(self) -> tuple[Request[C], ...]:
        """What nobody has taken yet, the oldest first. A file that cannot be read is put aside."""
        found = [self._read(name) for name in self._letters.waiting()]
        return tuple(request for request in found if request is not None)

    def settle(self, name: str, refusal: str = "", hint: str = "") -> None:
        """It is in the database, or it is refused for this reason."""
        self._letters.settle(name, json.dumps({"message": refusal, "hint": hint}).encode() if refusal else b"")

    def is_waiting(self, name: str) -> bool:
        return self._letters.is_waiting(name)

    def refusal(self, name: str) -> tuple[str, str] | None:
        """Message and hint of a refused request, once; None when it was not refused."""
        try:
            text = self._letters.answer(name)
            if text is None:
                return None
            found: Any = json.loads(text)
            return str(found["message"]), str(found["hint"])
        except (OSError, ValueError, KeyError, TypeError):
            return "It was refused.", ""

    def _read(self, name: str) -> Request[C] | None:
        content = self._letters.read(name)
        if content is None:
            return None
        try:
            return Request(name=name, change=self.read(content))
        except ValidationError:
            self._letters.put_aside(name)
            return None


class Mailbox(ChangeMailbox[Change]):
    """For changes of reminders."""

    def __init__(self, home: Home) -> None:
        super().__init__(home, "mailbox")

    def written(self, change: Change) -> bytes:
        letter = _Letter(
            operation=change.operation,
            reminder=change.reminder,
            notices=change.notices,
            notice_state=change.notice_state,
            undoes=change.undoes,
        )
        return letter.model_dump_json().encode()

    def read(self, content: bytes) -> Change:
        letter = _Letter.model_validate_json(content)
        return Change(
            operation=letter.operation,
            reminder=letter.reminder,
            notices=letter.notices,
            notice_state=letter.notice_state,
            undoes=letter.undoes,
        )
