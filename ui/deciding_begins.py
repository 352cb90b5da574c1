"""When a process takes the home, and while it has it: what was answered and cut off is finished, what others hand over
is taken, what is over expires. A line for each that is to be said.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from memory.errors import StoreError
from ui.deciding import Deciding

if TYPE_CHECKING:
    from assistant.ports import ChatModel
    from memory.answer_mailbox import HandedAnswer
    from memory.settled import Settled
    from ui.decision_mail import AnswerPost, Which
    from ui.wiring import Services

logger = logging.getLogger(__name__)

LOOK_EVERY = 0.5  # seconds, for what is handed over
EXPIRE_EVERY = 60  # looks
Tell = Callable[[Sequence[str]], Awaitable[None]]


async def begin_decisions(services: "Services", model: "ChatModel") -> tuple[str, ...]:
    """For a process that ends soon. Raises StoreError."""
    return await _begin(Deciding(lambda: services, lambda: model), services)


async def _begin(deciding: Deciding, services: "Services") -> tuple[str, ...]:
    lines = list(await deciding.begin())
    post = post_of(services, deciding)
    if post is not None:
        await post.drain(lambda letter, settled: lines.append(from_elsewhere(letter, settled)), which=_quickly)
    return tuple(lines)


@asynccontextmanager
async def watching(services: "Services", deciding: Deciding, tell: Tell) -> AsyncIterator[None]:
    """Begins, and goes on meanwhile. `tell` hears the lines to be said whenever something has changed; it raises
    nothing expected."""
    task = asyncio.create_task(_watch(services, deciding, tell))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _watch(services: "Services", deciding: Deciding, tell: Tell) -> None:
    await _safely(deciding.begin(), tell)
    post = post_of(services, deciding)
    looks = 0
    taking: dict[Which, asyncio.Task[None]] = {}
    try:
        while True:
            await asyncio.sleep(LOOK_EVERY)
            looks += 1
            if post is not None:
                await _take(post, taking, tell)
            if looks % EXPIRE_EVERY == 0:
                await _safely(deciding.expire(), tell)
    finally:
        for task in taking.values():
            task.cancel()
        await asyncio.gather(*taking.values(), return_exceptions=True)


async def _take(post: "AnswerPost", taking: "dict[Which, asyncio.Task[None]]", tell: Tell) -> None:
    """What waits, documents beside the rest, since a folder may take minutes; `taking` is what goes on."""
    for which in (_quickly, _slowly):
        if which not in taking or taking[which].done():
            taking[which] = asyncio.create_task(_safely(_taken(post, which), tell))
        elif which is _quickly:  # what is being carried out may ask back, and wait for this
            await _safely(_taken(post, post.waits_for_nothing), tell)


async def _taken(post: "AnswerPost", which: "Which") -> tuple[str, ...]:
    lines: list[str] = []
    await post.drain(lambda letter, settled: lines.append(from_elsewhere(letter, settled)), which=which)
    return tuple(lines)


def _slowly(letter: "HandedAnswer") -> bool:
    from ui.decision_mail import is_about_documents

    return is_about_documents(letter)


def _quickly(letter: "HandedAnswer") -> bool:
    return not _slowly(letter)


async def _safely(looking: Awaitable[tuple[str, ...]], tell: Tell) -> None:
    try:
        lines = await looking
    except StoreError as error:
        logger.warning("decisions could not be looked at: %s", error.message)
        return
    if lines:
        await tell(lines)


def post_of(services: "Services", deciding: Deciding) -> "AnswerPost | None":
    """Where answers of other processes come in; None where nothing is kept."""
    if services.options.keeps_nothing:
        return None
    from memory.answer_mailbox import AnswerMailbox
    from ui.decision_mail import AnswerPost
    from ui.item_wiring import library_of

    return AnswerPost(deciding, lambda: services.decisions, lambda: library_of(services), AnswerMailbox(services.home))


def from_elsewhere(letter: "HandedAnswer", settled: "Settled") -> str:
    """One line on what came from another terminal."""
    about = f"Decision {letter.decision}, from" if letter.decision else "From"
    return f"{about} another terminal: {settled.lines[0] if settled.lines else 'taken'}"
