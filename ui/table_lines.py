"""Tables as rows: columns as wide as they need, cells wrapped where they are not, records where nothing would fit."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ui.lines import DIM, EMPTY, Line, Look, Run, width_of, wrap

Align = Literal["left", "center", "right"]
Cell = tuple[Run, ...]
_RULE = Look(tone="rule")
_SEPARATOR = " │ "
_NARROWEST = 6
_MOST_COLUMNS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    header: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]
    aligns: tuple[Align, ...]


def table_lines(table: Table, width: int) -> list[Line]:
    """The whole table in at most `width` cells; no cell is cut."""
    columns = len(table.header)
    if columns == 0:
        return []
    widths = _widths(table, width - len(_SEPARATOR) * (columns - 1))
    if not widths:
        return _records(table, width)
    rows = _row(tuple(_bold(cell) for cell in table.header), widths, table.aligns)
    rule = "─┼─".join("─" * size for size in widths)
    rows.append(Line(runs=((rule, _RULE),)))
    for row in table.rows:
        rows.extend(_row(row, widths, table.aligns))
    return rows


def _widths(table: Table, room: int) -> list[int]:
    """A width for each column, summing to at most `room`; empty when they cannot be had."""
    columns = len(table.header)
    if columns > _MOST_COLUMNS or room < columns * _NARROWEST:
        return []
    wanted = [
        max(_NARROWEST // 2, *(_cells(row[column]) for row in (table.header, *table.rows))) for column in range(columns)
    ]
    if sum(wanted) <= room:
        return wanted
    # Narrow columns keep what they want; the wide ones share the rest evenly.
    granted = [0] * columns
    left, open_columns = room, sorted(range(columns), key=lambda column: wanted[column])
    while open_columns:
        share = left // len(open_columns)
        column = open_columns.pop(0)
        granted[column] = min(wanted[column], share)
        left -= granted[column]
    return granted


def _row(cells: Sequence[Cell], widths: Sequence[int], aligns: Sequence[Align]) -> list[Line]:
    wrapped = [wrap(cell, size) for cell, size in zip(cells, widths, strict=True)]
    rows: list[Line] = []
    for index in range(max(len(lines) for lines in wrapped)):
        runs: list[Run] = []
        for column, (lines, size, align) in enumerate(zip(wrapped, widths, aligns, strict=True)):
            if column:
                runs.append((_SEPARATOR, _RULE))
            line = lines[index] if index < len(lines) else EMPTY
            free = max(size - width_of(line.text), 0)
            before = {"left": 0, "center": free // 2, "right": free}[align]
            runs.append((" " * before, DIM))
            runs.extend(line.runs)
            runs.append((" " * (free - before), DIM))
        rows.append(Line(runs=tuple(run for run in runs if run[0])))
    return rows


def _records(table: Table, width: int) -> list[Line]:
    rows: list[Line] = []
    for number, row in enumerate(table.rows):
        if number:
            rows.append(EMPTY)
        for name, cell in zip(table.header, row, strict=True):
            label = "".join(text for text, _ in name)
            rows.extend(wrap(((f"{label}: ", Look(bold=True)), *cell), width, hang=(("  ", DIM),)))
    return rows or [line for cell in table.header for line in wrap(cell, width)]


def _cells(cell: Cell) -> int:
    return sum(width_of(text) for text, _ in cell)


def _bold(cell: Cell) -> Cell:
    return tuple(
        (text, Look(tone=look.tone, bold=True, link=look.link, underline=look.underline)) for text, look in cell
    )
