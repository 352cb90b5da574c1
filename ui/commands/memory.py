"""`steward memory`: everything that is remembered about you, to see, to correct and to forget.

Looking works beside another Steward that owns the home; changing needs the home.
"""

import asyncio
import shutil
import sys
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar, get_args

import click

from assistant.policies.cleaning import clean_line
from memory.changes import EntryId, HistoryEntry
from memory.preferences import (
    DOMAINS,
    Domain,
    Filter,
    ForgetMessages,
    ForgetPreview,
    Forgotten,
    Item,
    Preference,
    Source,
    Status,
    Usage,
)
from memory.types import SessionId
from ui.commands.memory_review import review
from ui.errors import NeedsTerminal, UiError
from ui.memory_acts import EVERY_STATUS, MemoryActs, Receipt
from ui.memory_json import entry_value, forgotten_value, item_value, preference_value, preview_value, whole_value
from ui.memory_lines import backups_of, forgotten_lines, history_lines, list_lines, preview_lines, show_lines
from ui.memory_typed import Fields, parse_scope, parse_slot
from ui.memory_words import EMBEDDER_FIX, EMBEDDER_MISSING, statement
from ui.output import print_json, print_line
from ui.wiring import Options, SystemClock, has_embedder, owned, reading, reading_memory

T = TypeVar("T")
_MOST_AT_ONCE = 1_000_000

as_json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON (docs/formats.md) and nothing else.")


@click.group(invoke_without_command=True)
@click.pass_context
def memory(ctx: click.Context) -> None:
    """See, correct and forget what is remembered about you.

    Without a command it lists what is in force. An ID may be shortened as long as only one memory begins with it.
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_memory)


memory.add_command(review)


# --- looking -------------------------------------------------------------------------------------------------


@memory.command("list")
@click.option("--domain", "domains", multiple=True, type=click.Choice(DOMAINS), metavar="NAME", help="Only about this.")
@click.option(
    "--status",
    "statuses",
    multiple=True,
    type=click.Choice([*EVERY_STATUS, "all"]),
    help="Only of this status; without it active, candidate and disputed.",
)
@click.option("--source", "sources", multiple=True, type=click.Choice(get_args(Source)), help="Only from this source.")
@click.option("--limit", type=click.IntRange(min=0), default=50, show_default=True, help="How many; 0 lists all.")
@as_json_option
@click.pass_obj
def list_memory(
    options: Options,
    domains: tuple[Domain, ...] = (),
    statuses: tuple[str, ...] = (),
    sources: tuple[Source, ...] = (),
    limit: int = 50,
    as_json: bool = False,
) -> None:
    """What is remembered, the newest first."""
    wanted = Filter(statuses=_statuses(statuses), domains=domains, sources=sources)

    async def look(acts: MemoryActs) -> tuple[tuple[Preference, ...], int]:
        shown = await acts.store.list(wanted, limit=limit or _MOST_AT_ONCE)
        return shown, await acts.store.count(wanted)

    shown, there_are = _look(options, look)
    if as_json:
        print_json([preference_value(one) for one in shown])
        return
    if not shown:
        print_line("Nothing fits." if domains or statuses or sources else "Nothing is remembered yet.")
        return
    for line in list_lines(shown, None, _width()):
        print_line(line)
    if there_are > len(shown):
        print_line(f"There are {there_are:,}: --limit 0 lists all.")
    if not has_embedder(options):
        print_line(f"{EMBEDDER_MISSING} Fetch it: {EMBEDDER_FIX}", err=True)


def _statuses(named: tuple[str, ...]) -> tuple[Status, ...]:
    if "all" in named:
        return ()
    return tuple(status for status in EVERY_STATUS if status in named) or ("active", "candidate", "disputed")


@memory.command("show")
@click.argument("id")
@as_json_option
@click.pass_obj
def show_memory(options: Options, id: str, as_json: bool) -> None:
    """One memory: why it is believed, what happened to it, and which answers it shaped."""

    async def look(acts: MemoryActs) -> tuple[Item, tuple[HistoryEntry, ...], tuple[Usage, ...]]:
        item = await acts.find(id)
        return item, await acts.store.history(item.id), await acts.store.uses(item.id)

    item, history, uses = _look(options, look)
    if as_json:
        print_json(whole_value(item, history, uses))
        return
    for line in show_lines(item, history, uses, _titles(options, item), None):
        print_line(line)


@memory.command("search")
@click.argument("text", nargs=-1, required=True)
@as_json_option
@click.pass_obj
def search_memory(options: Options, text: tuple[str, ...], as_json: bool) -> None:
    """Find words in what is remembered, of every status."""
    found = _look(options, lambda acts: acts.matching(" ".join(text)))
    if as_json:
        print_json([item_value(item) for item in found])
        return
    for line in list_lines([item.preference for item in found], None, _width()) if found else ("Nothing found.",):
        print_line(line)


@memory.command("history")
@click.argument("id", required=False)
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, help="How many changes at most.")
@as_json_option
@click.pass_obj
def show_history(options: Options, id: str | None, limit: int, as_json: bool) -> None:
    """What changed, the newest first; of one memory with its ID."""

    async def look(acts: MemoryActs) -> tuple[HistoryEntry, ...]:
        wanted = None if id is None else (await acts.find(id)).id
        return await acts.store.history(wanted, limit=limit)

    entries = _look(options, look)
    if as_json:
        print_json([entry_value(entry) for entry in entries])
        return
    for line in history_lines(entries, None, _width()):
        print_line(line)
    if not entries:
        print_line("Nothing has changed yet.")


# --- changing ------------------------------------------------------------------------------------------------

Command = Callable[..., Any]


def described(command: Command) -> Command:
    """The options that say more about a memory than its words do."""
    for option in reversed(
        (
            click.option("--slot", metavar="NAME", help="What it is about: food.taste, reply_style.length, ..."),
            click.option("--object", "thing", metavar="TEXT", help="The thing it is about: coriander."),
            click.option("--avoid", "polarity", flag_value=-1, type=int, help="You do not want it."),
            click.option("--want", "polarity", flag_value=1, type=int, help="You want it."),
            click.option("--strength", type=click.IntRange(1, 4), help="1 nice to have, 2, 3 strong, 4 hard limit."),
            click.option("--when", "condition", metavar="TEXT", help='Only then: "answering maths".'),
            click.option("--scope", metavar="SCOPE", help="global, domain:NAME, project:NAME, until:YYYY-MM-DD, ..."),
        )
    ):
        command = option(command)
    return command


@memory.command("add")
@click.argument("text", nargs=-1, required=True)
@described
@as_json_option
@click.pass_obj
def add_memory(options: Options, /, text: tuple[str, ...], as_json: bool, **given: Any) -> None:
    """Remember something, in your own words.

    \b
      steward memory add "I am allergic to peanuts"
      steward memory add "No meetings before ten" --slot schedule.meetings --avoid --object "early meetings"
    """
    fields = _fields(given)
    _changed(options, as_json, lambda acts: acts.add(" ".join(text), fields))


@memory.command("edit")
@click.argument("id")
@click.argument("text", nargs=-1)
@described
@as_json_option
@click.pass_obj
def edit_memory(options: Options, /, id: str, text: tuple[str, ...], as_json: bool, **given: Any) -> None:
    """Say it differently, or say more about it. The old words stay in the history."""
    fields, words = _fields(given), " ".join(text) or None
    _changed(options, as_json, lambda acts: _with(acts, id, lambda item: acts.edit(item, words, fields)))


@memory.command("confirm")
@click.argument("id")
@as_json_option
@click.pass_obj
def confirm_memory(options: Options, id: str, as_json: bool) -> None:
    """Yes, that is so: it is used from now on."""
    _changed(options, as_json, lambda acts: _with(acts, id, acts.confirm))


@memory.command("deny")
@click.argument("id")
@as_json_option
@click.pass_obj
def deny_memory(options: Options, id: str, as_json: bool) -> None:
    """No, that is not so: it is not used, and not noticed again."""
    _changed(options, as_json, lambda acts: _with(acts, id, acts.deny))


@memory.command("pin")
@click.argument("id")
@as_json_option
@click.pass_obj
def pin_memory(options: Options, id: str, as_json: bool) -> None:
    """Have it in every prompt, and let nothing but you change it."""
    _changed(options, as_json, lambda acts: _with(acts, id, lambda item: acts.pin(item, True)))


@memory.command("unpin")
@click.argument("id")
@as_json_option
@click.pass_obj
def unpin_memory(options: Options, id: str, as_json: bool) -> None:
    """Take back a pin."""
    _changed(options, as_json, lambda acts: _with(acts, id, lambda item: acts.pin(item, False)))


@memory.command("scope")
@click.argument("id")
@click.argument("scope")
@as_json_option
@click.pass_obj
def scope_memory(options: Options, id: str, scope: str, as_json: bool) -> None:
    """Where it holds: global, domain:NAME, project:NAME, person:NAME, session:ID or until:YYYY-MM-DD."""
    wanted, until = parse_scope(scope, SystemClock().now())
    _changed(options, as_json, lambda acts: _with(acts, id, lambda item: acts.rescope(item, wanted, until)))


@memory.command("merge")
@click.argument("kept")
@click.argument("others", nargs=-1, required=True)
@as_json_option
@click.pass_obj
def merge_memory(options: Options, kept: str, others: tuple[str, ...], as_json: bool) -> None:
    """Say that these are one: KEPT keeps its words and takes the evidence of the OTHERS."""

    async def merge(acts: MemoryActs) -> Receipt:
        return await acts.merge(await acts.find(kept), [await acts.find(other) for other in others])

    _changed(options, as_json, merge)


@memory.command("undo")
@click.argument("number", type=int, required=False)
@as_json_option
@click.pass_obj
def undo_change(options: Options, number: int | None, as_json: bool) -> None:
    """Take back the last change, or the one with this NUMBER in the history."""
    entry = None if number is None else EntryId(number)
    _changed(options, as_json, lambda acts: acts.undo(entry), undo=False)


@memory.command("forget")
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

    items, seen = _look(options, look)
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


# --- how ------------------------------------------------------------------------------------------------------


def _look(options: Options, look: Callable[[MemoryActs], Awaitable[T]]) -> T:
    async def run() -> T:
        async with reading_memory(options) as store:
            return await look(MemoryActs(store, SystemClock()))

    return asyncio.run(run())


def _changed(
    options: Options, as_json: bool, change: Callable[[MemoryActs], Awaitable[Receipt]], *, undo: bool = True
) -> None:
    """Own the home, change, and print the receipt."""

    async def run() -> tuple[Receipt, list[dict[str, Any]]]:
        async with owned(options, "memory") as services:
            acts = MemoryActs(services.preferences, services.clock)
            receipt = await change(acts)
            touched = await acts.store.by_ids(receipt.ids)
            return receipt, [preference_value(one) for one in touched]

    receipt, touched = asyncio.run(run())
    if as_json:
        print_json({"change": receipt.entry, "memories": touched})
        return
    print_line(receipt.words)
    for entry in (receipt.entries or (receipt.entry,)) if undo else ():
        if entry is not None:
            print_line(f"Undo: steward memory undo {entry}")


async def _with(acts: MemoryActs, wanted: str, change: Callable[[Item], Awaitable[Receipt]]) -> Receipt:
    return await change(await acts.find(wanted))


def _fields(given: dict[str, Any]) -> Fields:
    now = SystemClock().now()
    scope, until = (None, None) if given["scope"] is None else parse_scope(given["scope"], now)
    return Fields(
        slot=None if given["slot"] is None else parse_slot(given["slot"]),
        object=None if given["thing"] is None else clean_line(given["thing"], 80),
        polarity=given["polarity"],
        strength=given["strength"],
        condition=None if given["condition"] is None else clean_line(given["condition"], 120),
        scope=scope,
        until=until,
    )


def _titles(options: Options, item: Item) -> dict[SessionId, str]:
    """Titles of the conversations its evidence came from."""

    async def look() -> dict[SessionId, str]:
        async with reading(options) as transcript:
            wanted = {evidence.session_id for evidence in item.evidence if evidence.session_id is not None}
            return {id: (await transcript.session(id)).title for id in wanted}

    return asyncio.run(look())


def _width() -> int | None:
    """Lines are cut for a terminal only: what goes to a file or another program stays whole."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None
