"""`steward memory review`: what waits for you, one thing at a time; also over a pipe, one answer a line."""

import asyncio
import sys

import click

from memory.preferences import ReviewQueue
from ui.errors import EXIT_DECISION_WAITING, EXIT_DONE
from ui.memory_acts import MemoryActs
from ui.memory_json import review_value
from ui.memory_review import review as go_through
from ui.output import print_json, print_line
from ui.reading import reading_memory
from ui.wiring import Options, SystemClock, owned


class Lines:
    """Asks on stdout and reads answers from stdin, one a line."""

    def line(self, text: str = "") -> None:
        print_line(text)

    async def read(self, prompt: str) -> str | None:
        if sys.stdin.isatty():
            click.echo(prompt, nl=False)
        answer = await asyncio.to_thread(sys.stdin.readline)
        return answer.rstrip("\n") if answer else None

    async def choose(self, question: str, choices: tuple[str, ...]) -> int | None:
        """Asks again after anything but a number or "q"; None when the input ends."""
        self.line(question)
        for number, choice in enumerate(choices, start=1):
            self.line(f"{number}. {choice}")
        while (answer := await self.read("number, or q to stop: ")) is not None:
            words = answer.strip().lower()
            if words.isdecimal() and 1 <= int(words) <= len(choices):
                return int(words) - 1
            if words in ("q", "quit"):
                return None
            self.line(f"1 to {len(choices)}, or q.")
        return None


@click.command("review")
@click.option("--json", "as_json", is_flag=True, help="Print what waits, and ask nothing.")
@click.pass_obj
def review(options: Options, as_json: bool) -> int:
    """Decide about what was only noticed, what is contradictory, and what is old.

    Keep, no, other words, or later. Exit code 4 when something still waits for you.
    """
    if as_json:
        print_json(review_value(asyncio.run(_queue(options))))
        return EXIT_DONE
    left = asyncio.run(_review(options))
    if left:
        print_line(f"{left} wait{'s' if left == 1 else ''} for later.")
    return EXIT_DECISION_WAITING if left else EXIT_DONE


async def _queue(options: Options) -> ReviewQueue:
    async with reading_memory(options) as store:
        return await store.review(at=SystemClock().now())


async def _review(options: Options) -> int:
    async with owned(options, "memory review") as services:
        acts = MemoryActs(services.preferences, services.clock)
        queue = await acts.store.review(at=services.clock.now())
        if queue == ReviewQueue():
            print_line("Nothing waits for you.")
            return 0
        return await go_through(acts, queue, Lines())
