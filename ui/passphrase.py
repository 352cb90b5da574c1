"""Asking for a passphrase: at the terminal without echo, or as the first line of a pipe. Never as an argument."""

import sys

import click

from ui.data_words import FORGOTTEN_PASSPHRASE
from ui.errors import NeedsTerminal, UiError
from ui.output import print_line
from ui.unlocking import first_line


def new_passphrase(from_pipe: bool) -> str:
    """Twice, after saying what it means to forget it. Raises UiError."""
    if from_pipe:
        return _line()
    _terminal()
    print_line(FORGOTTEN_PASSPHRASE, err=True)
    return typed_twice()


def typed_twice() -> str:
    """At the terminal, without echo."""
    return str(click.prompt("Passphrase", hide_input=True, confirmation_prompt="Once more", err=True))


def known_passphrase(from_pipe: bool) -> str:
    """Raises UiError."""
    if from_pipe:
        return _line()
    _terminal()
    return str(click.prompt("Passphrase", hide_input=True, err=True))


def _line() -> str:
    words = first_line()
    if not words:
        raise UiError("No passphrase came.", "Write it as the first line: pass show steward | steward ...")
    return words


def _terminal() -> None:
    if not sys.stdin.isatty():
        raise NeedsTerminal("A passphrase is needed, and there is nobody to ask.", "Give it with --passphrase-stdin.")
