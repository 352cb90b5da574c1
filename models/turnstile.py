"""One request at a time, users first, for models that have no child process to queue in."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from models.endings import CANCELLED
from models.errors import Cancelled
from models.types import Cancel, Priority
from models.waiting import Watch, unless_cancelled


@dataclass(slots=True, eq=False)
class _Ticket:
    priority: Priority
    called: asyncio.Event = field(default_factory=asyncio.Event)
    stop: Cancel = field(default_factory=Cancel)


class Turnstile:
    """A user request cancels running background work and goes before what waits. It does not wait until the work
    has noticed: whoever consumes that may be slow to."""

    def __init__(self) -> None:
        self._inside: _Ticket | None = None
        self._waiting: list[_Ticket] = []

    @asynccontextmanager
    async def turn(self, priority: Priority, cancel: Cancel) -> AsyncIterator[Cancel]:
        """The block runs when it is this request's turn, with the Cancel to obey: it is set by the caller's or by
        a user's request. Raises Cancelled when `cancel` is set before."""
        ticket = _Ticket(priority)
        self._waiting.append(ticket)
        if priority == "user" and self._inside is not None and self._inside.priority == "background":
            self._inside.stop.set()
            self._inside = None
        self._call_next()
        try:
            await unless_cancelled(ticket.called.wait(), cancel)
            if ticket.stop.is_set:
                raise Cancelled(CANCELLED)
            async with Watch(cancel, ticket.stop.set):
                yield ticket.stop
        finally:
            if self._inside is ticket:
                self._inside = None
            elif ticket in self._waiting:
                self._waiting.remove(ticket)
            self._call_next()

    def stop_all(self) -> None:
        """Cancels what is inside and what waits."""
        for ticket in (self._inside, *self._waiting):
            if ticket is not None:
                ticket.stop.set()

    def _call_next(self) -> None:
        if self._inside is not None or not self._waiting:
            return
        self._inside = next((one for one in self._waiting if one.priority == "user"), self._waiting[0])
        self._waiting.remove(self._inside)
        self._inside.called.set()
