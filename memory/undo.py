"""Taking a change back: exactly the state before it, or a refusal that says what stands in the way. Pure."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from memory.changes import Delta, HistoryEntry
from memory.errors import ChangeRefused, NotFound
from memory.preferences import Item, PreferenceId
from memory.transitions import Items, check_standing


def nothing_to_undo() -> NotFound:
    return NotFound("There is nothing to undo.", "See: steward memory history")


def newest_undoable(entries: Iterable[HistoryEntry]) -> HistoryEntry:
    """The last change by anyone that still stands; an undo is not one. Raises NotFound."""
    fitting = [entry for entry in entries if entry.operation != "undo" and entry.undoable and not entry.undone]
    if not fitting:
        raise nothing_to_undo()
    return max(fitting, key=lambda entry: entry.id)


def undo_deltas(
    entry: HistoryEntry,
    items: Items,
    referring: Mapping[PreferenceId, PreferenceId],
    exists: Callable[[PreferenceId], bool],
) -> tuple[Delta, ...]:
    """The deltas that restore what was before `entry`: what goes first, then what comes back into force.

    `items` holds the items of the entry and the active items of their places, before and after. `referring` maps an
    item of the entry to another one that points to it. A link to an item that was forgotten since is not restored.
    Raises ChangeRefused.
    """
    _check_can_be_undone(entry, items, referring)
    back = {delta.id: delta.before for delta in entry.deltas if delta.before is not None}
    gone = {delta.id for delta in entry.deltas if delta.before is None}
    links = Links(exists=lambda id: id in back or (id not in gone and exists(id)))
    order = sorted(back.values(), key=lambda item: item.preference.status == "active")
    deltas = (
        *(Delta(id=id, before=items.get(id), after=None) for id in sorted(gone)),
        *(Delta(id=item.id, before=items.get(item.id), after=links.kept(item)) for item in order),
    )
    ids = {delta.id for delta in deltas}
    others = [item for item in items.values() if item.id not in ids]
    restored = [delta.after for delta in deltas if delta.after is not None]
    check_standing((item.preference for item in restored), (*others, *restored))
    return deltas


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    exists: Callable[[PreferenceId], bool]

    def kept(self, item: Item) -> Item:
        """Without the links whose end is gone."""
        preference = item.preference
        if preference.superseded_by is not None and not self.exists(preference.superseded_by):
            preference = replace(preference, superseded_by=None)
        if preference.contests is not None and not self.exists(preference.contests):
            preference = replace(preference, contests=None)
        return item if preference is item.preference else replace(item, preference=preference)


def _check_can_be_undone(entry: HistoryEntry, items: Items, referring: Mapping[PreferenceId, PreferenceId]) -> None:
    if not entry.undoable:
        raise ChangeRefused(f"Change {entry.id} cannot be undone.", "What it touched was forgotten, which is final.")
    if entry.undone:
        raise ChangeRefused(f"Change {entry.id} was undone already.", "See: steward memory history")
    for delta in entry.deltas:
        if not _unchanged(delta.after, items.get(delta.id)):
            raise ChangeRefused(f"{delta.id} changed again after change {entry.id}.", "Undo the newer change first.")
        if delta.before is None and delta.id in referring:
            other = referring[delta.id]
            raise ChangeRefused(f"{other} refers to {delta.id}.", f"Undo the newest change of {other} first.")


def _unchanged(then: Item | None, now: Item | None) -> bool:
    """Evidence may be gone with a deleted conversation; the item itself has to be as the change left it."""
    if then is None or now is None:
        return then is now
    return then.preference == now.preference
