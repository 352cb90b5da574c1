"""What a second terminal changes about suggestions, on its way to the process that owns the home: letters in
state/suggestions.

Taking one once more after a crash does nothing twice: a letter has its moment, and an answer or a rule keeps it.
"""

import contextlib
import time
from dataclasses import dataclass
from functools import partial
from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from memory.data_dir import Home
from memory.key_file import key_of
from memory.letters import Letters
from memory.settled import Settled, read_settled, settle

Act = Literal["rate", "add_rule", "remove_rule", "settings"]
UNREAD_SECONDS = 60.0  # an asker waits a few
_ANSWER = ".settled"
_TEXT = Field(default="", max_length=400)


class SuggestionLetter(BaseModel):
    """What a file holds; everything in it is checked before it is believed. Which fields count follows from `act`:
    "rate" has `id`, `answer`, `because` and `until` in words; "add_rule" `text`; "remove_rule" `id`; "settings"
    `changes` by name and `reset_learned`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    act: Act
    at: AwareDatetime
    id: int = Field(default=0, ge=0)
    answer: str = _TEXT
    because: str = _TEXT
    until: str = _TEXT
    text: str = _TEXT
    changes: dict[str, str] = Field(default_factory=dict, max_length=20)
    reset_learned: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedLetter:
    """`name` identifies it for ever."""

    name: str
    letter: SuggestionLetter


class SuggestionMailbox:
    """Every method blocks for some milliseconds. Raises HomeUnusable, StoreFull."""

    def __init__(self, home: Home) -> None:
        self._folder = home.state / "suggestions"
        self._letters = Letters(self._folder, answers=_ANSWER, key=partial(key_of, home))

    def post(self, letter: SuggestionLetter) -> str:
        """Durable when it returns: the name of the letter."""
        return self._letters.post(letter.model_dump_json().encode())

    def waiting(self) -> tuple[HandedLetter, ...]:
        """What nobody has settled yet, the oldest first. A file that cannot be read is put aside; an answer that its
        asker never read goes, so that nothing is kept there that was forgotten elsewhere."""
        with contextlib.suppress(OSError):
            for path in self._folder.glob(f"*{_ANSWER}"):
                if time.time() - path.stat().st_mtime > UNREAD_SECONDS:
                    path.unlink(missing_ok=True)
        found = [self._read(name) for name in self._letters.waiting()]
        return tuple(one for one in found if one is not None)

    def settle(self, name: str, settled: Settled) -> None:
        settle(self._letters, name, settled)

    def is_waiting(self, name: str) -> bool:
        return self._letters.is_waiting(name)

    def settled(self, name: str) -> Settled | None:
        """What became of it, once; None: it was settled without a word."""
        return read_settled(self._letters, name)

    def _read(self, name: str) -> HandedLetter | None:
        content = self._letters.read(name)
        if content is None:
            return None
        try:
            return HandedLetter(name=name, letter=SuggestionLetter.model_validate_json(content))
        except ValidationError:
            self._letters.put_aside(name)
            return None
