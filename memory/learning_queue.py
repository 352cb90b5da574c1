"""Messages that wait to be read in the background: the contract, and the queue without a disk."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from memory.types import MessageId


class LearningQueue(Protocol):
    """In the order in which they were said; what is done leaves. Survives a restart. Raises StoreError."""

    async def put(self, message_id: MessageId, *, at: datetime) -> None:
        """Once a message; one that is gone is skipped."""
        ...

    async def waiting(self, *, limit: int) -> tuple[MessageId, ...]: ...

    async def done(self, message_ids: Iterable[MessageId]) -> None: ...


@dataclass(slots=True)
class InMemoryLearningQueue:
    _waiting: dict[MessageId, datetime] = field(default_factory=dict)

    async def put(self, message_id: MessageId, *, at: datetime) -> None:
        self._waiting.setdefault(message_id, at)

    async def waiting(self, *, limit: int) -> tuple[MessageId, ...]:
        return tuple(sorted(self._waiting))[:limit]

    async def done(self, message_ids: Iterable[MessageId]) -> None:
        for message_id in message_ids:
            self._waiting.pop(message_id, None)
