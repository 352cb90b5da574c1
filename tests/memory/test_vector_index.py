"""The index of vectors may be lost or broken in any way: answers stay the same, and it is built again."""

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memory.changes import Edit, Retract
from memory.indexer import MOST_RESTARTS
from memory.recall import MemoryRecall
from memory.sqlite_vectors import stamps
from memory.vector_process import IndexProcess
from tests.support.clock import MONDAY
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.index_place import LATER, Place, check_in_step, in_chroma
from tests.support.memories import a_candidate
from tests.support.waiting import eventually

BEBOP = a_candidate("I adore bebop", "music.taste", "bebop")


async def test_exact_search_and_chroma_give_the_same_answers(place: Place) -> None:
    async with place.indexer(use_chroma=False) as exact:
        await exact.settled()
        assert exact.status.stage == "exact"
        by_scan = await place.answers(exact)
    await check_in_step(place)
    assert not place.root.exists()
    async with place.indexer() as indexer:
        await indexer.settled()
        assert indexer.status.stage == "ready"
        assert await place.answers(indexer) == by_scan
    assert sum(len(answer) for answer in by_scan) > 50
    assert await in_chroma(await place.folder()) == dict(await place.database.read(stamps))


async def test_nothing_is_embedded_twice(place: Place) -> None:
    async with place.indexer(use_chroma=False) as indexer:
        await indexer.settled()
    once = sum(len(batch) for batch in place.embedder.calls)
    async with place.indexer(use_chroma=False) as indexer:
        await indexer.settled()
    assert sum(len(batch) for batch in place.embedder.calls) == once


async def test_changes_reach_the_index_while_it_runs(place: Place) -> None:
    async with place.indexer() as indexer:
        await indexer.settled()
        (jazz,) = (await place.store.learn([BEBOP], actor="rules", at=LATER)).entries
        id = jazz.deltas[0].id
        await indexer.settled()
        question = place.embedder.embed(["bebop"])[0]
        assert [near.id for near in await indexer.search(question, 1)] == [id]
        await place.store.apply([Edit(id=id, statement="I adore swing", object="swing")], actor="user", at=LATER)
        await indexer.settled()
        assert (await indexer.search(place.embedder.embed(["swing"])[0], 1))[0].id == id
        await place.store.apply([Edit(id=id, condition="when I cook")], actor="user", at=LATER)
        await indexer.settled()
        await check_in_step(place)
        await place.store.undo(at=LATER)
        await place.store.apply([Retract(id=id)], actor="user", at=LATER)
        await indexer.settled()
        assert id not in [near.id for near in await indexer.search(place.embedder.embed(["swing"])[0])]
        await place.store.undo(at=LATER)
        await indexer.settled()
        assert (await indexer.search(place.embedder.embed(["swing"])[0], 1))[0].id == id
        await check_in_step(place)
    assert await in_chroma(await place.folder()) == dict(await place.database.read(stamps))


async def test_what_waits_for_its_vector_is_found_by_its_words(place: Place) -> None:
    async with place.indexer(use_chroma=False) as indexer:
        await indexer.settled()
    async with place.indexer(use_chroma=False) as indexer:
        await indexer.settled()
        indexer._work = asyncio.Event()  # the worker sleeps from here on
        await place.store.learn([BEBOP], actor="rules", at=LATER)
        recall = MemoryRecall(store=place.store, indexer=indexer)
        found = await recall.recall("play me some bebop", at=LATER)
        assert "I adore bebop" in [one.preference.statement for one in found]


async def delete_folder(folder: Path) -> None:
    shutil.rmtree(folder)


async def truncate_files(folder: Path) -> None:
    for path in folder.rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


async def fill_with_garbage(folder: Path) -> None:
    for path in folder.rglob("*"):
        if path.is_file():
            path.write_bytes(os.urandom(path.stat().st_size))


async def put_a_foreign_index(folder: Path) -> None:
    """Another program's: other ids, another number of dimensions."""
    shutil.rmtree(folder)
    index = await IndexProcess.start(folder)
    vectors = HashingEmbedder(dimensions=8).embed(["one", "two"])
    await index.upsert(["x1", "x2"], ["s", "s"], vectors.tobytes())
    await index.close()


async def put_a_file_in_its_place(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.write_text("not a folder")


async def leave_half_of_it(folder: Path) -> None:
    """As if half the deletions and additions never came."""
    index = await IndexProcess.start(folder)
    ids = sorted(await index.stamps())
    await index.delete(ids[::2])
    vectors = HashingEmbedder().embed(["a ghost"])
    await index.upsert(["ghost"], ["s"], vectors.tobytes())
    await index.close()


@pytest.mark.parametrize(
    "damage",
    [
        delete_folder,
        truncate_files,
        fill_with_garbage,
        put_a_foreign_index,
        put_a_file_in_its_place,
        leave_half_of_it,
    ],
)
async def test_a_lost_index_costs_nothing_but_time(place: Place, damage: Callable[[Path], object]) -> None:
    async with place.indexer() as indexer:
        await indexer.settled()
        before = await place.answers(indexer)
    broken = await place.folder()
    done = damage(broken)
    assert asyncio.iscoroutine(done)
    await done
    place.seen.clear()
    async with place.indexer() as indexer:
        await eventually(lambda: indexer.router is not None)
        assert await place.answers(indexer) == before  # at once, whatever state the index is in
        await indexer.settled()
        assert indexer.status.stage == "ready"
        assert await place.answers(indexer) == before
    new = await place.folder()
    assert new != broken
    assert sorted(path.name for path in place.root.iterdir()) == [new.name]


async def test_vectors_cut_off_in_a_large_index_are_noticed(place: Place) -> None:
    """From 1,000 items on Chroma keeps vectors in files of their own."""
    many = [a_candidate(f"I like thing {n}", "other.taste", f"thing {n}", message=n % 50 + 1) for n in range(1_100)]
    await place.store.learn(many, actor="rules", at=MONDAY)
    async with place.indexer() as indexer:
        await indexer.settled()
        before = await place.answers(indexer)
    folder = await place.folder()
    files = [path for path in folder.rglob("*.bin") if path.is_file()]
    assert files
    for path in files:
        path.write_bytes(path.read_bytes()[:7])
    async with place.indexer() as indexer:
        await indexer.settled()
        assert indexer.status.stage == "ready"
        assert await place.answers(indexer) == before
    assert await place.folder() != folder


async def test_a_small_difference_is_mended_in_place(place: Place) -> None:
    async with place.indexer() as indexer:
        await indexer.settled()
    folder = await place.folder()
    index = await IndexProcess.start(folder)
    await index.delete([sorted(await index.stamps())[0]])
    await index.close()
    async with place.indexer() as indexer:
        await indexer.settled()
    assert await place.folder() == folder
    assert await in_chroma(folder) == dict(await place.database.read(stamps))


async def test_killed_while_in_use_it_is_replaced_and_nobody_notices(place: Place) -> None:
    async with place.indexer() as indexer:
        await indexer.settled()
        before = await place.answers(indexer)
        assert indexer._index is not None
        os.kill(indexer._index._process.pid, signal.SIGKILL)
        await indexer._index._process.wait()
        assert await place.answers(indexer) == before
        indexer.wake()
        await indexer.settled()
        assert indexer.status.stage == "ready"
        assert await place.answers(indexer) == before


CRASHES = (sys.executable, "-c", "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")

IS_NOT_THERE = ("/nonexistent/python",)

SPEAKS_NONSENSE = (sys.executable, "-c", "print('Welcome to the index!' * 999, flush=True); input()")

CANNOT_IMPORT_IT = (
    sys.executable,
    "-c",
    "import sys; sys.modules['chromadb'] = None; from memory.vector_index import main; main()",
)


@pytest.mark.parametrize("command", [CRASHES, IS_NOT_THERE, SPEAKS_NONSENSE, CANNOT_IMPORT_IT])
async def test_where_chroma_cannot_run_exact_search_serves(place: Place, command: tuple[str, ...]) -> None:
    async with place.indexer(use_chroma=False) as exact:
        await exact.settled()
        wanted = await place.answers(exact)
    place.seen.clear()
    async with place.indexer(command=command) as indexer:
        await indexer.settled()
        assert indexer.status.stage == "exact"
        assert indexer.status.reason
        assert await place.answers(indexer) == wanted
    assert len([status for status in place.seen if status.stage == "exact"]) <= MOST_RESTARTS + 2
