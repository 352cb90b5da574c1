"""Exact search over the vectors in SQLite: no index to lose, a few milliseconds for 10,000 items.

It serves whenever Chroma is missing, damaged, still being built or slow, and gives the same answers.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memory.sqlite_vectors import PREFERENCES, rows_of

if TYPE_CHECKING:
    import sqlite3

    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Near:
    """An item and the cosine to the question, -1..1."""

    id: str
    cosine: float


@dataclass(slots=True)
class ExactSearch:
    """Keeps the vectors it has read; used on the database's thread only, so it needs no lock."""

    collection: str = PREFERENCES
    _places: dict[str, int] = field(default_factory=dict)
    _ids: list[str] = field(default_factory=list)
    _matrix: "NDArray[np.float32] | None" = None
    _last: int = 0  # highest row number seen
    _version: tuple[int, int] = (-1, -1)  # of the database, by this connection's changes and by others'

    def search(self, connection: "sqlite3.Connection", question: "Vector", limit: int) -> tuple[Near, ...]:
        """The `limit` nearest, best first. `question` has length 1."""
        import numpy as np

        self._refresh(connection)
        matrix = self._matrix
        if matrix is None or not self._ids or matrix.shape[1] != question.shape[0]:
            return ()
        # Not matrix @ question: on a busy machine the threads BLAS starts for it cost several times what they save.
        cosines = np.einsum("ij,j->i", matrix[: len(self._ids)], question)
        count = min(limit, len(self._ids))
        best = np.argpartition(-cosines, count - 1)[:count]
        order = sorted(best.tolist(), key=lambda place: (-float(cosines[place]), self._ids[place]))
        return tuple(Near(id=self._ids[place], cosine=float(cosines[place])) for place in order)

    def _refresh(self, connection: "sqlite3.Connection") -> None:
        """Read what is new; after a deletion drop what is gone."""
        (elsewhere,) = connection.execute("PRAGMA data_version").fetchone()
        version = (connection.total_changes, int(elsewhere))
        if version == self._version:
            return
        self._version = version
        count, last = connection.execute(
            "SELECT count(*), coalesce(max(seq), 0) FROM vector WHERE collection = ?", (self.collection,)
        ).fetchone()
        if count == len(self._ids) and last == self._last:
            return
        new = connection.execute(
            "SELECT item_id, vector FROM vector WHERE collection = ? AND seq > ? ORDER BY seq",
            (self.collection, self._last),
        ).fetchall()
        self._take(new)
        self._last = last
        if len(self._ids) != count:
            there = connection.execute("SELECT item_id FROM vector WHERE collection = ?", (self.collection,))
            self._keep_only({row[0] for row in there})

    def _take(self, rows: Sequence[tuple[str, bytes]]) -> None:
        import numpy as np

        for id, vector in rows:
            values = np.frombuffer(vector, dtype="<f4")
            if self._matrix is None or self._matrix.shape[1] != len(values):
                self._places, self._ids = {}, []
                self._matrix = np.zeros((max(len(rows), 64), len(values)), dtype=np.float32)
            place = self._places.get(id, len(self._ids))
            if place == len(self._ids):
                if place == len(self._matrix):
                    self._matrix = np.vstack((self._matrix, np.zeros_like(self._matrix)))
                self._places[id] = place
                self._ids.append(id)
            self._matrix[place] = values

    def _keep_only(self, there: Collection[str]) -> None:
        """The words behind a deleted vector were forgotten: its numbers leave the memory as well."""
        if self._matrix is None:
            return
        kept = [place for place, id in enumerate(self._ids) if id in there]
        self._matrix = self._matrix[kept]
        self._ids = [self._ids[place] for place in kept]
        self._places = {id: place for place, id in enumerate(self._ids)}


def cosines(connection: "sqlite3.Connection", ids: Collection[str], question: "Vector") -> dict[str, float]:
    """Exactly, for the items named; those without a vector of this size are left out."""
    import numpy as np

    found: dict[str, float] = {}
    for row in rows_of(connection, ids):
        values = np.frombuffer(row.vector, dtype="<f4")
        if len(values) == question.shape[0]:
            found[row.id] = float(values @ question)
    return found
