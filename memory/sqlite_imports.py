"""Imported conversations in SQLite: written in batches, recognised when they come again."""

import sqlite3
from collections.abc import Callable, Sequence
from datetime import datetime

from memory.database import Database
from memory.import_store import Kept
from memory.importing.types import ImportedConversation
from memory.sqlite_rows import MESSAGE, message_from
from memory.text import moment_text, random_id, storable
from memory.types import Message, SessionId

_INSERT = (
    "INSERT INTO message(id, session_id, parent_id, role, content, thought, origin, status, model, created_at) "
    "VALUES (?, ?, ?, ?, ?, ?, 'imported', 'complete', ?, ?)"
)
_UNLEARNED = (
    "FROM imported JOIN message ON message.session_id = imported.session_id "
    "WHERE message.role = 'user' AND message.origin = 'imported' AND message.id > imported.learned_to"
)
_ID_TRIES = 5

Place = tuple[int | None, str, str]  # parent, role, content
Row = tuple[int, str, int | None, str, str, str, str, str]


class SqliteImports:
    """Implements memory.import_store.ImportStore over the Database that it shares with the transcript."""

    def __init__(self, database: Database, *, new_id: Callable[[], str] = random_id) -> None:
        self._database = database
        self._new_id = new_id

    async def add(self, batch: Sequence[ImportedConversation], *, at: datetime) -> tuple[Kept, ...]:
        return await self._database.write(lambda connection: tuple(self._add(connection, one, at) for one in batch))

    async def compare(self, batch: Sequence[ImportedConversation]) -> tuple[Kept, ...]:
        return await self._database.read(lambda connection: tuple(_compare(connection, one) for one in batch))

    async def unlearned(self, *, limit: int) -> tuple[Message, ...]:
        def work(connection: sqlite3.Connection) -> tuple[Message, ...]:
            rows = connection.execute(
                f"SELECT {MESSAGE} {_UNLEARNED} ORDER BY message.created_at DESC, message.id DESC LIMIT ?",
                (max(limit, 0),),
            )
            return tuple(message_from(row) for row in rows)

        return await self._database.read(work)

    async def unlearned_count(self) -> int:
        return await self._database.read(
            lambda connection: int(connection.execute(f"SELECT count(*) {_UNLEARNED}").fetchone()[0])
        )

    async def learned(self, sessions: Sequence[SessionId]) -> None:
        ids = [(session,) for session in dict.fromkeys(sessions)]
        await self._database.write(
            lambda connection: connection.executemany(
                "UPDATE imported SET learned_to = "
                "(SELECT max(id) FROM message WHERE message.session_id = imported.session_id) WHERE session_id = ?",
                ids,
            )
        )

    def _add(self, connection: sqlite3.Connection, one: ImportedConversation, at: datetime) -> Kept:
        known = _known(connection, one)
        if known is None:
            return self._begin(connection, one, at)
        session_id, digest = known
        if digest == one.digest:
            return Kept(outcome="here", messages=0)
        return _grow(connection, SessionId(session_id), one, at)

    def _begin(self, connection: sqlite3.Connection, one: ImportedConversation, at: datetime) -> Kept:
        created, updated = min(one.created_at, at), min(one.updated_at, at)
        session_id = self._session(connection, one, created, updated)
        rows, places = _rows(connection, one, session_id, at, {})
        connection.executemany(_INSERT, rows)
        connection.execute("UPDATE session SET head_id = ? WHERE id = ?", (places[one.head], session_id))
        connection.execute(
            "INSERT INTO imported(session_id, source, external_id, digest, imported_at) VALUES (?, ?, ?, ?, ?)",
            (session_id, one.source, storable(one.external_id), one.digest, moment_text(at)),
        )
        return Kept(outcome="new", messages=len(rows))

    def _session(
        self, connection: sqlite3.Connection, one: ImportedConversation, created: datetime, updated: datetime
    ) -> SessionId:
        for _ in range(_ID_TRIES):
            session_id = SessionId(self._new_id())
            made = connection.execute(
                "INSERT INTO session(id, title, mode, created_at, updated_at) VALUES (?, ?, 'normal', ?, ?) "
                "ON CONFLICT(id) DO NOTHING",
                (session_id, storable(one.title), moment_text(created), moment_text(updated)),
            )
            if made.rowcount:
                return session_id
        raise AssertionError("the id maker repeats itself")


def _known(connection: sqlite3.Connection, one: ImportedConversation) -> tuple[str, str] | None:
    found = connection.execute(
        "SELECT session_id, digest FROM imported WHERE source = ? AND external_id = ?",
        (one.source, storable(one.external_id)),
    ).fetchone()
    return None if found is None else (str(found[0]), str(found[1]))


def _compare(connection: sqlite3.Connection, one: ImportedConversation) -> Kept:
    known = _known(connection, one)
    if known is None:
        return Kept(outcome="new", messages=len(one.messages))
    if known[1] == one.digest:
        return Kept(outcome="here", messages=0)
    rows, _ = _rows(connection, one, SessionId(known[0]), one.updated_at, _places(connection, known[0]))
    return Kept(outcome="grown" if rows else "here", messages=len(rows))


def _grow(connection: sqlite3.Connection, session_id: SessionId, one: ImportedConversation, at: datetime) -> Kept:
    """What it has more than before. A conversation that went on here stays where it is."""
    here = _places(connection, session_id)
    rows, places = _rows(connection, one, session_id, at, here)
    connection.executemany(_INSERT, rows)
    connection.execute("UPDATE imported SET digest = ? WHERE session_id = ?", (one.digest, session_id))
    connection.execute(
        "UPDATE session SET head_id = ?, updated_at = max(updated_at, ?) WHERE id = ? "
        "AND (SELECT origin FROM message WHERE id = head_id) = 'imported'",
        (places[one.head], moment_text(min(one.updated_at, at)), session_id),
    )
    return Kept(outcome="grown" if rows else "here", messages=len(rows))


def _places(connection: sqlite3.Connection, session_id: str) -> dict[Place, int]:
    rows = connection.execute(
        "SELECT parent_id, role, content, id FROM message WHERE session_id = ? AND origin = 'imported' "
        "ORDER BY id DESC",
        (session_id,),
    )
    return {(parent, role, content): id for parent, role, content, id in rows}


def _rows(
    connection: sqlite3.Connection,
    one: ImportedConversation,
    session_id: SessionId,
    at: datetime,
    here: dict[Place, int],
) -> tuple[list[Row], list[int]]:
    """The messages that are not `here`, and the id of each message of the conversation. Parents come first."""
    last = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'message'").fetchone()
    next_id = (int(last[0]) if last else 0) + 1
    rows: list[Row] = []
    ids: list[int] = []
    for message in one.messages:
        parent = None if message.parent is None else ids[message.parent]
        content = storable(message.content)
        known = here.get((parent, message.role, content))
        if known is not None:
            ids.append(known)
            continue
        moment = moment_text(min(message.created_at, at))
        thought, model = storable(message.thought), storable(message.model)
        rows.append((next_id, session_id, parent, message.role, content, thought, model, moment))
        ids.append(next_id)
        next_id += 1
    return rows, ids
