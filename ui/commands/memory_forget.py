"""`steward memory forget`: shows what would go, asks, and deletes it for good."""

import asyncio
import sys

import click

from memory.preferences import ForgetMessages, ForgetPreview, Forgotten, Item
from ui.commands.memory_running import as_json_option, look_at
from ui.errors import NeedsTerminal, UiError
from ui.memory_acts import MemoryActs
from ui.memory_json import forgotten_value, preview_value
from ui.memory_lines import backups_of, forgotten_lines, preview_lines
from ui.memory_words import statement
from ui.output import print_json, print_line
from ui.wiring import Options, owned


@click.command("forget")
@click.argument("text", nargs=-1, required=True)
@click.option("--messages", "messages", flag_value="sources", help="Also the words in the messages it came from.")
@click.option("--mentions", "messages", flag_value="mentions", help="Also every other message with these words.")
@click.option("--all", "every", is_flag=True, help="All that fit the words, not one of them.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--preview", is_flag=True, help="Only say what would go.")
@as_json_option
@click.pass_obj
def forget_memory(
    options: Options,
    text: tuple[str, ...],
    messages: ForgetMessages | None,
    every: bool,
    yes: bool,
    preview: bool,
    as_json: bool,
) -> None:
    """Delete for good: rows, quotes, history, index; with --messages the words in the conversation too.

    TEXT is an ID, or words that only one memory has. What would go is shown first. This cannot be undone.
    """
    chosen: ForgetMessages = messages or "keep"

    async def look(acts: MemoryActs) -> tuple[tuple[Item, ...], ForgetPreview]:
        items = await acts.meant(" ".join(text))
        items = items if every or len(items) == 1 else (await asyncio.to_thread(_one_of, items),)
        return items, await acts.store.preview_forget([item.id for item in items])

    items, seen = look_at(options, look)
    if preview and as_json:
        print_json(preview_value(seen))
        return
    if not as_json:
        for line in preview_lines(seen, chosen):
            print_line(line)
        if chosen == "keep" and (seen.sources or seen.mentions):
            print_line("--messages takes the words in those it came from too, --mentions in all of them.")
    if preview:
        return
    if not yes and not sys.stdin.isatty():
        raise NeedsTerminal("Forgetting asks first, and there is nobody to ask.", "Add --yes to forget at once.")
    if not yes and not click.confirm("Forget this for good?"):
        print_line("Nothing was forgotten.")
        return
    _forget(options, items, chosen, as_json)


def _one_of(items: tuple[Item, ...]) -> Item:
    """The one that the user chooses of several. Raises UiError when nobody can be asked."""
    lines = [f"{number}. {item.id}  {statement(item.preference, 100)}" for number, item in enumerate(items, start=1)]
    if not sys.stdin.isatty():
        named = "; ".join(f"{item.id} ({statement(item.preference, 40)})" for item in items[:5])
        raise UiError(f"{len(items)} memories fit these words.", f"Give an ID, or --all: {named}")
    for line in lines:
        print_line(line)
    return items[click.prompt("Which one", type=click.IntRange(1, len(items))) - 1]


def _forget(options: Options, items: tuple[Item, ...], messages: ForgetMessages, as_json: bool) -> None:
    from ui.memory_wiring import drop_index

    async def forget() -> tuple[Forgotten, tuple[str, ...]]:
        async with owned(options, "memory forget") as services:
            acts = MemoryActs(services.preferences, services.clock)
            done = await acts.forget(items, messages)
            await asyncio.to_thread(drop_index, services.home.database)
            return done, await asyncio.to_thread(backups_of, services.home.data)

    done, backups = asyncio.run(forget())
    if as_json:
        print_json(forgotten_value(done, backups))
        return
    for line in forgotten_lines(done, backups):
        print_line(line)
