"""The encrypted database behaves as the one in the clear, errors included, and no word can be read on the disk."""

import sqlite3
from pathlib import Path

import pytest
from sqlcipher3 import dbapi2

from memory import sqlite_driver
from memory.backups import Backups
from memory.data_dir import Home
from memory.database import Database, own_errors
from memory.errors import (
    EncryptionMissing,
    HomeLocked,
    HomeUnusable,
    SchemaTooNew,
    StoreDamaged,
    StoreError,
    StoreFull,
)
from memory.home_key import Key, WrongKey, opened_with, sealed_for
from memory.key_file import keep_with_passphrase
from memory.migrations import MIGRATIONS, migrate
from memory.sqlite_backup import check_copy, contents_of
from memory.sqlite_cipher import as_python_says, code_of
from memory.sqlite_export import copy_with_key
from memory.sqlite_restore import preview, restore
from memory.sqlite_transcript import SqliteTranscript
from tests.memory.test_migrations import NEXT, ONE_FAILS, ONE_MORE, lay_out, read_version, schema_file
from tests.support.builders import kept_talk
from tests.support.clock import MONDAY
from tests.support.locked_homes import KEY, OTHER, PASSPHRASE, found_in, stretch_little, with_key

NEWEST = MIGRATIONS[-1].number
ERRORS = [
    (dbapi2.OperationalError("database or disk is full"), sqlite3.SQLITE_FULL, sqlite3.OperationalError),
    (dbapi2.DatabaseError("database disk image is malformed"), sqlite3.SQLITE_CORRUPT, sqlite3.DatabaseError),
    (dbapi2.DatabaseError("file is not a database"), sqlite3.SQLITE_NOTADB, sqlite3.DatabaseError),
    (
        dbapi2.OperationalError("attempt to write a readonly database"),
        sqlite3.SQLITE_READONLY,
        sqlite3.OperationalError,
    ),
    (dbapi2.OperationalError("unable to open database file"), sqlite3.SQLITE_CANTOPEN, sqlite3.OperationalError),
    (dbapi2.OperationalError("disk I/O error"), sqlite3.SQLITE_IOERR, sqlite3.OperationalError),
    (dbapi2.OperationalError("database is locked"), sqlite3.SQLITE_BUSY, sqlite3.OperationalError),
    (dbapi2.OperationalError("database table is locked"), sqlite3.SQLITE_LOCKED, sqlite3.OperationalError),
    (dbapi2.IntegrityError("UNIQUE constraint failed: a.b"), sqlite3.SQLITE_CONSTRAINT, sqlite3.IntegrityError),
    (dbapi2.OperationalError("near nonsense"), sqlite3.SQLITE_ERROR, sqlite3.OperationalError),
]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    stretch_little(monkeypatch)


@pytest.fixture
def locked(home: Home) -> Home:
    """An encrypted home in which nothing was kept yet."""
    keep_with_passphrase(home, KEY, PASSPHRASE)
    return with_key(home)


async def talk(home: Home, *words: str, key: Key | None = KEY) -> None:
    transcript = SqliteTranscript(await Database.open(home.database, key=key))
    await kept_talk(transcript, words or ("canary-one", "canary-two"), title="canary-title")
    await transcript.close()


async def said(home: Home, key: Key | None = KEY) -> list[str]:
    async with await Database.open(home.database, key=key) as database:
        found = await database.read(lambda connection: connection.execute("SELECT content FROM message").fetchall())
    return [text for (text,) in found]


@pytest.mark.parametrize(("error", "code", "kind"), ERRORS, ids=lambda value: str(value)[:24])
def test_an_error_without_a_code_is_told_by_its_words(
    error: dbapi2.Error, code: int, kind: type[sqlite3.Error]
) -> None:
    assert code_of(error) == code
    told = as_python_says(error)
    assert type(told) is kind
    assert told.sqlite_errorcode == code
    assert str(told) == str(error)


def test_a_code_wins_over_the_words() -> None:
    error = dbapi2.OperationalError("database is locked")
    error.sqlite_errorcode = sqlite3.SQLITE_FULL
    assert code_of(error) == sqlite3.SQLITE_FULL


@pytest.mark.parametrize(("error", "code", "kind"), ERRORS[:7], ids=lambda value: str(value)[:24])
def test_what_the_library_says_becomes_what_the_user_reads(
    tmp_path: Path, error: dbapi2.Error, code: int, kind: type[sqlite3.Error]
) -> None:
    wanted = {
        sqlite3.SQLITE_FULL: StoreFull,
        sqlite3.SQLITE_CORRUPT: StoreDamaged,
        sqlite3.SQLITE_NOTADB: StoreDamaged,
    }.get(code, HomeUnusable)
    with pytest.raises(wanted), own_errors(tmp_path / "steward.db"):
        raise as_python_says(error)


async def test_a_full_database_is_full_and_not_damaged(locked: Home) -> None:
    await talk(locked)
    async with await Database.open(locked.database, key=KEY) as database:
        await database.run(lambda connection: connection.execute("PRAGMA max_page_count=1").fetchone())
        with pytest.raises(StoreFull):
            await database.write(
                lambda connection: connection.execute("CREATE TABLE more AS SELECT zeroblob(400000) AS x")
            )
    assert await said(locked) == ["canary-one", "canary-two"]


async def test_an_error_in_the_middle_of_a_table_is_ours_too(locked: Home) -> None:
    """Rows come one by one, and the damaged page is met half way."""
    await talk(locked, *(f"message {number} " * 200 for number in range(60)))
    whole = bytearray(locked.database.read_bytes())
    for page in range(12, len(whole) // 4096):
        whole[page * 4096 + 100] ^= 1
    locked.database.write_bytes(whole)
    connection = sqlite_driver.connect(locked.database, "ro", KEY)
    try:
        with pytest.raises(sqlite3.DatabaseError) as caught:
            for _ in connection.execute("SELECT * FROM message"):
                pass
    finally:
        connection.close()
    assert caught.value.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOTADB)


async def test_nothing_can_be_read_in_any_file_while_it_is_open(locked: Home) -> None:
    database = await Database.open(locked.database, key=KEY)
    transcript = SqliteTranscript(database)
    await kept_talk(transcript, ["canary-one", "canary-two"], title="canary-title")
    log = locked.database.with_name("steward.db-wal")
    assert log.stat().st_size > 4096
    assert found_in([locked.data], ["canary-", "SQLite format", "CREATE TABLE"]) == {}
    beside = await SqliteTranscript.open_reading(locked.database, KEY)
    assert [session.title for session in await beside.sessions()] == ["canary-title"]
    await beside.close()
    await transcript.close()
    assert found_in([locked.data], ["canary-", "SQLite format", "CREATE TABLE"]) == {}


async def test_in_the_clear_the_same_is_found(home: Home) -> None:
    await talk(home, key=None)
    assert set(found_in([home.data], ["canary-one", "canary-title"])) == {"steward.db"}


@pytest.mark.parametrize("number", range(1, NEWEST))
async def test_every_schema_is_brought_up_to_date_encrypted(locked: Home, number: int) -> None:
    clear = locked.data / "clear.db"
    lay_out(clear, schema_file(number))
    locked.database.touch()
    copy_with_key(clear, None, locked.database, KEY)
    clear.unlink()
    async with await Database.open(locked.database, key=KEY) as database:
        assert await database.read(read_version) == NEWEST
    (kept,) = locked.backups.glob("before-schema-*.db")
    assert check_copy(kept, key=KEY).schema == number
    with pytest.raises(StoreDamaged):
        check_copy(kept)


async def test_a_step_that_fails_leaves_the_encrypted_database_as_it_was(locked: Home) -> None:
    await talk(locked)
    before = locked.database.read_bytes()
    with pytest.raises(StoreError):
        await Database.open(locked.database, migrations=ONE_FAILS, key=KEY)
    assert locked.database.read_bytes() == before
    async with await Database.open(locked.database, migrations=ONE_MORE, key=KEY) as database:
        assert await database.read(read_version) == NEXT


async def test_a_newer_encrypted_database_is_refused_without_a_write(locked: Home) -> None:
    await talk(locked)
    connection = sqlite_driver.connect(locked.database, "rw", KEY)
    connection.execute(f"PRAGMA user_version = {NEWEST + 1}")
    connection.execute("PRAGMA journal_mode=DELETE")
    connection.close()
    before = {path.name: path.read_bytes() for path in locked.data.rglob("*") if path.is_file()}
    with pytest.raises(SchemaTooNew):
        await Database.open(locked.database, key=KEY)
    assert {path.name: path.read_bytes() for path in locked.data.rglob("*") if path.is_file()} == before


async def test_a_backup_has_the_same_key_and_no_word_in_the_clear(locked: Home) -> None:
    await talk(locked)
    path, held = Backups(locked).make("by-hand", MONDAY)
    assert held.rows["message"] == 2
    assert check_copy(path, key=KEY).rows == held.rows
    assert found_in([locked.data], ["canary-"]) == {}


@pytest.mark.parametrize(("theirs", "ours"), [(None, None), (None, KEY), (KEY, None), (KEY, KEY), (OTHER, KEY)])
async def test_a_backup_of_any_key_comes_back_as_this_home_is(
    tmp_path: Path, home: Home, theirs: Key | None, ours: Key | None
) -> None:
    other = Home.resolve(str(tmp_path / "other"), {})
    other.make()
    if theirs is not None:
        keep_with_passphrase(other, theirs, PASSPHRASE)
        other = with_key(other, theirs)
    await talk(other, "from afar", key=theirs)
    path, _ = Backups(other).make("by-hand", MONDAY)
    if ours is not None:
        keep_with_passphrase(home, ours, PASSPHRASE)
        home = with_key(home, ours)
    await talk(home, "was here", key=ours)

    found = preview(home, path, theirs)
    assert found.now is not None
    assert (found.backup.rows["message"], found.newer["message"]) == (1, 1)
    done = restore(home, path, MONDAY, theirs)
    assert await said(home, ours) == ["from afar"]
    assert done.aside is not None
    assert check_copy(done.aside, key=ours).rows["message"] == 1


async def test_a_backup_of_another_key_is_named_and_nothing_is_changed(tmp_path: Path, locked: Home) -> None:
    await talk(locked)
    other = Home.resolve(str(tmp_path / "other"), {})
    other.make()
    keep_with_passphrase(other, OTHER, PASSPHRASE)
    other = with_key(other, OTHER)
    await talk(other, key=OTHER)
    path, _ = Backups(other).make("by-hand", MONDAY)
    before = locked.database.read_bytes()
    with pytest.raises(HomeLocked, match="does not open with this key"):
        restore(locked, path, MONDAY)
    assert locked.database.read_bytes() == before


async def test_a_home_that_nobody_opened_is_locked_and_not_damaged(locked: Home, home: Home) -> None:
    await talk(locked)
    with pytest.raises(HomeLocked):
        Backups(home).make("by-hand", MONDAY)


async def test_the_library_itself_says_nothing(locked: Home, capfd: pytest.CaptureFixture[str]) -> None:
    await talk(locked)
    with pytest.raises(StoreDamaged):
        await Database.open(locked.database, key=OTHER)
    assert capfd.readouterr() == ("", "")


async def test_a_lost_key_file_is_thought_of(locked: Home) -> None:
    await talk(locked)
    with pytest.raises(StoreDamaged, match="key file is gone"):
        await Database.open(locked.database)


def test_without_the_library_the_next_step_is_said(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "memory.sqlite_cipher", None)
    monkeypatch.delattr("memory.sqlite_cipher", raising=False)
    with pytest.raises(EncryptionMissing) as caught:
        sqlite_driver.connect(home.database, "rw", KEY)
    assert caught.value.hint.endswith("pip install 'sqlcipher3>=0.6.4'")


def test_sealed_files_open_with_their_key_only() -> None:
    sealed = sealed_for(b"draft", KEY)
    assert b"draft" not in sealed
    assert sealed != sealed_for(b"draft", KEY), "one nonce for two files gives both away"
    assert opened_with(sealed, KEY) == b"draft"
    assert sealed_for(b"draft", None) == opened_with(b"draft", KEY) == b"draft"
    for key, content in ((OTHER, sealed), (None, sealed), (KEY, sealed[:-1]), (KEY, sealed[:20])):
        with pytest.raises(WrongKey):
            opened_with(content, key)


def test_a_key_says_nothing_about_itself() -> None:
    assert KEY.secret.hex() not in repr(KEY)
    assert len({KEY.of_database, KEY.fingerprint, KEY.secret.hex()}) == 3
    assert KEY.of_database != OTHER.of_database


async def test_the_key_is_changed_by_no_copy(locked: Home, tmp_path: Path) -> None:
    """Rows, schema and full text of a copy with another key are those of the original."""
    await talk(locked, *(f"walrus {number}" for number in range(50)))
    beside = tmp_path / "beside.db"
    beside.touch()
    copy_with_key(locked.database, KEY, beside, None)
    ours, theirs = sqlite_driver.connect(locked.database, "ro", KEY), sqlite_driver.connect(beside, "rw")
    try:
        schema = "SELECT type, name, sql FROM sqlite_schema ORDER BY name"
        assert ours.execute(schema).fetchall() == theirs.execute(schema).fetchall()
        assert contents_of(ours) == contents_of(theirs)
        match = "SELECT rowid FROM message_fts WHERE message_fts MATCH 'walrus' ORDER BY rowid"
        assert ours.execute(match).fetchall() == theirs.execute(match).fetchall() != []
        migrate(theirs, MIGRATIONS, backups=tmp_path)
    finally:
        ours.close()
        theirs.close()
