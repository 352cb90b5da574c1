"""`steward suggestions`: list, why, preview, rate, rules, settings. Looking works beside another Steward."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

import click

from ui.output import print_json, print_line
from ui.wiring import Options

if TYPE_CHECKING:
    from ui.suggestion_acts import SuggestionActs

T = TypeVar("T")
as_json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON (docs/formats.md) and nothing else.")


@click.group(invoke_without_command=True)
@click.pass_context
def suggestions(ctx: click.Context) -> None:
    """What Steward says first, why, and how often.

    Steward speaks first only after you said yes once (`steward suggestions settings --on`). Without a command it lists
    what waits.
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_suggestions)


@suggestions.command("list")
@click.option("--all", "everything", is_flag=True, help="Also those that were answered.")
@as_json_option
@click.pass_obj
def list_suggestions(options: Options, everything: bool = False, as_json: bool = False) -> None:
    """What was said and what waits to be read, the newest first."""

    async def work(acts: "SuggestionActs") -> None:
        from ui.suggestion_json import told_value
        from ui.suggestion_words import listed

        found = await (acts.everything() if everything else acts.waiting())
        if as_json:
            print_json([told_value(told) for told in found])
            return
        for told in found:
            print_line(listed(told, acts.here, acts.now))
        if not found:
            print_line(await _nothing(acts))

    _look(options, work)


async def _nothing(acts: "SuggestionActs") -> str:
    if (await acts.engine.settings()).on:
        return "Nothing waits. `steward suggestions preview` shows what would be said now, and what is held back."
    return "Steward does not speak first. To let it: steward suggestions settings --on"


@suggestions.command("why")
@click.argument("id", type=click.IntRange(min=1))
@as_json_option
@click.pass_obj
def why(options: Options, id: int, as_json: bool) -> None:
    """Why this was said then: evidence, what allowed it, past answers, and what was held back."""

    async def work(acts: "SuggestionActs") -> None:
        from ui.suggestion_json import why_value
        from ui.suggestion_words import why_lines

        found = await acts.why(id)
        if as_json:
            print_json(why_value(found))
            return
        for line in why_lines(found, acts.here, acts.now):
            print_line(line)

    _look(options, work)


@suggestions.command("preview")
@click.option("--at", metavar="TIME", default="", help='"tomorrow at 10:30" or "2026-03-04 10:30"; now without it.')
@as_json_option
@click.pass_obj
def preview(options: Options, at: str, as_json: bool) -> None:
    """What would be said then and why, and what is held back by which rule. Nothing is said by this."""

    async def work(acts: "SuggestionActs") -> None:
        from ui.suggestion_json import preview_value
        from ui.suggestion_words import preview_lines

        found = await acts.preview(at)
        if as_json:
            print_json(preview_value(found))
            return
        for line in preview_lines(found, await acts.rules(), acts.here):
            print_line(line)

    _look(options, work)


@suggestions.command("rate")
@click.argument("id", type=click.IntRange(min=1))
@click.argument("answer")
@click.option("--because", type=click.Choice(("time", "topic", "often", "style")), help="What was wrong, with n.")
@click.option("--until", metavar="TIME", default="", help="When it comes again, with z.")
@as_json_option
@click.pass_obj
def rate(options: Options, id: int, answer: str, because: str | None, until: str, as_json: bool) -> None:
    """Answer: y useful, n not useful, z later, m nothing more about this topic, d done.

    \b
      steward suggestions rate 3 y
      steward suggestions rate 4 n --because time

    Only what you name is learned. A later answer takes the place of an earlier one.
    """

    async def work(acts: "SuggestionActs") -> None:
        from ui.suggestion_json import told_value

        rated = await acts.rate(id, answer, because or "", until)
        if as_json:
            print_json(told_value(await acts.store.told(rated.learned.suggestion.id)))
        else:
            print_line(f"{rated.words}.")

    _change(options, work)


@suggestions.group("rules", invoke_without_command=True)
@as_json_option
@click.pass_context
def rules(ctx: click.Context, as_json: bool) -> None:
    """Your rules in plain words: list, add, remove."""
    if ctx.invoked_subcommand is None:
        _list_rules(ctx.find_object(Options) or Options(), as_json)


def _list_rules(options: Options, as_json: bool) -> None:
    async def work(acts: "SuggestionActs") -> None:
        from ui.suggestion_json import rule_value
        from ui.suggestion_words import RULE_EXAMPLES, rule_line

        found = await acts.rules()
        if as_json:
            print_json([rule_value(rule) for rule in found])
            return
        for rule in found:
            print_line(rule_line(rule, acts.here))
        if not found:
            print_line(f"No rules. {RULE_EXAMPLES}")

    _look(options, work)


@rules.command("add")
@click.argument("text", nargs=-1, required=True)
@as_json_option
@click.pass_obj
def add_rule(options: Options, text: tuple[str, ...], as_json: bool) -> None:
    """Keep a rule, in your own words: "not before ten", "max two a day", "stop about fitness"."""

    async def work(acts: "SuggestionActs") -> None:
        from ui.suggestion_json import rule_value
        from ui.suggestion_words import rule_words

        rule = await acts.add_rule(" ".join(text))
        if as_json:
            print_json(rule_value(rule))
            return
        print_line(f"Rule {rule.id}: {rule_words(rule, acts.here)}.")
        print_line(f"To take it back: steward suggestions rules remove {rule.id}")

    _change(options, work)


@rules.command("remove")
@click.argument("id", type=click.IntRange(min=1))
@as_json_option
@click.pass_obj
def remove_rule(options: Options, id: int, as_json: bool) -> None:
    """Take a rule back."""

    async def work(acts: "SuggestionActs") -> None:
        from ui.suggestion_json import rule_value
        from ui.suggestion_words import rule_words

        rule = await acts.remove_rule(id)
        if as_json:
            print_json(rule_value(rule))
        else:
            print_line(f"Taken back: {rule_words(rule, acts.here)}.")

    _change(options, work)


@suggestions.command("settings")
@click.option("--on/--off", "on", default=None, help="Whether Steward may speak first. It is off until you say so.")
@click.option("--windows", metavar="HOURS", help='"9-12, 15-18", or "any".')
@click.option("--quiet", metavar="HOURS", help='"22-8", or "none".')
@click.option("--most", metavar="NUMBER", help="At most so many a day, 1 to 5.")
@click.option("--gap", metavar="SPAN", help='"3 hours": at least so long between two.')
@click.option("--topics", metavar="TOPICS", help='Welcome topics: "work, health", or "any".')
@click.option("--mute", metavar="TOPICS", help='Muted topics: "fitness", or "none".')
@click.option("--morning", metavar="TIME", help='Morning digest: "9:00", or "off".')
@click.option("--evening", metavar="TIME", help='Evening digest: "18:30", or "off".')
@click.option("--reset-learned", is_flag=True, help="Forget what was learned from your answers.")
@as_json_option
@click.pass_obj
def settings(options: Options, /, on: bool | None, reset_learned: bool, as_json: bool, **given: str | None) -> None:
    """When and how often Steward may speak first, your rules, what was learned; or change it.

    \b
      steward suggestions settings --on --windows "9-12, 15-18" --most 3 --gap "3 hours" --quiet 22-8
    """
    changes = [(name, value) for name, value in given.items() if value is not None]
    if on is not None:
        changes.append(("on", "on" if on else "off"))

    async def work(acts: "SuggestionActs") -> None:
        if changes:
            await acts.change(dict(changes))
        if reset_learned:
            await acts.reset()
        await _say_settings(acts, as_json)

    if changes or reset_learned:
        _change(options, work)
    else:
        _look(options, work)


async def _say_settings(acts: "SuggestionActs", as_json: bool) -> None:
    from ui.suggestion_json import state_value
    from ui.suggestion_lines import plot_lines, settings_lines

    state = await acts.state()
    if as_json:
        print_json(state_value(state))
        return
    for line in settings_lines(state, acts.here):
        print_line(line)
    said, rated = await acts.history()
    if said or rated:
        print_line()
        for line in plot_lines(said, rated, acts.here, acts.now):
            print_line(line)


def _look(options: Options, work: Callable[["SuggestionActs"], Awaitable[T]]) -> T:
    from ui.suggestion_wiring import reading_acts

    async def run() -> T:
        async with reading_acts(options) as acts:
            return await work(acts)

    return asyncio.run(run())


def _change(options: Options, work: Callable[["SuggestionActs"], Awaitable[T]]) -> T:
    from ui.suggestion_wiring import owning_acts

    async def run() -> T:
        async with owning_acts(options) as acts:
            return await work(acts)

    return asyncio.run(run())
