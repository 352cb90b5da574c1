"""`steward data`: what is kept and how much of it, and deleting all of it."""

import sys
from typing import Any

import click

from memory.backups import Backups
from memory.home_files import HomeFile, files_of, goes
from ui.checks.result import size
from ui.data_acts import ERASE_WORDS, erase_all
from ui.data_words import backup_words, erase_lines, places_of
from ui.errors import EXIT_DONE, EXIT_FAILED, NeedsTerminal, UiError
from ui.output import print_json, print_line, print_table
from ui.wiring import Options, SystemClock, resolve_home


@click.group(invoke_without_command=True)
@click.pass_context
def data(ctx: click.Context) -> None:
    """See how much is kept and where, or delete all of it.

    Backups: steward backup, backups, restore. What each file holds: steward doctor --privacy.
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(show)


@data.command("show")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object (docs/backups.md).")
@click.pass_obj
def show(options: Options, as_json: bool = False) -> None:
    """Where things are, how large they are, and the newest backup."""
    home = resolve_home(options)
    files, here = files_of(home), Backups(home).list()
    if as_json:
        print_json({"files": len(files), "bytes": sum(one.size for one in files), "places": _json(files)})
        return
    print_table([(name, size(total), str(where)) for name, where, total in places_of(home, files)])
    print_line(f"backups: {len(here)}" + (f", the newest {backup_words(here[0])}" if here else ""))


def _json(files: tuple[HomeFile, ...]) -> list[dict[str, Any]]:
    kinds: dict[str, list[HomeFile]] = {}
    for one in files:
        kinds.setdefault(one.holds, []).append(one)
    return [
        {"holds": holds, "files": len(ones), "bytes": sum(one.size for one in ones)} for holds, ones in kinds.items()
    ]


@data.command("delete-everything")
@click.option("--models", is_flag=True, help="The fetched models too.")
@click.option("--confirm", metavar="WORDS", help=f"The words {ERASE_WORDS!r}, instead of typing them.")
@click.pass_obj
def delete_everything(options: Options, models: bool, confirm: str | None) -> int:
    """Delete every conversation, memory, reminder, backup, setting and log of this home, for good.

    It asks you to type three words. The models stay unless you say so; files that Steward does not know stay too.
    """
    home = resolve_home(options)
    going = [one for one in files_of(home) if goes(one, models=models)]
    if not going:
        print_line("There is nothing to delete.")
        return EXIT_DONE
    if confirm is None:
        for line in erase_lines(home, going):
            print_line(line)
        confirm = _typed()
    if confirm.strip() != ERASE_WORDS:
        raise UiError("Those were not the words, so nothing was deleted.", f"The words are: {ERASE_WORDS}")
    left = erase_all(home, SystemClock().now(), models=models)
    for one in left:
        print_line(f"Still here: {one.path}", err=True)
    if left:
        return EXIT_FAILED
    print_line(f"Deleted: {len(going):,} files, {size(sum(one.size for one in going))}. Looked again: none is left.")
    return EXIT_DONE


def _typed() -> str:
    if not sys.stdin.isatty():
        raise NeedsTerminal(
            "Deleting everything asks you to type words, and there is nobody to ask.",
            f'Give them: --confirm "{ERASE_WORDS}"',
        )
    return str(click.prompt(f'Type "{ERASE_WORDS}" to go on', default="", show_default=False))
