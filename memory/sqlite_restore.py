"""A backup takes the place of the history; what was there is kept aside first, whatever state it is in.

Order of the steps, so that a kill at any instant leaves the old history or the new one, and the old one always also
under backups: copy the backup beside, check it, keep the current state, rename. The caller owns the home.
"""

import contextlib
import shutil
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import MappingProxyType

from memory import sqlite_driver
from memory.backup_names import BEFORE_RESTORE, name_of
from memory.backups import Backups
from memory.data_dir import Home, make_private_file, make_private_folder, sync_file, sync_folder
from memory.database import (
    COMPANIONS,
    check_header,
    connect,
    damaged,
    is_missing,
    key_for,
    own_errors,
    remove_with_companions,
)
from memory.errors import HomeLocked, HomeUnusable, SchemaTooNew, StoreDamaged, StoreError
from memory.home_key import Key
from memory.index_folder import remove_others, root_of
from memory.key_file import key_of
from memory.migrations import MIGRATIONS, check_identity
from memory.sqlite_backup import SHOWN, Contents, check_copy, contents_of
from memory.sqlite_export import copy_with_key

MOST_TITLES = 5
_KEYS = {"session": "id", "message": "session_id, id", "preference": "id", "reminder": "id"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """`now` None: there is no history; `unreadable` says why where there is one that cannot be read."""

    backup: Contents
    now: Contents | None
    unreadable: str
    newer: Mapping[str, int]  # rows of a table that are here now and not in the backup
    titles: tuple[str, ...]  # of conversations that would go, the newest first


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    contents: Contents
    aside: Path | None  # what was here before; None when there was nothing


def examine_backup(home: Home, source: Path, key: Key | None = None) -> Contents:
    """What it holds. `key`: of the backup, where it is not that of the home. Changes nothing. Raises StoreDamaged,
    SchemaTooNew, HomeUnusable, HomeLocked for one that neither key opens."""
    with own_errors(source):
        theirs = _key_of_backup(home, source, key)
        _check_source(source, theirs)
        return check_copy(source, key=theirs)


def preview(home: Home, source: Path, key: Key | None = None) -> Preview:
    """What would come and what would go; `key` as for `examine_backup`. Changes nothing. Raises StoreError about the
    backup only."""
    held = examine_backup(home, source, key)
    newer: dict[str, int] = {}
    titles: tuple[str, ...] = ()
    now: Contents | None = None
    unreadable = ""
    try:
        with own_errors(home.database):
            if not is_missing(home.database):
                check_header(home.database, key_of(home))
                now, newer, titles = _compare(home, source, _key_of_backup(home, source, key))
    except StoreError as error:
        unreadable = error.message
    return Preview(backup=held, now=now, unreadable=unreadable, newer=MappingProxyType(newer), titles=titles)


def restore(home: Home, source: Path, at: datetime, key: Key | None = None) -> Restored:
    """What comes is encrypted as the home is, whatever the backup was. `key` as for `examine_backup`.

    Raises StoreError; then the history is what it was."""
    held = examine_backup(home, source, key)
    ours, theirs = key_of(home), _key_of_backup(home, source, key)
    beside = home.data / ".steward.db.restored"
    with own_errors(home.database):
        remove_with_companions(beside)
        make_private_file(beside)
        try:
            if ours == theirs:
                shutil.copyfile(source, beside)
            else:
                copy_with_key(source, theirs, beside, ours)
            check_copy(beside, held, key=ours)
            sync_file(beside)
            aside = _keep_current(home, at)
            beside.replace(home.database)
        except BaseException:
            remove_with_companions(beside)
            raise
        sync_folder(home.data)
        remove_others(root_of(home.database), None)  # the index is built again from what is restored
    return Restored(contents=held, aside=aside)


def keep_damaged(home: Home, at: datetime) -> Path:
    """Move a history that cannot be read, with its journal, to a folder under backups, from where nothing removes it.

    The journal goes first: a history without it is still recognised as damaged if this is cut short."""
    folder = home.backups / name_of("damaged", at)
    copies = 1
    while folder.exists():
        copies += 1
        folder = home.backups / f"{name_of('damaged', at)}-{copies}"
    with own_errors(home.database):
        make_private_folder(folder)
        for suffix in (*COMPANIONS, ""):
            path = home.database.with_name(home.database.name + suffix)
            with contextlib.suppress(FileNotFoundError):
                path.replace(folder / path.name)
        sync_folder(folder)
        sync_folder(home.data)
    return folder


def _key_of_backup(home: Home, source: Path, key: Key | None) -> Key | None:
    """None for one in the clear, whatever the home is."""
    return key_for(source, key or key_of(home))


def _check_source(source: Path, key: Key | None) -> None:
    check_header(source, key)
    for suffix in COMPANIONS:
        beside = source.with_name(source.name + suffix)
        if beside.exists() and beside.stat().st_size:
            raise HomeUnusable(
                f"{source} is a database in use: {beside.name} lies beside it.",
                "Copy it with `steward --home DIR backup FILE`, and restore that.",
            )
    connection = sqlite_driver.connect(source, "frozen", key)
    try:
        check_identity(connection, source, newest=MIGRATIONS[-1].number)
    except SchemaTooNew as error:
        raise SchemaTooNew(
            error.message.replace("The history", "The backup"), "Nothing was changed. Update Steward first."
        ) from error
    except sqlite3.DatabaseError as error:
        if key is None or error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_NOTADB:
            raise
        raise HomeLocked(
            f"{source} does not open with this key: it was encrypted with another one, or is damaged.",
            "Give the key file of the home it comes from (its data/encryption.json): --key-file FILE",
        ) from error
    finally:
        connection.close()


def _compare(home: Home, backup: Path, theirs: Key | None) -> tuple[Contents, dict[str, int], tuple[str, ...]]:
    current, ours = home.database, key_of(home)
    connection = connect(current, "ro", ours, attaching=theirs is not None)
    try:
        check_identity(connection, current)
        (result,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if result != "ok":
            raise damaged(current, result)
        sqlite_driver.attach(connection, backup, "frozen", "backup", theirs)
        there = {name for (name,) in connection.execute("SELECT name FROM backup.sqlite_schema")}
        now = contents_of(connection)
        newer = {
            table: _missing(connection, table, keys, known=table in there)
            for table, keys in _KEYS.items()
            if table in now.rows
        }
        return now, newer, _titles(connection)
    finally:
        connection.close()


def _missing(connection: sqlite3.Connection, table: str, keys: str, *, known: bool) -> int:
    mine = f"SELECT {keys} FROM main.{table}"
    query = f"{mine} EXCEPT SELECT {keys} FROM backup.{table}" if known else mine
    return int(connection.execute(f"SELECT count(*) FROM ({query})").fetchone()[0])


def _titles(connection: sqlite3.Connection) -> tuple[str, ...]:
    query = (
        "SELECT title FROM main.session WHERE id NOT IN (SELECT id FROM backup.session) "
        "ORDER BY updated_at DESC, seq DESC LIMIT ?"
    )
    return tuple(str(title) for (title,) in connection.execute(query, (MOST_TITLES,)))


def _keep_current(home: Home, at: datetime) -> Path | None:
    """A copy of a readable history, checked; a damaged one is moved. None when there is none."""
    try:
        if is_missing(home.database):
            return None
        check_header(home.database, key_of(home))
        aside, _ = Backups(home).make(BEFORE_RESTORE, at)
    except (StoreDamaged, sqlite3.DatabaseError):
        return keep_damaged(home, at)
    empty_journal(home.database, key_of(home))
    return aside


def empty_journal(database: Path, key: Key | None) -> None:
    """Its journal must not be read as the journal of the file that comes. Raises HomeUnusable while somebody reads."""
    connection = connect(database, "rw", key)
    try:
        busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    finally:
        connection.close()
    if busy:
        raise HomeUnusable("The history is being read by another Steward.", "End that one and try again.")
    for suffix in COMPANIONS:
        database.with_name(database.name + suffix).unlink(missing_ok=True)


def summary(contents: Contents) -> dict[str, int]:
    """Rows by the words of SHOWN, in its order."""
    return {words: contents.rows.get(table, 0) for table, words in SHOWN.items()}
