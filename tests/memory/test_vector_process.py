"""Asking the process of the index: a cancel is never lost, whatever comes at the same moment."""

import asyncio
from asyncio.subprocess import Process
from typing import cast

import pytest

from memory.vector_frames import Header
from memory.vector_process import IndexProcess


class Answering(IndexProcess):
    """Its answer comes when the test says so; no process stands behind it."""

    def __init__(self) -> None:
        super().__init__(cast(Process, None))
        self.answer: asyncio.Future[Header] = asyncio.get_running_loop().create_future()

    async def _exchange(self, question: Header, body: bytes) -> Header:
        return await self.answer


@pytest.mark.parametrize("turns", range(4))
@pytest.mark.parametrize("patient", [True, False])
async def test_a_cancel_beside_an_answer_ends_the_one_that_asked(turns: int, patient: bool) -> None:
    index = Answering()

    async def ask_twice() -> str:
        if patient:
            await index.search(b"", 1, limit_s=20.0)
        else:
            await index.upsert((), (), b"")
        await asyncio.sleep(0)
        return "went on"

    asking = asyncio.ensure_future(ask_twice())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    index.answer.set_result({"ok": True, "ids": []})
    for _ in range(turns):
        await asyncio.sleep(0)
    asking.cancel()
    await asyncio.wait({asking})
    assert asking.cancelled() or turns == 3, "it went on as if nobody had cancelled it"
