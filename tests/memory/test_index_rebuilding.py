"""A new index: begun anew when it was stopped, when something is forgotten, and for another embedder."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memory.data_dir import Home
from memory.indexer import IndexStatus
from memory.recall import MemoryRecall
from memory.sqlite_vectors import index_state
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.index_place import LATER, Place, check_in_step, in_chroma
from tests.support.preference_stores import sqlite_preferences

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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
