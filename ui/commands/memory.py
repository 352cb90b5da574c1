"""`steward memory`: everything that is remembered about you, to see, to correct and to forget.

Looking works beside another Steward that owns the home; changing needs the home.
"""

import asyncio
import shutil
import sys
from collections.abc import Awaitable, Callable
from typing import Any, get_args

import click

from assistant.policies.cleaning import clean_line
from memory.changes import EntryId, HistoryEntry
from memory.preferences import (
    DOMAINS,
    Domain,
    Filter,
    Item,
    Preference,
    Source,
    Status,
    Usage,
)
from memory.types import SessionId
from ui.commands.memory_forget import forget_memory
from ui.commands.memory_review import review
from ui.commands.memory_running import as_json_option, change_it, look_at
from ui.memory_acts import EVERY_STATUS, MemoryActs, Receipt
from ui.memory_json import entry_value, item_value, preference_value, whole_value
from ui.memory_lines import history_lines, list_lines, show_lines
from ui.memory_typed import Fields, parse_scope, parse_slot
from ui.memory_words import EMBEDDER_FIX, EMBEDDER_MISSING
from ui.output import print_json, print_line
from ui.reading import reading
from ui.wiring import Options, SystemClock, has_embedder

_MOST_AT_ONCE = 1_000_000


@click.group(invoke_without_command=True)
@click.pass_context
def memory(ctx: click.Context) -> None:
    """See, correct and forget what is remembered about you.

    Without a command it lists what is in force. An ID may be shortened as long as only one memory begins with it.
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_memory)


memory.add_command(forget_memory)
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

    shown, there_are = look_at(options, look)
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

    item, history, uses = look_at(options, look)
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
    found = look_at(options, lambda acts: acts.matching(" ".join(text)))
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

    entries = look_at(options, look)
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
      steward memory add "No meetings before ten" --slot schedule.meetings
    """
    fields = _fields(given)
    change_it(options, as_json, lambda acts: acts.add(" ".join(text), fields))


@memory.command("edit")
@click.argument("id")
@click.argument("text", nargs=-1)
@described
@as_json_option
@click.pass_obj
def edit_memory(options: Options, /, id: str, text: tuple[str, ...], as_json: bool, **given: Any) -> None:
    """Say it differently, or say more about it. The old words stay in the history."""
    fields, words = _fields(given), " ".join(text) or None
    change_it(options, as_json, lambda acts: _with(acts, id, lambda item: acts.edit(item, words, fields)))


@memory.command("confirm")
@click.argument("id")
@as_json_option
@click.pass_obj
def confirm_memory(options: Options, id: str, as_json: bool) -> None:
    """Yes, that is so: it is used from now on."""
    change_it(options, as_json, lambda acts: _with(acts, id, acts.confirm))


@memory.command("deny")
@click.argument("id")
@as_json_option
@click.pass_obj
def deny_memory(options: Options, id: str, as_json: bool) -> None:
    """No, that is not so: it is not used, and not noticed again."""
    change_it(options, as_json, lambda acts: _with(acts, id, acts.deny))


@memory.command("pin")
@click.argument("id")
@as_json_option
@click.pass_obj
def pin_memory(options: Options, id: str, as_json: bool) -> None:
    """Have it in every prompt, and let nothing but you change it."""
    change_it(options, as_json, lambda acts: _with(acts, id, lambda item: acts.pin(item, True)))


@memory.command("unpin")
@click.argument("id")
@as_json_option
@click.pass_obj
def unpin_memory(options: Options, id: str, as_json: bool) -> None:
    """Take back a pin."""
    change_it(options, as_json, lambda acts: _with(acts, id, lambda item: acts.pin(item, False)))


@memory.command("scope")
@click.argument("id")
@click.argument("scope")
@as_json_option
@click.pass_obj
def scope_memory(options: Options, id: str, scope: str, as_json: bool) -> None:
    """Where it holds: global, domain:NAME, project:NAME, person:NAME, session:ID or until:YYYY-MM-DD."""
    wanted, until = parse_scope(scope, SystemClock().now())
    change_it(options, as_json, lambda acts: _with(acts, id, lambda item: acts.rescope(item, wanted, until)))


@memory.command("merge")
@click.argument("kept")
@click.argument("others", nargs=-1, required=True)
@as_json_option
@click.pass_obj
def merge_memory(options: Options, kept: str, others: tuple[str, ...], as_json: bool) -> None:
    """Say that these are one: KEPT keeps its words and takes the evidence of the OTHERS."""

    async def merge(acts: MemoryActs) -> Receipt:
        return await acts.merge(await acts.find(kept), [await acts.find(other) for other in others])

    change_it(options, as_json, merge)


@memory.command("undo")
@click.argument("number", type=int, required=False)
@as_json_option
@click.pass_obj
def undo_change(options: Options, number: int | None, as_json: bool) -> None:
    """Take back the last change, or the one with this NUMBER in the history."""
    entry = None if number is None else EntryId(number)
    change_it(options, as_json, lambda acts: acts.undo(entry), undo=False)


# --- how ------------------------------------------------------------------------------------------------------


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
