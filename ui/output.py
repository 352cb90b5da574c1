"""Writing to stdout for the commands: plain lines without control characters, and one JSON value."""

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from assistant.policies.cleaning import clean

if TYPE_CHECKING:
    from memory.settled import Settled


def print_line(text: str = "", *, err: bool = False) -> None:
    click.echo(clean(text), err=err)


def print_json(value: Any) -> None:
    """One object or array, ASCII only, so that no control character of the content reaches a terminal."""
    click.echo(json.dumps(value, indent=2, default=str))


def print_settled(settled: "Settled", as_json: bool) -> int:
    """What became of an act, here or handed over: the exit code."""
    if as_json:
        print_json(settled.value)
    else:
        for line in settled.lines:
            print_line(line)
    return settled.code


def print_table(rows: Iterable[Sequence[str]]) -> None:
    """Columns aligned by spaces; the last one runs free."""
    table = [[clean(cell) for cell in row] for row in rows]
    if not table:
        return
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]) - 1)]
    for row in table:
        cells = [cell.ljust(width) for cell, width in zip(row[:-1], widths, strict=True)]
        click.echo("  ".join([*cells, row[-1]]).rstrip())
