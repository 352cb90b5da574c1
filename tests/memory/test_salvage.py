"""Sixty damaged histories: nothing is shown as empty, the original stays, and what is still there is saved.

The controls are programs that save nothing, save half, write into the original, or begin anew where they cannot read.
STEWARD_ATTACKS=all puts every damage before them (a night).
"""

import os
import random
import shutil
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from memory.data_dir import Home
from memory.database import Database
from memory.errors import StoreDamaged, StoreError
from memory.key_file import keep_with_passphrase
from memory.migrations import MIGRATIONS, migrate
from memory.page_scan import image_of, rows_of, trees_of
from memory.sqlite_backup import SHOWN, contents_of
from memory.sqlite_driver import connect
from memory.sqlite_export import copy_with_key
from memory.sqlite_restore import restore
from memory.sqlite_salvage import Salvaged, salvage
from memory.text import moment_text
from tests.support.clock import MONDAY
from tests.support.damage import PAGE, corpus
from tests.support.locked_homes import KEY, PASSPHRASE, found_in, with_key
from tests.support.store_oracle import verify

CORPUS = corpus()
FOREIGN = {"garbage", "text", "zeros", "another program", "cut to nothing", "cut to ten bytes", "cut to one page"}
SESSIONS, MESSAGES = 120, 12
Save = Callable[[Home, datetime], Salvaged]
WHOLE_CORPUS = os.environ.get("STEWARD_ATTACKS") == "all"
SHOWN_TO_CONTROLS = list(CORPUS) if WHOLE_CORPUS else ["cut by a byte", "garbage", "header gone", "page zeroed 3"]


def fill(path: Path) -> None:
    """Conversations, long messages, memories, reminders; written by hand because it is quicker."""
    connection = sqlite3.connect(path, isolation_level=None)
    migrate(connection, MIGRATIONS, backups=path.parent)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("BEGIN")
    at, chance, id = moment_text(MONDAY), random.Random(5), 0
    for number in range(SESSIONS):
        connection.execute(
            "INSERT INTO session(id, title, created_at, updated_at) VALUES (?, ?, ?, ?)",
            (f"s{number:04}", f"Talk {number}", at, at),
        )
        for turn in range(MESSAGES):
            id += 1
            text = f"walrus {id} café 海象 " * chance.choice((1, 3, 9, 400 if id % 40 == 0 else 20))
            connection.execute(
                "INSERT INTO message(id, session_id, parent_id, role, content, origin, status, created_at) "
                "VALUES (?, ?, ?, ?, ?, ?, 'complete', ?)",
                (
                    id,
                    f"s{number:04}",
                    id - 1 if turn else None,
                    "assistant" if turn % 2 else "user",
                    text,
                    "generated" if turn % 2 else "typed",
                    at,
                ),
            )
        connection.execute("UPDATE session SET head_id = ? WHERE id = ?", (id, f"s{number:04}"))
        if number < 80:
            remember(connection, number, at)
    connection.execute("COMMIT")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def remember(connection: sqlite3.Connection, number: int, at: str) -> None:
    """A memory and a reminder, as they come while one talks."""
    connection.execute(
        "INSERT INTO preference(seq, id, kind, statement, language, domain, slot, object, subject, cardinality, "
        "polarity, strength, scope_type, scope_value, condition, source, status, sensitivity, alpha, beta, pinned, "
        "recorded_at, revision, extractor, content_hash) VALUES (?, ?, 'preference', ?, 'en', 'food', ?, ?, '', "
        "'multi', 1, 2, 'always', '', '', 'explicit', 'active', 'normal', 2.0, 1.0, 0, ?, 1, '', ?)",
        (number + 1, f"p{number}", f"Likes dish {number}", f"food.{number}", f"dish {number}", at, f"h{number}"),
    )
    connection.execute(
        "INSERT INTO reminder(id, text, kind, zone, created_at, at, floating, rule, if_missed, state, revision, "
        "changed_at) VALUES (?, ?, 'instant', 'UTC', ?, ?, 0, '', 'tell', 'active', 1, ?)",
        (f"r{number}", f"Call number {number}", at, at, at),
    )


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sound") / "steward.db"
    fill(path)
    return path


@pytest.fixture
def damaged_home(home: Home, sound: Path) -> Home:
    shutil.copy(sound, home.database)
    return home


def bytes_of(home: Home) -> dict[str, bytes]:
    """Of the history and its journal; a journal without a byte says as much as none."""
    names = ("steward.db", "steward.db-wal")
    return {name: content for name in names if (content := _read(home.data / name)) or name == "steward.db"}


def _read(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""


def counts(path: Path) -> dict[str, int]:
    connection = sqlite3.connect(path)
    try:
        held = contents_of(connection)
        return {table: held.rows[table] for table in SHOWN}
    finally:
        connection.close()


def intact_share(sound: Path, damaged: Path) -> float:
    """How many of the pages of the sound one the damaged one still has."""
    before, after = sound.read_bytes(), damaged.read_bytes()
    same = sum(before[at : at + PAGE] == after[at : at + PAGE] for at in range(0, len(before), PAGE))
    return same * PAGE / len(before)


def test_there_are_sixty() -> None:
    assert len(CORPUS) == 60


def check_saving(home: Home, sound: Path, name: str, save: Save) -> None:
    """Damages the history of `home` and has it saved: what is there comes out of it, and the original is kept."""
    CORPUS[name](home.database)
    before = bytes_of(home)
    if name in FOREIGN:
        with pytest.raises(StoreDamaged, match="No conversation, memory or reminder"):
            save(home, MONDAY)
        assert bytes_of(home) == before
        assert list(home.backups.iterdir()) == []
        return
    found = save(home, MONDAY)
    assert bytes_of(home) == before
    verify(found.path)
    wanted, saved = counts(sound), counts(found.path)
    share = intact_share(sound, home.database)
    least = 0.95 if share >= 0.8 else 0.1  # the half of the file that is kept has 15 of 106 pages of messages
    assert sum(saved.values()) >= least * sum(wanted.values()), (share, saved, wanted)
    if saved != wanted:
        assert found.lost_rows or found.bad_pages or home.database.stat().st_size < sound.stat().st_size
    restored = restore(home, found.path, MONDAY + timedelta(minutes=1))
    assert restored.aside is not None
    verify(home.database)
    assert counts(home.database) == saved


@pytest.mark.parametrize("name", CORPUS)
def test_what_is_there_is_saved_and_the_original_kept(damaged_home: Home, sound: Path, name: str) -> None:
    check_saving(damaged_home, sound, name, salvage)


def nothing_saved(home: Home, at: datetime) -> Salvaged:
    """An empty history instead of what is there."""
    path = home.backups / "salvaged.db"
    home.backups.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        migrate(connection, MIGRATIONS, backups=home.backups)
        contents = contents_of(connection)
    return Salvaged(path=path, contents=contents, lost_rows=0, bad_pages=0, pages=1, mended=0)


def half_saved(home: Home, at: datetime) -> Salvaged:
    """Without the newer half, and without a word about it."""
    found = salvage(home, at)
    with closing(sqlite3.connect(found.path, isolation_level=None)) as connection:
        connection.execute("DELETE FROM message WHERE id > (SELECT max(id) / 2 FROM message)")
        connection.execute("DELETE FROM session WHERE id NOT IN (SELECT session_id FROM message)")
        connection.execute("DELETE FROM reminder")
    return found


def mended_in_place(home: Home, at: datetime) -> Salvaged:
    found = salvage(home, at)
    shutil.copy(found.path, home.database)
    return found


WRONG: list[Save] = [nothing_saved, half_saved, mended_in_place]


@pytest.mark.parametrize(
    ("name", "save"),
    [(name, save) for name in SHOWN_TO_CONTROLS for save in (WRONG[:1] if name in FOREIGN else WRONG)],
)
def test_a_program_that_saves_less_is_found_out(damaged_home: Home, sound: Path, name: str, save: Save) -> None:
    """The control."""
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        check_saving(damaged_home, sound, name, save)


async def opened(home: Home) -> list[object]:
    """The conversations, as Steward reads them."""
    async with await Database.open(home.database) as database:
        return await database.read(lambda connection: connection.execute("SELECT id FROM session").fetchall())


async def begun_anew(home: Home) -> list[object]:
    """A program that takes what it cannot read for an empty history."""
    try:
        return await opened(home)
    except StoreError:
        for path in home.data.glob("steward.db*"):
            path.unlink()
        return await opened(home)


async def shown_as_empty(home: Home) -> list[object]:
    """Another, that leaves the file alone."""
    try:
        return await opened(home)
    except StoreError:
        return []


async def check_opening(home: Home, name: str, open_it: Callable[[Home], Awaitable[list[object]]]) -> bool:
    """Damages the history and opens it: it is refused as it is, or there is something in it. Whether it was refused."""
    CORPUS[name](home.database)
    before = bytes_of(home)
    try:
        found = await open_it(home)
    except StoreDamaged:
        return True
    except StoreError:
        assert bytes_of(home) == before
        return True
    assert found, "it is shown as empty"
    return False


@pytest.mark.parametrize("name", CORPUS)
async def test_opening_one_never_makes_it_look_empty(damaged_home: Home, name: str) -> None:
    await check_opening(damaged_home, name, opened)


@pytest.mark.parametrize("open_it", [begun_anew, shown_as_empty])
async def test_a_program_that_shows_it_as_empty_is_found_out(
    damaged_home: Home, sound: Path, open_it: Callable[[Home], Awaitable[list[object]]]
) -> None:
    """The control: found out at every damage that Steward refuses."""
    refused = 0
    for name in SHOWN_TO_CONTROLS:
        shutil.copy(sound, damaged_home.database)
        if not await check_opening(damaged_home, name, opened):
            continue
        refused += 1
        for path in damaged_home.data.glob("steward.db*"):
            path.unlink()
        shutil.copy(sound, damaged_home.database)
        with pytest.raises(AssertionError, match="empty"):
            await check_opening(damaged_home, name, open_it)
        for path in damaged_home.data.glob("steward.db*"):
            path.unlink()
    assert refused >= len(SHOWN_TO_CONTROLS) // 4


def test_the_text_of_every_saved_message_is_the_one_that_was_kept(damaged_home: Home, sound: Path) -> None:
    CORPUS["first page gone"](damaged_home.database)
    found = salvage(damaged_home, MONDAY)
    query = "SELECT id, session_id, parent_id, content FROM message ORDER BY id"
    kept, saved = (sqlite3.connect(path).execute(query).fetchall() for path in (sound, found.path))
    assert saved == kept


def test_rows_that_were_deleted_do_not_come_back(damaged_home: Home) -> None:
    connection = sqlite3.connect(damaged_home.database, isolation_level=None)
    connection.execute("PRAGMA secure_delete=ON")
    connection.execute("DELETE FROM message WHERE session_id = 's0003'")
    connection.execute("DELETE FROM session WHERE id = 's0003'")
    connection.close()
    CORPUS["header gone"](damaged_home.database)
    found = salvage(damaged_home, MONDAY)
    saved = sqlite3.connect(found.path)
    assert saved.execute("SELECT count(*) FROM message WHERE session_id = 's0003'").fetchone() == (0,)
    saved.close()


def test_what_is_only_in_the_journal_is_saved(damaged_home: Home) -> None:
    connection = sqlite3.connect(damaged_home.database, isolation_level=None)
    connection.execute("PRAGMA wal_autocheckpoint=0")
    connection.execute("UPDATE session SET title = 'Only in the journal' WHERE id = 's0007'")
    journal = damaged_home.database.with_name("steward.db-wal")
    kept = journal.read_bytes()
    connection.close()
    journal.write_bytes(kept)
    CORPUS["page zeroed 3"](damaged_home.database)
    found = salvage(damaged_home, MONDAY)
    saved = sqlite3.connect(found.path)
    assert saved.execute("SELECT title FROM session WHERE id = 's0007'").fetchone() == ("Only in the journal",)
    saved.close()


def test_the_scan_reads_what_sqlite_reads(sound: Path) -> None:
    image = image_of(sound.read_bytes())
    connection = sqlite3.connect(sound)
    (top,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'message'").fetchone()
    wanted = {row[0]: row[4] for row in connection.execute("SELECT * FROM message")}
    connection.close()
    rows = [row for leaf in trees_of(image).leaves[top] for row in rows_of(image, leaf)]
    assert {row[0]: row[1][4] for row in rows if row is not None} == wanted


@pytest.mark.parametrize("seed", range(12))
def test_the_scan_survives_any_bytes(sound: Path, seed: int) -> None:
    chance = random.Random(seed)
    whole = bytearray(sound.read_bytes()[: 40 * PAGE])
    for _ in range(2_000):
        whole[chance.randrange(len(whole))] = chance.randrange(256)
    image = image_of(bytes(whole), chance.randbytes(chance.randrange(20_000)))
    for leaves in trees_of(image).leaves.values():
        for leaf in leaves:
            list(rows_of(image, leaf))


@pytest.fixture(scope="module")
def sound_and_encrypted(sound: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("encrypted") / "steward.db"
    path.touch()
    copy_with_key(sound, None, path, KEY)
    return path


@pytest.mark.parametrize(
    "name",
    ["first page gone", "first page noise", "cut to half", "page zeroed 3", "page noise 2", "16 bytes flipped, 1"],
)
def test_a_damaged_encrypted_history_is_saved_too(tmp_path: Path, sound_and_encrypted: Path, name: str) -> None:
    home = Home.resolve(str(tmp_path / "home"), {})
    home.make()
    keep_with_passphrase(home, KEY, PASSPHRASE)
    home = with_key(home)
    home.database.write_bytes(sound_and_encrypted.read_bytes())
    CORPUS[name](home.database)
    found = salvage(home, MONDAY)
    assert found_in([home.data], ["walrus"]) == {}, "what is saved is encrypted as the home is"
    connection = connect(found.path, "ro", KEY)
    (messages,) = connection.execute("SELECT count(*) FROM message WHERE content LIKE 'walrus%'").fetchone()
    connection.close()
    assert messages >= SESSIONS * MESSAGES * (0.1 if name == "cut to half" else 0.85)
