"""`steward reminders`: list, done, snooze, edit, delete, undo, export.

Looking and changing work beside another Steward that owns the home: changes are handed over to it.
"""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import click

from memory.reminders import Due, Reminder, ReminderState
from ui.errors import EXIT_DECISION_WAITING, EXIT_DONE
from ui.local_zone import local_zone
from ui.output import print_json, print_line
from ui.reading import reading_reminders
from ui.reminder_acts import Question, Receipt, ReminderActs
from ui.reminder_json import reminder_value
from ui.reminder_lines import agenda, agenda_lines
from ui.reminder_questions import choose, remember_answer
from ui.reminding import hands_on
from ui.wiring import Options, SystemClock

_MOST = 1_000_000
_EVERY: tuple[ReminderState, ...] = ("active", "done", "deleted")

as_json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON (docs/formats.md) and nothing else.")


@click.group(invoke_without_command=True)
@click.pass_context
def reminders(ctx: click.Context) -> None:
    """List, finish, snooze, change, delete or export reminders.

    Without a command it lists them. An ID may be shortened as long as only one reminder begins with it.
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_reminders)


@reminders.command("list")
@click.option("--all", "everything", is_flag=True, help="Also those that are done or deleted.")
@as_json_option
@click.pass_obj
def list_reminders(options: Options, everything: bool = False, as_json: bool = False) -> None:
    """Reminders: what waits for you, today, the next 7 days, later."""
    found, waiting = _look(options, _EVERY if everything else ("active",))
    if as_json:
        by_id = {due.reminder.id: due for due in reversed(waiting)}
        print_json([reminder_value(one, by_id.get(one.id)) for one in found])
        return
    for line in agenda_lines(agenda(found, waiting, local_zone(), SystemClock().now())):
        print_line(line)
    if not found:
        print_line('No reminders. For example: steward remind "call mum on Sunday at 6pm"')


@reminders.command("done")
@click.argument("id")
@as_json_option
@click.pass_obj
def done_reminder(options: Options, id: str, as_json: bool) -> int:
    """It is done: this time, or for good when it comes only once."""
    return _act(options, lambda acts: acts.done(id), as_json)


@reminders.command("snooze")
@click.argument("id")
@click.argument("how_long", metavar="[FOR]", nargs=-1)
@as_json_option
@click.pass_obj
def snooze_reminder(options: Options, id: str, how_long: tuple[str, ...], as_json: bool) -> int:
    """Tell it again later: in 10 minutes, or FOR "an hour", "tomorrow at 9"."""
    return _act(options, lambda acts: acts.snooze(id, " ".join(how_long)), as_json)


@reminders.command("edit")
@click.argument("id")
@click.argument("text", nargs=-1, required=True)
@click.option("--reading", "number", type=click.IntRange(min=1), help="Which reading is meant, when it was asked.")
@as_json_option
@click.pass_obj
def edit_reminder(options: Options, id: str, text: tuple[str, ...], number: int | None, as_json: bool) -> int:
    """Say it differently: other words, another time, or both; what you leave out stays."""
    said = " ".join(text)

    async def change() -> Receipt | None:
        async with hands_on(options) as hands:
            outcome = await hands.acts.edit(id, said, number)
            if isinstance(outcome, Question):
                found = await asyncio.to_thread(choose, outcome, None, as_json=as_json)
                if found is None:
                    return None
                await asyncio.to_thread(remember_answer, options, hands.acts.settings, outcome, found)
                outcome = await hands.acts.edit(id, said, found)
            assert isinstance(outcome, Receipt)
            return outcome

    receipt = asyncio.run(change())
    if receipt is None:
        return EXIT_DECISION_WAITING
    return _say(receipt, as_json)


@reminders.command("delete")
@click.argument("id")
@as_json_option
@click.pass_obj
def delete_reminder(options: Options, id: str, as_json: bool) -> int:
    """Delete it. It can be undone, and is erased for good after 30 days."""
    return _act(options, lambda acts: acts.delete(id), as_json)


@reminders.command("undo")
@as_json_option
@click.pass_obj
def undo_reminder(options: Options, as_json: bool) -> int:
    """Take back the last change of a reminder."""
    return _act(options, lambda acts: acts.undo(), as_json)


@reminders.command("export")
@click.option("--output", metavar="FILE", default="-", help="Write FILE instead of stdout; never over another file.")
@click.pass_obj
def export_reminders(options: Options, output: str) -> None:
    """All active reminders as an iCalendar file (ICS), for any calendar."""
    from ui.reminder_ics import as_calendar

    found, _ = _look(options, ("active",))
    content = as_calendar(found, SystemClock().now())
    if output == "-":
        click.echo(content.decode(), nl=False)
        return
    write_private(Path(output).expanduser(), content)
    print_line(f"{len(found)} reminders are written to {output}.")


def _look(options: Options, states: tuple[ReminderState, ...]) -> tuple[tuple[Reminder, ...], tuple[Due, ...]]:
    async def look() -> tuple[tuple[Reminder, ...], tuple[Due, ...]]:
        async with reading_reminders(options) as store:
            return await store.list(states, limit=_MOST), await store.open_notices(limit=_MOST)

    return asyncio.run(look())


def _act(options: Options, act: Callable[[ReminderActs], Awaitable[Receipt]], as_json: bool) -> int:
    async def run() -> Receipt:
        async with hands_on(options) as hands:
            return await act(hands.acts)

    return _say(asyncio.run(run()), as_json)


def _say(receipt: Receipt, as_json: bool) -> int:
    if as_json:
        print_json(reminder_value(receipt.reminder))
        return EXIT_DONE
    print_line(receipt.words)
    if receipt.operation != "undo":
        print_line("To take it back: steward reminders undo")
    return EXIT_DONE


def write_private(path: Path, content: bytes) -> None:
    """Private (0600), whole or not at all, never over another file."""
    from ui.new_file import new_file

    with new_file(path) as file:
        file.write(content.decode())
