"""`steward decisions`: what waits for the user, and its answer."""

import asyncio
from typing import TYPE_CHECKING

import click

from memory.decisions import Decision, DecisionId, DecisionState
from ui.errors import EXIT_DECISION_WAITING, EXIT_DONE, EXIT_FAILED
from ui.output import print_json, print_line
from ui.wiring import Options

if TYPE_CHECKING:
    from assistant.reports import Report

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
    """Decisions that wait for you: list, show, answer, cancel.

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
    report = asyncio.run(_answer(options, DecisionId(id), " ".join(answer)))
    return _tell(report, as_json)


@decisions.command("cancel")
@click.argument("id", type=click.IntRange(min=1))
@as_json_option
@click.pass_obj
def cancel_decision(options: Options, id: int, as_json: bool) -> int:
    """Withdraw it. Nothing of it happens."""
    decision = asyncio.run(_cancel(options, DecisionId(id)))
    if as_json:
        from ui.decision_json import decision_value

        print_json(decision_value(decision))
    else:
        print_line(f"Decision {id} is withdrawn. Nothing was done.")
    return EXIT_DONE


def _tell(report: "Report", as_json: bool) -> int:
    from assistant.reports import CouldNot, Waits
    from ui.acting_words import report_words

    if as_json:
        from ui.report_json import report_value

        print_json(report_value(report))
    else:
        for line in report_words(report).split("\n"):
            print_line(line)
    if isinstance(report, Waits):
        return EXIT_DECISION_WAITING
    return EXIT_FAILED if isinstance(report, CouldNot) else EXIT_DONE


async def _read(options: Options, states: tuple[DecisionState, ...]) -> tuple[Decision, ...]:
    from ui.acting_wiring import reading_decisions

    async with reading_decisions(options) as store:
        return await store.decisions(states)


async def _one(options: Options, id: DecisionId) -> Decision:
    from ui.acting_wiring import reading_decisions

    async with reading_decisions(options) as store:
        return await store.decision(id)


async def _answer(options: Options, id: DecisionId, text: str) -> "Report":
    from ui.acting_wiring import actor_of, without_model
    from ui.wiring import owned

    async with owned(options, "decisions") as services:
        actor = await asyncio.to_thread(actor_of, services, without_model())
        return await actor.answer(id, text, source="command")


async def _cancel(options: Options, id: DecisionId) -> Decision:
    from ui.wiring import owned

    async with owned(options, "decisions") as services:
        return await services.decisions.close_decision(id, "withdrawn", at=services.clock.now(), result="withdrawn")
