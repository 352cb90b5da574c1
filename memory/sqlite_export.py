"""A copy of a database with another key, or with none: SQLCipher writes every table into an attached file.

Its backup API copies pages and cannot change between clear and encrypted; `sqlcipher_export` copies rows and indexes.
https://www.zetetic.net/sqlcipher/sqlcipher-api/#sqlcipher_export
"""

from pathlib import Path

from memory.home_key import Key
from memory.sqlite_driver import attach, connect


def copy_with_key(source: Path, theirs: Key | None, target: Path, ours: Key | None) -> None:
    """`target` is there and empty; it is not synced. `source` is written by nobody meanwhile and its journal is empty.

    Raises sqlite3.Error, EncryptionMissing."""
    connection = connect(source, "frozen", theirs, attaching=True)
    try:
        kept = {
            name: int(connection.execute(f"PRAGMA main.{name}").fetchone()[0])
            for name in ("user_version", "application_id")
        }
        connection.execute("PRAGMA temp_store=MEMORY")
        attach(connection, target, "rw", "target", ours)
        connection.execute("PRAGMA target.synchronous=OFF")  # synced once, by the caller
        connection.execute("PRAGMA target.journal_mode=OFF")  # a copy that is not finished is thrown away
        connection.execute("SELECT sqlcipher_export('target')").fetchall()
        for name, value in kept.items():
            connection.execute(f"PRAGMA target.{name} = {value}")
        connection.execute("PRAGMA target.journal_mode=DELETE")
    finally:
        connection.close()
