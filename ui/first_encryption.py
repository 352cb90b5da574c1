"""The first start in line mode: what will be kept can be encrypted from its first word. No is the answer by default."""

import sys

import click

from ui.errors import UiError
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
    from ui.yes_or_no import yes_or_no

    print_line(f"What is kept can be encrypted. {COSTS}", err=True)
    try:
        if not yes_or_no(OFFER, default=False):
            return
    except click.Abort:
        raise UiError("Stopped, and nothing was kept.", "Start it again at any time; Enter alone is no.") from None
    from ui.commands.encryption import ask_and_turn_on

    ask_and_turn_on(options, open_home(options))
