"""Which library reads a database: Python's own for a file in the clear, SQLCipher for an encrypted one.

Nobody else connects. What comes back is used as a `sqlite3.Connection` and raises its errors either way.
"""

import sqlite3
from pathlib import Path
from types import ModuleType
from typing import Literal

from memory.errors import EncryptionMissing
from memory.home_key import Key

# rw: what is there; ro: beside a writer; frozen: a finished file that nobody writes; rwc: made when missing
Mode = Literal["rw", "ro", "frozen", "rwc"]
INSTALL = "pip install 'sqlcipher3>=0.6.4'"


def connect(path: Path, mode: Mode, key: Key | None = None, *, attaching: bool = False) -> sqlite3.Connection:
    """In autocommit. `attaching`: by the library that can attach encrypted files to one in the clear.

    The caller closes it. Raises sqlite3.Error; a wrong key is noticed by the first statement. Raises EncryptionMissing.
    """
    if key is None and not attaching:
        return sqlite3.connect(_uri(path, mode), uri=True, isolation_level=None)
    encrypted: sqlite3.Connection = _cipher().open_cipher(_uri(path, mode), key)
    return encrypted


def connect_in_memory() -> sqlite3.Connection:
    """An empty database that ends with its connection."""
    return sqlite3.connect(":memory:", isolation_level=None)


def connect_like(connection: sqlite3.Connection, path: Path) -> sqlite3.Connection:
    """A file with the same key as the one that `connection` reads, made when missing."""
    return connect(path, "rwc", key_in(connection))


def key_in(connection: sqlite3.Connection) -> Key | None:
    """Of the file that it reads; None for one in the clear."""
    return getattr(connection, "key", None)


def attach(connection: sqlite3.Connection, path: Path, mode: Mode, name: str, key: Key | None) -> None:
    """`name`: under which its tables are found. An encrypted one needs a connection that was made `attaching` or is
    encrypted itself. Raises sqlite3.Error."""
    word = f" KEY {_cipher().literal(key)}" if hasattr(connection, "key") else ""
    connection.execute(f"ATTACH ? AS {name}{word}", (_uri(path, mode),))


def require() -> None:
    """Imports the library that reads encrypted databases. Raises EncryptionMissing."""
    _cipher()


def _uri(path: Path, mode: Mode) -> str:
    return f"{path.absolute().as_uri()}?mode={'ro&immutable=1' if mode == 'frozen' else mode}"


def _cipher() -> ModuleType:
    try:
        from memory import sqlite_cipher
    except ImportError as error:
        raise EncryptionMissing(
            "The library that reads encrypted databases is not installed or does not load here.",
            f"In the environment of Steward: {INSTALL}",
        ) from error
    return sqlite_cipher
