"""The review queue, one thing at a time: what is contradictory, what was only noticed, what is old."""

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Protocol, assert_never

from memory.errors import StoreError
from memory.preferences import Item, ReviewQueue
from ui.errors import UiError
from ui.memory_acts import MemoryActs, Receipt
from ui.memory_words import Wait, evidence_words, question, statement


class Asker(Protocol):
    """Whoever can be asked: line mode, or the command line."""

    def line(self, text: str = "") -> None: ...

    async def read(self, prompt: str) -> str | None: ...

    async def choose(self, question: str, choices: tuple[str, ...]) -> int | None:
        """The number of the choice, from 0; None: no answer."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """One thing that waits for the user; `against` is what it contradicts."""

    wait: Wait
    item: Item
    against: Item | None = None


def waiting(queue: ReviewQueue) -> tuple[Waiting, ...]:
    """In the order of their urgency."""
    return (
        *(Waiting(wait="dispute", item=new, against=old) for new, old in queue.disputes),
        *(Waiting(wait="candidate", item=item) for item in queue.candidates),
        *(Waiting(wait="stale", item=item) for item in queue.stale),
    )


def choices(one: Waiting) -> tuple[str, ...]:
    """Keep, no, edit, later: the words depend on what is asked, their order does not."""
    match one.wait:
        case "dispute":
            assert one.against is not None
            new, old = (f"“{statement(item.preference, 80)}”" for item in (one.item, one.against))
            return f"The new one: {new}", f"The old one: {old}", "Something else: write it", "Later"
        case "candidate":
            return "Yes, keep it", "No", "Nearly: write it as it is", "Later"
        case "stale":
            return "Yes, it still holds", "No, not any more", "It changed: write it as it is", "Later"
        case _:
            assert_never(one.wait)


async def settle(acts: MemoryActs, one: Waiting, choice: int, read: Callable[[str], Awaitable[str | None]]) -> Receipt:
    """Choice 0 keeps, 1 says no, 2 asks for other words. Raises UiError, StoreError."""
    match choice:
        case 0:
            return await acts.confirm(one.item)
        case 1 if one.wait == "stale":
            return await acts.retire(one.item)
        case 1:
            return await acts.deny(one.item)
        case _:
            words = await read("in your words: ")
            if not words or not words.strip():
                raise UiError("Nothing was written; it stays as it is.")
            return await acts.edit(one.item, words)


async def review(acts: MemoryActs, queue: ReviewQueue, asker: Asker) -> int:
    """Ask about each; an input that ends leaves the rest. How many are left."""
    things = waiting(queue)
    left = len(things)
    for number, one in enumerate(things, start=1):
        asker.line(f"{number} of {len(things)}")
        for line in reasons(one):
            asker.line(line)
        choice = await asker.choose(question(one.wait, one.item, one.against), choices(one))
        if choice is None:
            break
        if choice == 3:
            continue
        try:
            receipt = await settle(acts, one, choice, asker.read)
        except (UiError, StoreError) as error:
            asker.line(f"{error.message} {error.hint}".rstrip())
            continue
        left -= 1
        asker.line(receipt.words)
    return left


def reasons(one: Waiting) -> Iterator[str]:
    """The quotes behind it, the newest three."""
    for evidence in one.item.evidence[-3:]:
        yield f"  {evidence_words(evidence)}"
