"""Looks a database over without changing it: is it whole, do its references hold, does its index cover it."""

import sqlite3
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memory.database import Database, check_header, connect, is_missing, own_errors
from memory.home_key import Key
from memory.migrations import MIGRATIONS, check_identity

SAFE_SQLITE = (3, 51, 3)  # before it, two connections that checkpoint at once could damage a WAL database
MOST_FINDINGS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    findings: tuple[str, ...]  # what `PRAGMA integrity_check` found; empty when the file is whole
    broken_references: int
    sessions: int
    messages: int
    unindexed: int  # messages that full-text search cannot find
    schema: int
    known_schema: int  # of this Steward; a newer database is only read
    newest: datetime | None  # of the last change, aware, UTC


async def look_over(path: Path, key: Key | None = None) -> Health | None:
    """None where nothing was ever kept. Works beside an owner. Raises HomeUnusable, StoreDamaged, SchemaTooNew."""
    database = await Database.open_read_only(path, key=key)
    if database is None:
        return None
    async with database:
        return await database.read(_look_over)


def look_over_now(path: Path, key: Key | None = None) -> Health | None:
    """The same, blocking."""
    with own_errors(path):
        if is_missing(path):
            return None
        check_header(path, key)
        connection = connect(path, "ro", key)
        try:
            check_identity(connection, path, newest=MIGRATIONS[-1].number)
            return _look_over(connection)
        finally:
            connection.close()


def sqlite_is_safe() -> bool:
    """Whether this SQLite has the fix of the WAL-reset bug. Steward has one writer, so it is not hit either way."""
    return sqlite3.sqlite_version_info >= SAFE_SQLITE


def sqlite_version() -> str:
    return sqlite3.sqlite_version


def _look_over(connection: sqlite3.Connection) -> Health:
    found = [str(row[0]) for row in connection.execute(f"PRAGMA integrity_check({MOST_FINDINGS})")]
    newest = connection.execute("SELECT max(updated_at) FROM session").fetchone()[0]
    return Health(
        findings=() if found == ["ok"] else tuple(found),
        broken_references=len(connection.execute("PRAGMA foreign_key_check").fetchall()),
        sessions=_number(connection, "SELECT count(*) FROM session"),
        messages=_number(connection, "SELECT count(*) FROM message"),
        unindexed=_number(
            connection, "SELECT count(*) FROM message WHERE id NOT IN (SELECT id FROM message_fts_docsize)"
        ),
        schema=_number(connection, "PRAGMA user_version"),
        known_schema=MIGRATIONS[-1].number,
        newest=None if newest is None else datetime.fromisoformat(newest),
    )


def _number(connection: sqlite3.Connection, query: str) -> int:
    return int(connection.execute(query).fetchone()[0])
