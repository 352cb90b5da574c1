"""What every store of reminders does in the same way: ids, refusals, what undo may take back."""

from memory.errors import ChangeRefused, NotFound
from memory.reminders import Entry, Reminder, ReminderId


def no_reminder(wanted: str) -> NotFound:
    return NotFound(f"There is no reminder {wanted!r}.", "`steward reminders list --all` shows those there are.")


def only_one(wanted: str, fitting: tuple[str, ...]) -> ReminderId:
    """The only id that fits. Raises NotFound, naming some when there are several."""
    if not fitting:
        raise no_reminder(wanted)
    if len(fitting) > 1:
        raise NotFound(f"{wanted!r} fits {len(fitting)} reminders.", f"Give more of it: {', '.join(fitting[:5])}.")
    return ReminderId(fitting[0])


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
