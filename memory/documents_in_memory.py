"""Documents without a disk: the reference for the store in SQLite, and what --incognito keeps."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

from memory.document_rules import fitting, no_document
from memory.documents import Document, DocumentId, Passage, PassageHit, PassageId, label_of
from memory.passage_rank import Evidence, ranked, share_of

if TYPE_CHECKING:
    from memory.embedding import Vectors


class InMemoryDocuments:
    """Implements memory.document_store.DocumentStore."""

    def __init__(self) -> None:
        self._documents: dict[DocumentId, Document] = {}
        self._passages: dict[PassageId, tuple[DocumentId, Passage]] = {}
        self._vectors: dict[PassageId, tuple[str, Vectors]] = {}
        self._numbers = count(1)

    async def put(self, document: Document, passages: Sequence[Passage]) -> DocumentId:
        old = next((one for one in self._documents.values() if one.path == document.path), None)
        id = document.id if old is None else old.id
        if old is not None:
            await self.remove([old.id])
        self._documents[id] = replace(document, id=id, passages=len(passages))
        for passage in passages:
            self._passages[PassageId(next(self._numbers))] = (id, passage)
        return id

    async def remove(self, ids: Sequence[DocumentId]) -> int:
        gone = [id for id in dict.fromkeys(ids) if self._documents.pop(id, None) is not None]
        self._passages = {at: one for at, one in self._passages.items() if one[0] not in gone}
        self._vectors = {at: one for at, one in self._vectors.items() if at in self._passages}
        return len(gone)

    async def documents(self, *, limit: int = 10_000) -> tuple[Document, ...]:
        return tuple(sorted(self._documents.values(), key=lambda one: one.path)[:limit])

    async def find(self, wanted: str) -> tuple[Document, ...]:
        found = fitting(wanted, await self.documents())
        if not found:
            raise no_document(wanted)
        return found

    async def unembedded(self, model: str, *, limit: int) -> tuple[tuple[PassageId, str], ...]:
        owed = [id for id in self._passages if id not in self._vectors or self._vectors[id][0] != model]
        return tuple((id, self._searched(id)) for id in owed[:limit])

    async def keep_vectors(self, model: str, ids: Sequence[PassageId], vectors: "Vectors") -> None:
        for id, vector in zip(ids, vectors, strict=True):
            if id in self._passages:
                self._vectors[id] = (model, vector)

    async def passages(self, ids: Sequence[DocumentId], *, limit: int) -> tuple[tuple[Document, Passage], ...]:
        found = [(self._documents[id], passage) for id, passage in self._passages.values() if id in ids]
        return tuple(sorted(found, key=lambda one: one[0].path)[:limit])

    def _searched(self, id: PassageId) -> str:
        document, passage = self._passages[id]
        return f"{label_of(self._documents[document], passage)}\n{passage.text}"

    async def search(
        self, words: str, *, vector: "Vectors | None" = None, model: str = "", limit: int = 8
    ) -> tuple[PassageHit, ...]:
        found: dict[PassageId, Evidence] = {}
        for id in self._passages:
            share = share_of(words, self._searched(id))
            kept = self._vectors.get(id)
            cosine = float(kept[1] @ vector) if vector is not None and kept is not None and kept[0] == model else None
            found[id] = Evidence(bm25=share, cosine=cosine, share=share)
        return tuple(
            PassageHit(
                id=id,
                document=self._documents[self._passages[id][0]],
                passage=self._passages[id][1],
                score=score,
                cosine=found[id].cosine,
                share=found[id].share,
            )
            for id, score in ranked(found, limit)
        )
