"""Imported conversations in SQLite: written in batches, recognised when they come again."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from memory.database import Database
from memory.import_store import Kept
from memory.importing.types import ImportedConversation
from memory.sqlite_rows import MESSAGE, message_from
from memory.text import moment_text, random_id, storable
from memory.types import Message, SessionId

# Rows go through tables in memory into their own by one statement for all of them: before each statement that fires a
# trigger SQLite makes the full-text index write out what it holds, which for rows one by one costs four times the rest.
_STAGES = (
    "CREATE TEMP TABLE IF NOT EXISTS arriving(id INTEGER PRIMARY KEY, session_id TEXT, parent_id INTEGER, role TEXT, "
    "content TEXT, thought TEXT, model TEXT, at TEXT)",
    "CREATE TEMP TABLE IF NOT EXISTS beginning(seq INTEGER PRIMARY KEY, id TEXT UNIQUE, title TEXT, created_at TEXT, "
    "updated_at TEXT, head_id INTEGER, source TEXT, external_id TEXT, digest TEXT, imported_at TEXT)",
)
_ARRIVE = (
    "INSERT INTO arriving(id, session_id, parent_id, role, content, thought, model, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
_BEGIN = (
    "INSERT INTO beginning(id, title, created_at, updated_at, head_id, source, external_id, digest, imported_at) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_SETTLE = (
    "INSERT INTO session(id, title, mode, created_at, updated_at, head_id) "
    "SELECT id, title, 'normal', created_at, updated_at, head_id FROM beginning ORDER BY seq",
    "INSERT INTO message(id, session_id, parent_id, role, content, thought, origin, status, model, created_at) "
    "SELECT id, session_id, parent_id, role, content, thought, 'imported', 'complete', model, at FROM arriving "
    "ORDER BY id",
    "INSERT INTO imported(session_id, source, external_id, digest, imported_at) "
    "SELECT id, source, external_id, digest, imported_at FROM beginning ORDER BY seq",
)
_EMPTY = ("DELETE FROM arriving", "DELETE FROM beginning")
# The full-text index joins its pieces when there are so many of a size (https://www.sqlite.org/fts5.html, 6.6). An
# import puts that off: joining took a fifth of its time. Afterwards they are joined step by step while it is written
# to; but all at once, in one statement, when there are more than `crisismerge` of a size, so that is raised for good.
# With room for a whole batch (`hashsize`, bytes) it makes one piece of it. A savepoint makes it write that out.
_JOIN_AT = "INSERT INTO message_fts(message_fts, rank) VALUES ('automerge', ?)"
_NEVER, _RARELY, _BY_DEFAULT = 0, 64, 4
_MOST_PIECES = 400  # a search looks into each of them
_PIECES = (
    "WITH RECURSIVE piece(id) AS (SELECT min(segid) FROM message_fts_idx UNION ALL "
    "SELECT (SELECT min(segid) FROM message_fts_idx WHERE segid > piece.id) FROM piece WHERE piece.id IS NOT NULL) "
    "SELECT count(id) FROM piece"
)
_INDEXING = (
    "INSERT INTO message_fts(message_fts, rank) VALUES ('crisismerge', 1000)",
    "INSERT INTO message_fts(message_fts, rank) VALUES ('hashsize', 16000000)",
)
_ROOM = "PRAGMA cache_size=-32000"  # 32 MB until the database is closed: the indexes of a long history are met all over
_WRITE_OUT = ("SAVEPOINT indexed", "RELEASE indexed")
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
        def work(connection: sqlite3.Connection) -> tuple[Kept, ...]:
            writer = _Writer(connection, at, self._new_id)
            kept = tuple(writer.add(one) for one in batch)
            writer.settle()
            return kept

        return await self._database.write(work)

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

    async def learned(self) -> None:
        await self._database.write(
            lambda connection: connection.execute(
                "UPDATE imported SET learned_to = coalesce("
                "(SELECT max(id) FROM message WHERE message.session_id = imported.session_id), 0)"
            )
        )


class _Writer:
    """One transaction of imports."""

    def __init__(self, connection: sqlite3.Connection, at: datetime, new_id: Callable[[], str]) -> None:
        self._connection = connection
        self._at = at
        self._new_id = new_id
        self._new: dict[tuple[str, str], tuple[str, str]] = {}  # of this batch, as `_known` says it
        for statement in (_ROOM, *_STAGES, *_EMPTY):
            connection.execute(statement)
        last = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'message'").fetchone()
        self._next = (int(last[0]) if last else 0) + 1

    def add(self, one: ImportedConversation) -> Kept:
        known = self._new.get((one.source, one.external_id)) or _known(self._connection, one)
        if known is None:
            return self._begin(one)
        session_id, digest = known
        if digest == one.digest:
            return Kept(outcome="here", messages=0)
        return self._grow(SessionId(session_id), one)

    def settle(self) -> None:
        """What has arrived becomes sessions and messages."""
        pieces = self._connection.execute(_PIECES).fetchone()[0]
        self._connection.execute(_JOIN_AT, (_NEVER if pieces < _MOST_PIECES else _RARELY,))
        for statement in (*_INDEXING, *_SETTLE, *_EMPTY, *_WRITE_OUT):
            self._connection.execute(statement)
        self._connection.execute(_JOIN_AT, (_BY_DEFAULT,))

    def _begin(self, one: ImportedConversation) -> Kept:
        session_id = self._free_id()
        places = self._arrive(session_id, one, {})
        created, updated, now = (moment_text(min(at, self._at)) for at in (one.created_at, one.updated_at, self._at))
        title, external_id = storable(one.title), storable(one.external_id)
        head = places[one.head]
        row = (session_id, title, created, updated, head, one.source, external_id, one.digest, now)
        self._connection.execute(_BEGIN, row)
        self._new[one.source, one.external_id] = (session_id, one.digest)
        return Kept(outcome="new", messages=len(places))

    def _grow(self, session_id: SessionId, one: ImportedConversation) -> Kept:
        """What it has more than before. A conversation that went on here stays where it is."""
        self.settle()
        here = _places(self._connection, session_id)
        before = self._next
        places = self._arrive(session_id, one, here)
        self.settle()
        self._connection.execute("UPDATE imported SET digest = ? WHERE session_id = ?", (one.digest, session_id))
        self._new.pop((one.source, one.external_id), None)
        self._connection.execute(
            "UPDATE session SET head_id = ?, updated_at = max(updated_at, ?) WHERE id = ? "
            "AND (SELECT origin FROM message WHERE id = head_id) = 'imported'",
            (places[one.head], moment_text(min(one.updated_at, self._at)), session_id),
        )
        added = self._next - before
        return Kept(outcome="grown" if added else "here", messages=added)

    def _arrive(self, session_id: SessionId, one: ImportedConversation, here: Mapping[Place, int]) -> list[int]:
        """The id of each message of the conversation; those that are not `here` are written."""
        rows: list[Row] = []
        ids: list[int] = []
        following, latest = self._next, self._at
        for message in one.messages:
            parent = None if message.parent is None else ids[message.parent]
            content = storable(message.content)
            known = here.get((parent, message.role, content)) if here else None
            if known is not None:
                ids.append(known)
                continue
            at = message.created_at
            moment = moment_text(at if at < latest else latest)
            thought, model = message.thought and storable(message.thought), message.model and storable(message.model)
            rows.append((following, session_id, parent, message.role, content, thought, model, moment))
            ids.append(following)
            following += 1
        self._next = following
        self._connection.executemany(_ARRIVE, rows)
        return ids

    def _free_id(self) -> SessionId:
        for _ in range(_ID_TRIES):
            session_id = self._new_id()
            taken = self._connection.execute(
                "SELECT 1 FROM session WHERE id = ?1 UNION ALL SELECT 1 FROM beginning WHERE id = ?1", (session_id,)
            ).fetchone()
            if taken is None:
                return SessionId(session_id)
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
    here = _places(connection, known[0])
    ids: list[int | None] = []
    for number, message in enumerate(one.messages):
        parent = None if message.parent is None else ids[message.parent]
        ids.append(here.get((parent, message.role, storable(message.content)), -1 - number))
    added = sum(id is not None and id < 0 for id in ids)
    return Kept(outcome="grown" if added else "here", messages=added)


def _places(connection: sqlite3.Connection, session_id: str) -> dict[Place, int]:
    rows = connection.execute(
        "SELECT parent_id, role, content, id FROM message WHERE session_id = ? AND origin = 'imported' "
        "ORDER BY id DESC",
        (session_id,),
    )
    return {(parent, role, content): id for parent, role, content, id in rows}
