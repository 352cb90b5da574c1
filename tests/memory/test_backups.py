"""Backups are complete, checked, private, and come back; what was there before is kept."""

import shutil
import sqlite3
import stat
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from memory.backups import Backups
from memory.data_dir import Home
from memory.database import Database
from memory.errors import HomeUnusable, NotFound, SchemaTooNew, StoreDamaged, StoreError
from memory.migrations import MIGRATIONS
from memory.sqlite_backup import copy_whole
from memory.sqlite_restore import preview, restore
from memory.sqlite_transcript import SqliteTranscript
from tests.support.builders import kept_talk
from tests.support.clock import MONDAY
from tests.support.damage import corpus
from tests.support.small_disk import on_a_small_disk
from tests.support.store_oracle import verify

LATER = MONDAY + timedelta(days=1)


def dump(path: Path) -> list[str]:
    connection = sqlite3.connect(path)
    try:
        return list(connection.iterdump())
    finally:
        connection.close()


async def talk(home: Home, *contents: str) -> None:
    transcript = await SqliteTranscript.open(home.database)
    await kept_talk(transcript, list(contents))
    await transcript.close()


@pytest.mark.usefixtures("open_umask")
async def test_a_backup_holds_everything_and_is_private(home: Home) -> None:
    await talk(home, "Hello", "Hi")
    path, held = Backups(home).make("by-hand", MONDAY)
    assert path.name == "by-hand-2026-03-02T090000Z.db"
    assert (held.rows["session"], held.rows["message"]) == (1, 2)
    assert dump(path) == dump(home.database)
    verify(path)
    assert [one.name for one in path.parent.iterdir()] == [path.name]
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


async def test_a_copy_of_the_file_alone_is_found_out(home: Home, tmp_path: Path) -> None:
    """The control: what is still in the journal is missing from it."""
    transcript = await SqliteTranscript.open(home.database)
    await kept_talk(transcript, ["Hello", "Hi"])
    naive = tmp_path / "naive.db"
    shutil.copy(home.database, naive)
    path, held = Backups(home).make("by-hand", MONDAY)
    await transcript.close()
    assert held.rows["message"] == 2
    assert dump(path) == dump(home.database)
    assert dump(naive) != dump(home.database)


async def test_the_writer_goes_on_while_a_backup_is_made(home: Home) -> None:
    transcript = await SqliteTranscript.open(home.database)
    await kept_talk(transcript, ["before " + "x" * 3_000_000, "Hi"])
    writer = sqlite3.connect(home.database, isolation_level=None)
    steps: list[int] = []

    def write_meanwhile(done: int, total: int) -> None:
        writer.execute("UPDATE session SET title = ?", (f"changed at {done}",))
        steps.append(done)

    path, held = Backups(home).make("by-hand", MONDAY, write_meanwhile)
    writer.close()
    await transcript.close()
    assert len(steps) == len(set(steps)) > 2  # never begun anew
    assert held.rows["message"] == 2
    assert "changed" not in "".join(line for line in dump(path) if '"session"' in line)


async def test_a_backup_that_is_cut_short_leaves_nothing(home: Home) -> None:
    await talk(home, "Hello")

    def stop(done: int, total: int) -> None:
        raise InterruptedError

    with pytest.raises(StoreError):
        Backups(home).make("by-hand", MONDAY, stop)
    assert list(home.backups.iterdir()) == []


async def test_nothing_is_replaced(home: Home) -> None:
    await talk(home, "Hello")
    first, second = (Backups(home).make("by-hand", MONDAY)[0] for _ in range(2))
    assert first != second
    with pytest.raises(StoreError, match="exists already"):
        Backups(home).write(first)


def test_without_a_history_there_is_nothing_to_back_up(home: Home) -> None:
    assert Backups(home).list() == ()
    assert Backups(home).make_daily(MONDAY) is None
    with pytest.raises(NotFound):
        Backups(home).make("by-hand", MONDAY)


async def test_one_a_day_once_there_is_something(home: Home) -> None:
    await (await SqliteTranscript.open(home.database)).close()
    assert Backups(home).make_daily(MONDAY) is None  # made, and empty
    await talk(home, "Hello")
    made = [Backups(home).make_daily(MONDAY + timedelta(hours=12 * number)) for number in range(60)]
    assert sum(path is not None for path in made) == 30
    here = Backups(home).list()
    assert len(here) == 11
    assert [one.at for one in here] == sorted((one.at for one in here), reverse=True)
    for one in here:
        verify(home.backups / one.name)


@pytest.mark.parametrize("name", ["page noise 1", "cut by a twentieth", "index noise"])
async def test_a_damaged_history_makes_no_backup(home: Home, name: str) -> None:
    await talk(home, *(f"message {number} " + "walrus " * 200 for number in range(200)))
    corpus()[name](home.database)
    with pytest.raises(StoreDamaged):
        Backups(home).make("daily", MONDAY)
    assert list(home.backups.glob("*")) == []


async def test_restoring_brings_back_what_was_and_keeps_what_is(home: Home) -> None:
    await talk(home, "Hello", "Hi")
    path, _ = Backups(home).make("by-hand", MONDAY)
    before = dump(home.database)
    await talk(home, "Another", "Yes")
    later = dump(home.database)
    seen = preview(home, path)
    assert seen.newer == {"session": 1, "message": 2, "preference": 0, "reminder": 0}
    assert len(seen.titles) == 1
    assert seen.now is not None
    assert (seen.backup.rows["session"], seen.now.rows["session"]) == (1, 2)
    done = restore(home, path, LATER)
    assert dump(home.database) == before
    assert done.aside is not None
    assert dump(done.aside) == later
    verify(home.database)
    back = restore(home, done.aside, LATER)
    assert back.contents.rows["session"] == 2
    assert dump(home.database) == later


async def test_restoring_into_an_empty_home(home: Home, tmp_path: Path) -> None:
    other = Home.resolve(str(tmp_path / "other"), {})
    other.make()
    await talk(other, "Hello")
    path, _ = Backups(other).make("by-hand", MONDAY)
    assert preview(home, path).now is None
    assert restore(home, path, MONDAY).aside is None
    assert dump(home.database) == dump(other.database)


async def test_a_damaged_history_is_moved_aside_whole(home: Home) -> None:
    await talk(home, "Hello")
    path, _ = Backups(home).make("by-hand", MONDAY)
    corpus()["first page noise"](home.database)
    original = home.database.read_bytes()
    assert "cannot be read" in preview(home, path).unreadable
    done = restore(home, path, LATER)
    assert done.aside is not None
    assert (done.aside / "steward.db").read_bytes() == original
    verify(home.database)


def too_new(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {MIGRATIONS[-1].number + 1}")
    connection.close()


@pytest.mark.parametrize(
    ("harm", "error"),
    [
        (too_new, SchemaTooNew),
        (corpus()["text"], StoreDamaged),
        (corpus()["another program"], StoreDamaged),
        (corpus()["page noise 1"], StoreDamaged),
        (corpus()["journal noise"], HomeUnusable),
    ],
)
async def test_a_bad_backup_is_refused_and_nothing_changes(
    home: Home, harm: Callable[[Path], None], error: type[StoreError]
) -> None:
    await talk(home, *(f"message {number} " + "walrus " * 200 for number in range(100)))
    path, _ = Backups(home).make("by-hand", MONDAY)
    harm(path)
    before = home.database.read_bytes()
    for act in (lambda: preview(home, path), lambda: restore(home, path, LATER)):
        with pytest.raises(error):
            act()
    assert home.database.read_bytes() == before
    assert not list(home.data.glob(".steward*"))


async def test_a_backup_of_every_schema_can_be_restored(home: Home) -> None:
    for schema in sorted((Path(__file__).parent / "schemas").glob("*.sql")):
        source = home.data / f"{schema.stem}.db"
        connection = sqlite3.connect(source)
        connection.executescript(schema.read_text("utf-8"))
        connection.execute("PRAGMA journal_mode=DELETE")
        connection.close()
        held = restore(home, source, MONDAY).contents
        async with await Database.open(home.database) as database:
            query = "SELECT count(*) FROM message"
            found = await database.read(lambda connection: connection.execute(query).fetchone()[0])  # noqa: B023
        assert found == held.rows["message"] > 0
        verify(home.database)


async def test_a_read_only_reader_does_not_stop_a_backup(home: Home) -> None:
    await talk(home, "Hello")
    reader = await Database.open_read_only(home.database)
    assert reader is not None
    async with reader:
        Backups(home).make("by-hand", MONDAY)


def test_finding_one(home: Home, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no backup yet"):
        Backups(home).find("latest")
    with pytest.raises(NotFound, match="'nonsense'"):
        Backups(home).find("nonsense")
    home.backups.mkdir()
    (home.backups / "daily-2026-03-02.db").write_bytes(b"x")
    shutil.copy(home.backups / "daily-2026-03-02.db", tmp_path / "copy.db")
    for name in ("latest", "daily-2026-03-02", "daily-2026-03-02.db"):
        assert Backups(home).find(name).name == "daily-2026-03-02.db"
    assert Backups(home).find(str(tmp_path / "copy.db")) == tmp_path / "copy.db"


def test_a_copy_refuses_a_taken_name(tmp_path: Path) -> None:
    (tmp_path / "taken").write_bytes(b"")
    with sqlite3.connect(":memory:") as connection, pytest.raises(FileExistsError):
        copy_whole(connection, tmp_path / "taken")
    connection.close()


FULL_DISK = """
import asyncio, sys
from datetime import UTC, datetime
from pathlib import Path
from memory.backups import Backups
from memory.data_dir import Home
from memory.errors import StoreFull
from memory.sqlite_restore import restore
from memory.sqlite_transcript import SqliteTranscript

home, now = Home.resolve(sys.argv[1], {}), datetime.now(UTC)
home.make()

async def talk():
    transcript = await SqliteTranscript.open(home.database)
    session = await transcript.create_session(at=now, title="Talk")
    await transcript.add_user_message(session.id, None, "walrus " * 100_000, at=now)
    await transcript.close()

asyncio.run(talk())
before = home.database.read_bytes()
small, _ = Backups(home).make("by-hand", now)
for act in (lambda: Backups(home).make("daily", now), lambda: restore(home, small, now)):
    (home.data / "filler").write_bytes(b"")
    try:
        with (home.data / "filler").open("ab", buffering=0) as filler:
            while True:
                filler.write(bytes(65_536))
    except OSError:
        pass
    try:
        act()
        print("it had room")
    except StoreFull as error:
        print("full:", error.hint)
    print(sorted(path.name for path in home.backups.iterdir()) == [small.name], home.database.read_bytes() == before)
    print(sorted(path.name for path in home.data.glob(".*")))
    (home.data / "filler").unlink()
restore(home, small, now)
print("restored")
"""


def test_a_full_disk_costs_nothing(tmp_path: Path) -> None:
    place = tmp_path / "disk"
    place.mkdir()
    said = on_a_small_disk(place, FULL_DISK, megabytes=8).splitlines()
    assert [line[:5] for line in said if line.startswith(("full", "it had"))] == ["full:", "full:"]
    assert [line for line in said if line.startswith(("True", "False", "["))] == ["True True", "[]"] * 2
    assert said[-1] == "restored"
