"""`steward plans`: tasks of several steps, where they are, and what they changed."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import click

from memory.plans import EVERY, Plan, PlanId
from ui.output import print_json, print_line
from ui.wiring import Options

if TYPE_CHECKING:
    from assistant.reports import PlanWent
    from ui.deciding import Deciding

as_json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON (docs/formats.md) and nothing else.")


@click.group(invoke_without_command=True)
@click.pass_context
def plans(ctx: click.Context) -> None:
    """Plans of several steps: list, show, resume, stop, undo.

    A plan begins in the conversation: "plan my Saturday, I need to see the dentist and buy a present". Without a
    command it lists those that are not over.
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_plans)


@plans.command("list")
@click.option("--all", "everything", is_flag=True, help="Also those that are over.")
@as_json_option
@click.pass_obj
def list_plans(options: Options, everything: bool = False, as_json: bool = False) -> None:
    """Plans and how far they are, the newest first."""
    from ui.plan_words import plan_line, plan_value

    found = asyncio.run(_read(options, everything))
    if as_json:
        print_json([plan_value(one) for one in found])
        return
    for one in found:
        print_line(plan_line(one))
    if not found:
        print_line("There was no plan yet." if everything else "No plan is going on.")


@plans.command("show")
@click.argument("id", type=click.IntRange(min=1))
@as_json_option
@click.pass_obj
def show_plan(options: Options, id: int, as_json: bool) -> None:
    """One plan whole: every step, its state, and what it did."""
    from ui.plan_words import plan_lines, plan_value

    found = asyncio.run(_one(options, PlanId(id)))
    if as_json:
        print_json(plan_value(found))
        return
    for line in plan_lines(found):
        print_line(line)


@plans.command("resume")
@click.argument("id", type=click.IntRange(min=1))
@as_json_option
@click.pass_obj
def resume_plan(options: Options, id: int, as_json: bool) -> int:
    """Go on with one that is stopped. A step whose words need a model waits for the chat."""
    return _tell(asyncio.run(_went(options, lambda deciding: deciding.resume_plan(PlanId(id)))), as_json)


@plans.command("stop")
@click.argument("id", type=click.IntRange(min=1))
@as_json_option
@click.pass_obj
def stop_plan(options: Options, id: int, as_json: bool) -> None:
    """Begin nothing more of it. What is done stays; what it asks is withdrawn."""
    from ui.plan_acts import stopped_words
    from ui.plan_words import plan_value

    stopped = asyncio.run(_stopped(options, PlanId(id)))
    if as_json:
        print_json(plan_value(stopped))
    else:
        print_line(stopped_words(stopped))


@plans.command("undo")
@click.argument("id", type=click.IntRange(min=1))
@as_json_option
@click.pass_obj
def undo_plan(options: Options, id: int, as_json: bool) -> int:
    """Take back all that it changed; what cannot be taken back is named."""
    return _tell(asyncio.run(_went(options, lambda deciding: deciding.undo_plan(PlanId(id)))), as_json)


def _tell(went: "PlanWent", as_json: bool) -> int:
    from ui.decision_mail import answered
    from ui.plan_words import went_words

    settled = answered(went)
    if as_json:
        print_json(settled.value)
    else:
        for line in went_words(went).split("\n"):
            print_line(line)
    return settled.code


async def _read(options: Options, everything: bool) -> tuple[Plan, ...]:
    from ui.reading import reading_decisions

    async with reading_decisions(options) as store:
        return await store.plans(EVERY if everything else ("running", "waiting", "stopped"))


async def _one(options: Options, id: PlanId) -> Plan:
    from ui.reading import reading_decisions

    async with reading_decisions(options) as store:
        return await store.plan(id)


async def _stopped(options: Options, id: PlanId) -> Plan:
    from ui.acting_wiring import without_model
    from ui.deciding import Deciding
    from ui.wiring import owned

    async with owned(options, "plans") as services:
        return await Deciding(lambda: services, without_model).stop_plan(id)


async def _went(options: Options, act: "Callable[[Deciding], Awaitable[PlanWent]]") -> "PlanWent":
    from ui.acting_wiring import without_model
    from ui.deciding import Deciding
    from ui.wiring import owned

    async with owned(options, "plans") as services:
        deciding = Deciding(lambda: services, without_model)
        await deciding.begin()
        return await act(deciding)
