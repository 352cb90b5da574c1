"""The documents the user added: files are read in a confined child, cut, stored, and embedded where an embedder is.

Each file is one transaction, so that cancelling keeps what is done and a second run goes on. A file that did not change
(by its SHA-256) is not read again. What a document says is data: it is cited, never obeyed.
"""

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from assistant.confined.parent import read_confined
from assistant.documents.cutting import passages_of
from assistant.documents.markdown import read_markdown, read_text
from assistant.documents.types import AddReport, Block, FoundFile, LeftOut, Parsed, Progress
from assistant.errors import FileUnreadable
from assistant.files import MOST_BYTES, read_bytes, scan, text_of
from assistant.policies.cleaning import clean, clean_line
from assistant.ports import Clock
from memory.document_store import DocumentStore
from memory.documents import Document, DocumentId, Passage, PassageHit
from memory.embedding import EmbeddingFailed, embedded
from memory.text import random_id

if TYPE_CHECKING:
    from memory.embedding import Embed

BATCH = 32  # passages embedded at a time; between batches there is time to stop
MOST_WORDS = 2_000  # characters of a question


def _nobody(_: Progress) -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """`embed` None: passages are found by words only. `model` names what `embed` embeds with."""

    store: DocumentStore
    clock: Clock
    embed: "Embed | None" = None
    model: str = ""

    async def add(self, named: str, progress: Callable[[Progress], None] = _nobody) -> AddReport:
        """A file, or all documents of a folder. Raises FileUnreadable where there is nothing at that path."""
        files, left_out = await asyncio.to_thread(scan, named)
        there = {one.path: one for one in await self.store.documents(limit=1_000_000)}
        added: list[Document] = []
        changed: list[Document] = []
        refused = list(left_out)
        same = 0
        for done, file in enumerate(files):
            progress(Progress(stage="reading", done=done, total=len(files), name=PurePath(file.path).name))
            old = there.get(file.path)
            try:
                document, passages = await self._read(file, old)
            except FileUnreadable as error:
                refused.append(LeftOut(path=file.path, reason=error.message))
                continue
            if document is None:
                same += 1
                continue
            await self.store.put(document, passages)
            (added if old is None else changed).append(document)
        unindexed = await self.index(progress)
        return AddReport(
            added=tuple(added), changed=tuple(changed), same=same, left_out=tuple(refused), unindexed=unindexed
        )

    async def _read(self, file: FoundFile, old: Document | None) -> tuple[Document | None, tuple[Passage, ...]]:
        """None for a file that is as it was. Raises FileUnreadable."""
        content = await asyncio.to_thread(read_bytes, file.path, MOST_BYTES)
        digest = await asyncio.to_thread(lambda: hashlib.sha256(content).hexdigest())
        if old is not None and old.digest == digest:
            return None, ()
        parsed = await _parsed(file, content)
        passages = await asyncio.to_thread(passages_of, parsed.blocks)
        if not passages:
            raise FileUnreadable("there is no text in it")
        document = Document(
            id=old.id if old is not None else DocumentId(random_id()),
            path=file.path,
            name=clean_line(PurePath(file.path).name, 200),
            kind=file.kind,
            digest=digest,
            size=len(content),
            added_at=self.clock.now(),
            pages=parsed.pages,
            passages=len(passages),
            left_out=clean_line(parsed.left_out, 300),
        )
        return document, passages

    async def index(self, progress: Callable[[Progress], None] = _nobody) -> int:
        """Embed what has no vector yet; how many are left without one. What fails is found by words."""
        if self.embed is None:
            return len(await self.store.unembedded(self.model or "none", limit=1_000_000))
        done = 0
        while owed := await self.store.unembedded(self.model, limit=BATCH):
            progress(Progress(stage="indexing", done=done, total=done + len(owed)))
            try:
                vectors = await embedded(self.embed, [text for _, text in owed])
            except EmbeddingFailed:
                return len(await self.store.unembedded(self.model, limit=1_000_000))
            await self.store.keep_vectors(self.model, [id for id, _ in owed], vectors)
            done += len(owed)
        return 0

    async def remove(self, wanted: str) -> tuple[Document, ...]:
        """Physically; by id, name, path, or all below a folder. Raises NotFound."""
        found = await self.store.find(await asyncio.to_thread(path_of, wanted))
        await self.store.remove([one.id for one in found])
        return found

    async def search(self, question: str, *, limit: int = 8) -> tuple[PassageHit, ...]:
        """Passages that answer, best first; () when no document says anything about it."""
        words = clean(question)[:MOST_WORDS]
        vector = None
        if self.embed is not None and words.strip():
            try:
                (vector,) = await embedded(self.embed, [words])
            except EmbeddingFailed:
                vector = None
        return await self.store.search(words, vector=vector, model=self.model, limit=limit)


async def _parsed(file: FoundFile, content: bytes) -> Parsed:
    match file.kind:
        case "text":
            return await asyncio.to_thread(lambda: read_text(text_of(content)))
        case "markdown":
            return await asyncio.to_thread(lambda: read_markdown(text_of(content)))
        case "html" | "pdf" | "docx":
            return _parsed_from(await read_confined(file.kind, content))


def _parsed_from(answer: Any) -> Parsed:
    """The child's answer, which is JSON from a process that read a hostile file. Raises FileUnreadable."""
    try:
        blocks: Sequence[Any] = answer["blocks"]
        return Parsed(
            blocks=tuple(
                Block(text=str(one["text"]), page=int(one["page"]), heading=str(one["heading"])) for one in blocks
            ),
            pages=int(answer["pages"]),
            left_out=str(answer["left_out"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise FileUnreadable("its reader crashed") from error


def path_of(wanted: str) -> str:
    """Absolute where it is a path; a name or an id stays what it is."""
    import os

    if "/" in wanted or wanted.startswith("~"):
        return os.path.abspath(os.path.expanduser(wanted))  # noqa: PTH100,PTH111
    return wanted.strip()
