"""Keeps the vectors in step with what is remembered, in the background, and searches them.

SQLite holds the truth: which items are active, their vectors, and an outbox of those whose vector is out of date.
Draining the outbox embeds and stores; the Chroma index follows. Whatever happens to Chroma (not installed, deleted,
truncated, of another version, killed), exact search over SQLite answers meanwhile, and the index is built again in a
new folder, never repaired in place. Results are hints: the caller reads the items themselves from the store.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from memory import sqlite_vectors as vectors
from memory.database import Database
from memory.embedding import EmbeddingFailed, embedded
from memory.errors import StoreError
from memory.index_folder import folder_of, make_root, remove, remove_others
from memory.routing import PHRASES, Router
from memory.sqlite_vectors import Owed, Row
from memory.vector_fallback import ExactSearch, Near, cosines
from memory.vector_process import IndexLost, IndexProcess

if TYPE_CHECKING:
    from memory.embedding import Embed as Embed
    from memory.embedding import Vectors

BATCH = 32  # texts embedded at a time; between batches there is time to stop
ROWS = 200  # vectors handed to Chroma at a time
MOST_RESTARTS = 3
SEARCH_S = 0.1  # longer than this Chroma is not waited for in a turn
PATCH_SHARE = 0.01  # of differences that are mended one by one; more mean a new index
NEAREST = 40  # hints asked of Chroma; they are scored exactly
PROBES = 5  # vectors a newly opened index has to find again
PROBE_S = 10.0

IndexStage = Literal["off", "embedding", "building", "ready", "exact"]


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexStatus:
    """`exact`: Chroma is not in use, `reason` says why ("" while nothing is remembered). Counts are items."""

    stage: IndexStage = "off"
    done: int = 0
    total: int = 0
    reason: str = ""


@dataclass(slots=True)
class Indexer:
    """One for a home, of its owner. `embed` blocks and runs in a thread; `model` names what it embeds with."""

    database: Database
    root: Path  # holds one folder a generation; everything else in it is removed
    embed: "Embed"
    model: str
    use_chroma: bool = True
    command: tuple[str, ...] = ()  # (): this Python with memory.vector_index
    listener: Callable[[IndexStatus], None] | None = None
    status: IndexStatus = field(default_factory=IndexStatus)
    router: Router | None = None  # there once the exemplars have their vectors
    _exact: ExactSearch = field(default_factory=ExactSearch)
    _index: IndexProcess | None = None
    _generation: int = 0  # of the folder `_index` has open
    _restarts: int = 0
    _given_up: str = ""
    _work: asyncio.Event = field(default_factory=asyncio.Event)
    _rested: asyncio.Event = field(default_factory=asyncio.Event)
    _task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin working in the background."""
        if self._task is None:
            self.wake()
            self._task = asyncio.create_task(self._run(), name="indexer")

    def wake(self) -> None:
        """Something was learned, changed, undone or forgotten."""
        self._rested.clear()
        self._work.set()

    async def settled(self) -> None:
        """Until nothing more can be done."""
        await self._rested.wait()

    async def close(self) -> None:
        """Stops between two batches; what is not done is still owed."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None
        await self._let_go()

    async def search(self, question: "Vectors", limit: int = NEAREST) -> tuple[Near, ...]:
        """The nearest active items with exact cosines, best first. `question` has length 1. Raises StoreError."""
        hints = await self._hints(question, limit)
        if hints is None:
            return await self.database.read(lambda connection: self._exact.search(connection, question, limit))
        exact = await self.database.read(lambda connection: cosines(connection, hints, question))
        nearest = sorted(exact.items(), key=lambda pair: (-pair[1], pair[0]))
        return tuple(Near(id=id, cosine=cosine) for id, cosine in nearest[:limit])

    async def _hints(self, question: "Vectors", limit: int) -> tuple[str, ...] | None:
        index = self._index
        if index is None or self.status.stage != "ready":
            return None
        try:
            return await index.search(vectors.packed(question), max(limit, NEAREST), limit_s=SEARCH_S)
        except TimeoutError:
            return None
        except IndexLost:
            self.wake()
            return None

    # --- work ---

    async def _run(self) -> None:
        begun = False
        while True:
            await self._work.wait()
            self._work.clear()
            try:
                if not begun:
                    await self.database.write(partial(vectors.start_with, model=self.model))
                    begun = True
                await self._drain()
                if self.router is None:
                    self.router = await self._make_router()
                await self._follow()
            except StoreError as error:  # the disk is full, say: what is owed stays owed
                self._say(IndexStatus(stage="exact", reason=error.message))
            if not self._work.is_set():
                self._rested.set()

    async def _drain(self) -> None:
        """Embed what is owed. A text that cannot be embedded is left for later and does not hold up the others."""
        while owed := await self.database.read(partial(vectors.owed, limit=BATCH)):
            left = await self.database.read(vectors.count_owed)
            self._say(IndexStatus(stage="embedding", total=left))
            if await self._settle(owed):
                continue
            settled = [await self._settle([one]) for one in owed]
            if not any(settled):
                return

    async def _settle(self, owed: Sequence[Owed]) -> bool:
        texts = {one.id: one.text for one in owed if one.text is not None}
        try:
            made = await embedded(self.embed, list(texts.values())) if texts else ()
        except EmbeddingFailed as error:
            if len(owed) == 1:
                await self.database.write(partial(vectors.postpone, failed=owed, error=f"{error}"))
            return False
        rows = tuple(
            Row(id=id, stamp=vectors.stamp_of(self.model, text), vector=vectors.packed(vector))
            for (id, text), vector in zip(texts.items(), made, strict=True)
            if vector.any()  # a text without a word has no direction; full text has to find it
        )
        await self.database.write(partial(vectors.settle, done=owed, rows=rows))
        await self._pass_on(owed, rows)
        return True

    async def _make_router(self) -> Router | None:
        """Vectors of the exemplars, made once for a model and kept. None when the embedder fails."""
        import numpy as np

        collection = f"exemplars {self.model}"
        stamps = [vectors.stamp_of(self.model, phrase) for phrase in PHRASES]
        there = await self.database.read(partial(vectors.stamps, collection=collection))
        missing = [place for place, stamp in enumerate(stamps) if there.get(str(place)) != stamp]
        for start in range(0, len(missing), BATCH):
            places = missing[start : start + BATCH]
            try:
                made = await embedded(self.embed, [PHRASES[place] for place in places])
            except EmbeddingFailed:  # words route meanwhile, and the next wake tries again
                return None
            rows = [
                Row(id=str(place), stamp=stamps[place], vector=vectors.packed(vector))
                for place, vector in zip(places, made, strict=True)
            ]
            await self.database.write(partial(vectors.keep, collection=collection, rows=rows))
        ids = [str(place) for place in range(len(PHRASES))]
        kept = {
            row.id: row.vector
            for row in await self.database.read(partial(vectors.rows_of, ids=ids, collection=collection))
        }
        return Router(vectors=np.stack([np.frombuffer(kept[id], dtype="<f4") for id in ids]))

    async def _pass_on(self, owed: Sequence[Owed], rows: Sequence[Row]) -> None:
        """What was just settled, to the index that is open; one that is out of step is left to `_follow`."""
        if self._index is None or not await self._is_current():
            return
        try:
            await self._index.delete([one.id for one in owed if one.text is None])
            await _upsert(self._index, rows)
        except IndexLost as lost:
            await self._lose(lost)

    async def _follow(self) -> None:
        """Chroma in step with SQLite: opened and compared, or built anew; else exact search, and why."""
        while self.use_chroma and not self._given_up:
            if self._index is not None and self._index.alive and await self._is_current():
                self._say(IndexStatus(stage="ready"))
                return
            try:
                if self._index is not None and not self._index.alive:
                    raise IndexLost("it ended")
                if not await self._open():
                    break
            except (IndexLost, OSError) as lost:
                await self._lose(lost)
        self._say(IndexStatus(stage="exact", reason=self._given_up))

    async def _is_current(self) -> bool:
        state = await self.database.read(vectors.index_state)
        return state is not None and state.generation == self._generation

    async def _open(self) -> bool:
        """False when there is nothing to index. Raises IndexLost, OSError."""
        await self._let_go()
        state = await self.database.read(vectors.index_state)
        generation = 0 if state is None else state.generation
        await asyncio.to_thread(remove_others, self.root, generation)
        wanted = await self.database.read(vectors.stamps)
        if not wanted:
            return False
        folder = folder_of(self.root, generation)
        if not await asyncio.to_thread(folder.is_dir):
            await self._build(generation + 1)
            return True
        self._index, self._generation = await IndexProcess.start(folder, self.command), generation
        found = await self._index.stamps()
        wrong = [id for id in found if id not in wanted]
        missing = [id for id, stamp in wanted.items() if found.get(id) != stamp]
        if len(wrong) + len(missing) > max(PATCH_SHARE * len(wanted), 1):
            await self._build(generation + 1)
            return True
        await self._index.delete(wrong)
        await self._fill(self._index, missing)
        await self._probe(self._index, list(wanted))
        return True

    async def _build(self, generation: int) -> None:
        """A whole new index in its own folder; it counts once it is complete. Exact search serves meanwhile."""
        await self._let_go()
        folder = folder_of(self.root, generation)
        await asyncio.to_thread(remove, folder)
        await asyncio.to_thread(make_root, self.root)
        before = await self.database.read(vectors.index_state)
        index = await IndexProcess.start(folder, self.command)
        try:
            ids = list(await self.database.read(vectors.stamps))
            await self._fill(index, ids, say=True)
            await self._probe(index, ids)
            forgotten = await self.database.read(vectors.index_state) != before
            if not forgotten:
                await self.database.write(partial(vectors.set_generation, generation=generation))
        except BaseException:
            await index.close()
            raise
        if forgotten:  # it may hold what was forgotten meanwhile: `_follow` builds the next
            await index.close()
            await asyncio.to_thread(remove, folder)
            return
        self._index, self._generation = index, generation
        await asyncio.to_thread(remove_others, self.root, generation)

    async def _fill(self, index: IndexProcess, ids: Sequence[str], *, say: bool = False) -> None:
        for start in range(0, len(ids), ROWS):
            if say:
                self._say(IndexStatus(stage="building", done=start, total=len(ids)))
            part = ids[start : start + ROWS]
            await _upsert(index, await self.database.read(partial(vectors.rows_of, ids=part)))

    async def _probe(self, index: IndexProcess, ids: Sequence[str]) -> None:
        """Ids and vectors lie in different files, so a few vectors have to be found again. Raises IndexLost."""
        probes = ids[:: max(len(ids) // PROBES, 1)]
        for row in await self.database.read(partial(vectors.rows_of, ids=probes)):
            nearest = await index.search(row.vector, NEAREST, limit_s=PROBE_S)
            found = await self.database.read(partial(vectors.rows_of, ids=nearest))
            if row.vector not in {other.vector for other in found}:
                raise IndexLost("it does not find its own vectors")

    async def _lose(self, lost: Exception) -> None:
        """Chroma failed: a new folder is tried a few times, then this run goes on without it."""
        await self._let_go()
        self._restarts += 1
        if self._restarts > MOST_RESTARTS:
            self._given_up = str(lost)
        self._say(IndexStatus(stage="exact", reason=str(lost)))
        await asyncio.to_thread(remove_others, self.root, None)

    async def _let_go(self) -> None:
        index, self._index = self._index, None
        if index is not None:
            await index.close()

    def _say(self, status: IndexStatus) -> None:
        if status != self.status:
            self.status = status
            if self.listener is not None:
                self.listener(status)


async def _upsert(index: IndexProcess, rows: Sequence[Row]) -> None:
    vectors_ = b"".join(row.vector for row in rows)
    await index.upsert([row.id for row in rows], [row.stamp for row in rows], vectors_)
