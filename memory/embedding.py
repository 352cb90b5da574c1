"""Calling the embedder that the assistant hands in. Memory knows no model, so it cannot know what one may raise."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
    Embed = Callable[[Sequence[str]], Vectors]  # blocks; one row of length 1 a text, zeros for a text without words


class EmbeddingFailed(Exception):
    """Whatever the embedder raised is its cause. Internal: what is owed stays owed, and words rank meanwhile."""


async def embedded(embed: "Embed", texts: Sequence[str]) -> "Vectors":
    """In a thread. Raises EmbeddingFailed."""
    work = asyncio.get_running_loop().run_in_executor(None, embed, list(texts))
    work.add_done_callback(_seen)
    await asyncio.wait({work})
    error = work.exception()
    if error is not None:
        raise EmbeddingFailed(f"{type(error).__name__}: {error}") from error
    return work.result()


def _seen(work: "asyncio.Future[Vectors]") -> None:
    """After a cancel nobody waits for the thread; what it raises then is nobody's."""
    if not work.cancelled():
        work.exception()
