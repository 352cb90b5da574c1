"""Vectors in SQLite, the truth for them: what is owed, what is there, for which text and model.

Chroma is filled from here and can be thrown away at any time. A vector belongs to a stamp, the hash of the model's
name and the text it was made of, so that a vector of older words is never taken for that of the newer ones.
"""

import hashlib
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory.preferences import Preference, PreferenceId
from memory.sqlite_preference_rows import SELECT, preference_from

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PREFERENCES = "preferences"
GIVE_UP_AFTER = 8  # attempts at one item


@dataclass(frozen=True, slots=True, kw_only=True)
class Owed:
    """An item whose vector is out of date. `text` is None when it has to go."""

    seq: int
    id: PreferenceId
    text: str | None
    attempts: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    id: str
    stamp: str
    vector: bytes  # float32, little-endian


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexState:
    """`generation` names the folder of the Chroma index; 0: there never was one."""

    model: str
    dimensions: int
    generation: int = 0


def indexed_text(preference: Preference) -> str:
    """What is embedded: the words, and when they hold."""
    return f"{preference.statement} ({preference.condition})" if preference.condition else preference.statement


def stamp_of(model: str, text: str) -> str:
    return hashlib.sha256(f"{model}\n{text}".encode("utf-8", "surrogatepass")).hexdigest()[:16]


def packed(vector: "NDArray[np.float32]") -> bytes:
    return vector.astype("<f4").tobytes()


def owed(connection: sqlite3.Connection, limit: int) -> tuple[Owed, ...]:
    """Oldest first, those that failed before after those that did not."""
    rows = connection.execute(
        f"SELECT outbox.seq, outbox.item_id, outbox.attempts, {SELECT} FROM outbox "
        "LEFT JOIN preference ON preference.id = outbox.item_id AND preference.status = 'active' "
        "WHERE collection = ? AND attempts < ? ORDER BY attempts, outbox.seq LIMIT ?",
        (PREFERENCES, GIVE_UP_AFTER, limit),
    ).fetchall()
    return tuple(
        Owed(
            seq=row[0],
            id=PreferenceId(row[1]),
            attempts=row[2],
            text=None if row[3] is None else indexed_text(preference_from(row[3:])),
        )
        for row in rows
    )


def settle(connection: sqlite3.Connection, done: Sequence[Owed], rows: Sequence[Row]) -> None:
    """Keep the vectors and strike off what was owed, unless the item changed again in the meantime."""
    current = {
        one.seq
        for one in done
        if connection.execute("SELECT 1 FROM outbox WHERE seq = ?", (one.seq,)).fetchone() is not None
    }
    kept = {one.id for one in done if one.seq in current and one.text is not None}
    keep(connection, PREFERENCES, [row for row in rows if row.id in kept])
    gone = [(PREFERENCES, one.id) for one in done if one.seq in current and one.text is None]
    connection.executemany("DELETE FROM vector WHERE collection = ? AND item_id = ?", gone)
    connection.executemany("DELETE FROM outbox WHERE seq = ?", [(seq,) for seq in current])


def keep(connection: sqlite3.Connection, collection: str, rows: Sequence[Row]) -> None:
    connection.executemany(
        "INSERT OR REPLACE INTO vector(collection, item_id, stamp, vector) VALUES (?, ?, ?, ?)",
        [(collection, row.id, row.stamp, row.vector) for row in rows],
    )


def postpone(connection: sqlite3.Connection, failed: Sequence[Owed], error: str) -> None:
    connection.executemany(
        "UPDATE outbox SET attempts = attempts + 1, last_error = ? WHERE seq = ?",
        [(error[:200], one.seq) for one in failed],
    )


def count_owed(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT count(*) FROM outbox WHERE attempts < ?", (GIVE_UP_AFTER,)).fetchone()[0])


def index_state(connection: sqlite3.Connection) -> IndexState | None:
    row = connection.execute(
        "SELECT model, dimensions, generation FROM index_state WHERE collection = ?", (PREFERENCES,)
    ).fetchone()
    return None if row is None else IndexState(model=row[0], dimensions=row[1], generation=row[2])


def start_with(connection: sqlite3.Connection, model: str) -> IndexState:
    """The state for this model. Another model's vectors are thrown away and everything active is owed again."""
    connection.execute("UPDATE outbox SET attempts = 0 WHERE collection = ?", (PREFERENCES,))
    state = index_state(connection)
    if state is not None and state.model == model:
        return state
    generation = 0 if state is None else state.generation + 1  # no folder of that name: a new index
    connection.execute("DELETE FROM vector")
    connection.execute("DELETE FROM outbox WHERE collection = ?", (PREFERENCES,))
    connection.execute(
        "INSERT INTO outbox(collection, item_id) SELECT ?, id FROM preference WHERE status = 'active' ORDER BY seq",
        (PREFERENCES,),
    )
    connection.execute(
        "INSERT OR REPLACE INTO index_state(collection, model, dimensions, generation) VALUES (?, ?, 0, ?)",
        (PREFERENCES, model, generation),
    )
    return IndexState(model=model, dimensions=0, generation=generation)


def set_generation(connection: sqlite3.Connection, generation: int) -> None:
    connection.execute("UPDATE index_state SET generation = ? WHERE collection = ?", (generation, PREFERENCES))


def retire_generation(connection: sqlite3.Connection) -> None:
    """The folder in use may hold what was forgotten: whoever has it open must let go and build the next."""
    connection.execute("UPDATE index_state SET generation = generation + 1 WHERE collection = ?", (PREFERENCES,))


def stamps(connection: sqlite3.Connection, collection: str = PREFERENCES) -> Mapping[str, str]:
    rows = connection.execute("SELECT item_id, stamp FROM vector WHERE collection = ?", (collection,))
    return dict(rows.fetchall())


def rows_of(connection: sqlite3.Connection, ids: Collection[str], collection: str = PREFERENCES) -> tuple[Row, ...]:
    marks = ", ".join("?" * len(ids))
    rows = connection.execute(
        f"SELECT item_id, stamp, vector FROM vector WHERE collection = ? AND item_id IN ({marks})", (collection, *ids)
    )
    return tuple(Row(id=row[0], stamp=row[1], vector=row[2]) for row in rows)
