"""What an act with events, tasks and notes answers with, and the acts that all three share.

A receipt exists only after the commit. Every change can be taken back; what was deleted is erased for good after
KEPT_WHEN_DELETED.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from assistant.policies.cleaning import clean_line
from assistant.ports import Clock
from memory.errors import ChangeRefused
from memory.item_rules import taking_back
from memory.item_store import ItemStore
from memory.items import Item, ItemChange, ItemEntryId, ItemKind, ItemOperation
from memory.text import random_id

KEPT_WHEN_DELETED = timedelta(days=30)
_TRIES = 3  # when something else changes the same thing at the same moment


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemReceipt:
    """`words`: one line. `notes`: what else should be said, a line each. `entry`: what undo takes."""

    words: str
    items: tuple[Item, ...]
    operation: ItemOperation
    entry: ItemEntryId
    notes: tuple[str, ...] = ()


def named(item: Item, limit: int = 120) -> str:
    return clean_line(item.title, limit) or "(no title)"


class ItemActs:
    """Delete, undo and change, for one kind. `here`: the user's zone. Raises StoreError."""

    kind: ItemKind

    def __init__(self, store: ItemStore, clock: Clock, here: str) -> None:
        self.store = store
        self.here = here
        self._clock = clock

    @property
    def now(self) -> datetime:
        return self._clock.now()

    async def delete(self, wanted: str, *, request: str = "") -> ItemReceipt:
        def change(item: Item) -> tuple[Item, str]:
            if item.state == "deleted":
                raise ChangeRefused(f"{named(item)!r} is deleted already.")
            return replace(item, state="deleted"), f"Deleted: {named(item)}"

        return await self.change(wanted, "delete", change, request=request)

    async def change(
        self,
        wanted: str,
        operation: ItemOperation,
        change: Callable[[Item], tuple[Item, str]],
        *,
        request: str = "",
    ) -> ItemReceipt:
        """Again with what is there now, when it was changed at the same moment."""
        for attempt in range(_TRIES):
            item, words = change(await self.store.find(self.kind, wanted.strip()))
            try:
                return await self.keep(operation, (item,), words, request=request)
            except ChangeRefused:
                if attempt == _TRIES - 1:
                    raise
        raise AssertionError("unreachable")

    async def keep(
        self,
        operation: ItemOperation,
        items: tuple[Item, ...],
        words: str,
        *,
        notes: tuple[str, ...] = (),
        request: str = "",
    ) -> ItemReceipt:
        change = ItemChange(operation=operation, items=items, label=clean_line(words, 200))
        entry = await self.store.apply(change, at=self.now, request=request)
        after = tuple(one for _, one in entry.changed)
        return ItemReceipt(words=words, items=after, operation=operation, entry=entry.id, notes=notes)

    async def undo(self, entry_id: ItemEntryId | None = None) -> ItemReceipt:
        """Take back that change, or the last one. Raises NotFound, ChangeRefused."""
        entry = await self.store.entry(self.kind, entry_id)
        current = {after.id: await self.store.find(self.kind, after.id) for _, after in entry.changed}
        back = taking_back(entry, current)
        made = await self.store.apply(back, at=self.now)
        words = f"Taken back: {entry.label or entry.operation}"
        items = tuple(one for _, one in made.changed)
        return ItemReceipt(words=words, items=items, operation="undo", entry=made.id)


def new_id() -> str:
    return random_id()
