"""`steward plans`: tasks of several steps, where they are, and what they changed."""

import asyncio
from typing import TYPE_CHECKING

import click

from memory.plans import EVERY, Plan, PlanId
from ui.output import print_json, print_line, print_settled
from ui.wiring import Options

if TYPE_CHECKING:
    from memory.answer_mailbox import PlanAct
    from memory.settled import Settled

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
    return print_settled(asyncio.run(_act(options, "resume_plan", PlanId(id))), as_json)


@plans.command("stop")
@click.argument("id", type=click.IntRange(min=1))
@as_json_option
@click.pass_obj
def stop_plan(options: Options, id: int, as_json: bool) -> int:
    """Begin nothing more of it. What is done stays; what it asks is withdrawn."""
    return print_settled(asyncio.run(_act(options, "stop_plan", PlanId(id))), as_json)


@plans.command("undo")
@click.argument("id", type=click.IntRange(min=1))
@as_json_option
@click.pass_obj
def undo_plan(options: Options, id: int, as_json: bool) -> int:
    """Take back all that it changed; what cannot be taken back is named."""
    return print_settled(asyncio.run(_act(options, "undo_plan", PlanId(id))), as_json)


async def _read(options: Options, everything: bool) -> tuple[Plan, ...]:
    from ui.reading import reading_decisions

    async with reading_decisions(options) as store:
        return await store.plans(EVERY if everything else ("running", "waiting", "stopped"))


async def _one(options: Options, id: PlanId) -> Plan:
    from ui.reading import reading_decisions

    async with reading_decisions(options) as store:
        return await store.plan(id)


async def _act(options: Options, act: "PlanAct", id: PlanId) -> "Settled":
    """As the owner of the home, or handed over to whoever owns it. Raises NotFound, ChangeRefused."""
    from memory.answer_mailbox import AnswerMailbox
    from memory.errors import HomeInUse
    from ui.acting_wiring import without_model
    from ui.deciding import Deciding
    from ui.deciding_begins import post_of
    from ui.decision_mail import hand_over, is_about_documents, on_plan
    from ui.reading import reading_decisions
    from ui.wiring import owned, resolve_home

    try:
        async with owned(options, "plans") as services:
            deciding = Deciding(lambda: services, without_model)
            await deciding.begin()
            post = post_of(services, deciding)
            if post is not None:
                await post.drain(which=lambda letter: not is_about_documents(letter))
            return await on_plan(deciding, act, id)
    except HomeInUse:
        home = await asyncio.to_thread(resolve_home, options)
        async with reading_decisions(options) as store:
            return await hand_over(AnswerMailbox(home), store, act, plan=id)
