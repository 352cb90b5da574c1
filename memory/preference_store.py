"""The contract of a store of preferences. Every call is one transaction; what a call returned is kept.

Raises StoreError: NotFound for a name nobody has, ChangeRefused when a change does not fit the state it meets (then
nothing was changed), and the disk's own troubles. Two stores keep it: `memory.preferences_in_memory`, the reference,
and `memory.sqlite_preferences`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from memory.preferences import (
    ANY,
    IN_FORCE,
)

if TYPE_CHECKING:
    from memory.changes import Change, EntryId, HistoryEntry, Learned
    from memory.preferences import (
        Actor,
        Candidate,
        Domain,
        Filter,
        ForgetMessages,
        ForgetPreview,
        Forgotten,
        Hit,
        Item,
        Outcome,
        Preference,
        PreferenceId,
        ReviewQueue,
        Scope,
        Status,
        Usage,
    )
    from memory.profile_state import Parcel, Snapshot
    from memory.types import MessageId


class PreferenceStore(Protocol):
    # --- writing ---

    async def learn(self, candidates: Sequence[Candidate], *, actor: Actor, at: datetime) -> Learned:
        """Reconcile with what is known and apply, in one transaction. Nothing is stored for an Ignore."""
        ...

    async def apply(self, changes: Sequence[Change], *, actor: Actor, at: datetime) -> tuple[HistoryEntry, ...]:
        """All or none. One history entry for each change that altered anything."""
        ...

    async def undo(self, entry: EntryId | None = None, *, actor: Actor = "user", at: datetime) -> HistoryEntry:
        """Restore exactly what was before `entry`, else before the newest change that stands.

        Undoing the entry this returns does the change again.
        """
        ...

    async def take_in(self, parcel: Parcel, *, actor: Actor, at: datetime) -> HistoryEntry | None:
        """What an import brings, as one change; None when no memory changed."""
        ...

    async def keep_up(self, *, at: datetime) -> tuple[HistoryEntry, ...]:
        """Expire and demote what time has overtaken (`memory.upkeep`)."""
        ...

    async def record_usage(self, uses: Sequence[Usage]) -> None:
        """Which items shaped a reply. What names an unknown item or message is skipped."""
        ...

    async def mark_outcome(self, message_id: MessageId, ids: Collection[PreferenceId], outcome: Outcome) -> None:
        """How the reply turned out for these items: followed, violated, corrected."""
        ...

    # --- reading ---

    async def item(self, id: PreferenceId) -> Item: ...

    async def find(self, wanted: str) -> Item:
        """By id, or the beginning of one that fits only one item."""
        ...

    async def list(self, filter: Filter = ANY, *, limit: int = 50, offset: int = 0) -> tuple[Preference, ...]:
        """Newest first."""
        ...

    async def count(self, filter: Filter = ANY) -> int: ...

    async def by_ids(self, ids: Collection[PreferenceId]) -> tuple[Preference, ...]:
        """Those that exist, in the order of `ids`."""
        ...

    async def search(self, text: str, *, limit: int = 20, statuses: tuple[Status, ...] = IN_FORCE) -> tuple[Hit, ...]:
        """Full text, any word of it, best first."""
        ...

    async def in_domains(self, domains: Collection[Domain], *, limit: int = 50) -> tuple[Preference, ...]:
        """Active items, the strongest first."""
        ...

    async def head(self, *, at: datetime, scopes: Collection[Scope] = ()) -> tuple[Preference, ...]:
        """What belongs at the head of every prompt: pinned, hard limits, identity, reply style; in force at `at`."""
        ...

    async def history(
        self, id: PreferenceId | None = None, *, limit: int = 50, offset: int = 0
    ) -> tuple[HistoryEntry, ...]:
        """Of one item or of all, newest first."""
        ...

    async def usage_of(self, message_id: MessageId) -> tuple[Usage, ...]:
        """The items that shaped this reply, highest score first."""
        ...

    async def uses(self, id: PreferenceId, *, limit: int = 20) -> tuple[Usage, ...]:
        """The replies this item shaped, newest first."""
        ...

    async def review(self, *, at: datetime, limit: int = 50) -> ReviewQueue: ...

    def export(self) -> AsyncIterator[Item]:
        """Every item of every status, oldest first."""
        ...

    async def snapshot(self) -> Snapshot:
        """Everything, seen at one moment: for a profile. All of it is in memory at once."""
        ...

    # --- forgetting ---

    async def gone(self) -> tuple[Item, ...]:
        """What stands only in the history, because what brought it was undone or it came with an imported history: an
        item for each wording, the newest first. It can be forgotten, and nothing else."""
        ...

    async def preview_forget(self, ids: Collection[PreferenceId]) -> ForgetPreview:
        """With them goes what is gone and says the same."""
        ...

    async def forget(
        self, ids: Collection[PreferenceId], *, messages: ForgetMessages = "keep", at: datetime
    ) -> Forgotten:
        """Delete physically: rows, evidence, history, use, full text, vectors. Final; it leaves only hashes that keep
        the same words from being learned again. With `messages`, the words in the transcript go too."""
        ...
