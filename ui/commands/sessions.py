"""`steward sessions`: list, show, search, rename, export, delete.

Looking works beside another Steward that owns the home; changing needs the home.
"""

import asyncio
import shutil
import sys
from collections.abc import Callable
from datetime import datetime
from io import StringIO
from pathlib import Path

import click

from assistant.policies.cleaning import clean_line
from memory.sealed import seal
from memory.types import Found, Message, Session
from ui.errors import NeedsTerminal
from ui.new_file import new_file
from ui.output import print_json, print_line
from ui.passphrase import new_passphrase
from ui.reading import reading
from ui.session_json import export_value, found_value, session_value
from ui.session_lines import found_lines, list_lines, messages, show_lines, title_of
from ui.sessions_export import Kind, many_sessions, one_session
from ui.wiring import Options, owned

_MOST_AT_ONCE = 1_000_000

as_json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON (docs/formats.md) and nothing else.")


@click.group(invoke_without_command=True)
@click.pass_context
def sessions(ctx: click.Context) -> None:
    """List, show, search, rename, export or delete conversations.

    Without a command it lists them. An ID may be shortened as long as only one session begins with it.
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_sessions)


@sessions.command("list")
@click.option("--limit", type=click.IntRange(min=0), default=50, show_default=True, help="How many; 0 lists all.")
@click.option("--title", "part", default="", metavar="TEXT", help="Only those with TEXT in their title.")
@as_json_option
@click.pass_obj
def list_sessions(options: Options, limit: int = 50, part: str = "", as_json: bool = False) -> None:
    """Conversations, the last used first."""

    async def look() -> tuple[Session, ...]:
        async with reading(options) as transcript:
            return await transcript.sessions(limit=limit + 1 if limit else _MOST_AT_ONCE, title_contains=part)

    found = asyncio.run(look())
    shown = found[:limit] if limit else found
    if as_json:
        print_json([session_value(session) for session in shown])
        return
    if not shown:
        print_line("No title has that in it." if part else "No conversations yet. `steward` starts one.")
        return
    for line in list_lines(shown, None, _width()):
        print_line(line)
    if len(found) > len(shown):
        print_line(f"There are more than these {limit}: --limit 0 lists all.")


@sessions.command("show")
@click.argument("id")
@as_json_option
@click.pass_obj
def show_session(options: Options, id: str, as_json: bool) -> None:
    """One conversation, as it would be shown on the screen."""
    session, tree, path = _whole(options, id)
    if as_json:
        print_json(export_value(session, tree, path))
        return
    for line in show_lines(session, path, None):
        print_line(line)


@sessions.command("search")
@click.argument("text", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, help="How many hits at most.")
@as_json_option
@click.pass_obj
def search_sessions(options: Options, text: tuple[str, ...], limit: int, as_json: bool) -> None:
    """Find words in titles and messages, every branch included.

    All words have to occur; the last one may be a beginning. Quotes hold words together:

    \b
      steward sessions search passport renewal
      steward sessions search '"the dentist on Friday"'
    """

    async def look() -> tuple[Found, ...]:
        async with reading(options) as transcript:
            return await transcript.search(" ".join(text), limit=limit)

    hits = asyncio.run(look())
    if as_json:
        print_json([found_value(found) for found in hits])
        return
    for found in hits:
        for line in found_lines(found, None, _width()):
            print_line(line)
    if not hits:
        print_line("Nothing found.")


@sessions.command("rename")
@click.argument("id")
@click.argument("title")
@click.pass_obj
def rename_session(options: Options, id: str, title: str) -> None:
    """Give a conversation another title."""
    new = clean_line(title, 200)
    if not new:
        raise click.UsageError("The new title is empty.")

    async def change() -> Session:
        async with owned(options, "sessions rename") as services:
            session = await services.transcript.find_session(id)
            await services.transcript.rename(session.id, new)
            return session

    print_line(f"{asyncio.run(change()).id} is now called {new!r}.")


@sessions.command("export")
@click.argument("id", required=False)
@click.option("--all", "everything", is_flag=True, help="Every conversation, instead of one.")
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), help="Those used on this day or later.")
@click.option("--format", "kind", type=click.Choice(["markdown", "json"]), default="markdown", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("--output", metavar="FILE", default="-", help="Write FILE instead of stdout; never over another file.")
@click.option("--encrypt", is_flag=True, help="Encrypt it with a passphrase (age format).")
@click.option("--passphrase-stdin", is_flag=True, help="Read the passphrase from the first line of stdin.")
@click.pass_obj
def export_session(
    options: Options,
    id: str | None,
    everything: bool,
    since: datetime | None,
    kind: Kind,
    as_json: bool,
    output: str,
    encrypt: bool,
    passphrase_stdin: bool,
) -> None:
    """Conversations as a Markdown text for people, or as JSON with every branch: one, all, or those since a day."""
    if (id is not None) + (everything or since is not None) != 1:
        raise click.UsageError("Name one conversation, or say --all or --since DAY.")
    kind = "json" if as_json else kind
    day = since.astimezone() if since is not None else None

    async def pieces(write: Callable[[str], object]) -> tuple[str, int]:
        count = 0
        async with reading(options) as transcript:
            if id is not None:
                session = await transcript.find_session(id)
                await asyncio.to_thread(write, await one_session(transcript, session, kind))
                return repr(title_of(session)), 1
            async for text, many in many_sessions(transcript, day, kind):
                await asyncio.to_thread(write, text)
                count += many
        return f"{count:,} conversation{'' if count == 1 else 's'}", count

    if encrypt or passphrase_stdin:
        secret, whole = new_passphrase(passphrase_stdin), StringIO()
        words, count = asyncio.run(pieces(whole.write))
        content = seal(whole.getvalue().encode(), secret)
        if output == "-":
            sys.stdout.buffer.write(content)
            sys.stdout.buffer.flush()
            return
        with new_file(Path(output).expanduser()) as file:
            file.buffer.write(content)
    elif output == "-":
        asyncio.run(pieces(lambda text: click.echo(text, nl=False)))
        return
    else:
        with new_file(Path(output).expanduser()) as file:
            words, count = asyncio.run(pieces(file.write))
    print_line(f"{words} {'is' if count == 1 else 'are'} written to {output}.")


@sessions.command("delete")
@click.argument("id")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def delete_session(options: Options, id: str, yes: bool) -> None:
    """Delete a conversation, its words in the search included. This cannot be undone."""
    if not yes and not sys.stdin.isatty():
        raise NeedsTerminal(
            "Deleting asks first, and there is nobody to ask.", "Add --yes to delete without a question."
        )

    session, _, _ = _whole(options, id)
    question = f"Delete {title_of(session)!r} with {messages(session.message_count)}? This cannot be undone."
    if not yes and not click.confirm(question):
        print_line("Nothing was deleted.")
        return

    async def delete() -> None:
        async with owned(options, "sessions delete") as services:
            await services.transcript.delete_session(session.id)

    asyncio.run(delete())
    print_line(f"{title_of(session)!r} is deleted. Backups made before may still hold it.")


def _whole(options: Options, id: str) -> tuple[Session, tuple[Message, ...], tuple[Message, ...]]:
    async def look() -> tuple[Session, tuple[Message, ...], tuple[Message, ...]]:
        async with reading(options) as transcript:
            session = await transcript.find_session(id)
            return session, await transcript.tree(session.id), await transcript.path(session.id)

    return asyncio.run(look())


def _width() -> int | None:
    """Lines are cut for a terminal only: what goes to a file or another program stays whole."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None
