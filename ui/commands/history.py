"""`steward history`: import, learn."""

import asyncio
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

import click

from assistant.importing import ImportProgress
from models.types import Cancel
from ui.errors import EXIT_DONE, EXIT_FAILED, EXIT_INTERRUPTED
from ui.history_acts import Imported, bring_in, learn, waiting_to_learn
from ui.history_words import import_value, learned_words, progress_words, report_lines
from ui.interrupts import on_interrupt
from ui.output import print_json, print_line
from ui.shelf import bar
from ui.wiring import Options, owned

_BAR_CELLS = 24
_REDRAW_SECONDS, _LINE_SECONDS = 0.2, 3.0

as_json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON (docs/formats.md) and nothing else.")


@click.group()
def history() -> None:
    """Bring in what you said to ChatGPT or Claude."""


@history.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Say what would come in; change nothing.")
@click.option("--learn/--no-learn", "learning", default=None, help="Read it for what it says about you; else it asks.")
@as_json_option
@click.pass_obj
def import_command(options: Options, file: Path, dry_run: bool, learning: bool | None, as_json: bool) -> int:
    """Conversations from an export of ChatGPT or Claude.

    FILE is the zip as it was downloaded, its conversations.json, or the unpacked folder:

    \b
      steward history import chatgpt-export.zip --dry-run

    They become conversations that the search finds. Nothing in them counts as said by you now. A second import adds
    only what is new, and one that was cut off goes on.
    """
    cancel, path = Cancel(), file.expanduser()

    async def bring() -> Imported:
        shown = _Shown(sys.stderr, redraw=sys.stderr.isatty() and not options.plain, quiet=as_json)
        async with owned(options, "history import") as services:
            with on_interrupt(cancel.set):
                try:
                    imported = await bring_in(services, path, watch=shown.watch, cancel=cancel, dry_run=dry_run)
                finally:
                    shown.clear()
                _say(imported, dry_run=dry_run, as_json=as_json)
                if imported.to_learn_from and not imported.report.stopped:
                    wanted = learning if as_json or learning is not None else await _ask(imported.to_learn_from)
                    if wanted:
                        learned = await learn(services, cancel=cancel)
                        print_line(learned_words(learned.read, learned.proposed), err=as_json)
            return imported

    report = asyncio.run(bring()).report
    if report.stopped:
        return EXIT_INTERRUPTED
    nothing = report.unread_count and not (report.new or report.grown or report.here)
    return EXIT_FAILED if nothing else EXIT_DONE


@history.command("learn")
@as_json_option
@click.pass_obj
def learn_command(options: Options, as_json: bool) -> int:
    """Read your own imported messages for what they say about you.

    What is found waits for your yes (steward memory review); until then it is not used.
    """
    cancel = Cancel()

    async def read() -> int:
        async with owned(options, "history learn") as services:
            with on_interrupt(cancel.set):
                waiting = await waiting_to_learn(services)
                learned = await learn(services, cancel=cancel)
        if as_json:
            print_json({"waited": waiting, "read": learned.read, "proposed": learned.proposed})
        elif not waiting:
            print_line("There is nothing to read: no imported message of yours is unread.")
        else:
            print_line(learned_words(learned.read, learned.proposed))
        return EXIT_INTERRUPTED if learned.stopped else EXIT_DONE

    return asyncio.run(read())


def _say(imported: Imported, *, dry_run: bool, as_json: bool) -> None:
    if as_json:
        print_json(import_value(imported, dry_run=dry_run))
        return
    for line in report_lines(imported, dry_run=dry_run):
        print_line(line)
    if dry_run:
        print_line("Nothing was changed. Without --dry-run it comes in.")


async def _ask(messages: int) -> bool:
    """Asks where somebody can answer; else says how it is done later."""
    if not sys.stdin.isatty():
        print_line(f"{messages:,} messages of yours can be read for what they say about you: steward history learn")
        return False
    question = f"Read your {messages:,} own messages for what they say about you? What is found waits for your yes."
    return await asyncio.to_thread(click.confirm, question)


class _Shown:
    """How far it is: a bar that is redrawn on a terminal, a line every few seconds elsewhere."""

    def __init__(self, out: TextIO, *, redraw: bool, quiet: bool, now: Callable[[], float] = time.monotonic) -> None:
        self._out = out
        self._redraw = redraw
        self._quiet = quiet
        self._now = now
        self._said_at = now() if not redraw else float("-inf")
        self._width = 0

    def watch(self, progress: ImportProgress) -> None:
        now = self._now()
        if self._quiet or now - self._said_at < (_REDRAW_SECONDS if self._redraw else _LINE_SECONDS):
            return
        self._said_at = now
        words = progress_words(progress)
        if not self._redraw:
            self._write(f"{words}\n")
            return
        text = f"{bar(progress.done, progress.total, _BAR_CELLS)} {words}"
        self._write("\r" + text + " " * (self._width - len(text)))
        self._width = len(text)

    def clear(self) -> None:
        if self._width:
            self._write("\r" + " " * self._width + "\r")
            self._width = 0

    def _write(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()
