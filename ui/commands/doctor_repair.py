"""`steward doctor --repair`."""

import sys
from collections.abc import Sequence

import click

from ui.errors import EXIT_DONE, EXIT_FAILED
from ui.output import print_line
from ui.repairing import repair
from ui.wiring import Options, SystemClock, open_home


def repair_home(options: Options) -> int:
    """The exit code: 1 while something is broken. Raises HomeInUse, StoreError."""
    whole = repair(open_home(options), SystemClock().now(), _choose, print_line)
    return EXIT_DONE if whole else EXIT_FAILED


def _choose(offers: Sequence[str]) -> int:
    """The last offer changes nothing; it is what silence means."""
    for number, words in enumerate(offers, start=1):
        print_line(f"{number}. {words}")
    if not sys.stdin.isatty():
        print_line(
            "There is nobody to ask, so nothing is changed. Run it at a terminal, or `steward restore NAME --yes`."
        )
        return len(offers) - 1
    return int(click.prompt("Which", type=click.IntRange(1, len(offers)), default=len(offers))) - 1
