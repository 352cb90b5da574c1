"""Looks over what is remembered without changing it: is the full text whole, are the vectors in step with the rows."""

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from memory.database import Database
from memory.home_key import Key
from memory.sqlite_preference_reads import remembers

GIVES_UP_AFTER = 8  # tries of one item; then something is wrong with it


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryHealth:
    in_force: int
    to_review: int  # candidates and disputed
    unsearchable: int  # rows that full text misses
    owed: int  # outbox: changes the index has not heard of
    failing: int  # of those, tried again and again
    vectors: int
    missing: int  # in force, without a vector, and not owed
    strangers: int  # vectors of nothing that is in force
    tombstones: int
    generation: int  # of the index; 0 before there is one
    model: str  # that made the vectors; "" before there are any


async def look_over_memory(path: Path, key: Key | None = None) -> MemoryHealth | None:
    """None where nothing was ever remembered. Works beside an owner. Raises StoreError."""
    database = await Database.open_read_only(path, key=key)
    if database is None:
        return None
    async with database:
        return await database.read(_look_over)


def _look_over(connection: sqlite3.Connection) -> MemoryHealth | None:
    if not remembers(connection):
        return None
    state = connection.execute(
        "SELECT generation, model FROM index_state WHERE collection = 'preferences'"
    ).fetchone() or (0, "")
    vectors = "SELECT item_id FROM vector WHERE collection = 'preferences'"
    owed = "SELECT item_id FROM outbox WHERE collection = 'preferences'"
    active = "SELECT id FROM preference WHERE status = 'active'"
    return MemoryHealth(
        in_force=_count(connection, f"SELECT count(*) FROM ({active})"),
        to_review=_count(connection, "SELECT count(*) FROM preference WHERE status IN ('candidate', 'disputed')"),
        unsearchable=_count(
            connection, "SELECT count(*) FROM preference WHERE seq NOT IN (SELECT id FROM preference_fts_docsize)"
        ),
        owed=_count(connection, f"SELECT count(*) FROM ({owed})"),
        failing=_count(connection, f"SELECT count(*) FROM outbox WHERE attempts >= {GIVES_UP_AFTER}"),
        vectors=_count(connection, f"SELECT count(*) FROM ({vectors})"),
        missing=_count(connection, f"SELECT count(*) FROM ({active} EXCEPT {vectors} EXCEPT {owed})"),
        strangers=_count(connection, f"SELECT count(*) FROM ({vectors} EXCEPT {active} EXCEPT {owed})"),
        tombstones=_count(connection, "SELECT count(*) FROM tombstone"),
        generation=int(state[0]),
        model=str(state[1]),
    )


def _count(connection: sqlite3.Connection, query: str) -> int:
    return int(connection.execute(query).fetchone()[0])
