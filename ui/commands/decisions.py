"""`steward decisions`: what waits for the user, and its answer."""

import asyncio
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from memory.decisions import Decision, DecisionId, DecisionState
from ui.output import print_json, print_line, print_settled
from ui.wiring import Options

if TYPE_CHECKING:
    from memory.answer_mailbox import Act
    from memory.effects import QuestionPrice
    from memory.settled import Settled

_EVERY: tuple[DecisionState, ...] = (
    "open",
    "answered",
    "done",
    "failed",
    "superseded",
    "declined",
    "withdrawn",
    "expired",
)
as_json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON (docs/formats.md) and nothing else.")


@click.group(invoke_without_command=True)
@click.pass_context
def decisions(ctx: click.Context) -> None:
    """Decisions that wait: list, show, answer, cancel, prices.

    Nothing that is listed here happens before you answer. Without a command it lists what waits.
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_decisions)


@decisions.command("list")
@click.option("--all", "everything", is_flag=True, help="Also those that are answered, declined or over.")
@as_json_option
@click.pass_obj
def list_decisions(options: Options, everything: bool = False, as_json: bool = False) -> None:
    """What waits for you, the newest first."""
    from ui.acting_words import decision_line

    found = asyncio.run(_read(options, _EVERY if everything else ("open",)))
    if as_json:
        from ui.decision_json import decision_value

        print_json([decision_value(one) for one in found])
        return
    for one in found:
        print_line(decision_line(one))
    if not found:
        print_line("No decision waits for you." if not everything else "There was no decision yet.")


@decisions.command("show")
@click.argument("id", type=click.IntRange(min=1))
@as_json_option
@click.pass_obj
def show_decision(options: Options, id: int, as_json: bool) -> None:
    """One decision whole: the question, why now, every option, and what happens without an answer."""
    from ui.acting_words import decision_lines

    found = asyncio.run(_one(options, DecisionId(id)))
    if as_json:
        from ui.decision_json import decision_value

        print_json(decision_value(found))
        return
    for line in decision_lines(found):
        print_line(line)


@decisions.command("answer")
@click.argument("id", type=click.IntRange(min=1))
@click.argument("answer", nargs=-1, required=True)
@as_json_option
@click.pass_obj
def answer_decision(options: Options, id: int, answer: tuple[str, ...], as_json: bool) -> int:
    """Answer with an option's key, yes or no, or your own words where they are allowed.

    \b
      steward decisions answer 12 yes
      steward decisions answer 13 2
      steward decisions answer 14 on Friday at 10

    What you say yes to is carried out once, and only if nothing it rests on has changed.
    """
    return print_settled(asyncio.run(_act(options, "answer", DecisionId(id), " ".join(answer))), as_json)


@decisions.command("cancel")
@click.argument("id", type=click.IntRange(min=1))
@as_json_option
@click.pass_obj
def cancel_decision(options: Options, id: int, as_json: bool) -> int:
    """Withdraw it. Nothing of it happens."""
    return print_settled(asyncio.run(_act(options, "withdraw", DecisionId(id))), as_json)


@decisions.command("prices")
@as_json_option
@click.pass_obj
def prices(options: Options, as_json: bool) -> None:
    """What a question costs you by now, by kind: learned from your answers and your words.

    A dear question is asked less often. Hard gates are no part of it. `steward decisions reset` puts it back.
    """
    from ui.asking_prices import price_lines, price_value

    found = asyncio.run(_prices(options))
    if as_json:
        print_json([price_value(found[kind]) for kind in sorted(found)])
        return
    for line in price_lines(found):
        print_line(line)


@decisions.command("reset")
@as_json_option
@click.pass_obj
def reset(options: Options, as_json: bool) -> None:
    """Forget what was learned about asking: prices of questions, and how far beliefs hold."""
    print_settled(asyncio.run(_reset(options)), as_json)


async def _read(options: Options, states: tuple[DecisionState, ...]) -> tuple[Decision, ...]:
    from ui.reading import reading_decisions

    async with reading_decisions(options) as store:
        return await store.decisions(states)


async def _one(options: Options, id: DecisionId) -> Decision:
    from ui.reading import reading_decisions

    async with reading_decisions(options) as store:
        return await store.decision(id)


async def _act(options: Options, act: "Act", id: DecisionId, text: str = "") -> "Settled":
    """As the owner of the home, or handed over to whoever owns it."""
    from memory.errors import HomeInUse
    from ui.acting_wiring import without_model
    from ui.deciding import Deciding
    from ui.deciding_begins import post_of
    from ui.decision_mail import FROM_COMMAND, answered, is_about_documents, withdrawn
    from ui.line_input import reader_for
    from ui.server_questions import ShellAsker
    from ui.wiring import owned

    try:
        async with owned(options, "decisions") as services:
            deciding = Deciding(lambda: services, without_model)
            if services.asked_back is not None and sys.stdin.isatty() and sys.stdout.isatty():
                services.asked_back.asker = ShellAsker(deciding, reader_for(sys.stdin, sys.stdout).read, print_line)
            await deciding.begin()
            post = post_of(services, deciding)
            if post is not None:
                await post.drain(which=lambda letter: not is_about_documents(letter))
            if act == "withdraw":
                return withdrawn(await deciding.withdraw(id))
            return answered(await deciding.answer(id, text, source=FROM_COMMAND))
    except HomeInUse:
        return await _handed_over(options, act, id, text)


async def _handed_over(options: Options, act: "Act", id: DecisionId, text: str) -> "Settled":
    from memory.answer_mailbox import AnswerMailbox
    from ui.decision_mail import hand_over
    from ui.reading import reading_decisions
    from ui.wiring import resolve_home

    home = await asyncio.to_thread(resolve_home, options)
    async with reading_decisions(options) as store:
        return await hand_over(AnswerMailbox(home), store, act, id, text)


async def _prices(options: Options) -> "Mapping[str, QuestionPrice]":
    from ui.reading import reading_decisions

    async with reading_decisions(options) as store:
        return await store.prices()


async def _reset(options: Options) -> "Settled":
    """As the owner of the home, or handed over to whoever owns it."""
    from memory.answer_mailbox import NO_DECISION
    from memory.errors import HomeInUse
    from ui.decision_mail import reset
    from ui.wiring import owned

    try:
        async with owned(options, "decisions") as services:
            return reset(await services.decisions.forget_prices())
    except HomeInUse:
        return await _handed_over(options, "reset_prices", NO_DECISION, "")
