"""Reminders as lines of text, for the command line, line mode and the screen: what waits, today, this week, later."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from assistant.policies.when.zones import to_local
from memory.reminders import Due, Reminder, ReminderId
from ui.reminder_words import comes, due_words, title


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One reminder in its part of the list. `due`: the notice that waits for the user."""

    reminder: Reminder
    words: str
    due: Due | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    name: str
    rows: tuple[Row, ...]


def agenda(reminders: Sequence[Reminder], waiting: Sequence[Due], here: str, now: datetime) -> tuple[Part, ...]:
    """Parts with something in them, in the order of time. One that waits and comes again stands in both."""
    open_ones: Mapping[ReminderId, Due] = {due.reminder.id: due for due in reversed(waiting)}
    parts: dict[str, list[Row]] = {"Waiting for you": [], "Today": [], "Next 7 days": [], "Later": [], "Over": []}
    for due in open_ones.values():
        parts["Waiting for you"].append(Row(reminder=due.reminder, words=due_words(due, here, now), due=due))
    for one in reminders:
        if one.next_at is None and one.id in open_ones:
            continue
        words = f"{title(one)}, {comes(one, now, here) if one.state == 'active' else one.state}"
        parts[_part_of(one, here, now)].append(Row(reminder=one, words=words, due=open_ones.get(one.id)))
    return tuple(Part(name=name, rows=tuple(rows)) for name, rows in parts.items() if rows)


def _part_of(one: Reminder, here: str, now: datetime) -> str:
    if one.next_at is None or one.state != "active":
        return "Over"
    day, today = to_local(one.next_at, here).date(), to_local(now, here).date()
    if day <= today:
        return "Today"
    return "Next 7 days" if day <= today + timedelta(days=7) else "Later"


def agenda_lines(parts: Sequence[Part]) -> list[str]:
    """A heading a part, and a line a reminder with its id."""
    lines: list[str] = []
    for part in parts:
        lines.append(f"{part.name}:")
        lines += [f"  {row.reminder.id}  {row.words}" for row in part.rows]
    return lines
