"""One connection on one thread, and the only place where SQLite's errors become ours.

The owner of the home has the single writing connection (WAL, synchronous=FULL): what a call returned
is on disk. Others may open the file for reading only, beside the owner; they never write or checkpoint.
"""

import asyncio
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from memory import sqlite_driver
from memory.data_dir import make_private_file, sync_folder, unusable
from memory.errors import HomeUnusable, StoreDamaged, StoreError, StoreFull
from memory.first_bytes import first_bytes
from memory.home_key import Key
from memory.key_file import CLEAR
from memory.migrations import MIGRATIONS, Migration, check_identity, migrate

T = TypeVar("T")

COMPANIONS = ("-wal", "-shm", "-journal")
_BUSY_MS = 5_000
_ALMOST_FULL = 256 * 1024  # bytes; below this SQLite cannot even make its shared-memory file

_PRAGMAS = (
    f"busy_timeout={_BUSY_MS}",
    "foreign_keys=ON",
    "temp_store=MEMORY",  # sorting never spills private text into /tmp
    "cache_size=-8000",  # 8 MB
)
_WRITER_PRAGMAS = (
    "journal_mode=WAL",
    "synchronous=FULL",  # NORMAL loses acknowledged rows at a power cut
    "fullfsync=ON",  # macOS: fsync alone leaves the text in the drive's cache
    "checkpoint_fullfsync=ON",
    "secure_delete=ON",
    "cell_size_check=ON",
    "journal_size_limit=8388608",
)


class Database:
    """Runs functions that get the connection, one after another, away from the event loop.

    A cancelled caller does not stop a function that has begun: a transaction happens whole or not at all.
    """

    def __init__(self, path: Path, *, encrypted: bool = False) -> None:
        self._path = path
        self.encrypted = encrypted
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="steward-database")
        self._connection: sqlite3.Connection | None = None

    @classmethod
    async def open(cls, path: Path, *, migrations: tuple[Migration, ...] = MIGRATIONS, key: Key | None = None) -> Self:
        """For the owner of the home: made when missing, brought to the newest schema. `key`: of an encrypted home.

        Raises HomeUnusable, StoreFull, StoreDamaged, SchemaTooNew, EncryptionMissing; then no existing file was
        changed.
        """
        return await cls._opened(path, lambda: _connect_writer(path, migrations, key), key)

    @classmethod
    async def open_read_only(
        cls,
        path: Path,
        *,
        knows: Callable[[sqlite3.Connection], bool] = lambda connection: True,
        key: Key | None = None,
    ) -> Self | None:
        """Beside an owner, or without one; None where nothing was ever kept, or where the schema, which may be older,
        does not know what is wanted (`has_tables`). Raises HomeUnusable, StoreDamaged, what `knows` raises."""
        if await asyncio.to_thread(_translating(path, lambda: is_missing(path))):
            return None
        database = await cls._opened(path, lambda: _connect_reader(path, key), key)
        try:
            known = await database.read(knows)
        except BaseException:
            await database.close()
            raise
        if known:
            return database
        await database.close()
        return None

    @classmethod
    async def _opened(cls, path: Path, connect: Callable[[], sqlite3.Connection], key: Key | None) -> Self:
        database = cls(path, encrypted=key is not None)
        loop = asyncio.get_running_loop()
        try:
            database._connection = await loop.run_in_executor(database._executor, _translating(path, connect))
        except BaseException:
            database._executor.shutdown(wait=False)
            raise
        return database

    async def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Outside of any transaction: pragmas, checkpoints. Raises StoreError."""
        connection = self._connection
        if connection is None:
            raise StoreError("The history is closed.")
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, _translating(self._path, lambda: work(connection)))

    async def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """One consistent view of the data. Raises StoreError."""
        return await self.run(lambda connection: _in_transaction(connection, "BEGIN", work))

    async def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """One transaction: on disk when this returns, undone when it raises. Raises StoreError."""
        return await self.run(lambda connection: _in_transaction(connection, "BEGIN IMMEDIATE", work))

    async def close(self) -> None:
        """Empty the write-ahead log into the file and let go; harmless when closed already."""
        connection, self._connection = self._connection, None  # who comes from now on is told that it is closed
        if connection is None:
            return
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(self._executor, _translating(self._path, lambda: _close(connection)))
        finally:
            self._executor.shutdown(wait=False)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def has_tables(*names: str) -> Callable[[sqlite3.Connection], bool]:
    """For `open_read_only`: whether the schema has all of these tables."""
    sql = f"SELECT count(*) FROM sqlite_schema WHERE name IN ({', '.join('?' for _ in names)})"
    return lambda connection: bool(connection.execute(sql, names).fetchone()[0] == len(names))


def empty_log(connection: sqlite3.Connection) -> bool:
    """Move the write-ahead log into the file and cut it to nothing, so that no deleted text stays in it.

    False when that has to wait: a reader held an old view for longer than the busy timeout, or the disk has no
    room. What was committed is safe in the log; opening and closing try again.
    """
    try:
        busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except sqlite3.OperationalError:
        return False
    return not busy


def _in_transaction(connection: sqlite3.Connection, begin: str, work: Callable[[sqlite3.Connection], T]) -> T:
    connection.execute(begin)
    try:
        result = work(connection)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return result


def _close(connection: sqlite3.Connection) -> None:
    try:
        if not connection.execute("PRAGMA query_only").fetchone()[0]:
            empty_log(connection)
    finally:
        connection.close()


def _connect_writer(path: Path, migrations: tuple[Migration, ...], key: Key | None) -> sqlite3.Connection:
    if is_missing(path):
        _create(path, migrations, key)
    else:
        _refuse_what_is_not_ours(path, migrations, key)
    make_private_file(path)
    connection = connect(path, "rw", key)
    try:
        for pragma in _WRITER_PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")
        migrate(connection, migrations, backups=path.parent / "backups")
        empty_log(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _connect_reader(path: Path, key: Key | None) -> sqlite3.Connection:
    check_header(path, key)
    connection = connect(path, "ro", key)
    try:
        connection.execute("PRAGMA query_only=ON")
        check_identity(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def connect(
    path: Path, mode: sqlite_driver.Mode, key: Key | None = None, *, attaching: bool = False
) -> sqlite3.Connection:
    """With our pragmas. The caller closes it."""
    connection = sqlite_driver.connect(path, mode, key, attaching=attaching)
    try:
        for pragma in _PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")
    except BaseException:
        connection.close()
        raise
    return connection


def is_missing(path: Path) -> bool:
    """Whether there never was a database. A write-ahead log alone means that the file was lost, not that none was."""
    try:
        path.lstat()  # anything but "not there" is said: a home that is a file, a folder that may not be entered
    except FileNotFoundError:
        pass
    else:
        return False
    log = path.with_name(path.name + "-wal")
    if log.exists() and log.stat().st_size > 0:
        raise damaged(path, "it is gone, but its journal is still there")
    return True


def _create(path: Path, migrations: tuple[Migration, ...], key: Key | None) -> None:
    """Build beside, then rename: a database that exists is complete, so an empty file is damage and never 'new'."""
    beside = path.with_name(path.name + ".new")
    remove_with_companions(beside)
    make_private_file(beside)
    try:
        connection = connect(beside, "rw", key)
        try:
            migrate(connection, migrations, backups=path.parent / "backups")
            connection.execute("PRAGMA journal_mode=WAL")
        finally:
            connection.close()
        beside.replace(path)
        sync_folder(path.parent)
    except BaseException:
        remove_with_companions(beside)
        raise


def remove_with_companions(path: Path) -> None:
    """The file and what SQLite keeps beside it."""
    for suffix in ("", *COMPANIONS):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _refuse_what_is_not_ours(path: Path, migrations: tuple[Migration, ...], key: Key | None) -> None:
    """Look with a reading connection first: what cannot be used is refused without a single byte changed."""
    check_header(path, key)
    connection = connect(path, "ro", key)
    try:
        check_identity(connection, path, newest=migrations[-1].number)
    finally:
        connection.close()


def check_header(path: Path, key: Key | None = None) -> None:
    """Raises StoreDamaged for what is no SQLite file. With a key only an empty one is: the rest looks like noise."""
    found = first_bytes(path, len(CLEAR))
    if not found:
        raise damaged(path, "it is empty")
    if key is None and found != CLEAR:
        raise damaged(path, "it is not a database, or it is an encrypted one and its key file is gone")


def key_for(path: Path, key: Key | None) -> Key | None:
    """The key, where the file is not in the clear. Raises OSError."""
    return None if first_bytes(path, len(CLEAR)) == CLEAR else key


def damaged(path: Path, reason: str) -> StoreDamaged:
    return StoreDamaged(
        f"The history {path} cannot be read: {reason}.",
        f"Nothing was changed. Keep a copy of it; backups, where there are any, are in {path.parent / 'backups'}.",
    )


def _translating(path: Path, work: Callable[[], T]) -> Callable[[], T]:
    def translated() -> T:
        with own_errors(path):
            return work()

    return translated


@contextmanager
def own_errors(path: Path) -> Iterator[None]:
    """What SQLite and the system say about `path` meanwhile becomes a StoreError."""
    try:
        yield
    except sqlite3.Error as error:
        raise _translate(error, path) from error
    except OSError as error:
        raise unusable(path, error) from error


def _translate(error: sqlite3.Error, path: Path) -> StoreError:
    """SQLite's primary result code as one of our errors. https://www.sqlite.org/rescode.html"""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_FULL or (code in _NO_ROOM_LOOKS_LIKE and _disk_is_full(path)):
        return StoreFull("The disk is full.", "Free some space; everything kept before is safe.")
    match code:
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return damaged(path, str(error))
        case sqlite3.SQLITE_READONLY:
            return HomeUnusable(
                f"The history {path} cannot be written: it is read-only here.",
                f"Make {path.parent} and its files writable (chmod -R u+w), or choose another place with --home.",
            )
        case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM | sqlite3.SQLITE_IOERR:
            return HomeUnusable(
                f"The history {path} cannot be used: {error}.", "Look at its permissions and at the disk it is on."
            )
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return HomeUnusable(f"The history {path} is held by another program.", "End that program and try again.")
        case _:
            return StoreError(f"The history {path} refused a change: {error}.", "Please report this; nothing was lost.")


_NO_ROOM_LOOKS_LIKE = {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN}


def _disk_is_full(path: Path) -> bool:
    try:
        return shutil.disk_usage(path.parent).free < _ALMOST_FULL
    except OSError:
        return False
