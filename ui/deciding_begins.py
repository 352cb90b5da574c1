"""When a process takes the home, and while it has it: what was answered and cut off is finished, what others hand over
is taken, what is over expires. A line for each that is to be said.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from memory.decisions import DecisionId
from memory.errors import StoreError
from ui.deciding import Deciding

if TYPE_CHECKING:
    from assistant.ports import ChatModel
    from memory.settled import Settled
    from ui.decision_mail import AnswerPost
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
        await post.drain(lambda id, settled: lines.append(from_elsewhere(id, settled)))
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
    taking: asyncio.Task[None] | None = None
    try:
        while True:
            await asyncio.sleep(LOOK_EVERY)
            looks += 1
            if post is not None and (taking is None or taking.done()):
                taking = asyncio.create_task(_safely(_taken(post), tell))
            elif post is not None:  # what is being carried out may ask back, and wait for this
                await _safely(_taken(post, calls_only=True), tell)
            if looks % EXPIRE_EVERY == 0:
                await _safely(deciding.expire(), tell)
    finally:
        if taking is not None:
            taking.cancel()
            await asyncio.gather(taking, return_exceptions=True)


async def _taken(post: "AnswerPost", *, calls_only: bool = False) -> tuple[str, ...]:
    lines: list[str] = []
    await post.drain(lambda id, settled: lines.append(from_elsewhere(id, settled)), calls_only=calls_only)
    return tuple(lines)


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

    return AnswerPost(deciding, lambda: services.decisions, AnswerMailbox(services.home))


def from_elsewhere(id: DecisionId, settled: "Settled") -> str:
    """One line on an answer that came from another terminal."""
    if not id:
        return f"From another terminal: {settled.lines[0]}"
    return f"Decision {id}, from another terminal: {settled.lines[0] if settled.lines else 'taken'}"
