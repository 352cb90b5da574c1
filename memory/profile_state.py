"""What a profile takes out of a store of preferences, and what it brings back: values only, no I/O."""

from dataclasses import dataclass

from memory.changes import Change, HistoryEntry
from memory.preferences import Item


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """All that is remembered at one moment. `items` by the moment they were recorded, then by id; `history` oldest
    first; `tombstones` are the keys of `memory.keys.tombstone_keys`."""

    items: tuple[Item, ...] = ()
    history: tuple[HistoryEntry, ...] = ()
    tombstones: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Parcel:
    """What an import brings. `changes` become one entry of the history, so that one undo takes them back. `history` is
    what happened elsewhere: it is kept to be read and cannot be undone here; its ids are the sender's, and `undo_of`
    counts among them. `tombstones` only keep words from being learned, and stay when the import is undone."""

    changes: tuple[Change, ...] = ()
    history: tuple[HistoryEntry, ...] = ()
    tombstones: tuple[str, ...] = ()
    reason: str = ""

    @property
    def empty(self) -> bool:
        return not (self.changes or self.history or self.tombstones)
