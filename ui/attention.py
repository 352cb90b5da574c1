"""What the interface knows of the user: typing, reading, away, back. Only moments are kept, never keys."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assistant.proactive_types import Presence
    from memory.suggestions import Breakpoint

TYPING = timedelta(seconds=8)  # since the last key
WRITING = timedelta(minutes=2)  # the same while something stands in the prompt
READING = timedelta(seconds=10)  # an answer that just came
AWAY = timedelta(minutes=10)  # without a key: the next one is a return


class Attention:
    """A moment to decide is kept until it can be used: nothing is decided while somebody types or reads."""

    def __init__(self, now: datetime) -> None:
        self._began_at = now
        self._key_at: datetime | None = None
        self._answer_at: datetime | None = None
        self._moment: Breakpoint = "start"

    @property
    def last_looked_at(self) -> datetime:
        """The last key; without one, when it opened."""
        return self._key_at or self._began_at

    def typed(self, now: datetime) -> None:
        if now - (self._key_at or self._began_at) >= AWAY:
            self._moment = "return"
        self._key_at = now

    def answered(self, now: datetime) -> None:
        """An answer is there."""
        self._answer_at = now
        self._moment = "read"

    def ended(self) -> None:
        """A conversation was left."""
        self._moment = "end"

    def presence(self, now: datetime, *, generating: bool, writing: bool) -> Presence:
        """`writing`: something stands in the prompt. Uses up the moment unless the user is busy."""
        from assistant.proactive_types import Presence

        since_key = None if self._key_at is None else now - self._key_at
        typing = since_key is not None and since_key < (WRITING if writing else TYPING)
        reading = self._answer_at is not None and now - self._answer_at < READING
        moment = self._moment
        if typing or generating or reading:
            moment = "clock"
        else:
            self._moment = "clock"
        return Presence(
            breakpoint=moment,
            typing=typing,
            generating=generating or reading,
            last_input_at=self._key_at,
            session_began_at=self._began_at,
        )
