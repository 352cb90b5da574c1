"""`steward encryption`: whether what is kept is encrypted, and changing that."""

import sys
from dataclasses import asdict
from typing import Any

import click

from memory.data_dir import Home
from memory.encrypting import Changed, clear_backups, clear_damaged
from memory.key_file import is_encrypted, key_of
from ui.encryption_acts import (
    change_key,
    keyring_trouble,
    said_off,
    said_on,
    settle_backups,
    status_lines,
    status_of,
    turn_off,
    turn_on,
)
from ui.encryption_words import (
    CHANGED,
    COSTS,
    COVERED,
    DECRYPT_WORDS,
    ENCRYPT_WORDS,
    IN_THE_CLEAR,
    NOBODY,
    WHOLE_DISK,
    BackupsTo,
    How,
    backups_left,
)
from ui.errors import NeedsTerminal, UiError
from ui.output import print_json, print_line
from ui.passphrase import typed_twice
from ui.unlocking import passphrase_given
from ui.wiring import Options, SystemClock, open_home, resolve_home

_AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object (docs/privacy.md).")
_BACKUPS: Any = click.Choice(["encrypt", "remove", "keep"])


@click.group(invoke_without_command=True)
@click.pass_context
def encryption(ctx: click.Context) -> None:
    """Encrypt what is kept, or no longer; change the passphrase.

    The key is kept in the keyring of this system, or opens with a passphrase: typed, the first line of a pipe, or the
    first line of the file that STEWARD_PASSPHRASE_FILE names. What is covered: docs/privacy.md.
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(status)


@encryption.command()
@_AS_JSON
@click.pass_obj
def status(options: Options, as_json: bool = False) -> None:
    """Whether what is kept is encrypted, and where its key is."""
    found = status_of(resolve_home(options))
    if as_json:
        print_json(asdict(found))
        return
    for line in status_lines(found):
        print_line(line)


@encryption.command()
@click.option("--keyring", "how", flag_value="keyring", help="Keep the key in the keyring of this system.")
@click.option("--passphrase", "how", flag_value="passphrase", help="The key opens with a passphrase.")
@click.option("--confirm", metavar="WORDS", help=f"The words {ENCRYPT_WORDS!r}, instead of typing them.")
@click.option("--backups", type=_BACKUPS, help="What becomes of backups in the clear, instead of a question.")
@_AS_JSON
@click.pass_obj
def on(options: Options, how: How | None, confirm: str | None, backups: BackupsTo | None, as_json: bool) -> None:
    """Encrypt what is kept, after saying what that means.

    A backup is made first. The encrypted history is written beside, checked, and takes its place in one step.
    """
    home = _home(options)
    if is_encrypted(home):
        raise UiError("What is kept is encrypted already.", "`steward encryption status` says with what.")
    how, done = ask_and_turn_on(options, home, how, confirm, quiet=as_json)
    settled = _settle(home, backups, quiet=as_json)
    if as_json:
        print_json({**_json(done), "encrypted": True, "key_in": how, "backups": settled})


def ask_and_turn_on(
    options: Options, home: Home, how: How | None = None, confirm: str | None = None, *, quiet: bool = False
) -> tuple[How, Changed]:
    """Says what it means, asks for what was not given, and does it. Raises UiError, StoreError."""
    how = how or _which(quiet)
    if not quiet:
        for line in (NOBODY[how], COVERED, COSTS, WHOLE_DISK):
            print_line(line)
    _confirm(confirm, ENCRYPT_WORDS)
    passphrase = _new_passphrase() if how == "passphrase" else ""
    done = turn_on(options, home, how, passphrase, SystemClock().now())
    if not quiet:
        print_line(said_on(done))
    return how, done


@encryption.command()
@click.option("--confirm", metavar="WORDS", help=f"The words {DECRYPT_WORDS!r}, instead of typing them.")
@_AS_JSON
@click.pass_obj
def off(options: Options, confirm: str | None, as_json: bool) -> None:
    """Keep everything in the clear again, backups included."""
    home = _home(options)
    if not as_json:
        print_line(IN_THE_CLEAR)
    _confirm(confirm, DECRYPT_WORDS)
    done = turn_off(options, home, SystemClock().now())
    if as_json:
        print_json({**_json(done), "encrypted": False})
    else:
        print_line(said_off(done))


@encryption.command()
@click.option("--keyring", "how", flag_value="keyring", help="Keep the key in the keyring of this system.")
@click.option("--passphrase", "how", flag_value="passphrase", help="A new passphrase.")
@_AS_JSON
@click.pass_obj
def change(options: Options, how: How | None, as_json: bool) -> None:
    """A new passphrase, or the keyring instead of one.

    The data keeps its key, so this is quick. Copies of the home that were made before open with what opened it then.
    Over a pipe the first line is the passphrase of now, the second the new one.
    """
    home = _home(options)
    how = how or _which(as_json)
    key_of(home)  # the passphrase of now is asked for before the new one
    if not as_json:
        print_line(NOBODY[how])
    passphrase = _new_passphrase() if how == "passphrase" else ""
    change_key(home, how, passphrase, SystemClock().now())
    if as_json:
        print_json({"encrypted": True, "key_in": how})
    else:
        print_line(CHANGED)


@encryption.command()
@click.argument("to", type=_BACKUPS)
@_AS_JSON
@click.pass_obj
def backups(options: Options, to: BackupsTo, as_json: bool) -> None:
    """What becomes of backups that are still in the clear: encrypt, remove or keep them."""
    said = settle_backups(_home(options), to, SystemClock().now())
    if as_json:
        print_json({"backups": to, "said": said})
    else:
        print_line(said)


def _home(options: Options) -> Home:
    if options.keeps_nothing:
        raise UiError("Only what is kept can be encrypted.", "Leave out --incognito and --demo.")
    return open_home(options)


def _which(as_json: bool) -> How:
    """The user's choice; a passphrase where there is no keyring. Raises NeedsTerminal."""
    trouble = keyring_trouble()
    if trouble:
        if not as_json:
            print_line(f"A passphrase it is: {trouble}.", err=True)
        return "passphrase"
    if not sys.stdin.isatty():
        raise NeedsTerminal("There is a choice to make, and nobody to ask.", "Add --keyring or --passphrase.")
    print_line("1. The keyring of this system holds the key: nothing to type, also for the daemon.")
    print_line("2. A passphrase: asked for at every start.")
    return "keyring" if click.prompt("Which", type=click.IntRange(1, 2), default=1) == 1 else "passphrase"


def _confirm(given: str | None, words: str) -> None:
    if given is None:
        if not sys.stdin.isatty():
            raise NeedsTerminal(
                "This asks you to type words, and there is nobody to ask.", f'Give them: --confirm "{words}"'
            )
        given = str(click.prompt(f'Type "{words}" to go on', default="", show_default=False))
    if given.strip() != words:
        raise UiError("Those were not the words, so nothing was changed.", f"The words are: {words}")


def _new_passphrase() -> str:
    given = passphrase_given({})
    return typed_twice() if given is None else given


def _settle(home: Home, wanted: BackupsTo | None, *, quiet: bool) -> BackupsTo:
    """Nothing in the clear is touched without being asked."""
    left = len(clear_backups(home)) + len(clear_damaged(home))
    if not left:
        return "keep"
    if wanted is None:
        if not quiet:
            print_line(backups_left(left))
        if quiet or not sys.stdin.isatty():
            if not quiet:
                print_line("They stay until you say: steward encryption backups encrypt, or remove")
            return "keep"
        wanted = _asked()
    said = settle_backups(home, wanted, SystemClock().now())
    if not quiet:
        print_line(said)
    return wanted


def _asked() -> BackupsTo:
    answer: BackupsTo = click.prompt("Encrypt them, remove them, or keep them", type=_BACKUPS, default="encrypt")
    return answer


def _json(done: Changed) -> dict[str, Any]:
    return {
        "rows": None if done.contents is None else dict(done.contents.rows),
        "copy": None if done.copy is None else str(done.copy),
    }
