"""What the commands of calendar, tasks and notes share: whose hands, which options, how a receipt is said."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TypeVar

import click

from assistant.calendar.book import CalendarBook
from assistant.note_book import NoteBook
from assistant.receipts import ItemReceipt
from assistant.task_list import TaskList
from memory.errors import HomeInUse
from memory.item_mailbox import ItemMailbox
from memory.item_store import ItemStore
from ui.errors import EXIT_DONE, UiError
from ui.item_acts import ItemHands
from ui.item_lines import receipt_value
from ui.item_mail import HandedOverItems
from ui.local_zone import local_zone
from ui.output import print_json, print_line
from ui.reading import reading_items
from ui.reminder_acts import Question
from ui.reminder_mail import Drained
from ui.reminder_questions import choose, remember_answer
from ui.wiring import Options, Services, SystemClock, load_configuration, owned, resolve_home

T = TypeVar("T")

as_json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON (docs/formats.md) and nothing else.")
reading_option = click.option(
    "--reading", "number", type=click.IntRange(min=1), help="Which reading is meant, when it was asked."
)


def hands_of(services: Services, here: str) -> ItemHands:
    return _hands(services.items, services, here)


def _hands(store: ItemStore, services: Services, here: str) -> ItemHands:
    return ItemHands(
        calendar=CalendarBook(store, services.clock, here),
        tasks=TaskList(store, services.clock, here),
        notes=NoteBook(store, services.clock, here),
        settings=services.configuration.reminders,
    )


@asynccontextmanager
async def changing(options: Options, what: str) -> AsyncIterator[ItemHands]:
    """As the owner of the home, or through the mailbox beside it. Raises UiError where nothing is kept, StoreError,
    ConfigError."""
    if options.keeps_nothing:
        raise UiError("That has to be kept.", "Leave out --incognito and --demo.")
    here = await asyncio.to_thread(local_zone)
    async with AsyncExitStack() as stack:
        try:
            services = await stack.enter_async_context(owned(options, what))
        except HomeInUse:
            handed = await _beside(options, stack)
            yield await _hands_on(options, handed, here)
            if handed.waits:
                print_line("It waits for the Steward that is running here; it is kept.", err=True)
            return
        await Drained(services.items, ItemMailbox(services.home), services.clock).drain()
        yield hands_of(services, here)


async def _beside(options: Options, stack: AsyncExitStack) -> HandedOverItems:
    home = await asyncio.to_thread(resolve_home, options)
    return HandedOverItems(await stack.enter_async_context(reading_items(options)), ItemMailbox(home))


async def _hands_on(options: Options, store: ItemStore, here: str) -> ItemHands:
    """Over a store beside the owner."""
    home = await asyncio.to_thread(resolve_home, options)
    configuration = await asyncio.to_thread(load_configuration, home)
    clock = SystemClock()
    return ItemHands(
        calendar=CalendarBook(store, clock, here),
        tasks=TaskList(store, clock, here),
        notes=NoteBook(store, clock, here),
        settings=configuration.reminders,
    )


@asynccontextmanager
async def looking(options: Options) -> AsyncIterator[ItemHands]:
    """For reading, also beside an owner. Raises StoreError, ConfigError."""
    here = await asyncio.to_thread(local_zone)
    async with reading_items(options) as store:
        yield await _hands_on(options, store, here)


def look(options: Options, work: Callable[[ItemHands], Awaitable[T]]) -> T:
    async def run() -> T:
        async with looking(options) as hands:
            return await work(hands)

    return asyncio.run(run())


def change(options: Options, what: str, act: Callable[[ItemHands], Awaitable[ItemReceipt]], as_json: bool) -> int:
    async def run() -> ItemReceipt:
        async with changing(options, what) as hands:
            return await act(hands)

    return say(asyncio.run(run()), what, as_json)


def say(receipt: ItemReceipt, what: str, as_json: bool) -> int:
    """`what`: the command whose undo takes it back."""
    if as_json:
        print_json(receipt_value(receipt))
        return EXIT_DONE
    print_line(receipt.words)
    for note in receipt.notes:
        print_line(note)
    if receipt.operation != "undo":
        print_line(f"To take it back: steward {what} undo")
    return EXIT_DONE


async def numbered(options: Options, hands: ItemHands, question: Question, number: int | None, as_json: bool) -> int:
    """The reading that is meant, from 1; 0 where nobody can be asked: then they are listed."""
    found = await asyncio.to_thread(choose, question, number, as_json=as_json)
    if found is None:
        return 0
    _, said = await asyncio.to_thread(remember_answer, options, hands.settings, question, found)
    if said:
        print_line(said, err=True)
    return found
