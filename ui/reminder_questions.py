"""Two readings of one phrase on the command line: asked where somebody sits, listed where nobody does."""

import sys

import click

from assistant.reminder_settings import ReminderSettings
from memory.errors import StoreError
from ui.configuration import set_value
from ui.errors import ConfigError, UiError
from ui.output import print_json, print_line
from ui.reminder_acts import Question
from ui.reminder_json import question_value
from ui.wiring import Options, resolve_home


def choose(question: Question, number: int | None, *, as_json: bool) -> int | None:
    """The number of the reading, from 1; None where nobody can be asked: then they are listed. Raises UiError."""
    if number is not None:
        if number > len(question.readings):
            raise UiError(f"There is no reading {number}.", f"Choose from 1 to {len(question.readings)}.")
        return number
    if as_json:
        print_json(question_value(question))
        return None
    print_line(question.text)
    for index, words in enumerate(question.words, start=1):
        print_line(f"  {index}. {words}")
    if not sys.stdin.isatty():
        print_line("Say which: the same command with --reading N.", err=True)
        return None
    return int(click.prompt("Number", type=click.IntRange(1, len(question.readings))))


def remember_answer(
    options: Options, settings: ReminderSettings, question: Question, number: int
) -> tuple[ReminderSettings, str]:
    """What "next Friday" means to this user is asked once: the settings from now on, and what to say about it.

    Where the answer cannot be written down it holds for this run. Blocks."""
    if not question.answers:
        return settings, ""
    answer = question.answers[number - 1]
    settings = settings.model_copy(update={"next_weekday": answer})
    said = f'"next" with a weekday means {answer.replace("_", " ")} from now on'
    if options.keeps_nothing:
        return settings, f"{said}, in this run."
    try:
        set_value(resolve_home(options).config_file, "reminders.next_weekday", answer)
    except (ConfigError, StoreError) as error:
        return settings, f"{said}, in this run: {error.message}"
    return settings, f"{said} (reminders.next_weekday)."
