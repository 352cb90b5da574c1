"""The first start in line mode: what will be kept can be encrypted from its first word. No is the answer by default."""

import sys

import click

from ui.output import print_line
from ui.wiring import Options, open_home, resolve_home


def offer_encryption(options: Options) -> None:
    """Ask once, before anything was kept, where somebody sits at the terminal. Raises UiError, StoreError."""
    if options.keeps_nothing or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return
    home = resolve_home(options)
    if home.database.exists() or (home.data / "encryption.json").exists():
        return
    from ui.encryption_words import COSTS, OFFER

    print_line(COSTS, err=True)
    if not click.confirm(OFFER, default=False, err=True):
        return
    from ui.commands.encryption import ask_and_turn_on

    ask_and_turn_on(options, open_home(options))
