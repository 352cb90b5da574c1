"""Both queues keep one contract; the one on disk outlives the process and forgets with the message."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memory.database import Database
from memory.learning_queue import InMemoryLearningQueue, LearningQueue
from memory.sqlite_learning import SqliteLearningQueue
from memory.types import MessageId
from tests.support.clock import MONDAY
from tests.support.preference_stores import fill_transcript


@pytest.fixture(params=["memory", "sqlite"])
async def queue(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[LearningQueue]:
    if request.param == "memory":
        yield InMemoryLearningQueue()
        return
    async with await Database.open(tmp_path / "steward.db") as database:
        await database.write(fill_transcript)
        yield SqliteLearningQueue(database)


async def test_first_said_first_out_and_once(queue: LearningQueue) -> None:
    for number in (5, 2, 9, 2):
        await queue.put(MessageId(number), at=MONDAY)
    assert await queue.waiting(limit=2) == (2, 5)
    await queue.done([MessageId(2), MessageId(5)])
    assert await queue.waiting(limit=5) == (9,)


async def test_it_outlives_the_process_and_forgets_with_the_message(tmp_path: Path) -> None:
    path = tmp_path / "steward.db"
    async with await Database.open(path) as database:
        await database.write(fill_transcript)
        await SqliteLearningQueue(database).put(MessageId(1), at=MONDAY)
        await SqliteLearningQueue(database).put(MessageId(2), at=MONDAY)
        await SqliteLearningQueue(database).put(MessageId(999), at=MONDAY)
    async with await Database.open(path) as database:
        queue = SqliteLearningQueue(database)
        assert await queue.waiting(limit=5) == (1, 2)
        await database.write(lambda connection: connection.execute("DELETE FROM message WHERE id = 1"))
        assert await queue.waiting(limit=5) == (2,)
