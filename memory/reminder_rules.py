"""What every store of reminders does in the same way: ids, refusals, what undo may take back."""

from collections.abc import Sequence

from memory.errors import ChangeRefused, NotFound
from memory.lookup import only
from memory.reminders import Entry, Reminder, ReminderId


def no_reminder(wanted: str) -> NotFound:
    return NotFound(f"There is no reminder {wanted!r}.", "`steward reminders list --all` shows those there are.")


def only_one(wanted: str, fitting: Sequence[str]) -> ReminderId:
    """Raises NotFound."""
    return ReminderId(only(wanted, fitting, missing=no_reminder(wanted), what="reminders"))


def check_revision(before: Reminder | None, after: Reminder) -> None:
    """Raises ChangeRefused where the reminder is not the one that the change was made for."""
    if before is None and after.revision == 0:
        return
    if before is None:
        raise no_reminder(after.id)
    if before.revision != after.revision or after.revision == 0:
        raise ChangeRefused(
            f"The reminder {after.id} was changed meanwhile.", "Look at it again: steward reminders list"
        )


def check_undo(entry: Entry) -> None:
    """Raises ChangeRefused."""
    if entry.undone:
        raise ChangeRefused("That change was taken back already.")


def no_entry() -> NotFound:
    return NotFound("There is nothing to take back.")
