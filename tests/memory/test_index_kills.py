"""kill -9 between commit and indexing: it converges, and nothing ended or forgotten is ever found.

STEWARD_INDEX_KILLS sets how often (a night: 200).
"""

import os
import random
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from memory.data_dir import Home
from memory.database import Database
from memory.index_folder import folder_of, root_of
from memory.indexer import Indexer
from memory.preferences import Preference, PreferenceId
from memory.recall import MemoryRecall
from memory.sqlite_vectors import index_state, indexed_text, stamp_of, stamps
from memory.vector_process import IndexProcess
from tests.support.clock import MONDAY
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.preference_stores import sqlite_preferences
from tests.support.store_oracle import verify

KILLS = int(os.environ.get("STEWARD_INDEX_KILLS", "20"))
CHROMA_EVERY = 5  # it takes a second to start; the others test the same outbox with exact search

pytestmark = [
    pytest.mark.crash,
    pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals"),
    pytest.mark.timeout(1_800),
]


def lived(path: Path, seed: int, mode: str) -> dict[str, str]:
    """Runs one life and ends it at a random moment. What was said last of each item."""
    command = [sys.executable, "-m", "tests.support.index_driver", str(path), str(seed), mode]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline()]
        assert lines[0]
        deadline = time.monotonic() + random.Random(seed).uniform(0.0, 2.0 if mode == "chroma" else 0.4)
        while time.monotonic() < deadline:
            lines.append(process.stdout.readline())
        process.kill()
        lines += process.stdout.readlines()
    said: dict[str, str] = {}
    for line in lines:
        what, _, id = line.strip().partition(" ")
        if id:
            said[id] = what
    return said


async def unlike(database: Database, active: Mapping[PreferenceId, Preference]) -> set[str]:
    """Items whose vector is missing or old, and vectors of what is not active (any more)."""
    wanted: dict[str, str] = {id: stamp_of("hashing", indexed_text(one)) for id, one in active.items()}
    held: dict[str, str] = dict(await database.read(stamps))
    return {id for id in wanted.keys() | held.keys() if wanted.get(id) != held.get(id)}


async def check(path: Path, mode: str, said: dict[str, str], forgotten: set[str]) -> None:
    """Everything acknowledged holds; after settling the index holds the active items and nothing else."""
    store, database = await sqlite_preferences(path)
    items = {one.id: one for one in await store.list(limit=100_000)}
    active = {id: one for id, one in items.items() if one.status == "active"}
    forgotten |= {id for id, what in said.items() if what == "forgot"}
    assert not forgotten & items.keys()
    embedder = HashingEmbedder()
    indexer = Indexer(
        database=database, root=root_of(path), embed=embedder.embed, model="hashing", use_chroma=mode == "chroma"
    )
    recall = MemoryRecall(store=store, indexer=indexer)
    indexer.start()
    early = await recall.recall("which number or edition do I like", at=MONDAY)
    await indexer.settled()
    late = await recall.recall("which number or edition do I like", at=MONDAY)
    assert {one.preference.id for one in (*early, *late)} <= active.keys()
    assert await unlike(database, active) == set()
    await indexer.close()
    if mode == "chroma" and active:
        assert indexer.status.stage == "ready"
        state = await database.read(index_state)
        assert state is not None
        index = await IndexProcess.start(folder_of(root_of(path), state.generation))
        assert dict(await index.stamps()) == dict(await database.read(stamps))
        await index.close()
    await database.close()


async def test_killed_at_any_moment_it_converges(home: Home) -> None:
    forgotten: set[str] = set()
    counted = 0
    for life in range(KILLS):
        mode = "chroma" if life % CHROMA_EVERY == CHROMA_EVERY - 1 else "exact"
        said = lived(home.database, life, mode)
        counted += len(said)
        await check(home.database, mode, said, forgotten)
    verify(home.database)
    assert counted > KILLS
    assert forgotten


async def test_an_index_that_lags_or_holds_what_is_gone_is_noticed(home: Home) -> None:
    """The control: the same look at an index that misses a vector, or has one too many."""
    said = lived(home.database, 1, "exact")
    await check(home.database, "exact", said, set())
    store, database = await sqlite_preferences(home.database)
    active = {one.id: one for one in await store.list(limit=100_000) if one.status == "active"}
    assert await unlike(database, active) == set()
    gone = next(iter(active))
    left = {id: one for id, one in active.items() if id != gone}
    assert await unlike(database, left) == {gone}
    await database.write(lambda connection: connection.execute("DELETE FROM vector").rowcount)
    assert await unlike(database, active) == active.keys()
    await database.close()
