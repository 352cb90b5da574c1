"""`steward calendar`: list, add, import, export, delete, undo. Looking works beside another Steward."""

import asyncio
from pathlib import Path

import click

from ui.errors import EXIT_DECISION_WAITING, EXIT_DONE
from ui.item_acts import ItemHands
from ui.item_commands import as_json_option, change, changing, look, numbered, reading_option, say
from ui.item_lines import calendar_lines, happening_value, import_lines, import_value
from ui.output import print_json, print_line
from ui.reminder_acts import Question
from ui.wiring import Options, SystemClock

WHAT = "calendar"


@click.group(invoke_without_command=True)
@click.pass_context
def calendar(ctx: click.Context) -> None:
    """Your calendar: list, add in words, import and export ICS.

    Without a command it lists the next two weeks. An ID may be shortened as long as only one event begins with it.
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_events)


@calendar.command("list")
@click.option("--from", "since", metavar="DAY", default="", help="First day: 2026-12-01, Friday, tomorrow. [today]")
@click.option("--to", "until", metavar="DAY", default="", help="Last day. [two weeks from the first]")
@as_json_option
@click.pass_obj
def list_events(options: Options, since: str = "", until: str = "", as_json: bool = False) -> None:
    """What takes place, day by day."""

    async def work(hands: ItemHands) -> None:
        found = await hands.happenings(await hands.span(since, until))
        if as_json:
            print_json([happening_value(one) for one in found])
            return
        for line in calendar_lines(found, hands.here, hands.now):
            print_line(line)
        if not found:
            print_line('Nothing then. For example: steward calendar add "dentist on Friday at 10 for an hour"')

    look(options, work)


@calendar.command("add")
@click.argument("text", nargs=-1, required=True)
@click.option("--at", "place", metavar="PLACE", default="", help="Where it is.")
@reading_option
@as_json_option
@click.pass_obj
def add_event(options: Options, text: tuple[str, ...], place: str, number: int | None, as_json: bool) -> int:
    """Add an event in your own words.

    \b
      steward calendar add dentist on Friday at 10 for an hour
      steward calendar add "holiday from 3 May to 10 May"
      steward calendar add stand-up every weekday at 9:15 for 15 minutes

    What was understood is said back with weekday, date, times and zone, and what else is at that time. Where two
    readings are possible you are asked; without a terminal they are listed (exit 4), and --reading N says which.
    """

    async def run() -> int:
        async with changing(options, WHAT) as hands:
            read = await hands.read_event(" ".join(text))
            found = 0
            if isinstance(read, Question):
                found = await numbered(options, hands, read, number, as_json)
                if not found:
                    return EXIT_DECISION_WAITING
            return say(await hands.add_event(read, found, place), WHAT, as_json)

    return asyncio.run(run())


@calendar.command("import")
@click.argument("file")
@as_json_option
@click.pass_obj
def import_events(options: Options, file: str, as_json: bool) -> int:
    """Take over the events of an ICS file; again changes only what is new. What cannot be read is named."""

    path = str(Path(file).expanduser())

    async def run() -> int:
        async with changing(options, WHAT) as hands:
            report = await hands.import_events(path)
        if as_json:
            print_json(import_value(report))
            return EXIT_DONE
        for line in import_lines(report, Path(file).name):
            print_line(line)
        return EXIT_DONE

    return asyncio.run(run())


@calendar.command("export")
@click.option("--output", metavar="FILE", default="-", help="Write FILE instead of stdout; never over another file.")
@click.pass_obj
def export_events(options: Options, output: str) -> None:
    """All events as an iCalendar file (ICS), for any calendar."""
    from assistant.calendar.ics_writing import as_calendar
    from ui.commands.reminders import write_private

    events = look(options, lambda hands: hands.calendar.every())
    content = as_calendar(events, SystemClock().now())
    if output == "-":
        click.echo(content.decode(), nl=False)
        return
    write_private(Path(output).expanduser(), content)
    print_line(f"{len(events)} events are written to {output}.")


@calendar.command("delete")
@click.argument("id")
@as_json_option
@click.pass_obj
def delete_event(options: Options, id: str, as_json: bool) -> int:
    """Delete an event. It can be undone, and is erased for good after 30 days."""
    return change(options, WHAT, lambda hands: hands.calendar.delete(id), as_json)


@calendar.command("undo")
@as_json_option
@click.pass_obj
def undo_event(options: Options, as_json: bool) -> int:
    """Take back the last change of the calendar; an import as a whole."""
    return change(options, WHAT, lambda hands: hands.calendar.undo(), as_json)
