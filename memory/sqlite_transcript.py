"""The transcript in SQLite: plain SQL, one transaction a call, a returned row is on disk."""

import sqlite3
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from memory.database import Database, empty_log
from memory.errors import NotFound, SchemaTooNew
from memory.home_key import Key
from memory.lookup import no_message, no_session, one_of
from memory.sqlite_rows import MESSAGE, SESSION, message_from, session_from
from memory.sqlite_search import search
from memory.text import folded, moment_text, random_id, storable
from memory.transcript_in_memory import InMemoryTranscript
from memory.types import Found, Message, MessageId, MessageStatus, Origin, Session, SessionId, SessionMode

_ID_TRIES = 5


class SqliteTranscript:
    """Implements assistant.ports.Transcript over one Database."""

    def __init__(self, database: Database, *, new_id: Callable[[], str] = random_id) -> None:
        self._database = database
        self._new_id = new_id

    @classmethod
    async def open(cls, path: Path, *, new_id: Callable[[], str] = random_id) -> Self:
        """For the owner of the home. Raises HomeUnusable, StoreFull, StoreDamaged, SchemaTooNew."""
        return cls(await Database.open(path), new_id=new_id)

    @classmethod
    async def open_reading(cls, path: Path, key: Key | None = None) -> "Self | InMemoryTranscript":
        """Beside an owner, or without one; where nothing was ever kept, an empty transcript.

        A database of a newer Steward is read as far as this one understands it.
        Raises HomeUnusable, StoreDamaged, SchemaTooNew.
        """
        database = await Database.open_read_only(path, knows=_understand, key=key)
        return InMemoryTranscript() if database is None else cls(database)

    async def close(self) -> None:
        await self._database.close()

    async def create_session(self, *, at: datetime, title: str = "", mode: SessionMode = "normal") -> Session:
        moment, title = moment_text(at), storable(title)

        def create(connection: sqlite3.Connection) -> Session:
            for _ in range(_ID_TRIES):
                id = SessionId(self._new_id())
                made = connection.execute(
                    "INSERT INTO session(id, title, mode, created_at, updated_at) VALUES (?, ?, ?, ?, ?) "
                    "ON CONFLICT(id) DO NOTHING",
                    (id, title, mode, moment, moment),
                )
                if made.rowcount:
                    return _session(connection, id)
            raise AssertionError("the id maker repeats itself")

        return await self._database.write(create)

    async def session(self, session_id: SessionId) -> Session:
        return await self._database.read(lambda connection: _session(connection, session_id))

    async def find_session(self, wanted: str) -> Session:
        return await self._database.read(lambda connection: _find(connection, storable(wanted)))

    async def latest_session(self) -> Session | None:
        newest = await self.sessions(limit=1)
        return newest[0] if newest else None

    async def sessions(self, *, limit: int = 50, offset: int = 0, title_contains: str = "") -> tuple[Session, ...]:
        part = folded(storable(title_contains))

        def list_them(connection: sqlite3.Connection) -> tuple[Session, ...]:
            condition, values = "", []
            if part:
                connection.create_function("folded", 1, folded, deterministic=True)
                condition, values = "WHERE instr(folded(title), ?)", [part]
            rows = connection.execute(
                f"SELECT {SESSION} FROM session {condition} ORDER BY updated_at DESC, seq DESC LIMIT ? OFFSET ?",
                (*values, max(limit, 0), max(offset, 0)),
            )
            return tuple(session_from(row) for row in rows)

        return await self._database.read(list_them)

    async def rename(self, session_id: SessionId, title: str) -> None:
        def change(connection: sqlite3.Connection) -> None:
            _session(connection, session_id)
            connection.execute("UPDATE session SET title = ? WHERE id = ?", (storable(title), session_id))

        await self._database.write(change)

    async def delete_session(self, session_id: SessionId) -> None:
        """Afterwards its words are in no page of the database, its indexes or its log."""

        def delete(connection: sqlite3.Connection) -> None:
            _session(connection, session_id)
            connection.execute("UPDATE session SET head_id = NULL WHERE id = ?", (session_id,))
            connection.execute("DELETE FROM message WHERE session_id = ?", (session_id,))
            connection.execute("DELETE FROM session WHERE id = ?", (session_id,))
            # An index only notes what was deleted; merging its segments drops the words themselves.
            connection.execute("INSERT INTO message_fts(message_fts) VALUES ('optimize')")
            connection.execute("INSERT INTO session_fts(session_fts) VALUES ('optimize')")

        await self._database.write(delete)
        await self._database.run(empty_log)

    async def add_user_message(
        self,
        session_id: SessionId,
        parent_id: MessageId | None,
        content: str,
        *,
        at: datetime,
        origin: Origin = "typed",
    ) -> Message:
        def add(connection: sqlite3.Connection) -> Message:
            _session(connection, session_id)
            if parent_id is not None and _message(connection, parent_id).session_id != session_id:
                raise no_message(parent_id)
            values = (session_id, parent_id, "user", storable(content), origin, "complete", "", moment_text(at))
            return _add(connection, values)

        return await self._database.write(add)

    async def begin_reply(self, parent_id: MessageId, *, at: datetime, model: str) -> Message:
        def add(connection: sqlite3.Connection) -> Message:
            session_id = _message(connection, parent_id).session_id
            values = (session_id, parent_id, "assistant", "", "generated", "writing", storable(model), moment_text(at))
            return _add(connection, values)

        return await self._database.write(add)

    async def checkpoint_reply(self, message_id: MessageId, content: str, thought: str = "") -> None:
        """A checkpoint that comes after the end changes nothing."""

        def keep(connection: sqlite3.Connection) -> None:
            changed = connection.execute(
                "UPDATE message SET content = ?, thought = ? WHERE id = ? AND status = 'writing'",
                (storable(content), storable(thought), message_id),
            )
            if not changed.rowcount:
                _message(connection, message_id)

        await self._database.write(keep)

    async def finish_reply(
        self,
        message_id: MessageId,
        content: str,
        *,
        thought: str,
        status: MessageStatus,
        finish_reason: str,
        tokens_in: int,
        tokens_out: int,
        seconds: float,
        at: datetime,
    ) -> Message:
        """The first end counts: a second one changes nothing and returns what is kept."""
        end = (storable(content), storable(thought), status, storable(finish_reason), tokens_in, tokens_out, seconds)

        def finish(connection: sqlite3.Connection) -> Message:
            changed = connection.execute(
                "UPDATE message SET content = ?, thought = ?, status = ?, finish_reason = ?, tokens_in = ?, "
                "tokens_out = ?, seconds = ? WHERE id = ? AND status = 'writing'",
                (*end, message_id),
            )
            message = _message(connection, message_id)
            if changed.rowcount:
                connection.execute(
                    "UPDATE session SET updated_at = ? WHERE id = ?", (moment_text(at), message.session_id)
                )
            return message

        return await self._database.write(finish)

    async def message(self, message_id: MessageId) -> Message:
        return await self._database.read(lambda connection: _message(connection, message_id))

    async def path(self, session_id: SessionId) -> tuple[Message, ...]:
        def walk(connection: sqlite3.Connection) -> tuple[Message, ...]:
            head = _session(connection, session_id).head_id
            rows = connection.execute(
                "WITH RECURSIVE up(id, parent_id) AS ("
                "  SELECT id, parent_id FROM message WHERE id = ?"
                "  UNION ALL SELECT m.id, m.parent_id FROM message m JOIN up ON m.id = up.parent_id) "
                f"SELECT {MESSAGE} FROM message WHERE id IN (SELECT id FROM up) ORDER BY id",
                (head,),
            )
            return tuple(message_from(row) for row in rows)

        return await self._database.read(walk)

    async def tree(self, session_id: SessionId) -> tuple[Message, ...]:
        def collect(connection: sqlite3.Connection) -> tuple[Message, ...]:
            _session(connection, session_id)
            return _messages(connection, "session_id = ?", session_id)

        return await self._database.read(collect)

    async def siblings(self, message_id: MessageId) -> tuple[Message, ...]:
        def collect(connection: sqlite3.Connection) -> tuple[Message, ...]:
            message = _message(connection, message_id)
            return _messages(connection, "session_id = ? AND parent_id IS ?", message.session_id, message.parent_id)

        return await self._database.read(collect)

    async def select_branch(self, message_id: MessageId) -> Session:
        def select(connection: sqlite3.Connection) -> Session:
            message = _message(connection, message_id)
            connection.execute(
                "WITH RECURSIVE below(id) AS ("
                "  SELECT :top UNION ALL"
                "  SELECT m.id FROM message m JOIN below ON m.parent_id = below.id AND m.session_id = :session) "
                "UPDATE session SET head_id = (SELECT max(id) FROM below) WHERE id = :session",
                {"top": message_id, "session": message.session_id},
            )
            return _session(connection, message.session_id)

        return await self._database.write(select)

    async def search(self, text: str, *, limit: int = 50) -> tuple[Found, ...]:
        return await self._database.read(lambda connection: search(connection, text, limit))

    async def interrupt_unfinished(self) -> int:
        def interrupt(connection: sqlite3.Connection) -> int:
            return connection.execute("UPDATE message SET status = 'interrupted' WHERE status = 'writing'").rowcount

        return await self._database.write(interrupt)


def _session(connection: sqlite3.Connection, id: str) -> Session:
    row = connection.execute(f"SELECT {SESSION} FROM session WHERE id = ?", (storable(id),)).fetchone()
    if row is None:
        raise no_session(id)
    return session_from(row)


def _find(connection: sqlite3.Connection, wanted: str) -> Session:
    try:
        return _session(connection, wanted)
    except NotFound:
        prefix = wanted.lower()
        rows = connection.execute(
            "SELECT id FROM session WHERE ? <> '' AND substr(id, 1, ?) = ? ORDER BY id", (prefix, len(prefix), prefix)
        )
        return _session(connection, one_of(wanted, tuple(id for (id,) in rows)))


def _message(connection: sqlite3.Connection, id: int) -> Message:
    found = _messages(connection, "id = ?", id)
    if not found:
        raise no_message(id)
    return found[0]


def _messages(connection: sqlite3.Connection, condition: str, *values: Any) -> tuple[Message, ...]:
    """Oldest first."""
    rows = connection.execute(f"SELECT {MESSAGE} FROM message WHERE {condition} ORDER BY id", values)
    return tuple(message_from(row) for row in rows)


def _add(connection: sqlite3.Connection, values: tuple[str | int | None, ...]) -> Message:
    made = connection.execute(
        "INSERT INTO message(session_id, parent_id, role, content, origin, status, model, created_at) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        values,
    )
    message = _message(connection, made.lastrowid or 0)
    connection.execute(
        "UPDATE session SET head_id = ?, updated_at = ? WHERE id = ?",
        (message.id, moment_text(message.created_at), message.session_id),
    )
    return message


def _understand(connection: sqlite3.Connection) -> bool:
    """Always true. Raises SchemaTooNew when columns are missing that reading needs.

    What was written before anything could be imported gets an empty list of imports, for this connection only."""
    try:
        if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'imported'").fetchone():
            connection.execute("PRAGMA query_only=OFF")
            connection.execute("CREATE TEMP TABLE imported(session_id TEXT, source TEXT)")
            connection.execute("PRAGMA query_only=ON")
        connection.execute(f"SELECT {SESSION} FROM session LIMIT 1")
        connection.execute(f"SELECT {MESSAGE} FROM message LIMIT 1")
    except sqlite3.OperationalError as error:
        raise SchemaTooNew(
            "The history was written by another version of Steward.", "Update Steward, then run it once."
        ) from error
    return True
