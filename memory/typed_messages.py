"""What the user typed in conversations that may be learned from, since a message; for the proactive engine."""

from typing import Protocol

from memory.types import Message, MessageId


class TypedMessages(Protocol):
    """Raises StoreError."""

    async def after(self, id: MessageId, *, limit: int = 200) -> tuple[Message, ...]:
        """Typed messages with a greater id, oldest first; sessions that are not learned from are left out."""
        ...

    async def newest(self) -> MessageId:
        """The greatest id there is, of any message; 0 where there is none. Cheap."""
        ...
