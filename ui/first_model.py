"""The first start outside the terminal UI: no model is here, and somebody sits at the terminal who can be asked."""

import sys

import click

from ui.errors import UiError
from ui.output import print_line
from ui.wiring import Options, load_configuration, open_home, resolve_home

_OTHER = "n goes on without one: in line mode /model list shows the others, and /model PATH takes a file of yours."


def offer_model(options: Options) -> None:
    """Ask whether to fetch the model that fits, and fetch it. Does nothing where there is a model, where one is wished
    by name, or where nobody can be asked. Raises UiError when the fetch is stopped, and what fetching raises."""
    if options.demo or options.model or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return
    home = resolve_home(options)
    if next(home.models.glob("*.gguf"), None) is not None:
        return
    configuration = load_configuration(home)
    if configuration.model.name:
        return
    from models.catalog import load_catalogue
    from models.fetch.types import FetchSettings
    from models.hardware import detect
    from ui.pulling import Interrupted, default_choice, progress_on, pull_default
    from ui.rendering import bytes_text, seconds_text
    from ui.shelf import TYPICAL_BYTES_A_SECOND
    from ui.yes_or_no import yes_or_no

    catalogue, hardware = load_catalogue(home.config / "models.toml"), detect(home.models)
    settings, context = FetchSettings(cache=home.cache), configuration.model.context_length
    entry = default_choice(catalogue, hardware, home, context, settings.kinds)
    print_line("There is no model on this machine yet. It is fetched once; what you write stays here.", err=True)
    print_line(f"Your data: {home.data}", err=True)
    takes = f"about {seconds_text(entry.size / TYPICAL_BYTES_A_SECOND)} at {bytes_text(TYPICAL_BYTES_A_SECOND)}/s"
    question = f"Fetch {entry.title} ({bytes_text(entry.size)}, {takes}, {entry.licence})?"
    try:
        if not yes_or_no(question, default=True, other=_OTHER):
            return
    except click.Abort:
        raise UiError(
            "Stopped, and nothing was fetched.", "Start it again at any time; steward tour needs no model."
        ) from None
    open_home(options)
    with progress_on(sys.stderr, redraw=not options.plain) as line:
        try:
            pull_default(catalogue, hardware, home, context, settings, watch=line.watch, say=line.say)
        except Interrupted as stopped:
            hint = f"{bytes_text(stopped.kept)} are kept; steward models pull goes on from there."
            raise UiError("Stopped.", hint) from None
