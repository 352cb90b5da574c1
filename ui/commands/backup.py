"""`steward backup` and `steward backups`: a copy of everything that is kept, and what copies there are."""

import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from memory.backups import Backups
from memory.sqlite_backup import Progress, no_progress
from ui.data_acts import BackedUp, back_up
from ui.data_words import backup_words, contents_words
from ui.errors import UiError
from ui.output import print_json, print_line, print_table
from ui.passphrase import new_passphrase
from ui.shelf import bar
from ui.wiring import Options, SystemClock, open_home, resolve_home

_REDRAW_S = 0.2


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--encrypt", is_flag=True, help="Encrypt it with a passphrase (age format).")
@click.option("--passphrase-stdin", is_flag=True, help="Read the passphrase from the first line of stdin.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object (docs/backups.md).")
@click.pass_obj
def backup(options: Options, file: Path | None, encrypt: bool, passphrase_stdin: bool, as_json: bool) -> None:
    """Back up everything that is kept, also while Steward runs.

    Without FILE it goes to the backups of this home. The copy is whole, readable only by you, and checked before it
    gets its name. An encrypted one cannot be opened by anybody without its passphrase.
    """
    if options.keeps_nothing:
        raise UiError("A backup is of what is kept.", "Leave out --incognito and --demo.")
    home = open_home(options)
    passphrase = new_passphrase(passphrase_stdin) if encrypt or passphrase_stdin else None
    progress = no_progress if as_json else _bar()
    done = back_up(home, SystemClock().now(), file=file, passphrase=passphrase, progress=progress)
    if as_json:
        print_json(_json(done))
        return
    secret = ", encrypted" if done.encrypted else ""
    print_line(f"Backed up{secret}: {contents_words(done.contents)}.")
    print_line(str(done.path))


def _json(done: BackedUp) -> dict[str, Any]:
    return {
        "path": str(done.path),
        "bytes": done.size,
        "encrypted": done.encrypted,
        "schema": done.contents.schema,
        "rows": dict(done.contents.rows),
    }


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON array (docs/backups.md).")
@click.pass_obj
def backups(options: Options, as_json: bool) -> None:
    """List the backups, newest first.

    One a day is made while Steward or its daemon runs: seven daily and four weekly ones stay. Before an update, an
    import and a restore there is one more.
    """
    found = Backups(resolve_home(options)).list()
    if as_json:
        print_json([{**asdict(one), "at": one.at.isoformat().replace("+00:00", "Z")} for one in found])
    elif found:
        print_table([(one.name, backup_words(one)) for one in found])
    else:
        print_line("There are none yet. `steward backup` makes one.")


def _bar() -> Progress:
    """Progress on stderr, where that is a terminal."""
    if not sys.stderr.isatty():
        return no_progress
    drawn = [0.0]

    def show(done: int, total: int) -> None:
        now = time.monotonic()
        if now - drawn[0] > _REDRAW_S and total > 2_000:
            drawn[0] = now
            sys.stderr.write(f"\r{bar(done, total, 24)} {done * 100 // max(total, 1)} %\x1b[K")
        if done == total and drawn[0]:
            sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()

    return show
