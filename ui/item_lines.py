"""Events, tasks and notes as lines of text and as JSON values (docs/formats.md), for commands and line mode."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any

from assistant.calendar.book import ImportReport
from assistant.calendar.words import titled
from assistant.note_book import note_words
from assistant.policies.cleaning import clean, clean_line
from assistant.policies.occurrences import Happening
from assistant.policies.when.describe import day_in_words
from assistant.policies.when.zones import to_local
from assistant.receipts import ItemReceipt
from assistant.task_list import grouped, task_words
from memory.items import Event, Item, ItemHit, Note, Task
from ui.item_acts import utc_text


def day_parts(found: Sequence[Happening], here: str, now: datetime) -> list[tuple[str, list[tuple[Happening, str]]]]:
    """A part a day with its happenings, in the order of time: "Today, Fri 6 Mar 2026"."""
    parts: dict[date, list[tuple[Happening, str]]] = {}
    for one in found:
        day = (
            max(to_local(one.starts, here).date(), to_local(now, here).date())
            if one.starts < now < one.ends
            else (to_local(one.starts, here).date())
        )
        parts.setdefault(day, []).append((one, time_words(one, here)))
    return [(day_name(day, to_local(now, here).date()), rows) for day, rows in sorted(parts.items())]


def day_name(day: date, today: date) -> str:
    names = {0: "Today, ", 1: "Tomorrow, ", -1: "Yesterday, "}
    return f"{names.get((day - today).days, '')}{day_in_words(day)}"


def time_words(one: Happening, here: str) -> str:
    """ "10:00-11:00 dentist, at Room 1"."""
    event = one.event
    place = f", at {clean_line(event.place, 80)}" if event.place else ""
    start, end = to_local(one.starts, here), to_local(one.ends, here)
    if event.all_day:
        last = (end - timedelta(seconds=1)).date()
        until = f", until {day_in_words(last)}" if last > start.date() else ""
        return f"all day {titled(event)}{until}{place}"
    if end.date() != start.date() and end > start:
        return f"{start:%H:%M} {titled(event)}, until {day_in_words(end.date())} {end:%H:%M}{place}"
    until = f"-{end:%H:%M}" if end > start else ""
    return f"{start:%H:%M}{until} {titled(event)}{place}"


def calendar_lines(found: Sequence[Happening], here: str, now: datetime) -> list[str]:
    lines: list[str] = []
    for name, rows in day_parts(found, here, now):
        lines.append(f"{name}:")
        lines += [f"  {one.event.id}  {words}" for one, words in rows]
    return lines


def task_lines(tasks: Sequence[Task], today: date) -> list[str]:
    lines: list[str] = []
    for name, found in grouped(tasks, today):
        lines.append(f"{name}:")
        lines += [f"  {task.id}  {task_words(task, today)}" for task in found]
    return lines


def grouped_tasks(tasks: Sequence[Task], today: date) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Numbered lines under headings, and the ids in the order of the numbers."""
    lines: list[str] = []
    ids: list[str] = []
    for name, found in grouped(tasks, today):
        lines.append(f"{name}:")
        for task in found:
            ids.append(task.id)
            lines.append(f"{len(ids)}. {task_words(task, today)}")
    return tuple(lines), tuple(ids)


def note_rows(notes: Sequence[Note]) -> tuple[str, ...]:
    return tuple(f"{number}. {note_words(note)}" for number, note in enumerate(notes, start=1))


def note_lines(notes: Sequence[Note]) -> list[str]:
    return [f"{note.id}  {note_words(note)}" for note in notes]


def hit_words(hit: ItemHit) -> str:
    snippet = clean_line(hit.snippet.replace("\ue000", "*").replace("\ue001", "*"), 160)
    return f"{clean_line(hit.item.title, 80)}: {snippet}"


def hit_line(hit: ItemHit) -> str:
    return f"{hit.item.id}  {hit_words(hit)}"


def import_lines(report: ImportReport, name: str) -> list[str]:
    parts = [f"{report.new} new", f"{report.changed} changed", f"{report.same} there already"]
    if report.left_out:
        parts.append(f"{report.left_out} left out")
    lines = [f"{clean_line(name, 100)}: {', '.join(parts)}."]
    lines += [f"  {problem}" for problem in report.problems]
    if report.receipt is not None:
        lines.append("To take it back: steward calendar undo")
    return lines


# JSON


def item_value(item: Item) -> dict[str, Any]:
    common = {
        "id": item.id,
        "title": clean(item.title),
        "text": clean(item.text),
        "source": clean(item.source),
        "state": item.state,
        "created_at": utc_text(item.created_at),
    }
    match item:
        case Event():
            return common | {
                "starts": item.starts.isoformat(),
                "ends": item.ends.isoformat(),
                "zone": item.zone,
                "all_day": item.all_day,
                "rule": item.rule,
                "place": clean(item.place),
                "uid": clean(item.uid),
                "cancelled": item.cancelled,
            }
        case Task():
            return common | {
                "due": None if item.due is None else item.due.isoformat(),
                "project": clean(item.project),
                "done_at": None if item.done_at is None else utc_text(item.done_at),
            }
        case Note():
            return common


def happening_value(one: Happening) -> dict[str, Any]:
    """The event, and this occurrence of it in UTC."""
    return item_value(one.event) | {"starts_at": utc_text(one.starts), "ends_at": utc_text(one.ends)}


def receipt_value(receipt: ItemReceipt) -> dict[str, Any]:
    (first, *_) = receipt.items
    return item_value(first) | {"notes": [clean(note) for note in receipt.notes]}


def import_value(report: ImportReport) -> dict[str, Any]:
    return {
        "new": report.new,
        "changed": report.changed,
        "same": report.same,
        "left_out": report.left_out,
        "problems": [clean(one) for one in report.problems],
    }
