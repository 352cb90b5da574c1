"""The contract of a store of documents. Every call is one transaction; what it returned is on disk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from memory.documents import Document, DocumentId, Passage, PassageHit, PassageId
    from memory.embedding import Vectors


class DocumentStore(Protocol):
    """Raises StoreError."""

    async def put(self, document: Document, passages: Sequence[Passage]) -> DocumentId:
        """In the place of whatever had that path, of which nothing stays; its id is kept."""
        ...

    async def remove(self, ids: Sequence[DocumentId]) -> int:
        """Physically: text, index and vectors leave every file. How many there were."""
        ...

    async def documents(self, *, limit: int = 10_000) -> tuple[Document, ...]:
        """By path."""
        ...

    async def find(self, wanted: str) -> tuple[Document, ...]:
        """By id or its beginning, by path, by name, or all below a folder's path. Raises NotFound."""
        ...

    async def unembedded(self, model: str, *, limit: int) -> tuple[tuple[PassageId, str], ...]:
        """Passages that have no vector of this model, with the text to embed."""
        ...

    async def keep_vectors(self, model: str, ids: Sequence[PassageId], vectors: Vectors) -> None:
        """Those that went meanwhile are left out."""
        ...

    async def passages(self, ids: Sequence[DocumentId], *, limit: int) -> tuple[tuple[Document, Passage], ...]:
        """Of these documents, by path and place."""
        ...

    async def search(
        self, words: str, *, vector: Vectors | None = None, model: str = "", limit: int = 8
    ) -> tuple[PassageHit, ...]:
        """Best first, by words and, with the question's `vector` (of length 1, made by `model`), by meaning."""
        ...
