"""`steward` and `steward chat`: the terminal UI, or line mode where that is wished or needed."""

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace

import click

from ui.errors import EXIT_FAILED, NeedsTerminal
from ui.wiring import Options


@click.command()
@click.option("--plain", is_flag=True, help="Line by line, no full screen: for screen readers, pipes and logs.")
@click.option("--incognito", is_flag=True, help="Keep nothing of this run, and read nothing kept before.")
@click.option("--demo", is_flag=True, help="A scripted model that needs no weights; keeps nothing.")
@click.option("--model", metavar="NAME|PATH|URL", help="Use this model for this run.")
@click.pass_obj
def chat(
    options: Options, plain: bool = False, incognito: bool = False, demo: bool = False, model: str | None = None
) -> int:
    """Talk in the terminal (what plain `steward` does).

    Line mode (--plain, also ACCESSIBLE=1 or TERM=dumb) has every feature of the terminal UI, one labelled line after
    another. It works over a pipe too.
    """
    options = replace(
        options,
        plain=options.plain or plain,
        incognito=options.incognito or incognito,
        demo=options.demo or demo,
        model=model or options.model,
    )
    if options.plain or wants_lines(os.environ):
        return _in_lines(replace(options, plain=True))
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise NeedsTerminal(
            "there is no terminal here, so the full screen cannot be shown.",
            "Line mode works over a pipe: steward --plain. For one answer: steward ask TEXT",
        )
    from ui.start import run

    return _rescued(options, lambda: run(options))


def wants_lines(env: Mapping[str, str]) -> bool:
    """Whether the environment asks for line mode."""
    return env.get("ACCESSIBLE", "") not in ("", "0") or env.get("TERM") == "dumb"


def _in_lines(options: Options) -> int:
    import asyncio

    from ui.first_encryption import offer_encryption
    from ui.first_model import offer_model
    from ui.plain import run_plain

    offer_model(options)
    offer_encryption(options)
    return _rescued(options, lambda: asyncio.run(run_plain(options)))


def _rescued(options: Options, run: Callable[[], int]) -> int:
    """A history that cannot be read ends in a question, not in an error and never in an empty list."""
    from memory.errors import StoreDamaged

    try:
        return run()
    except StoreDamaged as error:
        from ui.rescue import offer_rescue

        if not offer_rescue(options, error):
            return EXIT_FAILED
    return run()
