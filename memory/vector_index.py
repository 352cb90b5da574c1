"""The Chroma index, in a process of its own: `python -m memory.vector_index`. The only importer of chromadb.

Chroma holds ids, vectors and stamps, no text; it is filled from SQLite and may be deleted at any time. It lives in a
child because opening a folder of another version, or one whose parts drifted apart, can end the process with a signal,
because importing it takes half a second of the interpreter's lock and 70 MB, and because its files take the umask of
their process. The first open in the child is the canary: if it dies there, Steward goes on without.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

from memory.vector_frames import LENGTHS, Header, frame, header_of, sizes

COLLECTION = "preferences"
# Of 4,652 sentences the exact ten nearest to each of 194 questions were all among the forty this returns (MiniLM).
HNSW = {"space": "cosine", "ef_construction": 100, "ef_search": 200, "max_neighbors": 16}
PAGE = 1_000


class Index:
    """One collection in one folder."""

    def __init__(self) -> None:
        self._collection: Any = None

    def open(self, folder: Path) -> int:
        """How many vectors are in it; made when missing. Raises whatever Chroma raises."""
        import chromadb
        from chromadb.config import Settings

        settings = Settings(anonymized_telemetry=False, allow_reset=False, is_persistent=True)
        client = chromadb.PersistentClient(path=str(folder), settings=settings)
        configuration: Any = {"hnsw": HNSW}
        self._collection = client.get_or_create_collection(
            COLLECTION, embedding_function=None, configuration=configuration
        )
        return int(self._collection.count())

    def stamps(self) -> dict[str, str]:
        found: dict[str, str] = {}
        while True:
            page = self._collection.get(limit=PAGE, offset=len(found), include=["metadatas"])
            if not page["ids"]:
                return found
            found.update(
                (id, str(metadata["stamp"])) for id, metadata in zip(page["ids"], page["metadatas"], strict=True)
            )

    def upsert(self, ids: Sequence[str], stamps: Sequence[str], vectors: bytes) -> None:
        import numpy as np

        if not ids:
            return
        rows = np.frombuffer(vectors, dtype="<f4").reshape(len(ids), -1)
        self._collection.upsert(ids=list(ids), embeddings=rows, metadatas=[{"stamp": stamp} for stamp in stamps])

    def delete(self, ids: Sequence[str]) -> None:
        """Raises RuntimeError when an id is still there afterwards."""
        if not ids:
            return
        self._collection.delete(ids=list(ids))
        if self._collection.get(ids=list(ids), include=[])["ids"]:
            raise RuntimeError("a deleted vector is still there")

    def search(self, vector: bytes, limit: int) -> list[str]:
        import numpy as np

        there = self._collection.count()
        if there == 0:
            return []
        question = np.frombuffer(vector, dtype="<f4").reshape(1, -1)
        found = self._collection.query(query_embeddings=question, n_results=min(limit, there), include=[])
        return list(found["ids"][0])


def answer(index: Index, header: Header, body: bytes) -> Header:
    match header.get("do"):
        case "open":
            return {"count": index.open(Path(header["folder"]))}
        case "stamps":
            return {"stamps": index.stamps()}
        case "upsert":
            index.upsert(header["ids"], header["stamps"], body)
            return {}
        case "delete":
            index.delete(header["ids"])
            return {}
        case "search":
            return {"ids": index.search(body, header["limit"])}
        case other:
            raise ValueError(f"no such question: {other!r}")


def serve(questions: BinaryIO, answers: BinaryIO) -> None:
    """Until the other side is gone or says bye."""
    index = Index()
    while True:
        lengths = questions.read(LENGTHS.size)
        if len(lengths) < LENGTHS.size:
            return
        head, size = sizes(lengths)
        header, body = header_of(questions.read(head)), questions.read(size)
        if header.get("do") == "bye":
            return
        try:
            reply: Header = {"ok": True, **answer(index, header, body)}
        except Exception as error:  # noqa: BLE001  (Chroma raises anything; the parent decides what a failure means)
            reply = {"ok": False, "error": f"{type(error).__name__}: {error}"[:300]}
        answers.write(frame(reply))
        answers.flush()


def main() -> None:
    """Frames go over the original standard output; whatever a library prints goes nowhere near them."""
    os.umask(0o077)
    if hasattr(os, "nice"):
        os.nice(5)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()
