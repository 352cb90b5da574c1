"""SQLCipher as a connection that speaks like Python's own: the only importer of sqlcipher3.

Its errors are not those of `sqlite3`, and older builds give no result code. Every call here raises the error of
`sqlite3` with the code, so that nothing that handles errors has to know which library reads the file.
"""

import sqlite3
from collections.abc import Callable
from typing import Any, TypeVar

from sqlcipher3 import dbapi2

from memory.home_key import Key

T = TypeVar("T")

# https://www.sqlite.org/rescode.html; the words of sqlite3_errstr, for a build that gives no code
_WORDS = (
    ("disk is full", sqlite3.SQLITE_FULL),
    ("malformed", sqlite3.SQLITE_CORRUPT),
    ("corrupt", sqlite3.SQLITE_CORRUPT),
    ("not a database", sqlite3.SQLITE_NOTADB),
    ("readonly", sqlite3.SQLITE_READONLY),
    ("unable to open", sqlite3.SQLITE_CANTOPEN),
    ("disk I/O error", sqlite3.SQLITE_IOERR),
    ("table is locked", sqlite3.SQLITE_LOCKED),
    ("is locked", sqlite3.SQLITE_BUSY),
    ("permission denied", sqlite3.SQLITE_PERM),
    ("constraint failed", sqlite3.SQLITE_CONSTRAINT),
    ("interrupted", sqlite3.SQLITE_INTERRUPT),
)


def code_of(error: BaseException) -> int:
    """SQLite's primary result code of an error of either library; SQLITE_ERROR where nothing says which."""
    code = getattr(error, "sqlite_errorcode", None)
    if code:
        return int(code)
    words = str(error)
    return next((code for part, code in _WORDS if part in words), sqlite3.SQLITE_ERROR)


def as_python_says(error: BaseException) -> sqlite3.Error:
    """The same error as `sqlite3` would raise it, with `sqlite_errorcode`."""
    kind = getattr(sqlite3, type(error).__name__, sqlite3.DatabaseError)
    said: sqlite3.Error = kind(*error.args)
    said.sqlite_errorcode = code_of(error)
    return said


def _saying(call: Callable[[], T]) -> T:
    try:
        return call()
    except dbapi2.Error as error:
        raise as_python_says(error) from error


class CipherCursor(dbapi2.Cursor):  # type: ignore[misc]  # sqlcipher3 has no types
    """Rows are read from here, so an error half way through a table passes here too."""

    def execute(self, *arguments: Any) -> Any:
        return _saying(lambda: super(CipherCursor, self).execute(*arguments))

    def executemany(self, *arguments: Any) -> Any:
        return _saying(lambda: super(CipherCursor, self).executemany(*arguments))

    def executescript(self, *arguments: Any) -> Any:
        return _saying(lambda: super(CipherCursor, self).executescript(*arguments))

    def fetchone(self) -> Any:
        try:
            return super().fetchone()
        except dbapi2.Error as error:
            raise as_python_says(error) from error

    def fetchmany(self, *arguments: Any) -> Any:
        return _saying(lambda: super(CipherCursor, self).fetchmany(*arguments))

    def fetchall(self) -> Any:
        return _saying(super().fetchall)

    def __next__(self) -> Any:
        try:
            return super().__next__()
        except dbapi2.Error as error:
            raise as_python_says(error) from error


class CipherConnection(dbapi2.Connection):  # type: ignore[misc]  # as above
    """`key` None: the file is in the clear, and others can be attached with their keys."""

    key: Key | None = None

    def cursor(self, factory: Any = None) -> Any:
        return _saying(lambda: super(CipherConnection, self).cursor(factory or CipherCursor))

    def commit(self) -> None:
        _saying(super().commit)

    def rollback(self) -> None:
        _saying(super().rollback)

    def backup(self, *arguments: Any, **named: Any) -> None:
        _saying(lambda: super(CipherConnection, self).backup(*arguments, **named))


def open_cipher(uri: str, key: Key | None) -> CipherConnection:
    """`uri` as for `sqlite3.connect(uri=True)`. Nothing is read yet: a wrong key is noticed by the first statement.

    Raises sqlite3.Error."""
    connection: CipherConnection = _saying(
        lambda: dbapi2.connect(uri, uri=True, isolation_level=None, factory=CipherConnection)
    )
    connection.execute("PRAGMA cipher_log_level = NONE")  # else what is raised is also written over the screen
    if key is not None:
        connection.execute(f"PRAGMA key = {literal(key)}")
        connection.key = key
    return connection


def literal(key: Key | None) -> str:
    """As SQLCipher wants to be given a key that it shall not derive; an empty one means in the clear."""
    return "''" if key is None else f"\"x'{key.of_database}'\""
