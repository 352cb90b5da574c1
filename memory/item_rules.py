"""What every store of events, tasks and notes does in the same way: refusals, ids, what undo puts back (pure)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from memory.errors import ChangeRefused, NotFound
from memory.items import Item, ItemChange, ItemEntry, ItemId, ItemKind, kind_of
from memory.lookup import only

LIST_COMMANDS = {"event": "steward calendar list", "task": "steward tasks list", "note": "steward notes list"}


def no_item(kind: ItemKind, wanted: str) -> NotFound:
    return NotFound(f"There is no {kind} {wanted!r}.", f"`{LIST_COMMANDS[kind]}` shows those there are.")


def only_one(kind: ItemKind, wanted: str, fitting: Sequence[str]) -> ItemId:
    """Raises NotFound."""
    return ItemId(only(wanted, fitting, missing=no_item(kind, wanted), what=f"{kind}s"))


def kind_in(change: ItemChange) -> ItemKind:
    """Raises ChangeRefused for nothing, or for several kinds at once."""
    kinds = {kind_of(item) for item in change.items}
    if len(kinds) != 1 or len({item.id for item in change.items}) != len(change.items):
        raise ChangeRefused("A change is of one kind, and names each thing once.")
    return kinds.pop()


def check_revision(before: Item | None, after: Item) -> None:
    """Raises ChangeRefused where the item is not the one that the change was made for."""
    kind = kind_of(after)
    if before is None and after.revision == 0:
        return
    if before is None:
        raise no_item(kind, after.id)
    if before.revision != after.revision or after.revision == 0 or kind_of(before) != kind:
        raise ChangeRefused(f"The {kind} {after.id} was changed meanwhile.", f"Look again: {LIST_COMMANDS[kind]}")


def check_undo(entry: ItemEntry) -> None:
    """Raises ChangeRefused."""
    if entry.undone:
        raise ChangeRefused("That change was taken back already.")


def no_entry() -> NotFound:
    return NotFound("There is nothing to take back.")


def uid_is_there() -> ChangeRefused:
    return ChangeRefused("An event of that file is there already.", "Import the file again.")


def taking_back(entry: ItemEntry, now: Mapping[ItemId, Item]) -> ItemChange:
    """The change that puts everything back as it was before `entry`. Raises ChangeRefused where it changed since."""
    check_undo(entry)
    items: list[Item] = []
    for before, after in entry.changed:
        current = now.get(after.id)
        if current is None or replace(current, revision=0) != replace(after, revision=0):
            raise ChangeRefused(
                f"{'Something of it' if len(entry.changed) > 1 else 'It'} was changed since then.",
                "Take back the later change first, or change it by hand.",
            )
        items.append(
            replace(current, state="deleted") if before is None else replace(before, revision=current.revision)
        )
    return ItemChange(operation="undo", items=tuple(items), label=entry.label, undoes=entry.id)


def search_key(item: Item) -> tuple[str, str]:
    return item.title, item.text


def day_key(at: datetime) -> str:
    """Naive wall times as texts whose order is that of the times."""
    return at.isoformat(timespec="seconds")
