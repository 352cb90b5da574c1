"""Lines of a transcript as plain values: what stands on one row of the screen, and what it looks like.

No widget, no colour: a `Look` names a tone that a theme gives a colour to (ui/themes.py). The text is literal.
Nothing here reads markup, so nothing a model writes can become a style, a link or an action.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from rich.cells import cell_len, chop_cells

Tone = Literal[
    "text",
    "dim",
    "heading",
    "rule",
    "link",
    "you",
    "assistant",
    "warning",
    "error",
    "good",
    "accent",
    "code",
    "keyword",
    "name",
    "string",
    "number",
    "comment",
    "operator",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    tone: Tone = "text"
    bold: bool = False
    italic: bool = False
    underline: bool = False
    strike: bool = False
    link: str = ""  # where a click would lead, after the user has confirmed the address


Run = tuple[str, Look]
PLAIN = Look()
DIM = Look(tone="dim")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One row. `glue` is what stood in the source between this row and the one before: a newline, or what a
    soft wrap swallowed. Copied text is put together with it, so that wrapping never changes what is copied."""

    runs: tuple[Run, ...] = ()
    glue: str = "\n"
    block: bool = False  # a row of a code block: its background goes to the edge
    margin: int = 0  # leading cells that are decoration and not copied

    @property
    def text(self) -> str:
        return "".join(text for text, _ in self.runs)


EMPTY = Line()

# Scripts written without spaces may break between any two characters.
_WIDE = (
    "\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\U00020000-\U0003fffd"
)
_WORDS = re.compile(rf"\s*(?:[{_WIDE}]|[^\s{_WIDE}]+)|\s+")


def width_of(text: str) -> int:
    """Cells that `text` takes on the screen."""
    return len(text) if text.isascii() else cell_len(text)


def wrap(
    runs: Iterable[Run], width: int, *, lead: Sequence[Run] = (), hang: Sequence[Run] = (), glue: str = "\n"
) -> list[Line]:
    """Runs of one source line as rows of at most `width` cells, broken between words where there are any.

    `lead` stands before the first row and `hang` before the others; both count as margin."""
    parts = tuple(runs)
    text = "".join(part for part, _ in parts)
    lead, hang = tuple(lead), tuple(hang)
    margin, hanging = _width(lead), _width(hang)
    room = max(width - max(margin, hanging), 4)
    rows = _folded(text, room)
    return [
        Line(
            runs=(lead if number == 0 else hang) + _slice(parts, start, end),
            glue=glue if number == 0 else joint,
            margin=margin if number == 0 else hanging,
        )
        for number, (start, end, joint) in enumerate(rows)
    ]


def at_most(rows: list[Line], most: int, width: int) -> list[Line]:
    """The first `most` rows; where more is left out, the last of them ends in an ellipsis within `width` cells."""
    if len(rows) <= most:
        return rows
    last = rows[most - 1]
    *before, (text, look) = last.runs
    room = width - _width(before) - 1
    while text and width_of(text) > room:
        text = text[:-1]
    runs = (*before, (f"{text.rstrip()}…", look))
    return [*rows[: most - 1], Line(runs=runs, glue=last.glue, block=last.block, margin=last.margin)]


def chop(runs: Iterable[Run], width: int, *, lead: Sequence[Run] = (), block: bool = True) -> list[Line]:
    """Runs of one line of code as rows of at most `width` cells; broken anywhere, nothing is lost."""
    parts = tuple(runs)
    text = "".join(part for part, _ in parts)
    lead = tuple(lead)
    margin = _width(lead)
    room = max(width - margin, 4)
    if width_of(text) <= room:
        return [Line(runs=lead + parts, block=block, margin=margin)]
    rows: list[Line] = []
    start = 0
    for piece in chop_cells(text, room):
        end = start + len(piece)
        glue = "\n" if not rows else ""
        rows.append(Line(runs=lead + _slice(parts, start, end), glue=glue, block=block, margin=margin))
        start = end
    return rows


def copied(lines: Iterable[Line]) -> str:
    """The text of rows as it stood in the source: soft wraps undone, decoration left out."""
    pieces: list[str] = []
    for line in lines:
        if pieces:
            pieces.append(line.glue)
        pieces.append(line.text[line.margin :])
    return "".join(pieces)


def _width(runs: Sequence[Run]) -> int:
    return sum(width_of(text) for text, _ in runs)


def _folded(text: str, room: int) -> list[tuple[int, int, str]]:
    """(start, end, what the break before it swallowed) of each row."""
    if len(text) <= room and width_of(text) <= room:
        return [(0, len(text), "\n")]
    rows: list[tuple[int, int, str]] = []
    start, used, joint = 0, 0, "\n"
    for match in _WORDS.finditer(text):
        word = match.group()
        size = width_of(word)
        if used + size <= room:
            used += size
            continue
        if match.start() > start:
            body = word.lstrip()
            gap = word[: len(word) - len(body)]
            rows.append((start, match.start(), joint))
            start, joint, word = match.start() + len(gap), gap, body
        used = width_of(word)
        if used > room:
            *full, rest = chop_cells(word, room)
            for piece in full:
                rows.append((start, start + len(piece), joint))
                start, joint = start + len(piece), ""
            used = width_of(rest)
    rows.append((start, len(text), joint))
    return rows


def _slice(runs: Sequence[Run], start: int, end: int) -> tuple[Run, ...]:
    taken: list[Run] = []
    at = 0
    for text, look in runs:
        stop = at + len(text)
        if stop > start and at < end:
            taken.append((text[max(start - at, 0) : end - at], look))
        at = stop
        if at >= end:
            break
    return tuple(taken)
