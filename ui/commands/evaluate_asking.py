"""`steward evaluate asking` and `evaluate deciding`: when it asks, when it pauses, and what comes of it."""

import asyncio
from pathlib import Path
from typing import Literal

import click

from assistant.evaluation.results import Suite, as_lines, as_value
from assistant.evaluation.vague import VAGUE_FORMATS, VagueFormat
from ui.evaluating_asking import injection_suite, own_suites, public_suites
from ui.output import print_json, print_line
from ui.wiring import Options

_LIVE = click.option("--live", type=click.IntRange(min=5), help="So many cases on your model (a minute for each ten).")
_MISSES = click.option("--misses", is_flag=True, help="Also list what went wrong.")
_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object (docs/evaluation.md).")


@click.command("asking")
@click.option("--data", metavar="PATH", type=click.Path(exists=True, path_type=Path), help="Requests, vague and clear.")
@click.option("--format", "kind", type=click.Choice((*VAGUE_FORMATS, "bipia")), help="What --data is.")
@_LIVE
@_MISSES
@_JSON
@click.pass_obj
def evaluate_asking(
    options: Options,
    data: Path | None,
    kind: 'VagueFormat | Literal["bipia"] | None',
    live: int | None,
    misses: bool,
    as_json: bool,
) -> None:
    """How many questions, how many of them useful, and whether tasks come out as wanted, beside simpler ways.

    Uses the tasks of this installation with six simulated users, or public requests (IN3, CLAMBER, When2Call) of which
    it tells vague from clear, or public orders hidden in texts (BIPIA), which must have no effect. Nothing of yours is
    read or changed, nothing is fetched.
    """
    if (data is None) != (kind is None):
        raise click.UsageError("--data and --format belong together.")
    told = _unsaid if as_json else _told
    suites: tuple[Suite, ...]
    if data is None or kind is None:
        suites = (asyncio.run(own_suites(options, live=live, every=1, told=told))[0],)
    elif kind == "bipia":
        suites = (asyncio.run(injection_suite(options, data, live=live, told=told)),)
    else:
        suites = asyncio.run(public_suites(options, data, kind, live=live, told=told))
    _show(suites, misses=misses, as_json=as_json)


@click.command("deciding")
@_LIVE
@_MISSES
@_JSON
@click.pass_obj
def evaluate_deciding(options: Options, live: int | None, misses: bool, as_json: bool) -> None:
    """Whether it pauses where you have to be heard, and nowhere else; whether the order of options matters.

    Uses the tasks of this installation. Nothing of yours is read or changed, nothing is fetched.
    """
    suites = asyncio.run(own_suites(options, live=live, every=1, told=_unsaid if as_json else _told))
    _show(suites[1:], misses=misses, as_json=as_json)


def _show(suites: tuple[Suite, ...], *, misses: bool, as_json: bool) -> None:
    if as_json:
        print_json(as_value(suites))
        return
    for line in as_lines(suites, misses=misses):
        print_line(line)


def _told(line: str) -> None:
    print_line(line, err=True)


def _unsaid(line: str) -> None:
    """For JSON: nothing but the object is printed."""
