"""Conversations of other assistants in the transcript: the contract."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from memory.importing.types import ImportedConversation
    from memory.types import Message

Outcome = Literal["new", "grown", "here"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What became of one conversation; `messages` is how many came in (or would)."""

    outcome: Outcome
    messages: int


class ImportStore(Protocol):
    """Raises StoreError."""

    async def add(self, batch: Sequence[ImportedConversation], *, at: datetime) -> tuple[Kept, ...]:
        """One transaction: all of the batch or nothing. A conversation that is here already brings only the messages
        it has more than before; a time after `at` becomes `at`."""
        ...

    async def compare(self, batch: Sequence[ImportedConversation]) -> tuple[Kept, ...]:
        """What `add` would do; nothing is changed."""
        ...

    async def unlearned(self, *, limit: int) -> tuple[Message, ...]:
        """The user's own imported messages that were not read for what they say about the user, the newest first."""
        ...

    async def unlearned_count(self) -> int: ...

    async def learned(self) -> None:
        """What is in the imported conversations now was read."""
        ...
