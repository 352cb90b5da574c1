"""`steward suggestions`: list, why, preview, rate, rules, settings. Looking works beside another Steward."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ui.output import print_json, print_line
from ui.wiring import Options

if TYPE_CHECKING:
    from memory.settled import Settled
    from memory.suggestion_mailbox import Act
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

    _change(options, as_json, "rate", id=id, answer=answer, because=because or "", until=until)


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

    _change(options, as_json, "add_rule", text=" ".join(text))


@rules.command("remove")
@click.argument("id", type=click.IntRange(min=1))
@as_json_option
@click.pass_obj
def remove_rule(options: Options, id: int, as_json: bool) -> None:
    """Take a rule back."""

    _change(options, as_json, "remove_rule", id=id)


@suggestions.command("settings")
@click.option("--on/--off", "on", default=None, help="Whether Steward may speak first. It is off until you say so.")
@click.option("--windows", metavar="HOURS", help='"9-12, 15-18", or "any"; "fit" where it is asked.')
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
      steward suggestions settings --on --windows "9-12, 15-18" --most 3
      steward suggestions settings --gap "3 hours" --quiet 22-8
    """
    changes = [(name, value) for name, value in given.items() if value is not None]
    if on is not None:
        changes.append(("on", "on" if on else "off"))

    if changes or reset_learned:
        _change(options, as_json, "settings", changes=dict(changes), reset_learned=reset_learned)
        return

    async def work(acts: "SuggestionActs") -> None:
        from ui.suggestion_mail import settings_said

        _say(await settings_said(acts), as_json)

    _look(options, work)


def _look(options: Options, work: Callable[["SuggestionActs"], Awaitable[T]]) -> T:
    from ui.suggestion_wiring import reading_acts

    async def run() -> T:
        async with reading_acts(options) as acts:
            return await work(acts)

    return asyncio.run(run())


def _change(options: Options, as_json: bool, act: "Act", **fields: Any) -> None:
    """As the owner of the home, or through the mailbox beside it."""
    _say(asyncio.run(_done(options, act, fields)), as_json)


async def _done(options: Options, act: "Act", fields: Mapping[str, Any]) -> "Settled":
    from pydantic import ValidationError

    from memory.errors import HomeInUse
    from memory.suggestion_mailbox import SuggestionLetter, SuggestionMailbox
    from ui.errors import UiError
    from ui.suggestion_mail import SuggestionPost, hand_over, perform
    from ui.suggestion_wiring import owning_acts
    from ui.wiring import SystemClock, resolve_home

    try:
        letter = SuggestionLetter(act=act, at=SystemClock().now(), **fields)
    except ValidationError:
        raise UiError("That is too long.", "400 characters are enough.") from None
    try:
        async with owning_acts(options) as (acts, services):
            await SuggestionPost(services).drain()
            return await perform(acts, letter)
    except HomeInUse:
        home = await asyncio.to_thread(resolve_home, options)
        return await hand_over(SuggestionMailbox(home), letter)


def _say(settled: "Settled", as_json: bool) -> None:
    if as_json:
        print_json(settled.value)
        return
    for line in settled.lines:
        print_line(line)
