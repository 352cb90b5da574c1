"""Changing reminders from a second terminal: the change goes through the mailbox to the process that owns the home."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Generic, Protocol, TypeVar

from assistant.ports import Clock
from memory.errors import ChangeRefused, NotFound
from memory.mailbox import ChangeMailbox, Mailbox
from memory.reminder_store import ReminderStore
from memory.reminders import Change, Due, Entry, EntryId, Notice, Reminder, ReminderId, ReminderState

WAIT_SECONDS = 5.0
_LOOK_EVERY = 0.05


C = TypeVar("C")
C_in = TypeVar("C_in", contravariant=True)


class Applies(Protocol[C_in]):
    async def apply(self, change: C_in, *, at: datetime, request: str = "") -> object: ...


class Drained(Generic[C]):
    """The owner's end: applies what waits."""

    def __init__(self, store: Applies[C], mailbox: ChangeMailbox[C], clock: Clock) -> None:
        self._store = store
        self._mailbox = mailbox
        self._clock = clock

    async def drain(self) -> int:
        requests = await asyncio.to_thread(self._mailbox.waiting)
        for request in requests:
            try:
                await self._store.apply(request.change, at=self._clock.now(), request=request.name)
            except (NotFound, ChangeRefused) as error:
                await asyncio.to_thread(self._mailbox.settle, request.name, error.message, error.hint)
            else:
                await asyncio.to_thread(self._mailbox.settle, request.name)
        return len(requests)


async def handed_over(mailbox: ChangeMailbox[C], change: C) -> bool:
    """Whether the owner has taken it; False after some seconds: it is kept, and taken later. Raises ChangeRefused."""
    name = await asyncio.to_thread(mailbox.post, change)
    loop = asyncio.get_running_loop()
    deadline, taken = loop.time() + WAIT_SECONDS, True
    while await asyncio.to_thread(mailbox.is_waiting, name):
        if loop.time() > deadline:
            taken = False
            break
        await asyncio.sleep(_LOOK_EVERY)
    refusal = await asyncio.to_thread(mailbox.refusal, name)
    if refusal is not None:
        raise ChangeRefused(*refusal)
    return taken


class HandedOver:
    """The other end: reads beside the owner, and hands changes over. `waits` turns true when one was left behind."""

    def __init__(self, reading: ReminderStore, mailbox: Mailbox) -> None:
        self._reading = reading
        self._mailbox = mailbox
        self.waits = False

    async def apply(self, change: Change, *, at: datetime, request: str = "") -> Entry:
        """Returns when the owner has taken it, or after some seconds with `waits`: it is kept, and taken later."""
        self.waits = not await handed_over(self._mailbox, change) or self.waits
        return Entry(id=EntryId(0), operation=change.operation, reminder_id=change.reminder.id, at=at)

    async def reminder(self, id: ReminderId) -> Reminder:
        return await self._reading.reminder(id)

    async def find(self, wanted: str) -> Reminder:
        return await self._reading.find(wanted)

    async def list(
        self, states: Sequence[ReminderState] = ("active",), *, limit: int = 500, offset: int = 0
    ) -> tuple[Reminder, ...]:
        return await self._reading.list(states, limit=limit, offset=offset)

    async def open_notices(self, *, limit: int = 500) -> tuple[Due, ...]:
        return await self._reading.open_notices(limit=limit)

    async def notices(self, id: ReminderId, *, limit: int = 50) -> tuple[Notice, ...]:
        return await self._reading.notices(id, limit=limit)

    async def entry(self, id: EntryId | None = None) -> Entry:
        return await self._reading.entry(id)
