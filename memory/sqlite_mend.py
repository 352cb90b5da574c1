"""Mends a database that is whole but not consistent: rows that point to nothing, full text that misses rows."""

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from memory.database import connect, own_errors
from memory.home_key import Key

_MOST_ROUNDS = 8  # one mended row may free another
_FULL_TEXT = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%USING fts5%'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mended:
    references: int  # rows
    indexes: int  # full-text indexes written anew


def mend(path: Path, key: Key | None = None) -> Mended:
    """In one transaction; the caller owns the home and has a backup. Raises StoreError."""
    with own_errors(path):
        connection = connect(path, "rw", key)
        try:
            connection.execute("PRAGMA foreign_keys=OFF")
            connection.execute("BEGIN IMMEDIATE")
            references = mend_references(connection)
            indexes = [name for (name,) in connection.execute(_FULL_TEXT)]
            for name in indexes:
                connection.execute(f'INSERT INTO "{name}"("{name}") VALUES (\'rebuild\')')
            connection.execute("COMMIT")
        finally:
            connection.close()
    return Mended(references=references, indexes=len(indexes))


def full_text_is_whole(path: Path, key: Key | None = None) -> bool:
    """Whether every index says what its table says; the caller owns the home. Raises StoreError."""
    with own_errors(path):
        connection = connect(path, "rw", key)
        try:
            for (name,) in connection.execute(_FULL_TEXT).fetchall():
                connection.execute(f'INSERT INTO "{name}"("{name}", rank) VALUES (\'integrity-check\', 1)')
        except sqlite3.DatabaseError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_CORRUPT:
                return False
            raise
        finally:
            connection.close()
    return True


def mend_references(connection: sqlite3.Connection) -> int:
    """How many rows were changed, made or let go. Foreign keys are off meanwhile.

    A message without its conversation gets one; one without its parent begins a branch; a conversation without its head
    gets its newest message. Of other tables a column that may be empty is emptied, else the row goes."""
    mended = 0
    for _ in range(_MOST_ROUNDS):
        broken = connection.execute("PRAGMA foreign_key_check").fetchall()
        if not broken:
            break
        for table, rowid, parent, number in broken:
            mended += _mend(connection, str(table), rowid, str(parent), int(number))
    return mended


def _mend(connection: sqlite3.Connection, table: str, rowid: int | None, parent: str, number: int) -> int:
    if rowid is None:
        return 0
    if (table, parent) == ("message", "session"):
        return _give_home(connection, rowid)
    if (table, parent) == ("session", "message"):
        newest = "SELECT max(id) FROM message WHERE session_id = session.id"
        return connection.execute(f"UPDATE session SET head_id = ({newest}) WHERE rowid = ?", (rowid,)).rowcount
    if (table, parent) == ("message", "message"):
        return connection.execute("UPDATE message SET parent_id = NULL WHERE id = ?", (rowid,)).rowcount
    columns = [row[3] for row in connection.execute(f'PRAGMA foreign_key_list("{table}")') if row[0] == number]
    optional = {row[1] for row in connection.execute(f'PRAGMA table_info("{table}")') if not row[3] and not row[5]}
    if set(columns) <= optional:
        emptied = ", ".join(f'"{column}" = NULL' for column in columns)
        return connection.execute(f'UPDATE "{table}" SET {emptied} WHERE rowid = ?', (rowid,)).rowcount
    return connection.execute(f'DELETE FROM "{table}" WHERE rowid = ?', (rowid,)).rowcount


def _give_home(connection: sqlite3.Connection, message: int) -> int:
    made = connection.execute(
        "INSERT OR IGNORE INTO session(id, title, created_at, updated_at, head_id) "
        "SELECT session_id, 'Recovered conversation', created_at, created_at, NULL FROM message WHERE id = ?",
        (message,),
    ).rowcount
    connection.execute(
        "UPDATE session SET head_id = (SELECT max(id) FROM message WHERE session_id = session.id), "
        "updated_at = (SELECT max(created_at) FROM message WHERE session_id = session.id) "
        "WHERE id = (SELECT session_id FROM message WHERE id = ?)",
        (message,),
    )
    return max(made, 0)
