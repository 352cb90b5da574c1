"""The queue of messages to be read in the background, in SQLite."""

import sqlite3
from collections.abc import Iterable
from datetime import datetime

from memory.database import Database
from memory.text import moment_text
from memory.types import MessageId


class SqliteLearningQueue:
    """Implements memory.learning_queue.LearningQueue over one Database, which it shares with the transcript."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def put(self, message_id: MessageId, *, at: datetime) -> None:
        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT OR IGNORE INTO learning(message_id, queued_at) SELECT id, ? FROM message WHERE id = ?",
                (moment_text(at), message_id),
            )

        await self._database.write(work)

    async def waiting(self, *, limit: int) -> tuple[MessageId, ...]:
        def work(connection: sqlite3.Connection) -> tuple[MessageId, ...]:
            rows = connection.execute("SELECT message_id FROM learning ORDER BY message_id LIMIT ?", (max(limit, 0),))
            return tuple(MessageId(number) for (number,) in rows)

        return await self._database.read(work)

    async def done(self, message_ids: Iterable[MessageId]) -> None:
        numbers = [(number,) for number in message_ids]
        await self._database.write(
            lambda connection: connection.executemany("DELETE FROM learning WHERE message_id = ?", numbers)
        )
