"""What must hold of a database after whatever happened to it. Raises AssertionError saying what does not."""

import sqlite3
import stat
import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any


def verify(path: Path, acknowledged: Mapping[int, str | Collection[str]] | None = None) -> None:
    """Sound, consistent, private; every acknowledged message has its text, or one of the texts it may have."""
    connection = sqlite3.connect(path)
    try:
        assert rows(connection, "PRAGMA integrity_check") == [("ok",)]
        assert rows(connection, "PRAGMA foreign_key_check") == []
        for table in ("message", "session"):
            kept = rows(connection, f"SELECT count(*) FROM {table}")
            assert rows(connection, f"SELECT count(*) FROM {table}_fts_docsize") == kept
            connection.execute(f"INSERT INTO {table}_fts({table}_fts, rank) VALUES ('integrity-check', 1)")
        assert rows(connection, "SELECT id FROM message WHERE parent_id >= id") == []
        texts: dict[int, str] = dict(rows(connection, "SELECT id, content FROM message"))
    finally:
        connection.close()
    for id, wanted in (acknowledged or {}).items():
        allowed = {wanted} if isinstance(wanted, str) else wanted
        assert id in texts, f"message {id} is lost"
        assert texts[id] in allowed, f"message {id} is {texts[id]!r}"
    if sys.platform != "win32":
        for file in path.parent.glob(f"{path.name}*"):
            assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0, f"others may read {file}"


def rows(connection: sqlite3.Connection, sql: str) -> list[Any]:
    return connection.execute(sql).fetchall()
