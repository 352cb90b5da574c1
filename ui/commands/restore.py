"""`steward restore`: a backup takes the place of what is kept, after showing what that means."""

import sys
from pathlib import Path

import click

from memory.backups import Backups
from memory.sqlite_backup import Contents
from memory.sqlite_restore import Preview
from ui.data_acts import opened, preview_of, restore_now
from ui.data_words import preview_lines, restored_lines
from ui.errors import NeedsTerminal, UiError
from ui.output import print_json, print_line
from ui.passphrase import known_passphrase
from ui.wiring import Options, SystemClock, open_home


@click.command()
@click.argument("file")
@click.option("--preview", "only_preview", is_flag=True, help="Only say what it would bring and take.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--passphrase-stdin", is_flag=True, help="Read the passphrase from the first line of stdin.")
@click.option(
    "--key-file",
    type=click.Path(path_type=Path),
    help="encryption.json of the encrypted home it comes from, if that is not this one.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object (docs/backups.md).")
@click.pass_obj
def restore(
    options: Options,
    file: str,
    only_preview: bool,
    yes: bool,
    passphrase_stdin: bool,
    key_file: Path | None,
    as_json: bool,
) -> None:
    """Put a backup in the place of what is kept, after a preview.

    FILE is a path, a name that `steward backups` lists, or `latest`. What is here now is kept as a backup first.
    """
    if options.keeps_nothing:
        raise UiError("Only what is kept can be restored.", "Leave out --incognito and --demo.")
    home = open_home(options)
    source = Backups(home).find(file)
    with opened(home, source, lambda: known_passphrase(passphrase_stdin), key_file) as (clear, key):
        found = preview_of(home, clear, key)
        if only_preview or not as_json:
            _show(found, as_json)
        if only_preview or not _agreed(yes):
            return
        done = restore_now(home, clear, SystemClock().now(), key)
    if as_json:
        print_json({"restored": _rows(done.contents), "kept": str(done.aside) if done.aside is not None else None})
        return
    for line in restored_lines(done):
        print_line(line)


def _agreed(yes: bool) -> bool:
    if yes:
        return True
    if not sys.stdin.isatty():
        raise NeedsTerminal(
            "Restoring asks first, and there is nobody to ask.", "Add --yes to restore without a question."
        )
    if click.confirm("Put the backup in its place?"):
        return True
    print_line("Nothing was changed.")
    return False


def _show(found: Preview, as_json: bool) -> None:
    if not as_json:
        for line in preview_lines(found):
            print_line(line)
        return
    print_json(
        {
            "backup": _rows(found.backup),
            "now": None if found.now is None else _rows(found.now),
            "unreadable": found.unreadable,
            "not_in_backup": dict(found.newer),
            "titles": list(found.titles),
        }
    )


def _rows(contents: Contents) -> dict[str, object]:
    newest = contents.newest
    return {
        "schema": contents.schema,
        "rows": dict(contents.rows),
        "newest": None if newest is None else newest.isoformat().replace("+00:00", "Z"),
    }
