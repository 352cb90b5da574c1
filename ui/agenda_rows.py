"""The agenda: reminders, events and tasks by time, as rows for the screen."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from assistant.policies.occurrences import Happening
from assistant.policies.when.describe import day_in_words
from assistant.policies.when.zones import to_local
from assistant.task_list import task_words
from memory.items import Event, Task
from ui.item_lines import time_words
from ui.reminder_lines import Part, Row

WEEK = timedelta(days=7)
_ORDER = ("Waiting for you", "Today", "Next 7 days", "Later", "Some day", "Over")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgendaRow:
    """One of the three: a reminder's row, an event or a task."""

    words: str
    reminder: Row | None = None
    event: Event | None = None
    task: Task | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgendaPart:
    name: str
    rows: tuple[AgendaRow, ...]


def with_items(
    parts: Sequence[Part], found: Sequence[Happening], tasks: Sequence[Task], here: str, now: datetime
) -> tuple[AgendaPart, ...]:
    """The parts of the reminders with the events of the next days and the open tasks in them, by time."""
    today = to_local(now, here).date()
    rows: dict[str, list[tuple[datetime, AgendaRow]]] = {name: [] for name in _ORDER}
    for part in parts:
        for row in part.rows:
            at = row.due.notice.due_at if row.due is not None else row.reminder.next_at or now
            rows.setdefault(part.name, []).append((at, AgendaRow(words=row.words, reminder=row)))
    for one in found:
        if one.ends > now or one.starts >= now:
            day = max(to_local(one.starts, here).date(), today)
            rows[_part_of(day, today)].append((one.starts, _event_row(one, day, today, here)))
    for task in tasks:
        at = now if task.due is None else _before(task.due, now)
        name = "Some day" if task.due is None else _part_of(task.due, today)
        words = f"task  {task_words(task, today)}"
        rows[name].append((at, AgendaRow(words=words, task=task)))
    for name in rows:
        if name not in ("Waiting for you", "Over"):
            rows[name].sort(key=lambda pair: pair[0])
    return tuple(AgendaPart(name=name, rows=tuple(row for _, row in kept)) for name, kept in rows.items() if kept)


def _event_row(one: Happening, day: date, today: date, here: str) -> AgendaRow:
    on = "" if day == today else f"{day_in_words(day)} "
    return AgendaRow(words=f"event  {on}{time_words(one, here)}", event=one.event)


def _before(day: date, now: datetime) -> datetime:
    """Tasks of a day stand before what has a time on it."""
    return datetime.combine(day, datetime.min.time(), now.tzinfo) - timedelta(hours=14)


def _part_of(day: date, today: date) -> str:
    if day <= today:
        return "Today"
    return "Next 7 days" if day <= today + WEEK else "Later"
