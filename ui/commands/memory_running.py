"""How a command of `steward memory` comes to what is remembered: it looks beside an owner, and changes as the owner."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import click

from ui.memory_acts import MemoryActs, Receipt
from ui.memory_json import preference_value
from ui.output import print_json, print_line
from ui.reading import reading_memory
from ui.wiring import Options, SystemClock, owned

T = TypeVar("T")

as_json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON (docs/formats.md) and nothing else.")


def look_at(options: Options, look: Callable[[MemoryActs], Awaitable[T]]) -> T:
    async def run() -> T:
        async with reading_memory(options) as store:
            return await look(MemoryActs(store, SystemClock()))

    return asyncio.run(run())


def change_it(
    options: Options, as_json: bool, change: Callable[[MemoryActs], Awaitable[Receipt]], *, undo: bool = True
) -> None:
    """Own the home, change, and print the receipt."""

    async def run() -> tuple[Receipt, list[dict[str, Any]]]:
        async with owned(options, "memory") as services:
            acts = MemoryActs(services.preferences, services.clock)
            receipt = await change(acts)
            touched = await acts.store.by_ids(receipt.ids)
            return receipt, [preference_value(one) for one in touched]

    receipt, touched = asyncio.run(run())
    if as_json:
        print_json({"change": receipt.entry, "memories": touched})
        return
    print_line(receipt.words)
    for entry in (receipt.entries or (receipt.entry,)) if undo else ():
        if entry is not None:
            print_line(f"Undo: steward memory undo {entry}")
