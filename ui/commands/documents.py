"""`steward documents`: add, list, search, remove. Looking works beside another Steward."""

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

import click

from assistant.documents.library import path_of
from assistant.documents.types import Progress
from memory.settled import Settled
from ui.document_acts import DocumentAct, on_documents
from ui.document_lines import document_line, document_value, hit_lines, hit_value
from ui.errors import UiError
from ui.item_commands import as_json_option
from ui.item_wiring import library_of, reading_documents
from ui.output import print_json, print_line, print_settled
from ui.wiring import Options, owned, resolve_home

WHAT = "documents"


@click.group(invoke_without_command=True)
@click.pass_context
def documents(ctx: click.Context) -> None:
    """Your documents: add files and folders, search and cite them.

    Without a command it lists them. They are read where they lie; what was read is kept here until you remove it.
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_documents)


@documents.command("list")
@as_json_option
@click.pass_obj
def list_documents(options: Options, as_json: bool = False) -> None:
    """Documents by their path."""

    async def run() -> None:
        async with reading_documents(options) as library:
            found = await library.store.documents()
        if as_json:
            print_json([document_value(one) for one in found])
            return
        for one in found:
            print_line(document_line(one))
        if not found:
            print_line("No documents. For example: steward documents add ~/contracts")

    asyncio.run(run())


@documents.command("add")
@click.argument("path")
@as_json_option
@click.pass_obj
def add_documents(options: Options, path: str, as_json: bool) -> int:
    """Add a file or a folder: text, Markdown, PDF, HTML, DOCX. Again reads only what changed.

    Links, hidden folders, files that are too large or no text are left out and named. Ctrl+C stops between two files;
    what was read stays, and adding again goes on.
    """
    if options.keeps_nothing:
        raise UiError("Documents have to be kept.", "Leave out --incognito and --demo.")

    shown = _Shown(sys.stderr.isatty() and not as_json)
    try:
        return print_settled(asyncio.run(_change(options, "add_documents", path, shown.show)), as_json)
    finally:
        shown.end()


@documents.command("search")
@click.argument("text", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1, 50), default=5, show_default=True)
@as_json_option
@click.pass_obj
def search_documents(options: Options, text: tuple[str, ...], limit: int, as_json: bool) -> None:
    """Passages that answer, with page or heading; by meaning where the embedder is here, else by words."""

    async def run() -> None:
        async with reading_documents(options) as library:
            found = await library.search(" ".join(text), limit=limit)
        if as_json:
            print_json([hit_value(hit) for hit in found])
            return
        for line in hit_lines(found):
            print_line(line)
        if not found:
            print_line("No document says anything about that.")

    asyncio.run(run())


@documents.command("remove")
@click.argument("wanted", metavar="ID|NAME|PATH")
@as_json_option
@click.pass_obj
def remove_documents(options: Options, wanted: str, as_json: bool) -> int:
    """Forget what was read of a document, or of all below a folder. The files themselves stay where they are."""
    return print_settled(asyncio.run(_change(options, "remove_documents", wanted)), as_json)


async def _change(
    options: Options, act: DocumentAct, which: str, progress: Callable[[Progress], None] = lambda _: None
) -> Settled:
    """As the owner of the home, or handed over to whoever owns it. Raises UiError, StoreError."""
    from memory.answer_mailbox import AnswerMailbox
    from memory.errors import HomeInUse
    from ui.acting_wiring import without_model
    from ui.deciding import Deciding
    from ui.deciding_begins import post_of
    from ui.decision_mail import hand_over, is_about_documents
    from ui.reading import reading_decisions

    try:
        async with owned(options, WHAT) as services:
            post = post_of(services, Deciding(lambda: services, without_model))
            if post is not None:
                await post.drain(which=is_about_documents)
            return await on_documents(await asyncio.to_thread(library_of, services), act, which, progress)
    except HomeInUse:
        home = await asyncio.to_thread(resolve_home, options)
        async with reading_decisions(options) as store:
            named = await asyncio.to_thread(_absolute if act == "add_documents" else path_of, which)
            return await hand_over(AnswerMailbox(home), store, act, text=named)


def _absolute(path: str) -> str:
    """The same where another folder is the working one."""
    return str(Path(path).expanduser().absolute())


class _Shown:
    """One line that is drawn over, on a terminal only."""

    def __init__(self, wanted: bool) -> None:
        self._wanted = wanted
        self._width = 0

    def show(self, progress: Progress) -> None:
        if not self._wanted:
            return
        from assistant.policies.cleaning import clean_line

        name = f" {clean_line(progress.name, 40)}" if progress.name else ""
        line = f"{progress.stage} {progress.done:,} of {progress.total:,}{name}"[:76]
        sys.stderr.write(f"\r{line.ljust(self._width)}")
        sys.stderr.flush()
        self._width = len(line)

    def end(self) -> None:
        if self._width:
            sys.stderr.write(f"\r{' ' * self._width}\r")
            sys.stderr.flush()
