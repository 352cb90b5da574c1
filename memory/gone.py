"""Items that stand only in the history, from the history itself. Pure; the SQLite store asks the database the same."""

from collections.abc import Collection, Iterable

from memory.changes import HistoryEntry
from memory.keys import tombstone_keys
from memory.preferences import Item, PreferenceId


def gone_of(entries: Iterable[HistoryEntry], existing: Collection[PreferenceId]) -> tuple[Item, ...]:
    """One for each wording, the newest first."""
    found: dict[tuple[str, str], Item] = {}
    for entry in sorted(entries, key=lambda one: one.id, reverse=True):
        for delta in entry.deltas:
            for state in (delta.before, delta.after):
                if state is not None and state.id not in existing:
                    found.setdefault((state.id, state.preference.statement), state)
    return tuple(found.values())


def traces_among(gone: Iterable[Item], items: Collection[Item]) -> tuple[Item, ...]:
    """Those that say the same as one of `items`."""
    keys = {key for item in items for key in tombstone_keys(item.preference)}
    ids = {item.id for item in items}
    same: dict[PreferenceId, Item] = {}
    for item in gone:
        if item.id not in ids and keys & set(tombstone_keys(item.preference)):
            same.setdefault(item.id, item)
    return tuple(same.values())
