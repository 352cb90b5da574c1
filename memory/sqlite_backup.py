"""A complete copy of a database while it is in use, checked before it gets its name.

The copy is made in steps from a read-only connection of its own that holds one view of the data: the writer goes on
writing, and the copy does not begin anew because of it. https://www.sqlite.org/backup.html
"""

import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType

from memory.data_dir import make_private_file, make_private_folder, sync_file, sync_folder
from memory.errors import StoreDamaged
from memory.home_key import Key
from memory.sqlite_driver import connect, connect_like, key_in

_CHECK_STEPS = 1_000_000  # of SQLite's machine; some tens of milliseconds
STEP_PAGES = 256  # 1 MB with our pages of 4096 bytes
SHOWN = {"session": "conversations", "message": "messages", "preference": "memories", "reminder": "reminders"}

Progress = Callable[[int, int], None]  # pages done, pages in all; may raise to end the copy


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """What a database holds: rows of every table of ours by its name, and its latest change (aware, UTC)."""

    schema: int
    rows: Mapping[str, int]
    newest: datetime | None

    @property
    def is_empty(self) -> bool:
        return not any(self.rows.get(table) for table in SHOWN)


def no_progress(done: int, total: int) -> None:
    """Nobody wants to know."""


def copy_whole(source: sqlite3.Connection, target: Path, progress: Progress = no_progress) -> Contents:
    """Write `target` (0600, synced, checked, no companions), which appears only when whole; what it holds.

    A copy of an encrypted one is encrypted with the same key. `source` is in no transaction. Blocks. Raises
    sqlite3.Error, OSError, StoreDamaged, StoreError; and FileExistsError rather than replace anything."""
    make_private_folder(target.parent)
    if target.exists():
        raise FileExistsError(f"{target} exists")
    beside = target.with_name(f".{target.name}.new")
    beside.unlink(missing_ok=True)
    make_private_file(beside)  # SQLite fills an empty file and keeps its mode
    try:
        source.execute("BEGIN")
        try:
            held = contents_of(source)
            _copy(source, beside, progress)
        finally:
            source.execute("ROLLBACK")
        check_copy(beside, held, progress, key=key_in(source))
        sync_file(beside)
        beside.replace(target)
    except BaseException:
        for suffix in ("", "-journal"):
            beside.with_name(beside.name + suffix).unlink(missing_ok=True)
        raise
    sync_folder(target.parent)
    return held


def _copy(source: sqlite3.Connection, target: Path, progress: Progress) -> None:
    copy = connect_like(source, target)
    try:
        copy.execute("PRAGMA synchronous=OFF")  # synced once, at the end
        source.backup(copy, pages=STEP_PAGES, progress=lambda _, left, total: progress(total - left, total), sleep=0)
        copy.execute("PRAGMA journal_mode=DELETE")  # a copy is one file
    finally:
        copy.close()


def check_copy(
    path: Path, expected: Contents | None = None, progress: Progress = no_progress, *, key: Key | None = None
) -> Contents:
    """What the file holds. Raises StoreDamaged when it is not sound or does not hold what it should."""
    copy = connect(path, "frozen", key)
    copy.set_progress_handler(lambda: progress(1, 1), _CHECK_STEPS)  # an exception in it ends the check
    try:
        (result,) = copy.execute("PRAGMA integrity_check(1)").fetchone()
        broken = copy.execute("PRAGMA foreign_key_check").fetchone()
        held = contents_of(copy)
    except sqlite3.DatabaseError as error:
        progress(1, 1)  # raises again what ended the check
        raise StoreDamaged(f"{path} cannot be read: {error}.", "Nothing was changed.") from error
    finally:
        copy.close()
    if result != "ok":
        raise StoreDamaged(f"The copy is not sound: {result}.", _ASK_DOCTOR)
    if broken is not None and expected is None:
        raise StoreDamaged(f"{path} has rows that point to rows that are not there.", "Take another backup.")
    if expected is not None and held != expected:
        raise StoreDamaged("The copy does not hold what the history holds.", _ASK_DOCTOR)
    return held


_ASK_DOCTOR = "The history itself was not changed. `steward doctor` says whether it is damaged."


def contents_of(connection: sqlite3.Connection) -> Contents:
    """Counts every row of every table of ours."""
    names = own_tables(connection)
    rows = {name: int(connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]) for name in names}
    newest = connection.execute("SELECT max(updated_at) FROM session").fetchone()[0] if "session" in rows else None
    return Contents(
        schema=int(connection.execute("PRAGMA user_version").fetchone()[0]),
        rows=MappingProxyType(rows),
        newest=None if newest is None else datetime.fromisoformat(newest).astimezone(UTC),
    )


def own_tables(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Tables that hold data, by name: not SQLite's own, not full text and what it keeps."""
    found = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table'").fetchall()
    virtual = [name for name, sql in found if sql.upper().startswith("CREATE VIRTUAL")]
    return tuple(
        sorted(
            name
            for name, _ in found
            if not name.startswith("sqlite_") and not any(name == one or name.startswith(f"{one}_") for one in virtual)
        )
    )
