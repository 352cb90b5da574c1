"""kill -9 between any two statements of an update, from every schema there ever was: nothing is lost, nothing is half.

STEWARD_KILL_EVERY sets the distance of the kills in statements (a night: 1).
"""

import asyncio
import os
import signal
import sqlite3
import sys
from itertools import count
from pathlib import Path

import pytest

from memory.data_dir import Home
from memory.database import Database
from memory.errors import SchemaTooNew
from memory.migrations import MIGRATIONS
from tests.memory.test_migrations import lay_out, schema_file
from tests.support.store_oracle import verify

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forks and POSIX signals")

NEWEST = MIGRATIONS[-1].number
OLD = [number for number in range(1, NEWEST) if schema_file(number).exists()]
EVERY = int(os.environ.get("STEWARD_KILL_EVERY", "41"))


def content_of(path: Path) -> tuple[int, list[tuple[object, ...]]]:
    connection = sqlite3.connect(path)
    try:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        return version, connection.execute(
            "SELECT id, session_id, parent_id, content FROM message ORDER BY id"
        ).fetchall()
    finally:
        connection.close()


def opened_until(path: Path, statement: int) -> bool:
    """In a child that is killed before its statement of this number. Whether it had so many."""
    child = os.fork()
    if child == 0:
        _open_and_die(path, statement)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)


def _open_and_die(path: Path, statement: int) -> None:
    connect, numbers = sqlite3.connect, count(1)

    def traced(*args: object, **options: object) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*args, **options)  # type: ignore[call-overload]  # passed on
        connection.set_trace_callback(lambda _: die(next(numbers)))
        return connection

    def die(number: int) -> None:
        if number == statement:
            os.kill(os.getpid(), signal.SIGKILL)

    sqlite3.connect = traced  # type: ignore[assignment]  # in the child only

    async def open_it() -> None:
        await (await Database.open(path)).close()

    asyncio.run(open_it())


@pytest.mark.parametrize("number", OLD)
def test_a_kill_leaves_whole_steps_and_the_next_start_goes_on(tmp_path: Path, number: int) -> None:
    for attempt, statement in enumerate(count(1 + number % EVERY, EVERY)):
        home = Home.resolve(str(tmp_path / str(attempt)), {})
        home.make()
        lay_out(home.database, schema_file(number))
        _, before = content_of(home.database)
        was_killed = opened_until(home.database, statement)
        version, after = content_of(home.database)
        assert number <= version <= NEWEST
        assert after == before
        if version > number:
            (kept,) = home.backups.glob("before-schema-*.db")
            assert content_of(kept) == (number, before)
        assert not opened_until(home.database, 1_000_000)
        assert content_of(home.database) == (NEWEST, before)
        verify(home.database)
        if not was_killed:
            break
    assert attempt > 2, "no statement was killed"


@pytest.mark.parametrize("ahead", [1, 2, 1_000])
async def test_a_newer_database_is_refused_without_a_write(home: Home, ahead: int) -> None:
    async with await Database.open(home.database):
        pass
    connection = sqlite3.connect(home.database)
    connection.execute(f"PRAGMA user_version = {NEWEST + ahead}")
    connection.execute("PRAGMA journal_mode=DELETE")
    connection.close()
    before = {path.name: path.read_bytes() for path in home.data.rglob("*") if path.is_file()}
    with pytest.raises(SchemaTooNew, match=f"schema {NEWEST + ahead}; this one knows {NEWEST}"):
        await Database.open(home.database)
    after = {path.name: path.read_bytes() for path in home.data.rglob("*") if path.is_file()}
    assert after == before


@pytest.mark.parametrize("number", OLD)
def test_a_message_that_is_lost_on_the_way_is_noticed(tmp_path: Path, number: int) -> None:
    """The control: the same look at a database from which the last message is gone."""
    home = Home.resolve(str(tmp_path), {})
    home.make()
    lay_out(home.database, schema_file(number))
    _, before = content_of(home.database)
    connection = sqlite3.connect(home.database)
    connection.execute("DELETE FROM message WHERE id = (SELECT max(id) FROM message)")
    connection.commit()
    connection.close()
    assert len(before) > 1
    assert content_of(home.database)[1] == before[:-1]
