"""The contract of a store of reminders. Every call is one transaction; what it returned is on disk."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from memory.reminders import (
        Change,
        Due,
        Entry,
        EntryId,
        Firing,
        Notice,
        NoticeId,
        Reminder,
        ReminderId,
        ReminderState,
    )


class ReminderStore(Protocol):
    """Raises StoreError."""

    async def apply(self, change: Change, *, at: datetime, request: str = "") -> Entry:
        """Store it and note it in the history. A `request` that was applied before changes nothing and answers with
        the entry of then. Raises NotFound, ChangeRefused (changed meanwhile, taken back already)."""
        ...

    async def claim(self, firings: Sequence[Firing], *, at: datetime) -> tuple[Due, ...]:
        """Take occurrences and move their reminders on, before anybody is told. What was changed or taken meanwhile
        is left out; so is what is skipped. An older open notice of the same reminder is "passed"."""
        ...

    async def mark_shown(self, ids: Sequence[NoticeId]) -> None: ...

    async def replan(self, reminders: Sequence[Reminder]) -> None:
        """Write `next` and `next_at`; those whose revision has changed are left alone."""
        ...

    async def due(self, at: datetime, *, limit: int = 200) -> tuple[Reminder, ...]:
        """Active ones whose `next_at` is not after `at`, the earliest first."""
        ...

    async def next_at(self) -> datetime | None:
        """When the next one is due."""
        ...

    async def reminder(self, id: ReminderId) -> Reminder: ...

    async def find(self, wanted: str) -> Reminder:
        """By its id or the only one that begins so. Raises NotFound."""
        ...

    async def list(
        self, states: Sequence[ReminderState] = ("active",), *, limit: int = 500, offset: int = 0
    ) -> tuple[Reminder, ...]:
        """By when they are due; those that are not due any more last, the newest first."""
        ...

    async def open_notices(self, *, limit: int = 500) -> tuple[Due, ...]:
        """Claimed or shown, and neither done nor snoozed; the latest due first."""
        ...

    async def notices(self, id: ReminderId, *, limit: int = 50) -> tuple[Notice, ...]:
        """The latest due first."""
        ...

    async def unshown(self, *, limit: int = 200) -> tuple[Due, ...]:
        """Claimed, and not known to have been shown; the earliest due first. All of them say `again`."""
        ...

    async def entry(self, id: EntryId | None = None) -> Entry:
        """One line of the history; without an id the last that can be taken back. Raises NotFound."""
        ...

    async def noted(self, name: str) -> str:
        """What the scheduler noted under this name; "" for nothing."""
        ...

    async def note(self, name: str, value: str) -> None: ...

    async def purge(self, before: datetime) -> int:
        """Erase what was deleted before this moment, its history and its notices included; how many."""
        ...
