"""`steward ask`: one turn on stdout."""

import sys
from typing import TYPE_CHECKING

import click

from ui.errors import EXIT_DECISION_WAITING, EXIT_DONE, EXIT_INTERRUPTED
from ui.wiring import Options

if TYPE_CHECKING:
    from ui.asking import Asking


@click.command(short_help="Ask one thing and print the answer.")
@click.argument("text", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="One event a line, as JSON (docs/events.md).")
@click.option("--session", metavar="ID", help="Continue this conversation (the beginning of its id is enough).")
@click.option("--new", is_flag=True, help="Begin a new conversation.")
@click.option("--no-learn", is_flag=True, help="Nothing is learned from this conversation.")
@click.option("--cut", is_flag=True, help="If the text is too long, send its beginning, marked as cut.")
@click.pass_obj
def ask(
    options: Options, text: tuple[str, ...], as_json: bool, session: str | None, new: bool, no_learn: bool, cut: bool
) -> int:
    """Ask one thing and print the answer as it comes. "-" stands for what comes on stdin.

    \b
      steward ask What is a leap second?
      git diff | steward ask "Explain this change:" -

    Without --session or --new the latest conversation goes on if it is less than an hour old
    (assistant.ask_continue_minutes); else a new one begins. Ctrl+C stops the answer; what came is kept.
    Exit code 4: a decision waits for you (steward decisions); nothing of it happens before you answer.
    """
    import asyncio

    from ui.asking import Asking
    from ui.first_model import offer_model

    if session is not None and new:
        raise click.UsageError("--session and --new exclude each other.")
    asking = Asking(text=_whole(text), session=session, new=new, no_learn=no_learn, cut_to_fit=cut, as_json=as_json)
    offer_model(options)
    return asyncio.run(_run(options, asking))


async def _run(options: Options, asking: "Asking") -> int:
    from ui.asking import run

    outcome = await run(options, asking, out=sys.stdout, err=sys.stderr)
    if outcome.ended.finish_reason == "cancelled":
        return EXIT_INTERRUPTED
    return EXIT_DECISION_WAITING if outcome.waits else EXIT_DONE


def _whole(words: tuple[str, ...]) -> str:
    """The arguments as one text, "-" replaced by stdin; without arguments stdin alone, if something is piped in."""
    if not words and sys.stdin.isatty():
        raise click.UsageError("There is nothing to ask. Give a text, or - to read it from stdin.")
    parts = [_stdin() if word == "-" else word for word in words or ("-",)]
    separator = "\n\n" if "-" in words else " "
    text = separator.join(part for part in parts if part)
    if not text.strip():
        raise click.UsageError("There is nothing to ask: the text is empty.")
    return text


def _stdin() -> str:
    return sys.stdin.buffer.read().decode("utf-8-sig", errors="replace")
