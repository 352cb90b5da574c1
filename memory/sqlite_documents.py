"""Documents in SQLite: passages, full text over them, and their vectors beside the words.

The vectors of a few ten thousand passages are compared one with all, exactly: 20,000 take some 30 ms, and nothing has
to be kept in step. Removing is physical: freed pages are overwritten, the index is merged, the log is emptied.
"""

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from memory.database import Database, empty_log, has_tables
from memory.document_rules import fitting, no_document
from memory.documents import Document, DocumentId, Passage, PassageHit, PassageId, label_of
from memory.home_key import Key
from memory.passage_rank import Evidence, ranked, share_of
from memory.text import moment, moment_text, storable
from memory.words import any_of

if TYPE_CHECKING:
    from memory.embedding import Vectors

_DOCUMENT = (
    "document.id, document.path, document.name, document.kind, document.digest, document.size, document.added_at, "
    "document.pages, document.passages, document.left_out"
)
_BY_WORDS = 60  # candidates of full text
_BY_MEANING = 60
_WEIGHTS = "1.5, 1.0"  # a word of a heading or of the file's name says more
_AT_ONCE = 5_000  # vectors read at a time


class SqliteDocuments:
    """Implements memory.document_store.DocumentStore over one Database, which it shares with the transcript."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @classmethod
    async def open_reading(cls, path: Path, key: Key | None = None) -> Self | None:
        """Beside an owner, or without one; None where there never was a document. Raises StoreError."""
        database = await Database.open_read_only(path, knows=has_tables("document"), key=key)
        return None if database is None else cls(database)

    async def close(self) -> None:
        await self._database.close()

    async def put(self, document: Document, passages: Sequence[Passage]) -> DocumentId:
        return await self._database.write(lambda connection: _put(connection, document, passages))

    async def remove(self, ids: Sequence[DocumentId]) -> int:
        removed = await self._database.write(lambda connection: _remove(connection, ids))
        if removed:
            await self._database.run(empty_log)
        return removed

    async def documents(self, *, limit: int = 10_000) -> tuple[Document, ...]:
        return await self._database.read(lambda connection: _documents(connection, limit))

    async def find(self, wanted: str) -> tuple[Document, ...]:
        found = fitting(wanted, await self.documents(limit=1_000_000))
        if not found:
            raise no_document(wanted)
        return found

    async def unembedded(self, model: str, *, limit: int) -> tuple[tuple[PassageId, str], ...]:
        sql = "SELECT id, label || char(10) || text FROM passage WHERE model <> ? ORDER BY id LIMIT ?"
        rows = await self._database.read(lambda connection: connection.execute(sql, (model, limit)).fetchall())
        return tuple((PassageId(id), text) for id, text in rows)

    async def keep_vectors(self, model: str, ids: Sequence[PassageId], vectors: "Vectors") -> None:
        rows = [(model, vector.astype("<f4").tobytes(), id, model) for id, vector in zip(ids, vectors, strict=True)]
        sql = "UPDATE passage SET model = ?, vector = ? WHERE id = ? AND model <> ?"
        await self._database.write(lambda connection: connection.executemany(sql, rows))

    async def passages(self, ids: Sequence[DocumentId], *, limit: int) -> tuple[tuple[Document, Passage], ...]:
        marks = ", ".join("?" for _ in ids)
        sql = (
            f"SELECT passage.page, passage.heading, passage.text, {_DOCUMENT} FROM passage "
            f"JOIN document ON document.seq = passage.document_seq WHERE document.id IN ({marks}) "
            "ORDER BY document.path, passage.place LIMIT ?"
        )
        rows = await self._database.read(lambda connection: connection.execute(sql, (*ids, limit)).fetchall())
        return tuple((_document(row[3:]), Passage(page=row[0], heading=row[1], text=row[2])) for row in rows)

    async def search(
        self, words: str, *, vector: "Vectors | None" = None, model: str = "", limit: int = 8
    ) -> tuple[PassageHit, ...]:
        return await self._database.read(lambda connection: _search(connection, words, vector, model, limit))


def _documents(connection: sqlite3.Connection, limit: int) -> tuple[Document, ...]:
    rows = connection.execute(f"SELECT {_DOCUMENT} FROM document ORDER BY path LIMIT ?", (limit,))
    return tuple(_document(row) for row in rows)


def _document(row: Sequence[Any]) -> Document:
    id, path, name, kind, digest, size, added_at, pages, passages, left_out = row
    return Document(
        id=id,
        path=path,
        name=name,
        kind=kind,
        digest=digest,
        size=size,
        added_at=moment(added_at),
        pages=pages,
        passages=passages,
        left_out=left_out,
    )


def _put(connection: sqlite3.Connection, document: Document, passages: Sequence[Passage]) -> DocumentId:
    old = connection.execute("SELECT id FROM document WHERE path = ?", (document.path,)).fetchone()
    id = document.id if old is None else DocumentId(old[0])
    if old is not None:
        _remove(connection, [id])
    made = connection.execute(
        "INSERT INTO document(id, path, name, kind, digest, size, added_at, pages, passages, left_out) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            id,
            storable(document.path),
            storable(document.name),
            document.kind,
            document.digest,
            document.size,
            moment_text(document.added_at),
            document.pages,
            len(passages),
            document.left_out,
        ),
    )
    connection.executemany(
        "INSERT INTO passage(document_seq, place, page, heading, label, text) VALUES (?, ?, ?, ?, ?, ?)",
        [
            (
                made.lastrowid,
                place,
                passage.page,
                storable(passage.heading),
                storable(label_of(document, passage)),
                storable(passage.text),
            )
            for place, passage in enumerate(passages)
        ],
    )
    return id


def _remove(connection: sqlite3.Connection, ids: Sequence[DocumentId]) -> int:
    removed = 0
    for id in dict.fromkeys(ids):
        removed += connection.execute("DELETE FROM document WHERE id = ?", (id,)).rowcount
    if removed:
        connection.execute("INSERT INTO passage_fts(passage_fts) VALUES ('optimize')")
    return removed


def _search(
    connection: sqlite3.Connection, words: str, vector: "Vectors | None", model: str, limit: int
) -> tuple[PassageHit, ...]:
    scores: dict[PassageId, float] = {}
    wanted = any_of(words)
    if wanted:
        sql = (
            f"SELECT rowid, -bm25(passage_fts, {_WEIGHTS}) AS score FROM passage_fts WHERE passage_fts MATCH ? "
            "ORDER BY score DESC LIMIT ?"
        )
        scores = {PassageId(id): score for id, score in connection.execute(sql, (wanted, _BY_WORDS))}
    cosines = {} if vector is None else _cosines(connection, vector, model, frozenset(scores))
    ids = [*scores, *(id for id in cosines if id not in scores)]
    rows = _rows(connection, ids)
    found = {
        id: Evidence(
            bm25=max(scores.get(id, 0.0), 0.0),
            cosine=cosines.get(id),
            share=share_of(words, f"{rows[id][0]} {rows[id][2].text}"),
        )
        for id in ids
    }
    return tuple(
        PassageHit(
            id=id,
            document=rows[id][1],
            passage=rows[id][2],
            score=score,
            cosine=found[id].cosine,
            share=found[id].share,
        )
        for id, score in ranked(found, limit)
    )


def _rows(connection: sqlite3.Connection, ids: Sequence[PassageId]) -> dict[PassageId, tuple[str, Document, Passage]]:
    marks = ", ".join("?" for _ in ids)
    rows = connection.execute(
        f"SELECT passage.id, passage.label, passage.page, passage.heading, passage.text, {_DOCUMENT} FROM passage "
        f"JOIN document ON document.seq = passage.document_seq WHERE passage.id IN ({marks})",
        list(ids),
    )
    return {
        PassageId(row[0]): (row[1], _document(row[5:]), Passage(page=row[2], heading=row[3], text=row[4]))
        for row in rows
    }


def _cosines(
    connection: sqlite3.Connection, question: "Vectors", model: str, beside: frozenset[PassageId]
) -> dict[PassageId, float]:
    """The nearest passages, and those that words found."""
    import numpy as np

    cursor = connection.execute("SELECT id, vector FROM passage WHERE model = ?", (model,))
    ids: list[PassageId] = []
    parts: list[Any] = []
    while rows := cursor.fetchmany(_AT_ONCE):
        ids += [PassageId(id) for id, _ in rows]
        matrix = np.frombuffer(b"".join(vector for _, vector in rows), dtype="<f4").reshape(len(rows), -1)
        parts.append(matrix @ question)
    if not ids:
        return {}
    cosines = np.concatenate(parts)
    nearest = np.argsort(-cosines)[:_BY_MEANING]
    found = {ids[at]: float(cosines[at]) for at in nearest}
    return found | {id: float(cosines[at]) for at, id in enumerate(ids) if id in beside}
