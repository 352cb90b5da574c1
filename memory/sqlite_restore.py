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

from memory.backup_names import BEFORE_RESTORE, name_of
from memory.backups import Backups
from memory.data_dir import Home, make_private_file, make_private_folder, sync_file, sync_folder
from memory.database import COMPANIONS, check_header, connect, damaged, is_missing, own_errors, remove_with_companions
from memory.errors import HomeUnusable, SchemaTooNew, StoreDamaged, StoreError
from memory.index_folder import remove_others, root_of
from memory.migrations import MIGRATIONS, check_identity
from memory.sqlite_backup import SHOWN, Contents, check_copy, contents_of

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


def examine_backup(source: Path) -> Contents:
    """What it holds. Changes nothing. Raises StoreDamaged, SchemaTooNew, HomeUnusable."""
    with own_errors(source):
        _check_source(source)
        return check_copy(source)


def preview(home: Home, source: Path) -> Preview:
    """What would come and what would go. Changes nothing. Raises StoreError about the backup only."""
    held = examine_backup(source)
    newer: dict[str, int] = {}
    titles: tuple[str, ...] = ()
    now: Contents | None = None
    unreadable = ""
    try:
        with own_errors(home.database):
            if not is_missing(home.database):
                check_header(home.database)
                now, newer, titles = _compare(home.database, source)
    except StoreError as error:
        unreadable = error.message
    return Preview(backup=held, now=now, unreadable=unreadable, newer=MappingProxyType(newer), titles=titles)


def restore(home: Home, source: Path, at: datetime) -> Restored:
    """Raises StoreError; then the history is what it was."""
    held = examine_backup(source)
    beside = home.data / ".steward.db.restored"
    with own_errors(home.database):
        remove_with_companions(beside)
        make_private_file(beside)
        try:
            shutil.copyfile(source, beside)
            check_copy(beside, held)
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


def _check_source(source: Path) -> None:
    check_header(source)
    for suffix in COMPANIONS:
        beside = source.with_name(source.name + suffix)
        if beside.exists() and beside.stat().st_size:
            raise HomeUnusable(
                f"{source} is a database in use: {beside.name} lies beside it.",
                "Copy it with `steward --home DIR backup FILE`, and restore that.",
            )
    connection = sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    try:
        check_identity(connection, source, newest=MIGRATIONS[-1].number)
    except SchemaTooNew as error:
        raise SchemaTooNew(
            error.message.replace("The history", "The backup"), "Nothing was changed. Update Steward first."
        ) from error
    finally:
        connection.close()


def _compare(current: Path, backup: Path) -> tuple[Contents, dict[str, int], tuple[str, ...]]:
    connection = connect(current, "ro")
    try:
        check_identity(connection, current)
        (result,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if result != "ok":
            raise damaged(current, result)
        connection.execute("ATTACH ? AS backup", (f"{backup.absolute().as_uri()}?mode=ro&immutable=1",))
        theirs = {name for (name,) in connection.execute("SELECT name FROM backup.sqlite_schema")}
        now = contents_of(connection)
        newer = {
            table: _missing(connection, table, keys, known=table in theirs)
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
        check_header(home.database)
        aside, _ = Backups(home).make(BEFORE_RESTORE, at)
    except (StoreDamaged, sqlite3.DatabaseError):
        return keep_damaged(home, at)
    _empty_journal(home.database)
    return aside


def _empty_journal(database: Path) -> None:
    """Its journal must not be read as the journal of the file that comes. Raises HomeUnusable while somebody reads."""
    connection = connect(database, "rw")
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
