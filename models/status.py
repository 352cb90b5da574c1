"""Who wants to know about a model's status, and waiting until it is settled."""

import asyncio
from collections.abc import Callable

from models.endings import error_of
from models.types import Absent, Cancel, GivenUp, Loading, ModelInfo, ModelStatus, Ready, Restarting
from models.waiting import unless_cancelled


class StatusBoard:
    """Listeners are called on the event loop, in order of registration."""

    def __init__(self) -> None:
        self._listeners: dict[int, Callable[[ModelStatus], None]] = {}
        self._last = 0

    def listen(self, listener: Callable[[ModelStatus], None]) -> Callable[[], None]:
        self._last += 1
        number = self._last
        self._listeners[number] = listener
        return lambda: self._listeners.pop(number, None) and None

    def publish(self, status: ModelStatus) -> None:
        for listener in tuple(self._listeners.values()):
            listener(status)

    async def settled(self, current: Callable[[], ModelStatus], cancel: Cancel) -> ModelInfo:
        """Waits for the end of loading. Raises ModelError when there will be none, Cancelled when cancelled."""
        changed = asyncio.Event()
        forget = self.listen(lambda _: changed.set())
        try:
            while True:
                match current():
                    case Ready(info=info):
                        return info
                    case GivenUp(failure=failure) | Absent(failure=failure):
                        raise error_of(failure)
                    case Loading() | Restarting():
                        changed.clear()
                        await unless_cancelled(changed.wait(), cancel)
        finally:
            forget()
