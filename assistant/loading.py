"""Waiting for a model that is still loading, with the progress on the way."""

import asyncio
from collections.abc import AsyncGenerator

from assistant.events import StageChanged
from assistant.ports import ChatModel
from models.types import Cancel, Loading, ModelStatus, Restarting


async def window_of(model: ChatModel, cancel: Cancel) -> AsyncGenerator[StageChanged | int, None]:
    """Stages while the model loads, then its context window in tokens; without that when `cancel` is set.
    Raises ModelError."""
    news: asyncio.Queue[ModelStatus | None] = asyncio.Queue()
    forget = model.on_status(news.put_nowait)
    answer = asyncio.ensure_future(model.context_length(cancel))
    stop = asyncio.ensure_future(cancel.wait())
    for waited in (answer, stop):
        waited.add_done_callback(lambda _: news.put_nowait(None))
    try:
        if stage := _stage(model.status):
            yield stage
        while not answer.done() and not stop.done():
            status = await news.get()
            if status is not None and (stage := _stage(status)):
                yield stage
        if not cancel.is_set:
            yield answer.result()
    finally:
        forget()
        for waited in (answer, stop):
            waited.cancel()
        await asyncio.gather(answer, stop, return_exceptions=True)


def _stage(status: ModelStatus) -> StageChanged | None:
    match status:
        case Loading():
            return StageChanged(stage="loading", done=status.done, total=status.total)
        case Restarting():
            return StageChanged(stage="loading")
        case _:
            return None
