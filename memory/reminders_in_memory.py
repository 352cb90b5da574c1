"""Reminders without a disk: the reference for the store in SQLite, and what --incognito and --demo keep."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from memory.reminder_rules import check_revision, check_undo, no_entry, no_reminder, only_one
from memory.reminders import (
    OPEN,
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

_NEVER = datetime.max.replace(tzinfo=UTC)


class InMemoryReminders:
    """Implements memory.reminder_store.ReminderStore."""

    def __init__(self) -> None:
        self._reminders: dict[ReminderId, Reminder] = {}
        self._changed: dict[ReminderId, datetime] = {}
        self._notices: dict[NoticeId, Notice] = {}
        self._history: list[Entry] = []
        self._requests: dict[str, EntryId] = {}
        self._notes: dict[str, str] = {}

    async def apply(self, change: Change, *, at: datetime, request: str = "") -> Entry:
        if request in self._requests:
            return self._history[self._requests[request] - 1]
        before = self._reminders.get(change.reminder.id)
        check_revision(before, change.reminder)
        if change.undoes is not None:
            undone = await self.entry(change.undoes)
            check_undo(undone)
            self._history[undone.id - 1] = replace(undone, undone=True)
        entry = Entry(
            id=EntryId(len(self._history) + 1),
            operation=change.operation,
            reminder_id=change.reminder.id,
            at=at,
            before=before,
            notices=tuple((id, self._notices[id].state) for id in change.notices if id in self._notices),
        )
        self._history.append(entry)
        if request:
            self._requests[request] = entry.id
        self._reminders[change.reminder.id] = replace(change.reminder, revision=change.reminder.revision + 1)
        self._changed[change.reminder.id] = at
        for id, _ in entry.notices:
            self._notices[id] = replace(self._notices[id], state=change.notice_state)
        return entry

    async def claim(self, firings: Sequence[Firing], *, at: datetime) -> tuple[Due, ...]:
        claimed = [self._claim(firing, at) for firing in firings]
        return tuple(due for due in claimed if due is not None)

    def _claim(self, firing: Firing, at: datetime) -> Due | None:
        id = firing.reminder.id
        before = self._reminders.get(id)
        if before is None or before.revision != firing.before or before.state != "active":
            return None
        after = replace(firing.reminder, revision=firing.before + 1)
        self._reminders[id] = after
        mine = [notice for notice in self._notices.values() if notice.reminder_id == id]
        if any(notice.occurrence == firing.occurrence for notice in mine):
            return None
        for notice in mine:
            if notice.state == "shown":
                self._notices[notice.id] = replace(notice, state="passed")
        made = Notice(
            id=NoticeId(len(self._notices) + 1),
            reminder_id=id,
            occurrence=firing.occurrence,
            due_at=firing.due_at,
            claimed_at=at,
            state="skipped" if firing.skip else "claimed",
            late=firing.late,
            missed=firing.missed,
            first_due=firing.first_due,
        )
        self._notices[made.id] = made
        return None if firing.skip else Due(notice=made, reminder=after)

    async def mark_shown(self, ids: Sequence[NoticeId]) -> None:
        for id in ids:
            if id in self._notices and self._notices[id].state == "claimed":
                self._notices[id] = replace(self._notices[id], state="shown")

    async def replan(self, reminders: Sequence[Reminder]) -> None:
        for one in reminders:
            before = self._reminders.get(one.id)
            if before is not None and before.revision == one.revision:
                self._reminders[one.id] = replace(before, next=one.next, next_at=one.next_at)

    async def due(self, at: datetime, *, limit: int = 200) -> tuple[Reminder, ...]:
        found = [one for one in self._active() if one.next_at is not None and one.next_at <= at]
        return tuple(sorted(found, key=lambda one: one.next_at or _NEVER)[:limit])

    async def next_at(self) -> datetime | None:
        return min((one.next_at for one in self._active() if one.next_at is not None), default=None)

    def _active(self) -> list[Reminder]:
        return [one for one in self._reminders.values() if one.state == "active"]

    async def reminder(self, id: ReminderId) -> Reminder:
        found = self._reminders.get(id)
        if found is None:
            raise no_reminder(id)
        return found

    async def find(self, wanted: str) -> Reminder:
        if ReminderId(wanted) in self._reminders:
            return self._reminders[ReminderId(wanted)]
        fitting = tuple(sorted(id for id in self._reminders if wanted and id.startswith(wanted)))
        return self._reminders[only_one(wanted, fitting)]

    async def list(
        self, states: Sequence[ReminderState] = ("active",), *, limit: int = 500, offset: int = 0
    ) -> tuple[Reminder, ...]:
        found = [one for one in reversed(self._reminders.values()) if one.state in states]
        found.sort(key=lambda one: one.next_at or _NEVER)
        return tuple(found[offset : offset + limit])

    async def open_notices(self, *, limit: int = 500) -> tuple[Due, ...]:
        found = [one for one in self._newest_first() if one.state in OPEN and self._is_alive(one)]
        return tuple(self._due(one) for one in found[:limit])

    async def notices(self, id: ReminderId, *, limit: int = 50) -> tuple[Notice, ...]:
        return tuple(one for one in self._newest_first() if one.reminder_id == id)[:limit]

    async def unshown(self, *, limit: int = 200) -> tuple[Due, ...]:
        found = [one for one in reversed(self._newest_first()) if one.state == "claimed" and self._is_alive(one)]
        return tuple(replace(self._due(one), again=True) for one in found[:limit])

    def _newest_first(self) -> tuple[Notice, ...]:
        return tuple(sorted(self._notices.values(), key=lambda one: (one.due_at, one.id), reverse=True))

    def _is_alive(self, notice: Notice) -> bool:
        return self._reminders[notice.reminder_id].state == "active"

    def _due(self, notice: Notice) -> Due:
        return Due(notice=notice, reminder=self._reminders[notice.reminder_id])

    async def entry(self, id: EntryId | None = None) -> Entry:
        if id is not None:
            found = [one for one in self._history if one.id == id]
        else:
            found = [one for one in self._history if not one.undone and one.operation != "undo"]
        if not found:
            raise no_entry()
        return found[-1]

    async def noted(self, name: str) -> str:
        return self._notes.get(name, "")

    async def note(self, name: str, value: str) -> None:
        self._notes[name] = value

    async def purge(self, before: datetime) -> int:
        gone = {id for id, one in self._reminders.items() if one.state == "deleted" and self._changed[id] < before}
        self._reminders = {id: one for id, one in self._reminders.items() if id not in gone}
        self._notices = {id: one for id, one in self._notices.items() if one.reminder_id not in gone}
        self._history = [
            replace(one, before=None, notices=(), undone=True) if one.reminder_id in gone else one
            for one in self._history
        ]
        return len(gone)
