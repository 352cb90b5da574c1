"""The schema, step by step. A database says in `PRAGMA user_version` how many steps it has taken.

To change the schema add a function `mNNN_what`, a line in MIGRATIONS, and a file written by the schema
before it to tests/memory/schemas. A step is never edited after a release. Each runs in one transaction
together with its number, so a kill leaves the old schema or the new one.

sqlite-utils is imported only when a step is due: it costs 0.12 s, a quarter of what `sessions list` may take.
"""

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memory.errors import SchemaTooNew, StoreDamaged
from memory.m002_preferences import m002_preferences
from memory.m003_reminders import m003_reminders
from memory.m004_learning import m004_learning
from memory.m005_belongings import m005_belongings
from memory.m006_decisions import m006_decisions
from memory.m007_suggestions import m007_suggestions
from memory.m008_imports import m008_imports
from memory.m009_plans import m009_plans
from memory.sqlite_backup import copy_whole

if TYPE_CHECKING:
    import sqlite_utils

APPLICATION_ID = 0x53545744  # "STWD" in the file's header: tells our files from other programs' databases


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    number: int
    apply: "Callable[[sqlite_utils.Database], None]"


def m001_transcript(db: "sqlite_utils.Database") -> None:
    """Sessions, messages as a tree, and full-text indexes over both that triggers keep in step.

    Child ids are greater than their parents', so the newest leaf below a message is the greatest id below it.
    A parent and a head belong to the same session: the foreign keys are pairs for that reason.
    `seq` is explicit because VACUUM may renumber hidden row ids, on which an external-content index rests.
    """
    for statement in (
        *_TRANSCRIPT_TABLES,
        *_full_text("message", "id", "content"),
        *_full_text("session", "seq", "title"),
    ):
        db.execute(statement)


_MOMENT = "GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9].??????Z'"

_TRANSCRIPT_TABLES = (
    f"""
    CREATE TABLE session(
      seq INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE CHECK(id <> ''),
      title TEXT NOT NULL DEFAULT '',
      mode TEXT NOT NULL DEFAULT 'normal' CHECK(mode IN ('normal', 'no_learn', 'incognito')),
      created_at TEXT NOT NULL CHECK(created_at {_MOMENT}),
      updated_at TEXT NOT NULL CHECK(updated_at {_MOMENT}),
      head_id INTEGER,
      FOREIGN KEY(id, head_id) REFERENCES message(session_id, id) DEFERRABLE INITIALLY DEFERRED
    ) STRICT
    """,
    "CREATE INDEX session_newest ON session(updated_at DESC, seq DESC)",
    f"""
    CREATE TABLE message(
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      session_id TEXT NOT NULL REFERENCES session(id),
      parent_id INTEGER CHECK(parent_id < id),
      role TEXT NOT NULL CHECK(role IN ('user', 'assistant')),
      content TEXT NOT NULL,
      thought TEXT NOT NULL DEFAULT '',
      origin TEXT NOT NULL CHECK(origin IN ('typed', 'pasted', 'file', 'tool', 'recalled', 'generated')),
      status TEXT NOT NULL CHECK(status IN ('complete', 'writing', 'stopped', 'interrupted', 'failed')),
      model TEXT NOT NULL DEFAULT '',
      finish_reason TEXT NOT NULL DEFAULT '',
      tokens_in INTEGER NOT NULL DEFAULT 0 CHECK(tokens_in >= 0),
      tokens_out INTEGER NOT NULL DEFAULT 0 CHECK(tokens_out >= 0),
      seconds REAL NOT NULL DEFAULT 0 CHECK(seconds >= 0),
      created_at TEXT NOT NULL CHECK(created_at {_MOMENT}),
      UNIQUE(session_id, id),
      FOREIGN KEY(session_id, parent_id) REFERENCES message(session_id, id)
    ) STRICT
    """,
    "CREATE INDEX message_child ON message(session_id, parent_id)",
    "CREATE INDEX message_writing ON message(id) WHERE status = 'writing'",
)


def _full_text(table: str, key: str, column: str) -> tuple[str, ...]:
    """An index over one column that stores no second copy of the text. https://www.sqlite.org/fts5.html

    No prefix index: prefixes of two and more letters are quick without (12 ms of 100,000 messages), and it
    would add a third to the file.
    """
    index = f"{table}_fts"
    add = f"INSERT INTO {index}(rowid, {column}) VALUES (new.{key}, new.{column});"
    remove = f"INSERT INTO {index}({index}, rowid, {column}) VALUES ('delete', old.{key}, old.{column});"
    return (
        f"CREATE VIRTUAL TABLE {index} USING fts5({column}, content='{table}', content_rowid='{key}', "
        "tokenize='unicode61 remove_diacritics 2')",
        f"CREATE TRIGGER {table}_indexed AFTER INSERT ON {table} BEGIN {add} END",
        f"CREATE TRIGGER {table}_unindexed AFTER DELETE ON {table} BEGIN {remove} END",
        f"CREATE TRIGGER {table}_reindexed AFTER UPDATE OF {column} ON {table} "
        f"WHEN old.{column} IS NOT new.{column} BEGIN {remove} {add} END",
    )


MIGRATIONS: tuple[Migration, ...] = (
    Migration(number=1, apply=m001_transcript),
    Migration(number=2, apply=m002_preferences),
    Migration(number=3, apply=m003_reminders),
    Migration(number=4, apply=m004_learning),
    Migration(number=5, apply=m005_belongings),
    Migration(number=6, apply=m006_decisions),
    Migration(number=7, apply=m007_suggestions),
    Migration(number=8, apply=m008_imports),
    Migration(number=9, apply=m009_plans),
)


def check_identity(connection: sqlite3.Connection, path: Path, *, newest: int | None = None) -> None:
    """Raises StoreDamaged for a database that is not ours, SchemaTooNew for one that `newest` does not reach."""
    if _pragma(connection, "application_id") != APPLICATION_ID or _pragma(connection, "user_version") < 1:
        raise StoreDamaged(
            f"{path} is a database of another program.",
            "Nothing was changed. Move it away, or choose another place with --home.",
        )
    version = _pragma(connection, "user_version")
    if newest is not None and version > newest:
        raise SchemaTooNew(
            f"The history was written by a newer Steward (schema {version}; this one knows {newest}).",
            "Nothing was changed. Update Steward; until then `steward sessions export` still reads it.",
        )


def migrate(connection: sqlite3.Connection, migrations: tuple[Migration, ...], *, backups: Path) -> None:
    """Take every step that is due. A database with content is copied to `backups` first.

    Raises sqlite3.Error, StoreFull, HomeUnusable; then the schema is that of the last complete step.
    """
    version = _pragma(connection, "user_version")
    due = [migration for migration in migrations if migration.number > version]
    if not due:
        return
    import sqlite_utils

    if version > 0:
        back_up(connection, backups, f"before-schema-{due[-1].number}")
    db = sqlite_utils.Database(connection, recursive_triggers=False, execute_plugins=False)
    for migration in due:
        connection.execute("BEGIN IMMEDIATE")
        try:
            migration.apply(db)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {migration.number}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


def back_up(connection: sqlite3.Connection, folder: Path, name: str) -> Path:
    """A complete, checked copy under a name that is free; it appears only when whole."""
    target, copies = folder / f"{name}.db", 1
    while target.exists():
        copies += 1
        target = folder / f"{name}-{copies}.db"
    copy_whole(connection, target)
    return target


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
