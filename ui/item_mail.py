"""Changing events, tasks and notes from a second terminal: the change goes to the process that owns the home."""

from collections.abc import Sequence
from datetime import datetime

from memory.item_mailbox import ItemMailbox
from memory.item_store import ItemReader
from memory.items import Event, Item, ItemChange, ItemEntry, ItemEntryId, ItemHit, ItemKind, Note, Task, kind_of
from ui.reminder_mail import handed_over


class HandedOverItems:
    """Implements memory.item_store.ItemStore beside the owner: reads there, and hands changes over. `waits` turns true
    when one was left behind."""

    def __init__(self, reading: ItemReader, mailbox: ItemMailbox) -> None:
        self._reading = reading
        self._mailbox = mailbox
        self.waits = False

    async def apply(self, change: ItemChange, *, at: datetime, request: str = "") -> ItemEntry:
        """Returns when the owner has taken it, or after some seconds with `waits`. Raises ChangeRefused."""
        self.waits = not await handed_over(self._mailbox, change) or self.waits
        return ItemEntry(
            id=ItemEntryId(0),
            operation=change.operation,
            kind=kind_of(change.items[0]),
            label=change.label,
            at=at,
            changed=tuple((None, one) for one in change.items),
        )

    async def purge(self, before: datetime) -> int:
        """Nothing: that is for the owner."""
        return 0

    async def find(self, kind: ItemKind, wanted: str) -> Item:
        return await self._reading.find(kind, wanted)

    async def events(self, first: datetime, last: datetime) -> tuple[Event, ...]:
        return await self._reading.events(first, last)

    async def by_uid(self, uids: Sequence[str]) -> tuple[Event, ...]:
        return await self._reading.by_uid(uids)

    async def tasks(self, *, done: bool = False, limit: int = 500) -> tuple[Task, ...]:
        return await self._reading.tasks(done=done, limit=limit)

    async def notes(self, *, limit: int = 500) -> tuple[Note, ...]:
        return await self._reading.notes(limit=limit)

    async def search(self, words: str, kinds: Sequence[ItemKind], *, limit: int = 20) -> tuple[ItemHit, ...]:
        return await self._reading.search(words, kinds, limit=limit)

    async def entry(self, kind: ItemKind, id: ItemEntryId | None = None) -> ItemEntry:
        return await self._reading.entry(kind, id)
