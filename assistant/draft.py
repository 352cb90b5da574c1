"""The answer while it is written: cleaned, and saved as it grows."""

from datetime import datetime, timedelta

from assistant.policies.cleaning import clean_chunk

CHECKPOINT_CHARACTERS = 200
CHECKPOINT_EVERY = timedelta(seconds=1)


class Draft:
    """Text and thought so far. `add_*` gives what can be shown; together the shown pieces are exactly the text."""

    def __init__(self, started_at: datetime) -> None:
        self._text: list[str] = []
        self._thought: list[str] = []
        self._held_text = ""
        self._held_thought = ""
        self._unsaved = 0
        self._saved_at = started_at

    @property
    def text(self) -> str:
        return "".join(self._text)

    @property
    def thought(self) -> str:
        return "".join(self._thought)

    def add_text(self, chunk: str) -> str:
        shown, self._held_text = clean_chunk(self._held_text, chunk)
        self._text.append(shown)
        self._unsaved += len(shown)
        return shown

    def add_thought(self, chunk: str) -> str:
        shown, self._held_thought = clean_chunk(self._held_thought, chunk)
        self._thought.append(shown)
        self._unsaved += len(shown)
        return shown

    def restart(self) -> None:
        """The text so far is void; thoughts stay."""
        self._text.clear()
        self._held_text = ""
        self._unsaved = 1  # the void text may be on disk

    def is_due(self, now: datetime) -> bool:
        """Whether enough came since the last save: 200 characters, or any after a second. A clock that jumps back
        only saves once more than needed."""
        if self._unsaved == 0:
            return False
        return self._unsaved >= CHECKPOINT_CHARACTERS or abs(now - self._saved_at) >= CHECKPOINT_EVERY

    def mark_saved(self, now: datetime) -> None:
        self._unsaved = 0
        self._saved_at = now
