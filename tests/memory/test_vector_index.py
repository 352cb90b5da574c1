"""The index of vectors may be lost in any way and at any time: answers stay the same, and it is built again."""

import asyncio
import os
import shutil
import signal
import stat
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memory.changes import Edit, Retract
from memory.data_dir import Home
from memory.database import Database
from memory.index_folder import folder_of, root_of
from memory.indexer import MOST_RESTARTS, Indexer, IndexStatus
from memory.preferences import Candidate
from memory.recall import MemoryRecall
from memory.sqlite_preferences import SqlitePreferences
from memory.sqlite_vectors import index_state, indexed_text, stamp_of, stamps
from memory.vector_frames import LENGTHS, frame, header_of, sizes
from memory.vector_process import IndexLost, IndexProcess
from tests.support.clock import MONDAY
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.memories import a_candidate
from tests.support.preference_stores import sqlite_preferences
from tests.support.waiting import eventually
from tests.support.which_applies import cases

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LATER = MONDAY + timedelta(hours=1)
BEBOP = a_candidate("I adore bebop", "music.taste", "bebop")
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


@pytest.fixture
async def place(home: Home) -> AsyncIterator[Place]:
    store, database = await sqlite_preferences(home.database)
    await store.learn(spoken(), actor="rules", at=MONDAY)
    yield Place(path=home.database, store=store, database=database)
    await database.close()


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


async def test_a_rebuild_can_be_stopped_and_starts_over(place: Place) -> None:
    building = asyncio.Event()

    def listen(status: IndexStatus) -> None:
        if status.stage == "building":
            building.set()

    async with place.indexer(listener=listen):
        await building.wait()
    state = await place.database.read(index_state)
    assert state is not None
    assert state.generation == 0
    async with place.indexer() as indexer:
        await indexer.settled()
        assert indexer.status.stage == "ready"
    assert len(list(place.root.iterdir())) == 1


async def test_forgetting_takes_the_folder_away_at_once_and_builds_the_next_without_it(place: Place) -> None:
    async with place.indexer() as indexer:
        await indexer.settled()
        old = await place.folder()
        one = (await place.store.search("coriander"))[0].preference
        vector = place.embedder.embed([one.statement])[0]
        await place.store.forget([one.id], at=LATER)
        assert not old.exists()
        assert one.id not in [near.id for near in await indexer.search(vector)]
        await indexer.settled()
        assert indexer.status.stage == "ready"
        new = await place.folder()
        assert new != old
        assert one.id not in [near.id for near in await indexer.search(vector)]
    assert one.id not in await in_chroma(new)
    assert not [path for path in place.root.rglob("*") if path.is_file() and vector.tobytes()[:16] in path.read_bytes()]


async def test_forgetting_during_a_rebuild_starts_it_over(place: Place) -> None:
    building = asyncio.Event()

    def listen(status: IndexStatus) -> None:
        place.seen.append(status)
        if status.stage == "building":
            building.set()

    async with place.indexer(listener=listen) as indexer:
        await building.wait()
        one = (await place.store.search("coriander"))[0].preference
        await place.store.forget([one.id], at=LATER)
        await indexer.settled()
        assert indexer.status.stage == "ready"
    assert one.id not in await in_chroma(await place.folder())


async def test_another_embedder_means_all_new_vectors(place: Place) -> None:
    async with place.indexer() as indexer:
        await indexer.settled()
    place.embedder = HashingEmbedder(dimensions=32)
    async with place.indexer(model="smaller") as indexer:
        await indexer.settled()
        assert indexer.status.stage == "ready"
        found = await indexer.search(place.embedder.embed(["vegetarian"])[0], 1)
        assert len(found) == 1
    state = await place.database.read(index_state)
    assert state is not None
    assert state.model == "smaller"


async def test_one_text_that_cannot_be_embedded_does_not_hold_up_the_others(place: Place) -> None:
    def picky(texts: Sequence[str]) -> "NDArray[np.float32]":
        if any("coriander" in text for text in texts):
            raise ValueError("no coriander here")
        return place.embedder.embed(texts)

    async with place.indexer(use_chroma=False, embed=picky) as indexer:
        await indexer.settled()
        owed = await place.database.read(lambda one: one.execute("SELECT item_id, last_error FROM outbox").fetchall())
        assert [error for _, error in owed] == ["ValueError: no coriander here"]
    async with place.indexer(use_chroma=False) as indexer:
        await indexer.settled()
    await check_in_step(place)


async def test_a_turn_never_fails_for_the_embedder(place: Place) -> None:
    broken = False

    def sometimes(texts: Sequence[str]) -> "NDArray[np.float32]":
        if broken:
            raise OSError("the model file is gone")
        return place.embedder.embed(texts)

    async with place.indexer(use_chroma=False, embed=sometimes) as indexer:
        await indexer.settled()
        broken = True
        found = await MemoryRecall(store=place.store, indexer=indexer).recall("guacamole with coriander", at=LATER)
        assert "I hate coriander" in [one.preference.statement for one in found]


async def test_without_an_indexer_words_are_enough(place: Place) -> None:
    recall = MemoryRecall(store=place.store)
    found = await recall.recall("guacamole with coriander", at=LATER)
    assert found[0].preference.statement == "I hate coriander"
    assert await recall.recall("", at=LATER) == ()
    assert await recall.recall("\x00\ud800 " * 5_000, at=LATER) == ()


async def test_a_user_of_whom_nothing_is_known_needs_no_index(home: Home) -> None:
    store, database = await sqlite_preferences(home.database)
    place = Place(path=home.database, store=store, database=database)
    async with place.indexer() as indexer:
        await indexer.settled()
        assert indexer.status == IndexStatus(stage="exact")
        assert await MemoryRecall(store=store, indexer=indexer).recall("hello", at=LATER) == ()
    assert not place.root.exists()
    await database.close()


@pytest.mark.skipif(sys.platform == "win32", reason="modes")
async def test_its_files_are_for_their_owner_and_hold_no_words(place: Place) -> None:
    umask = os.umask(0)
    try:
        async with place.indexer() as indexer:
            await indexer.settled()
    finally:
        os.umask(umask)
    for path in (place.root, *place.root.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
        if path.is_file():
            content = path.read_bytes().lower()
            assert b"coriander" not in content
            assert b"vegetarian" not in content


STAYS_HOME = (
    sys.executable,
    "-c",
    """
import os, sys
def hear(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        os._exit(3)
sys.addaudithook(hear)
from memory.vector_index import main
main()
""",
)


async def test_it_never_reaches_for_the_network(place: Place) -> None:
    async with place.indexer(command=STAYS_HOME) as indexer:
        await indexer.settled()
        assert indexer.status.stage == "ready"
        await place.answers(indexer)
        assert indexer._index is not None
        assert indexer._index.alive


async def test_this_process_does_not_import_chroma(place: Place) -> None:
    async with place.indexer() as indexer:
        await indexer.settled()
    assert "chromadb" not in sys.modules


async def test_closing_leaves_no_process(place: Place) -> None:
    async with place.indexer() as indexer:
        await indexer.settled()
        assert indexer._index is not None
        process = indexer._index._process
    assert process.returncode is not None


# --- frames --------------------------------------------------------------------------------------------------


def test_a_frame_says_how_long_it_is() -> None:
    made = frame({"do": "search", "limit": 3}, b"1234")
    head, body = sizes(made[: LENGTHS.size])
    assert header_of(made[LENGTHS.size :][:head]) == {"do": "search", "limit": 3}
    assert made[LENGTHS.size + head :] == b"1234"
    assert body == 4


@pytest.mark.parametrize("lengths", [b"Welcome!", LENGTHS.pack(0, 0), LENGTHS.pack(2**31, 0), LENGTHS.pack(9, 2**31)])
def test_what_is_no_frame_is_refused(lengths: bytes) -> None:
    with pytest.raises(ValueError, match="a frame of"):
        sizes(lengths)


async def test_a_question_it_does_not_know_is_an_error_not_an_end(tmp_path: Path) -> None:
    index = await IndexProcess.start(tmp_path / "g")
    with pytest.raises(IndexLost, match="no such question"):
        await index._ask({"do": "dance"})
    assert dict(await index.stamps()) == {}
    await index.close()
    with pytest.raises(IndexLost):
        await index.stamps()
