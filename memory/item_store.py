"""The contract of a store of events, tasks and notes. Every call is one transaction; what it returned is on disk."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from memory.items import Event, Item, ItemChange, ItemEntry, ItemEntryId, ItemHit, ItemKind, Note, Task


class ItemReader(Protocol):
    """What looks at items. Raises StoreError."""

    async def find(self, kind: ItemKind, wanted: str) -> Item:
        """By its id, or the only active one whose id begins so. Raises NotFound."""
        ...

    async def events(self, first: datetime, last: datetime) -> tuple[Event, ...]:
        """Active events that may touch the naive span: once inside it, by two days more on either side for zones, and
        every series and replaced occurrence; by start."""
        ...

    async def by_uid(self, uids: Sequence[str]) -> tuple[Event, ...]:
        """Those of a calendar file, deleted ones included."""
        ...

    async def tasks(self, *, done: bool = False, limit: int = 500) -> tuple[Task, ...]:
        """Open ones by their day, those without one last; or done ones, the newest first."""
        ...

    async def notes(self, *, limit: int = 500) -> tuple[Note, ...]:
        """The newest first."""
        ...

    async def search(self, words: str, kinds: Sequence[ItemKind], *, limit: int = 20) -> tuple[ItemHit, ...]:
        """Active ones with all the words in title or text, the title counting more; best first."""
        ...

    async def entry(self, kind: ItemKind, id: ItemEntryId | None = None) -> ItemEntry:
        """One line of the history; without an id the last one of this kind that can be taken back. Raises NotFound."""
        ...


class ItemStore(ItemReader, Protocol):
    async def apply(self, change: ItemChange, *, at: datetime, request: str = "") -> ItemEntry:
        """Store all of it or nothing, and note it. A `request` that was applied before changes nothing and answers with
        the entry of then. Raises NotFound, ChangeRefused (changed meanwhile, taken back already, uid there already)."""
        ...

    async def purge(self, before: datetime) -> int:
        """Erase what was deleted before this moment, its history included; how many."""
        ...
