"""Opening, refusing, reading beside an owner, and what SQLite's errors become."""

import asyncio
import sqlite3
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memory.data_dir import Home
from memory.database import Database
from memory.errors import HomeUnusable, SchemaTooNew, StoreDamaged, StoreError, StoreFull
from memory.migrations import MIGRATIONS
from memory.sqlite_transcript import SqliteTranscript
from memory.transcript_in_memory import InMemoryTranscript
from tests.support.builders import kept_talk
from tests.support.clock import MONDAY
from tests.support.small_disk import on_a_small_disk


async def a_kept_home(home: Home) -> bytes:
    """A database with a conversation in it, closed; its bytes."""
    transcript = await SqliteTranscript.open(home.database)
    await kept_talk(transcript, ["Hello", "Hi"] * 50)
    await transcript.close()
    return home.database.read_bytes()


def pragma(connection: sqlite3.Connection, name: str) -> object:
    return connection.execute(f"PRAGMA {name}").fetchone()[0]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("journal_mode", "wal"),
        ("synchronous", 2),
        ("foreign_keys", 1),
        ("secure_delete", 1),
        ("busy_timeout", 5_000),
        ("temp_store", 2),
        ("fullfsync", 1),
        ("user_version", MIGRATIONS[-1].number),
    ],
)
async def test_the_owner_writes_with_the_promised_settings(home: Home, name: str, value: object) -> None:
    async with await Database.open(home.database) as database:
        assert await database.run(lambda connection: pragma(connection, name)) == value


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX modes")
async def test_every_file_of_the_database_is_private(home: Home, open_umask: None) -> None:
    transcript = await SqliteTranscript.open(home.database)
    await kept_talk(transcript, ["Hello"])
    reader = await SqliteTranscript.open_reading(home.database)
    names = {path.name: stat.S_IMODE(path.stat().st_mode) for path in home.data.iterdir()}
    assert names == dict.fromkeys(["steward.db", "steward.db-wal", "steward.db-shm"], 0o600)
    await reader.close()
    await transcript.close()
    assert [path.name for path in home.data.iterdir()] == ["steward.db"]


async def test_what_was_kept_is_there_after_reopening(home: Home) -> None:
    await a_kept_home(home)
    transcript = await SqliteTranscript.open(home.database)
    session = await transcript.latest_session()
    assert session is not None
    assert len(await transcript.path(session.id)) == 100
    await transcript.close()


async def test_a_failing_change_is_undone_whole(home: Home) -> None:
    def half(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM session")
        raise LookupError("on purpose")

    transcript = await SqliteTranscript.open(home.database)
    await transcript.create_session(at=MONDAY)
    async with await Database.open(home.database) as database:
        with pytest.raises(LookupError):
            await database.write(half)
    assert len(await transcript.sessions()) == 1
    await transcript.close()


async def test_a_cancelled_caller_leaves_a_whole_change(home: Home) -> None:
    transcript = await SqliteTranscript.open(home.database)
    tasks = [asyncio.create_task(transcript.create_session(at=MONDAY, title="x")) for _ in range(20)]
    await asyncio.sleep(0)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    kept = await transcript.sessions()
    assert all(session.title == "x" for session in kept)
    await transcript.rename((await transcript.create_session(at=MONDAY)).id, "still works")
    await transcript.close()


async def test_after_closing_it_says_so(home: Home) -> None:
    transcript = await SqliteTranscript.open(home.database)
    await transcript.close()
    await transcript.close()
    with pytest.raises(StoreError, match="closed"):
        await transcript.sessions()


async def test_a_reader_sees_what_the_owner_keeps_and_cannot_write(home: Home) -> None:
    owner = await SqliteTranscript.open(home.database)
    reader = await SqliteTranscript.open_reading(home.database)
    session, talk = await kept_talk(owner, ["a walrus", "ok"])
    assert await reader.path(session.id) == talk
    assert [found.message for found in await reader.search("walrus")] == [talk[0]]
    with pytest.raises(HomeUnusable):
        await reader.rename(session.id, "no")
    await reader.close()
    await owner.delete_session(session.id)
    await owner.close()


@pytest.mark.parametrize("closed", [True, False], ids=["owner ended", "owner was killed"])
async def test_a_reader_without_an_owner(home: Home, closed: bool) -> None:
    script = (
        "import asyncio, os, sys; from pathlib import Path\n"
        "from memory.sqlite_transcript import SqliteTranscript\n"
        "from tests.support.builders import kept_talk\n"
        "async def main():\n"
        "    transcript = await SqliteTranscript.open(Path(sys.argv[1]))\n"
        "    await kept_talk(transcript, ['a walrus'])\n"
        f"    await transcript.close() if {closed} else os._exit(9)\n"
        "asyncio.run(main())\n"
    )
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", script, str(home.database))
    assert await process.wait() == (0 if closed else 9)
    before = home.database.read_bytes()
    reader = await SqliteTranscript.open_reading(home.database)
    assert len(await reader.search("walrus")) == 1
    await reader.close()
    assert home.database.read_bytes() == before
    if sys.platform != "win32":
        assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in home.data.iterdir())


async def test_reading_where_nothing_was_kept_makes_nothing(home: Home) -> None:
    for path in (home.database, home.data / "nowhere" / "steward.db"):
        reader = await SqliteTranscript.open_reading(path)
        assert isinstance(reader, InMemoryTranscript)
        assert await reader.sessions() == ()
        await reader.close()
    assert list(home.data.iterdir()) == []


async def test_a_newer_database_is_refused_without_a_write_and_can_be_read(home: Home) -> None:
    await a_kept_home(home)
    with sqlite3.connect(home.database) as connection:
        connection.execute("PRAGMA user_version = 1007")
        connection.execute("CREATE TABLE from_the_future(x)")
    connection.close()
    before = home.database.read_bytes()
    with pytest.raises(SchemaTooNew, match=r"schema 1007; this one knows \d") as refused:
        await SqliteTranscript.open(home.database)
    assert "Update" in refused.value.hint
    reader = await SqliteTranscript.open_reading(home.database)
    assert (await reader.sessions())[0].message_count == 100
    await reader.close()
    assert home.database.read_bytes() == before


async def test_a_newer_database_that_cannot_be_understood_is_refused_for_reading(home: Home) -> None:
    await a_kept_home(home)
    with sqlite3.connect(home.database) as connection:
        connection.execute("PRAGMA user_version = 1007")
        connection.execute("ALTER TABLE message RENAME COLUMN thought TO reasoning")
    connection.close()
    with pytest.raises(SchemaTooNew, match="another version"):
        await SqliteTranscript.open_reading(home.database)


def empty(content: bytes) -> bytes:
    return b""


def half(content: bytes) -> bytes:
    return content[: len(content) // 2]


def one_page(content: bytes) -> bytes:
    return content[:4096]


def no_header(content: bytes) -> bytes:
    return bytes(100) + content[100:]


def zero_first_page(content: bytes) -> bytes:
    return bytes(4096) + content[4096:]


def only_magic(content: bytes) -> bytes:
    return content[:16]


def garbage(content: bytes) -> bytes:
    return bytes(range(256)) * 64


def a_text_file(content: bytes) -> bytes:
    return b"this is not a database\n" * 100


def garbage_behind_a_good_header(content: bytes) -> bytes:
    return content[:100] + b"\xa5" * (len(content) - 100)


@pytest.mark.parametrize(
    "damage",
    [
        empty, half, one_page, no_header, zero_first_page, only_magic, garbage, a_text_file,
        garbage_behind_a_good_header,
    ],
)  # fmt: skip
async def test_a_damaged_database_is_said_to_be_so_and_left_alone(home: Home, damage: Callable[[bytes], bytes]) -> None:
    content = damage(await a_kept_home(home))
    home.database.write_bytes(content)
    for opening in (SqliteTranscript.open, SqliteTranscript.open_reading):
        with pytest.raises(StoreDamaged) as refused:
            await opening(home.database)
        assert str(home.database) in refused.value.message
        assert "Nothing was changed" in refused.value.hint
        assert home.database.read_bytes() == content


async def test_damage_in_the_middle_is_found_when_it_is_met(home: Home) -> None:
    content = bytearray(await a_kept_home(home))
    root = await root_page_of("message", home.database)
    content[(root - 1) * 4096 : root * 4096] = b"\xff" * 4096
    home.database.write_bytes(content)
    transcript = await SqliteTranscript.open(home.database)
    (session,) = await transcript.sessions()
    with pytest.raises(StoreDamaged):
        await transcript.path(session.id)
    await transcript.close()


async def root_page_of(table: str, path: Path) -> int:
    async with await Database.open(path) as database:
        sql = "SELECT rootpage FROM sqlite_schema WHERE name = ?"
        return int(await database.read(lambda connection: connection.execute(sql, (table,)).fetchone()[0]))


async def test_another_programs_database_is_refused_and_left_alone(home: Home) -> None:
    with sqlite3.connect(home.database) as connection:
        connection.execute("CREATE TABLE session(id)")
    connection.close()
    before = home.database.read_bytes()
    for opening in (SqliteTranscript.open, SqliteTranscript.open_reading):
        with pytest.raises(StoreDamaged, match="another program"):
            await opening(home.database)
    assert home.database.read_bytes() == before


async def test_a_lost_file_beside_its_journal_is_not_a_new_beginning(home: Home) -> None:
    transcript = await SqliteTranscript.open(home.database)
    await kept_talk(transcript, ["Hello"])
    journal = home.database.with_name("steward.db-wal")
    kept = journal.read_bytes()
    await transcript.close()
    home.database.unlink()
    journal.write_bytes(kept)
    for opening in (SqliteTranscript.open, SqliteTranscript.open_reading):
        with pytest.raises(StoreDamaged, match="it is gone"):
            await opening(home.database)
    assert journal.read_bytes() == kept


async def test_a_creation_that_was_cut_short_is_begun_again(home: Home) -> None:
    beside = home.data / "steward.db.new"
    beside.write_bytes(b"SQLite format 3\x00 and then the light went out")
    beside.with_name("steward.db.new-journal").write_bytes(b"half")
    transcript = await SqliteTranscript.open(home.database)
    await kept_talk(transcript, ["Hello"])
    await transcript.close()
    assert [path.name for path in home.data.iterdir()] == ["steward.db"]


async def test_a_folder_in_its_place_is_refused(home: Home) -> None:
    home.database.mkdir()
    with pytest.raises(HomeUnusable):
        await SqliteTranscript.open(home.database)


async def test_a_missing_folder_is_refused(home: Home) -> None:
    with pytest.raises(HomeUnusable):
        await SqliteTranscript.open(home.data / "nowhere" / "steward.db")


async def test_a_full_database_keeps_what_it_has_and_goes_on_when_there_is_room(home: Home) -> None:
    database = await Database.open(home.database)
    transcript = SqliteTranscript(database)
    session, talk = await kept_talk(transcript, ["Hello", "Hi"])
    pages = await database.run(lambda connection: pragma(connection, "page_count"))
    await database.run(lambda connection: pragma(connection, f"max_page_count={pages}"))
    with pytest.raises(StoreFull) as full:
        await transcript.add_user_message(session.id, talk[-1].id, "x" * 100_000, at=MONDAY)
    assert "disk is full" in full.value.message
    assert await transcript.path(session.id) == talk
    await database.run(lambda connection: pragma(connection, "max_page_count=1000000"))
    said = await transcript.add_user_message(session.id, talk[-1].id, "x" * 100_000, at=MONDAY)
    assert await transcript.path(session.id) == (*talk, said)
    await transcript.close()


ON_A_FULL_DISK = """
import asyncio, sys
from pathlib import Path
from memory.errors import StoreFull
from memory.sqlite_transcript import SqliteTranscript
from tests.support.clock import MONDAY
from tests.support.store_oracle import verify

async def main():
    place = Path(sys.argv[1])
    transcript = await SqliteTranscript.open(place / "steward.db")
    session = await transcript.create_session(at=MONDAY)
    kept = {}
    head, full = None, 0
    while full < 10:
        try:
            said = await transcript.add_user_message(session.id, head, f"{len(kept)} " * 2_000, at=MONDAY)
        except StoreFull:
            full += 1
            continue
        kept[said.id] = said.content
        head = said.id
    await transcript.close()
    transcript = await SqliteTranscript.open(place / "steward.db")
    assert len(await transcript.path(session.id)) == len(kept)
    (place / "ballast").unlink()
    said = await transcript.add_user_message(session.id, head, "room again", at=MONDAY)
    kept[said.id] = said.content
    assert len(await transcript.path(session.id)) == len(kept)
    await transcript.close()
    verify(place / "steward.db", kept)
    (place / "rest").write_bytes(b"x" * 100)
    print(len(kept), "kept")

Path(sys.argv[1], "ballast").write_bytes(bytes(500_000))
asyncio.run(main())

async def from_nothing():
    place = Path(sys.argv[1], "second")
    place.mkdir()
    try:
        with open(Path(sys.argv[1], "ballast"), "wb", buffering=0) as ballast:
            while True:
                ballast.write(bytes(4096))
    except OSError:
        pass
    try:
        await SqliteTranscript.open(place / "steward.db")
    except StoreFull as full:
        print(full.message)
    assert not list(place.iterdir()), list(place.iterdir())

asyncio.run(from_nothing())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux namespaces")
def test_on_a_full_disk_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    printed = on_a_small_disk(tmp_path, ON_A_FULL_DISK, megabytes=3)
    assert int(printed.split()[0]) > 10
    assert "The disk is full" in printed


async def test_a_home_that_is_a_file_is_no_empty_history(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("")
    with pytest.raises(HomeUnusable, match="a part of the path is not a folder"):
        await Database.open_read_only(tmp_path / "home" / "data" / "steward.db")


async def test_a_history_that_may_not_be_written_says_what_to_do(tmp_path: Path) -> None:
    async with await Database.open(tmp_path / "steward.db") as database:
        await database.run(lambda connection: connection.execute("PRAGMA query_only = 1"))
        with pytest.raises(HomeUnusable, match="it is read-only here") as refused:
            await database.write(lambda connection: connection.execute("CREATE TABLE t(a)"))
        assert "chmod" in refused.value.hint
