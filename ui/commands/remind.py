"""`steward remind`: one reminder from words."""

import asyncio

import click

from memory.reminders import IfMissed
from ui.errors import EXIT_DECISION_WAITING, EXIT_DONE, UiError
from ui.output import print_json, print_line
from ui.reminder_acts import Question, chosen
from ui.reminder_json import reminder_value
from ui.reminder_questions import choose, remember_answer
from ui.reminding import hands_on, owner_lines
from ui.wiring import Options


@click.command()
@click.argument("text", nargs=-1, required=True)
@click.option("--reading", "number", type=click.IntRange(min=1), help="Which reading is meant, when it was asked.")
@click.option(
    "--if-missed",
    type=click.Choice(["tell", "skip"]),
    default="tell",
    show_default=True,
    help="When nobody was there in time: tell it late, or skip it.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON (docs/formats.md) and nothing else.")
@click.pass_obj
def remind(options: Options, text: tuple[str, ...], number: int | None, if_missed: IfMissed, as_json: bool) -> int:
    """Remind you of something, at a time in your own words.

    \b
      steward remind call mum on Sunday at 6pm
      steward remind "take the bread out in half an hour"
      steward remind water the plants every other Tuesday at 8

    What was understood is said with weekday, date, time and zone. Where two readings are possible you are asked;
    without a terminal they are listed (exit 4), and --reading N says which.
    """
    if options.keeps_nothing:
        raise UiError("A reminder has to be kept.", "Leave out --incognito and --demo.")
    return asyncio.run(_remind(options, " ".join(text), number, if_missed, as_json))


async def _remind(options: Options, text: str, number: int | None, if_missed: IfMissed, as_json: bool) -> int:
    async with hands_on(options) as hands:
        acts = hands.acts
        read = await acts.read(text)
        if isinstance(read, Question):
            found = await asyncio.to_thread(choose, read, number, as_json=as_json)
            if found is None:
                return EXIT_DECISION_WAITING
            _, said = await asyncio.to_thread(remember_answer, options, acts.settings, read, found)
            if said:
                print_line(said, err=True)
            reading, what = chosen(read, found), read.title
        else:
            reading, what = read.reading, read.title
        receipt = await acts.add(reading, what, if_missed=if_missed)
        if as_json:
            print_json(reminder_value(receipt.reminder))
        else:
            print_line(receipt.words)
            print_line(f"To take it back: steward reminders delete {receipt.reminder.id}")
            for line in await owner_lines(hands):
                print_line(line)
    return EXIT_DONE
