"""`steward tasks`: list, add, done, edit, delete, undo. Looking works beside another Steward."""

import asyncio

import click

from ui.errors import EXIT_DECISION_WAITING
from ui.item_acts import ItemHands
from ui.item_commands import as_json_option, change, changing, look, numbered, reading_option, say
from ui.item_lines import item_value, task_lines
from ui.output import print_json, print_line
from ui.reminder_acts import Question
from ui.wiring import Options

WHAT = "tasks"
MOST = 10_000


@click.group(invoke_without_command=True)
@click.pass_context
def tasks(ctx: click.Context) -> None:
    """What you have to do: list, add, finish, change or delete tasks.

    Without a command it lists what is open. An ID may be shortened as long as only one task begins with it.
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_tasks)


@tasks.command("list")
@click.option("--done", is_flag=True, help="Those that are done.")
@click.option("--project", metavar="NAME", default="", help="Only this project.")
@as_json_option
@click.pass_obj
def list_tasks(options: Options, done: bool = False, project: str = "", as_json: bool = False) -> None:
    """Tasks: overdue, today, the next 7 days, later, some day."""

    async def work(hands: ItemHands) -> None:
        found = await hands.tasks.store.tasks(done=done, limit=MOST)
        wanted = [task for task in found if not project or task.project.casefold() == project.lstrip("#").casefold()]
        if as_json:
            print_json([item_value(task) for task in wanted])
            return
        for line in task_lines(wanted, hands.tasks.today):
            print_line(line)
        if not wanted:
            print_line('No tasks. For example: steward tasks add "renew the passport by Friday"')

    look(options, work)


@tasks.command("add")
@click.argument("text", nargs=-1, required=True)
@click.option("--project", metavar="NAME", default="", help="Also: #name at the end of TEXT.")
@reading_option
@as_json_option
@click.pass_obj
def add_task(options: Options, text: tuple[str, ...], project: str, number: int | None, as_json: bool) -> int:
    """Add a task, with its day in your own words if it has one.

    \b
      steward tasks add renew the passport by Friday
      steward tasks add "call the bank #money"
    """
    said = " ".join(text)

    async def run() -> int:
        async with changing(options, WHAT) as hands:
            read = await hands.read_task(said)
            found = 0
            if isinstance(read, Question):
                found = await numbered(options, hands, read, number, as_json)
                if not found:
                    return EXIT_DECISION_WAITING
            return say(await hands.add_task(said, read, found, project), WHAT, as_json)

    return asyncio.run(run())


@tasks.command("done")
@click.argument("id")
@as_json_option
@click.pass_obj
def done_task(options: Options, id: str, as_json: bool) -> int:
    """It is done."""
    return change(options, WHAT, lambda hands: hands.tasks.done(id), as_json)


@tasks.command("edit")
@click.argument("id")
@click.argument("text", nargs=-1)
@click.option("--project", metavar="NAME", default=None, help='Another project; "" takes it away.')
@as_json_option
@click.pass_obj
def edit_task(options: Options, id: str, text: tuple[str, ...], project: str | None, as_json: bool) -> int:
    """Other words, another day, or both; what you leave out stays. "no day" takes the day away."""
    return change(options, WHAT, lambda hands: hands.edit_task(id, " ".join(text), project), as_json)


@tasks.command("delete")
@click.argument("id")
@as_json_option
@click.pass_obj
def delete_task(options: Options, id: str, as_json: bool) -> int:
    """Delete a task. It can be undone, and is erased for good after 30 days."""
    return change(options, WHAT, lambda hands: hands.tasks.delete(id), as_json)


@tasks.command("undo")
@as_json_option
@click.pass_obj
def undo_task(options: Options, as_json: bool) -> int:
    """Take back the last change of a task."""
    return change(options, WHAT, lambda hands: hands.tasks.undo(), as_json)
