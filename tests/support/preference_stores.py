"""Stores of preferences for tests, over a transcript that already holds the messages evidence points to."""

import sqlite3
from pathlib import Path

from memory.database import Database
from memory.sqlite_preferences import SqlitePreferences
from memory.text import moment_text
from tests.support.clock import MONDAY

MESSAGES = 60  # numbered from 1; odd ones in session s1, even ones in s2


def fill_transcript(connection: sqlite3.Connection, messages: int = MESSAGES) -> None:
    """User messages without answers, in one go."""
    at = moment_text(MONDAY)
    for session in ("s1", "s2"):
        connection.execute("INSERT INTO session(id, created_at, updated_at) VALUES (?, ?, ?)", (session, at, at))
    rows = [("s1" if number % 2 else "s2", f"message {number}", at) for number in range(1, messages + 1)]
    connection.executemany(
        "INSERT INTO message(session_id, role, content, origin, status, created_at) "
        "VALUES (?, 'user', ?, 'typed', 'complete', ?)",
        rows,
    )


async def sqlite_preferences(path: Path, *, messages: int = MESSAGES) -> tuple[SqlitePreferences, Database]:
    """Opened; the transcript is filled when the database is new."""
    database = await Database.open(path)

    def fill_once(connection: sqlite3.Connection) -> None:
        if connection.execute("SELECT count(*) FROM session").fetchone()[0] == 0:
            fill_transcript(connection, messages)

    await database.write(fill_once)
    return SqlitePreferences(database), database
