"""Schema step 8: which conversations came from another assistant, and messages whose origin is an import.

The list of origins is a CHECK of a table that may hold a million rows, that indexes and triggers hang on and that
others refer to. A CHECK says nothing about what is on the disk, so its text alone is changed, in the way that
https://www.sqlite.org/lang_altertable.html (section 7, "Changes that do not affect the on-disk content") prescribes.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite_utils

_BEFORE = "'recalled', 'generated')"
_AFTER = "'recalled', 'generated', 'imported')"

_TABLE = """
    CREATE TABLE imported(
      session_id TEXT PRIMARY KEY REFERENCES session(id) ON DELETE CASCADE,
      source TEXT NOT NULL CHECK(source IN ('chatgpt', 'claude')),
      external_id TEXT NOT NULL CHECK(external_id <> ''),
      digest TEXT NOT NULL,
      imported_at TEXT NOT NULL,
      learned_to INTEGER NOT NULL DEFAULT 0,
      UNIQUE(source, external_id)
    ) STRICT, WITHOUT ROWID
    """


def m008_imports(db: "sqlite_utils.Database") -> None:
    """`learned_to` is the greatest id of a message that was read for what it says about the user."""
    db.execute(_TABLE)
    (version,) = db.execute("PRAGMA schema_version").fetchone()
    db.execute("PRAGMA writable_schema=ON")
    changed = db.execute(
        "UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE type = 'table' AND name = 'message'", (_BEFORE, _AFTER)
    )
    assert changed.rowcount == 1
    db.execute(f"PRAGMA schema_version={version + 1}")
    db.execute("PRAGMA writable_schema=RESET")
