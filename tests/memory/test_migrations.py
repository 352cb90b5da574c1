"""Old databases become new ones in whole steps, with a copy of the old one kept."""

import sqlite3
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memory.data_dir import Home
from memory.database import Database
from memory.errors import HomeUnusable, StoreError
from memory.migrations import MIGRATIONS, Migration
from memory.sqlite_transcript import SqliteTranscript
from tests.support.builders import kept_talk
from tests.support.store_oracle import verify

if TYPE_CHECKING:
    import sqlite_utils

NEXT = MIGRATIONS[-1].number + 1


def schema_file(number: int) -> Path:
    """A database as that schema wrote it, as SQL. The newest one needs none before the next one comes."""
    return Path(__file__).parent / "schemas" / f"{number:03}.sql"


def add_a_table(db: "sqlite_utils.Database") -> None:
    db.table("extra").create({"id": int, "text": str}, pk="id", strict=True)
    db.table("extra").insert({"id": 1, "text": "kept"})


def add_a_column(db: "sqlite_utils.Database") -> None:
    db.execute("ALTER TABLE extra ADD COLUMN due TEXT")


def fail_half_way(db: "sqlite_utils.Database") -> None:
    add_a_table(db)
    db.execute("DELETE FROM session_fts WHERE nonsense")


ONE_MORE = (*MIGRATIONS, Migration(number=NEXT, apply=add_a_table))
TWO_MORE = (*ONE_MORE, Migration(number=NEXT + 1, apply=add_a_column))
ONE_FAILS = (*MIGRATIONS, Migration(number=NEXT, apply=fail_half_way))
SECOND_FAILS = (*ONE_MORE, Migration(number=NEXT + 1, apply=fail_half_way))


@pytest.fixture
async def old(home: Home) -> bytes:
    transcript = await SqliteTranscript.open(home.database)
    await kept_talk(transcript, ["Hello", "Hi"])
    await transcript.close()
    return home.database.read_bytes()


async def version_of(home: Home, migrations: tuple[Migration, ...]) -> int:
    async with await Database.open(home.database, migrations=migrations) as database:
        return await database.read(lambda connection: read_version(connection))


def read_version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def lay_out(path: Path, schema: Path) -> None:
    connection = sqlite3.connect(path)
    connection.executescript(schema.read_text("utf-8"))
    connection.close()


def state_of(path: Path) -> tuple[int, list[str], int]:
    connection = sqlite3.connect(path)
    try:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema ORDER BY name")]
        (messages,) = connection.execute("SELECT count(*) FROM message").fetchone()
        return read_version(connection), names, messages
    finally:
        connection.close()


def test_the_steps_are_numbered_without_a_gap() -> None:
    assert [migration.number for migration in MIGRATIONS] == list(range(1, len(MIGRATIONS) + 1))


async def test_a_new_home_takes_every_step_and_needs_no_copy(home: Home) -> None:
    assert await version_of(home, TWO_MORE) == NEXT + 1
    assert not home.backups.exists()


@pytest.mark.usefixtures("old")
async def test_an_old_database_is_brought_up_and_a_copy_kept(home: Home) -> None:
    before = state_of(home.database)
    assert await version_of(home, TWO_MORE) == NEXT + 1
    assert state_of(home.database)[2] == before[2]
    (copy,) = home.backups.iterdir()
    assert copy.name == f"before-schema-{NEXT + 1}.db"
    assert state_of(copy) == before
    verify(copy)
    verify(home.database)
    if sys.platform != "win32":
        assert stat.S_IMODE(copy.stat().st_mode) == 0o600
        assert stat.S_IMODE(home.backups.stat().st_mode) == 0o700
    assert await version_of(home, TWO_MORE) == NEXT + 1
    assert len(list(home.backups.iterdir())) == 1


@pytest.mark.usefixtures("old")
async def test_a_step_that_fails_leaves_the_schema_before_it(home: Home) -> None:
    before = state_of(home.database)
    for attempt in (1, 2):
        with pytest.raises(StoreError):
            await version_of(home, ONE_FAILS)
        assert state_of(home.database) == before
        assert len(list(home.backups.iterdir())) == attempt
    verify(home.database)


@pytest.mark.usefixtures("old")
async def test_steps_before_a_failing_one_hold(home: Home) -> None:
    with pytest.raises(StoreError):
        await version_of(home, SECOND_FAILS)
    version, names, messages = state_of(home.database)
    assert (version, messages) == (NEXT, 2)
    assert "extra" in names
    assert await version_of(home, TWO_MORE) == NEXT + 1


async def test_a_new_home_whose_steps_fail_is_not_made(home: Home) -> None:
    with pytest.raises(StoreError):
        await version_of(home, ONE_FAILS)
    assert list(home.data.iterdir()) == []


async def test_without_a_copy_nothing_is_changed(home: Home, old: bytes) -> None:
    home.backups.write_text("a file where the folder should be")
    with pytest.raises(HomeUnusable):
        await version_of(home, ONE_MORE)
    assert home.database.read_bytes() == old


@pytest.mark.parametrize("number", [n for n in range(1, NEXT) if n < NEXT - 1 or schema_file(n).exists()])
async def test_every_schema_there_ever_was_is_brought_up(home: Home, number: int) -> None:
    lay_out(home.database, schema_file(number))
    _, _, messages = state_of(home.database)
    transcript = await SqliteTranscript.open(home.database)
    (found,) = await transcript.search("walrus")
    assert found.message.content == "A walrus, 海象 🦭\ufffd"
    assert len(await transcript.path(found.session.id)) == 2
    assert len(await transcript.siblings(found.message.id)) == 2
    await transcript.close()
    assert state_of(home.database)[2] == messages
    verify(home.database)
