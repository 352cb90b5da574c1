"""`steward notes`: list, add, show, search, edit, delete, undo. Looking works beside another Steward."""

import sys

import click

from memory.items import Note
from ui.errors import UiError
from ui.item_acts import ItemHands
from ui.item_commands import as_json_option, change, look
from ui.item_lines import hit_line, item_value, note_lines
from ui.output import print_json, print_line
from ui.wiring import Options

WHAT = "notes"
MOST = 10_000
MOST_PIPED = 1_000_000


@click.group(invoke_without_command=True)
@click.pass_context
def notes(ctx: click.Context) -> None:
    """Your notes: list, add, show, search, change or delete them.

    Without a command it lists them. An ID may be shortened as long as only one note begins with it.
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_notes)


@notes.command("list")
@as_json_option
@click.pass_obj
def list_notes(options: Options, as_json: bool = False) -> None:
    """Notes, the newest first."""

    async def work(hands: ItemHands) -> None:
        found = await hands.notes.store.notes(limit=MOST)
        if as_json:
            print_json([item_value(note) for note in found])
            return
        for line in note_lines(found):
            print_line(line)
        if not found:
            print_line('No notes. For example: steward notes add "The spare key is at Tom\'s."')

    look(options, work)


@notes.command("add")
@click.argument("text", nargs=-1, required=True)
@click.option("--title", default="", help="Its title; else the first line is it.")
@as_json_option
@click.pass_obj
def add_note(options: Options, text: tuple[str, ...], title: str, as_json: bool) -> int:
    """Keep a note. TEXT, or - for what comes through a pipe."""
    said = _text(text)
    return change(options, WHAT, lambda hands: hands.notes.add(said, title=title), as_json)


@notes.command("show")
@click.argument("id")
@as_json_option
@click.pass_obj
def show_note(options: Options, id: str, as_json: bool) -> None:
    """A note whole."""
    note: Note = look(options, lambda hands: hands.notes.find(id))
    if as_json:
        print_json(item_value(note))
        return
    print_line(note.title)
    print_line()
    print_line(note.text)


@notes.command("search")
@click.argument("words", nargs=-1, required=True)
@as_json_option
@click.pass_obj
def search_notes(options: Options, words: tuple[str, ...], as_json: bool) -> None:
    """Notes with all these words."""
    found = look(options, lambda hands: hands.notes.search(" ".join(words), limit=50))
    if as_json:
        print_json([item_value(hit.item) for hit in found])
        return
    for hit in found:
        print_line(hit_line(hit))
    if not found:
        print_line("Nothing found.")


@notes.command("edit")
@click.argument("id")
@click.argument("text", nargs=-1, required=True)
@click.option("--title", default="", help="Another title; else it stays.")
@as_json_option
@click.pass_obj
def edit_note(options: Options, id: str, text: tuple[str, ...], title: str, as_json: bool) -> int:
    """Another text. TEXT, or - for what comes through a pipe."""
    said = _text(text)
    return change(options, WHAT, lambda hands: hands.notes.edit(id, said, title=title), as_json)


@notes.command("delete")
@click.argument("id")
@as_json_option
@click.pass_obj
def delete_note(options: Options, id: str, as_json: bool) -> int:
    """Delete a note. It can be undone, and is erased for good after 30 days."""
    return change(options, WHAT, lambda hands: hands.notes.delete(id), as_json)


@notes.command("undo")
@as_json_option
@click.pass_obj
def undo_note(options: Options, as_json: bool) -> int:
    """Take back the last change of a note."""
    return change(options, WHAT, lambda hands: hands.notes.undo(), as_json)


def _text(words: tuple[str, ...]) -> str:
    if words != ("-",):
        return " ".join(words)
    text = sys.stdin.read(MOST_PIPED + 1)
    if len(text) > MOST_PIPED:
        raise UiError(
            f"A note has at most {MOST_PIPED:,} characters.", "Add it as a document: steward documents add FILE"
        )
    return text
