"""A home with preferences in it and an index of their vectors, to be damaged."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from memory.database import Database
from memory.index_folder import folder_of, root_of
from memory.indexer import Indexer, IndexStatus
from memory.preferences import Candidate
from memory.recall import MemoryRecall
from memory.sqlite_preferences import SqlitePreferences
from memory.sqlite_vectors import index_state, indexed_text, stamp_of, stamps
from memory.vector_process import IndexProcess
from tests.support.clock import MONDAY
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.memories import a_candidate
from tests.support.which_applies import cases

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LATER = MONDAY + timedelta(hours=1)

QUESTIONS = tuple(case.question for case in cases("which_applies")[:50])


def spoken() -> list[Candidate]:
    """120 different things a user said."""
    return [
        a_candidate(case.preference.statement, case.preference.slot, "", case.preference.polarity, message=n % 50 + 1)
        for n, case in enumerate(cases("which_applies")[:120])
    ]


@dataclass(slots=True)
class Place:
    """A home with preferences in it, and an indexer that can be stopped and started."""

    path: Path
    store: SqlitePreferences
    database: Database
    embedder: HashingEmbedder = field(default_factory=HashingEmbedder)
    seen: list[IndexStatus] = field(default_factory=list)

    @property
    def root(self) -> Path:
        return root_of(self.path)

    @asynccontextmanager
    async def indexer(
        self,
        *,
        use_chroma: bool = True,
        model: str = "hashing",
        command: tuple[str, ...] = (),
        embed: "Callable[[Sequence[str]], NDArray[np.float32]] | None" = None,
        listener: Callable[[IndexStatus], None] | None = None,
    ) -> AsyncIterator[Indexer]:
        made = Indexer(
            database=self.database,
            root=self.root,
            embed=embed or self.embedder.embed,
            model=model,
            use_chroma=use_chroma,
            command=command,
            listener=listener or self.seen.append,
        )
        self.store.on_change = made.wake
        made.start()
        try:
            yield made
        finally:
            await made.close()
            self.store.on_change = None

    async def folder(self) -> Path:
        state = await self.database.read(index_state)
        assert state is not None
        return folder_of(self.root, state.generation)

    async def answers(self, indexer: Indexer) -> list[tuple[str, ...]]:
        recall = MemoryRecall(store=self.store, indexer=indexer)
        return [
            tuple(one.preference.statement for one in (await recall.recall(question, at=LATER))[:5])
            for question in QUESTIONS
        ]


async def check_in_step(place: Place) -> None:
    """Every active item has the vector of its words, nothing else has one, and nothing is owed."""
    active = [one for one in await place.store.list(limit=10_000) if one.status == "active"]
    wanted = {one.id: stamp_of("hashing", indexed_text(one)) for one in active}
    assert dict(await place.database.read(stamps)) == wanted
    assert await place.database.read(lambda one: one.execute("SELECT count(*) FROM outbox").fetchone()) == (0,)


async def in_chroma(folder: Path) -> dict[str, str]:
    index = await IndexProcess.start(folder)
    try:
        return dict(await index.stamps())
    finally:
        await index.close()
