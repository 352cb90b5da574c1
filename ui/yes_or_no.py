"""A question at the terminal before anything else runs. What is neither yes nor no is said to be neither."""

import click

from ui.output import print_line

_ANSWERS = {"y": True, "yes": True, "n": False, "no": False}


def yes_or_no(question: str, *, default: bool, other: str = "") -> bool:
    """`other`: what can be done instead, and where. Raises click.Abort at Ctrl+C and at the end of the input."""
    hint = "[Y/n]" if default else "[y/N]"
    while True:
        said = str(click.prompt(f"{question} {hint}", default="", show_default=False, err=True)).strip().lower()
        answer = default if not said else _ANSWERS.get(said)
        if answer is not None:
            return answer
        print_line(f"That is neither yes nor no: y or n, then Enter. {other}".rstrip(), err=True)
