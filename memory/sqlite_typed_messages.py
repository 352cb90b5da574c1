"""What the user typed, in SQLite."""

import sqlite3

from memory.database import Database
from memory.sqlite_rows import MESSAGE, message_from
from memory.types import Message, MessageId

_TYPED = (
    f"SELECT {MESSAGE} FROM message JOIN session ON session.id = message.session_id "
    "WHERE message.role = 'user' AND message.origin = 'typed' AND session.mode = 'normal' "
    "AND NOT EXISTS (SELECT 1 FROM imported WHERE imported.session_id = session.id)"
)


class SqliteTypedMessages:
    """Implements memory.typed_messages.TypedMessages over one Database, which it shares with the transcript."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def after(self, id: MessageId, *, limit: int = 200) -> tuple[Message, ...]:
        return await self._messages(f"{_TYPED} AND message.id > ? ORDER BY message.id LIMIT ?", id, limit)

    async def newest(self) -> MessageId:
        sql = "SELECT ifnull(max(id), 0) FROM message"
        (found,) = await self._database.read(lambda connection: connection.execute(sql).fetchone())
        return MessageId(found)

    async def _messages(self, sql: str, *values: object) -> tuple[Message, ...]:
        def work(connection: sqlite3.Connection) -> tuple[Message, ...]:
            return tuple(message_from(row) for row in connection.execute(sql, values))

        return await self._database.read(work)
