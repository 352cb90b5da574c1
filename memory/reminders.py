"""Reminders and the notices they lead to, as frozen values.

An occurrence is named by its key: what the clock on the wall shows ("2026-03-08T18:00:00") where a reminder follows the
wall clock, a moment in UTC ("2026-03-08T17:00:00.000000Z") where it is fixed. One notice an occurrence: a unique index
over reminder and key holds that whatever happens to clocks and zones. When each occurrence comes is decided by
`assistant.policies.due`; a store only keeps `next_at` and finds what is due by it.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NewType

from memory.types import MessageId

ReminderId = NewType("ReminderId", str)
NoticeId = NewType("NoticeId", int)
EntryId = NewType("EntryId", int)
Occurrence = NewType("Occurrence", str)

ReminderKind = Literal["instant", "wall", "date"]
ReminderState = Literal["active", "done", "deleted"]
IfMissed = Literal["tell", "skip"]  # what becomes of an occurrence that nobody was there to show in time
NoticeState = Literal[
    "claimed",  # its occurrence is taken; it has not been shown yet, or nobody knows
    "shown",
    "done",
    "snoozed",
    "passed",  # a later occurrence of the same reminder took its place
    "skipped",  # too late, and the reminder says to skip it then
]
Operation = Literal["add", "edit", "done", "snooze", "delete", "undo"]
OPEN: tuple[NoticeState, ...] = ("claimed", "shown")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminder:
    """`at` for kind "instant" (aware UTC), `local` (naive) for the others. `floating`: the wall clock of wherever the
    user is counts; else that of `zone`. `rule`: RFC 5545 RRULE text, "" for once. `taken`: the occurrence fired last.
    `next`: the occurrence that comes next. `next_at`: when something is due, a snooze included; None: nothing ever.
    """

    id: ReminderId
    text: str
    kind: ReminderKind
    zone: str
    created_at: datetime
    at: datetime | None = None
    local: datetime | None = None
    floating: bool = False
    rule: str = ""
    if_missed: IfMissed = "tell"
    state: ReminderState = "active"
    snoozed_until: datetime | None = None
    taken: Occurrence | None = None
    next: Occurrence | None = None
    next_at: datetime | None = None
    message_id: MessageId | None = None  # where it was said
    revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """One occurrence that came. `missed`: how many earlier ones it stands for; `first_due`: the first of them."""

    id: NoticeId
    reminder_id: ReminderId
    occurrence: Occurrence
    due_at: datetime
    claimed_at: datetime
    state: NoticeState = "claimed"
    late: bool = False
    missed: int = 0
    first_due: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Firing:
    """An occurrence to claim, and the reminder as it is afterwards; `before` is its revision now."""

    reminder: Reminder
    before: int
    occurrence: Occurrence
    due_at: datetime
    late: bool = False
    missed: int = 0
    first_due: datetime | None = None
    skip: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """A notice with its reminder. `again`: it may have been shown before; the program ended in between."""

    notice: Notice
    reminder: Reminder
    again: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A reminder as it shall be; its `revision` is that of the row it replaces (0 for a new one). `notices` become
    `notice_state`. `undoes`: the entry that this takes back."""

    operation: Operation
    reminder: Reminder
    notices: tuple[NoticeId, ...] = ()
    notice_state: NoticeState = "done"
    undoes: EntryId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of the history. `before` is None for an "add"; `notices` are those it changed, as they were."""

    id: EntryId
    operation: Operation
    reminder_id: ReminderId
    at: datetime
    before: Reminder | None = None
    notices: tuple[tuple[NoticeId, NoticeState], ...] = ()
    undone: bool = False
