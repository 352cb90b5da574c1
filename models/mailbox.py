"""Events from the child on their way to one consumer. A slow consumer gets fewer, longer events, never a long queue."""

import asyncio
from collections import deque
from dataclasses import replace

from models.types import Delta, Finished, ModelEvent, Progress


class Mailbox:
    """At most one Progress and one Delta of each kind in a row wait; the order is kept; nothing follows Finished."""

    def __init__(self) -> None:
        self._waiting: deque[ModelEvent] = deque()
        self._arrived = asyncio.Event()
        self._sealed = False

    def __len__(self) -> int:
        """Events that wait."""
        return len(self._waiting)

    def put(self, event: ModelEvent) -> None:
        if self._sealed:
            return
        self._sealed = isinstance(event, Finished)
        last = self._waiting[-1] if self._waiting else None
        match last, event:
            case Progress(), Progress():
                self._waiting[-1] = event
            case Delta(thought=before), Delta(thought=thought) if before == thought:
                self._waiting[-1] = replace(last, text=last.text + event.text)
            case _:
                self._waiting.append(event)
        self._arrived.set()

    async def get(self) -> ModelEvent:
        await self._arrived.wait()
        event = self._waiting.popleft()
        if not self._waiting:
            self._arrived.clear()
        return event
