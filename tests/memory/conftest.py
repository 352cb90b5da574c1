"""Homes for tests of memory. One contract, every transcript: tests that take `transcript` run over all of them."""

import os
from collections.abc import AsyncIterator, Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from assistant.ports import Transcript
from memory.data_dir import Home
from memory.database import Database
from memory.preference_store import PreferenceStore
from memory.preferences_in_memory import InMemoryPreferences
from memory.sqlite_transcript import SqliteTranscript
from memory.transcript_in_memory import InMemoryTranscript
from tests.support.clock import MONDAY
from tests.support.index_place import Place, spoken
from tests.support.locked_homes import KEY
from tests.support.preference_stores import sqlite_preferences


def counted_ids() -> Callable[[], str]:
    """s0001, s0002, ..."""
    numbers = count(1)
    return lambda: f"s{next(numbers):04}"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home.resolve(str(tmp_path / "home"), {})
    made.make()
    return made


@pytest.fixture(params=["in_memory", "sqlite", "encrypted"])
async def transcript(request: pytest.FixtureRequest, home: Home) -> AsyncIterator[Transcript]:
    if request.param == "in_memory":
        yield InMemoryTranscript(new_id=counted_ids())
        return
    key = KEY if request.param == "encrypted" else None
    opened = SqliteTranscript(await Database.open(home.database, key=key), new_id=counted_ids())
    yield opened
    await opened.close()


@pytest.fixture(params=["in_memory", "sqlite"])
async def preferences(request: pytest.FixtureRequest, home: Home) -> AsyncIterator[PreferenceStore]:
    """One contract, every store of preferences."""
    if request.param == "in_memory":
        yield InMemoryPreferences()
        return
    store, database = await sqlite_preferences(home.database)
    yield store
    await database.close()


@pytest.fixture
async def place(home: Home) -> AsyncIterator[Place]:
    store, database = await sqlite_preferences(home.database)
    await store.learn(spoken(), actor="rules", at=MONDAY)
    yield Place(path=home.database, store=store, database=database)
    await database.close()


@pytest.fixture
def open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)
