"""Wires memory: the store of preferences, the embedder, the index, and the recall that ranks with them.

The embedder is loaded when something is remembered and its files are here, in the background; without them recall goes
by words and domains.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assistant.later import later

if TYPE_CHECKING:
    from pathlib import Path

    from assistant.ports import Recall
    from memory.data_dir import Home
    from memory.database import Database
    from memory.indexer import Embed, Indexer
    from memory.preference_store import PreferenceStore
    from models.embedder import MiniLmEmbedder


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """`indexer` None: there is no embedder here, or nobody searches in this run."""

    preferences: PreferenceStore
    ranking: Recall
    indexer: Indexer | None = None


@asynccontextmanager
async def remembering(
    home: Home, database: Database, embedder: MiniLmEmbedder, *, search: bool
) -> AsyncIterator[Memory]:
    """Memory of `home`; vectors of an encrypted one are searched in memory only. `search`: questions will be asked, so
    the index is kept in step; else what changes is written down for the next run that searches."""
    import asyncio

    from memory.key_file import is_encrypted

    here = search and await asyncio.to_thread(lambda: embedder.available)
    if not here:
        preferences = later(lambda: _preferences(database, home))
        yield Memory(preferences=preferences, ranking=later(lambda: _recall(preferences)))
        return
    from memory.index_folder import root_of
    from memory.indexer import Indexer
    from models.embedder import NAME

    in_memory = await asyncio.to_thread(is_encrypted, home)  # Chroma keeps its vectors in files, in the clear
    indexer = Indexer(
        database=database, root=root_of(home.database), embed=embedder.embed, model=NAME, use_chroma=not in_memory
    )

    def changed() -> None:
        indexer.start()
        indexer.wake()

    preferences = _preferences(database, home, changed)
    if await preferences.count():
        indexer.start()
    try:
        yield Memory(preferences=preferences, ranking=_recall(preferences, indexer), indexer=indexer)
    finally:
        await indexer.close()


def _preferences(database: Database, home: Home, changed: Callable[[], None] | None = None) -> PreferenceStore:
    from memory.sqlite_preferences import SqlitePreferences

    return SqlitePreferences(database, on_change=changed, on_forget=lambda: drop_prefix_states(home))


def _recall(preferences: PreferenceStore, indexer: Indexer | None = None) -> Recall:
    from memory.recall import MemoryRecall

    return MemoryRecall(store=preferences, indexer=indexer)


@asynccontextmanager
async def recalling(
    preferences: PreferenceStore, database: Database, folder: Path, embed: Embed | None
) -> AsyncIterator[Recall]:
    """The same recall over a store that is filled already, ready when it is given; exact search instead of Chroma."""
    if embed is None:
        yield _recall(preferences)
        return
    from memory.indexer import Indexer
    from models.embedder import NAME

    indexer = Indexer(database=database, root=folder / "index", embed=embed, model=NAME, use_chroma=False)
    indexer.start()
    try:
        await indexer.settled()
        yield _recall(preferences, indexer)
    finally:
        await indexer.close()


def drop_index(path: Path) -> None:
    """After a forget without the indexer: no vector stays on the disk; the next run that searches builds it anew."""
    from memory.index_folder import remove_others, root_of

    remove_others(root_of(path), None)


def drop_prefix_states(home: Home) -> None:
    """After a forget: evaluated prompt beginnings may have held the words; the next start reads its prompt anew."""
    for state in home.prefix_states.glob("*"):
        state.unlink(missing_ok=True)
