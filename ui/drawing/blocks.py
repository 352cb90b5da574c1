"""A message as rows: who said it, what, and how it ended. Pure; the transcript widget only paints what stands here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ui.drawing.answer_lines import AnswerLines
from ui.lines import DIM, EMPTY, Line, Look, wrap
from ui.rendering import gate, plain_rows
from ui.view import Entry

if TYPE_CHECKING:
    from memory.types import Message, MessageStatus

# How an answer ended, when it did not simply end. The first sign keeps it readable without colour.
_ENDINGS: dict[MessageStatus, tuple[str, Look]] = {
    "stopped": ("■ stopped by you; this is what came until then · F6 asks again", Look(tone="warning")),
    "interrupted": ("✗ cut off: the model or the program ended · F6 asks again", Look(tone="error")),
    "failed": ("✗ no answer came · F6 asks again", Look(tone="error")),
}
_LENGTH = ("… the longest allowed answer was reached · say “go on”, or raise assistant.reply_tokens", DIM)
_REPEATING = ("… stopped, because it began to repeat itself · F6 asks again", Look(tone="warning"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How messages are drawn; the same for all of them but `unfolded`."""

    width: int
    unfolded: bool = False  # show what a thinking model thought


def block_slices(entry: Entry, options: Options) -> Iterator[list[Line]]:
    """Draws a message in slices of a few milliseconds; the last list yielded is all of it."""
    message = entry.message
    top = [head_line(entry)]
    if message.role == "user":
        yield top + plain_rows(message.content, options.width) + note_rows(entry, options) + [EMPTY]
        return
    top += thought_rows(message.thought, options)
    answer = AnswerLines(options.width)
    for _ in answer.draw(message.content):
        yield top
    yield [*top, *answer.rows(), *ending_rows(message, options), *note_rows(entry, options), EMPTY]


def live_rows(message: Message, thought: str, answer: AnswerLines, options: Options) -> list[Line]:
    """An answer that is being written."""
    rows = answer.rows()
    return [head_line(Entry(message=message)), *thought_rows(thought, options), *rows, EMPTY]


def head_line(entry: Entry) -> Line:
    message = entry.message
    name, look = ("you", Look(tone="you", bold=True)) if message.role == "user" else _assistant()
    runs = [(name, look)]
    if entry.places > 1:
        runs.append((f"  ‹ {entry.place}/{entry.places} ›", Look(tone="accent")))
    if message.origin == "pasted":
        runs.append(("  pasted", DIM))
    runs.append((f"  {message.created_at.astimezone():%H:%M}", DIM))
    return Line(runs=tuple(runs))


def _assistant() -> tuple[str, Look]:
    return "steward", Look(tone="assistant", bold=True)


def thought_rows(thought: str, options: Options) -> list[Line]:
    """Folded to one row, or in full with a bar."""
    if not thought:
        return []
    if not options.unfolded:
        words = len(thought.split())
        return [Line(runs=((f"▸ thought about it, {words:,} words · t shows them", DIM),)), EMPTY]
    bar = (("┆ ", Look(tone="rule")),)
    rows = [
        Line(runs=bar + tuple((text, Look(tone="dim", italic=True)) for text, _ in row.runs), glue=row.glue, margin=2)
        for row in plain_rows(thought.strip(), options.width - 2)
    ]
    return [Line(runs=(("▾ thoughts · t folds them", DIM),)), *rows, EMPTY]


def note_rows(entry: Entry, options: Options) -> list[Line]:
    """Receipts and questions of memory: under what they are about, never part of what is copied."""
    lead, hang = (("◆ ", Look(tone="accent")),), (("  ", DIM),)
    rows = [row for note in entry.notes for row in wrap(((gate(note), DIM),), options.width, lead=lead, hang=hang)]
    return [EMPTY, *rows] if rows else []


def ending_rows(message: Message, options: Options) -> list[Line]:
    said: list[tuple[str, Look]] = []
    if message.status in _ENDINGS:
        said.append(_ENDINGS[message.status])
    elif message.finish_reason == "length":
        said.append(_LENGTH)
    elif message.finish_reason == "repeating":
        said.append(_REPEATING)
    return [row for text, look in said for row in [EMPTY, *wrap(((gate(text), look),), options.width)]]
