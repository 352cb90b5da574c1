"""What a run that lasts does quietly: time ends what its date ended, and a store that is full stops no backup."""

import asyncio
from datetime import datetime, timedelta
from pathlib import Path

from memory.data_dir import Home
from memory.errors import StoreFull
from tests.support.clock import MONDAY, FixedClock
from tests.support.memories import a_candidate
from tests.support.preference_stores import sqlite_preferences
from tests.support.waiting import eventually
from ui.keeping import Keeper
from ui.wiring import Options, owned


async def test_what_its_date_ended_is_ended(home: Home) -> None:
    store, database = await sqlite_preferences(home.database)
    over = a_candidate("no sugar until Tuesday", object="sugar", polarity=-1, valid_to=MONDAY + timedelta(days=1))
    await store.learn([over], actor="rules", at=MONDAY)
    clock = FixedClock(MONDAY)
    keeper = Keeper(home, clock, keep_up=lambda at: store.keep_up(at=at))
    await keeper.look_at_memory()
    assert [one.status for one in await store.list()] == ["active"]
    clock.advance(timedelta(days=2))
    await keeper.look_at_memory()
    assert [one.status for one in await store.list()] == ["expired"]
    await database.close()


async def test_a_full_disk_is_no_reason_to_stop(home: Home) -> None:
    looked: list[datetime] = []

    async def full(at: datetime) -> None:
        looked.append(at)
        raise StoreFull("The disk is full.", "Make room.")

    keeper = Keeper(home, FixedClock(MONDAY), keep_up=full, first_after=0)
    running = asyncio.create_task(keeper.run())
    await eventually(lambda: looked == [MONDAY])
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_a_chat_keeps_memory_up(own_home: Path) -> None:
    async with owned(Options(home_override=str(own_home))) as services:
        assert services.keeper is not None
        now = services.clock.now()
        over = a_candidate("no sugar", object="sugar", message=None, session=None, valid_to=now - timedelta(days=1))
        await services.preferences.learn([over], actor="user", at=now - timedelta(days=2))
        assert [one.status for one in await services.preferences.list()] == ["active"]
        await services.keeper.look_at_memory()
        assert [one.status for one in await services.preferences.list()] == ["expired"]
