"""Saves the rows of a damaged history into a new file, page by page, and counts what could not be saved.

The original is only read. Pages that the schema leads to go to their tables; pages that nothing leads to any more are
offered to every table, and the table's own rules (STRICT, CHECK) say to which they belong. Rows that point to rows that
are lost are mended, never dropped where they hold words of the user: a message without its conversation gets one.
"""

import mmap
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from memory.backup_names import SALVAGED, SUFFIX, name_of
from memory.data_dir import Home, make_private_file, make_private_folder, sync_file, sync_folder
from memory.database import own_errors, remove_with_companions
from memory.errors import StoreDamaged
from memory.home_key import Key
from memory.key_file import key_of
from memory.migrations import MIGRATIONS, migrate
from memory.page_cipher import PAGE, RESERVED, page_opener
from memory.page_scan import MAGIC, Image, Row, Trees, Value, encrypted_image_of, image_of, rows_of, trees_of
from memory.sqlite_backup import SHOWN, Contents, check_copy, contents_of, own_tables
from memory.sqlite_driver import connect, connect_in_memory
from memory.sqlite_mend import mend_references

_TRIED = 12  # rows of a stray page that are offered to each table

Told = Callable[[int, int], None]  # pages read, pages in all


@dataclass(frozen=True, slots=True, kw_only=True)
class Salvaged:
    """`lost_rows`: rows whose bytes were found but not understood; `bad_pages`: pages that are no longer pages."""

    path: Path
    contents: Contents
    lost_rows: int
    bad_pages: int
    pages: int
    mended: int  # rows whose lost counterparts were replaced or let go of


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    name: str
    columns: tuple[str, ...]
    rowid: int | None  # which column is the rowid itself
    insert: str


def salvage(home: Home, at: datetime, told: Told = lambda done, total: None) -> Salvaged:
    """A new file under backups, checked, encrypted as the home is. Blocks for a while. Raises StoreError; StoreDamaged
    when there is nothing of Steward's in it."""
    make_private_folder(home.backups)
    target = home.backups / f"{name_of(SALVAGED, at)}{SUFFIX}"
    beside = target.with_name(f".{target.name}.new")
    remove_with_companions(beside)
    make_private_file(beside)
    try:
        with own_errors(beside), ExitStack() as stack:
            key = key_of(home)
            found = _best(_open_image(home.database, key, stack), beside, told, key)
            if found.contents.is_empty:
                raise StoreDamaged(
                    f"No conversation, memory or reminder can be read in {home.database}.",
                    "Nothing was changed. Restore a backup; the file stays where it is until you do.",
                )
            check_copy(beside, key=key)
            sync_file(beside)
            target.unlink(missing_ok=True)
            beside.replace(target)
            sync_folder(target.parent)
    finally:
        remove_with_companions(beside)
    return Salvaged(
        path=target,
        contents=found.contents,
        lost_rows=found.lost_rows,
        bad_pages=found.bad_pages,
        pages=found.pages,
        mended=found.mended,
    )


def _open_image(database: Path, key: Key | None, stack: ExitStack) -> Image:
    log = database.with_name(database.name + "-wal")
    words = log.read_bytes() if log.is_file() else b""
    if not database.is_file() or not database.stat().st_size:
        return _image(b"", words, key)
    file = stack.enter_context(database.open("rb"))
    mapped = stack.enter_context(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    return _image(stack.enter_context(memoryview(mapped)), words, key)


def _image(data: bytes | memoryview, log: bytes, key: Key | None) -> Image:
    if key is None:
        return image_of(data, log)
    return encrypted_image_of(data, log, PAGE, RESERVED, page_opener(key))


def _best(image: Image, path: Path, told: Told, key: Key | None) -> Salvaged:
    """With the journal and, where there is one, without: a journal may be another file's. The one with more rows."""
    found = _salvage(image, path, told, key)
    if not image.over:
        return found
    other = path.with_name(f"{path.name}-without")
    remove_with_companions(other)
    make_private_file(other)
    try:
        without = _salvage(replace(image, over={}), other, told, key)
        if _weight(without.contents) > _weight(found.contents):
            other.replace(path)
            return without
    finally:
        remove_with_companions(other)
    return found


def _weight(contents: Contents) -> int:
    return sum(contents.rows.get(table, 0) for table in SHOWN)


def _salvage(image: Image, path: Path, told: Told, key: Key | None) -> Salvaged:
    trees = trees_of(image)
    homes, version = _schema(image, trees)
    connection = connect(path, "rwc", key)
    try:
        connection.execute("PRAGMA synchronous=OFF")
        migrate(connection, MIGRATIONS[:version], backups=path.parent)
        connection.execute("PRAGMA foreign_keys=OFF")
        saving = _Saving(connection, _tables(connection))
        connection.execute("BEGIN IMMEDIATE")
        saving.fill(image, trees, homes, told)
        mended = mend_references(connection)
        connection.execute("COMMIT")
        contents = contents_of(connection)
    finally:
        connection.close()
    return Salvaged(
        path=path,
        contents=contents,
        lost_rows=saving.lost,
        bad_pages=_bad_pages(image, trees, homes, saving.tables),
        pages=image.pages,
        mended=mended,
    )


def _schema(image: Image, trees: Trees) -> tuple[dict[int, str], int]:
    """The table of each top page as far as the schema can be read, and which schema it was."""
    homes: dict[int, str] = {}
    for leaves in trees.leaves.values():
        for row in _whole_rows(image, leaves):
            kind, name, top = _declared(row)
            if kind == "table" and top:
                homes[top] = name
    stamped = image.user_version
    if 1 <= stamped <= MIGRATIONS[-1].number:
        return homes, stamped
    return homes, _schema_of(set(homes.values()))


def _declared(row: Row) -> tuple[str, str, int]:
    """What a row of sqlite_schema declares: kind, name, top page; empty for any other row."""
    _, values = row
    if len(values) != 5:
        return "", "", 0
    kind, name, _, top, sql = values
    if kind not in ("table", "index") or not isinstance(name, str) or not isinstance(top, int):
        return "", "", 0
    declares = sql is None or (isinstance(sql, str) and sql.upper().startswith("CREATE"))
    return (str(kind), name, top) if declares else ("", "", 0)


def _schema_of(names: set[str]) -> int:
    """The newest schema all of whose tables are declared; the newest of all when nothing is."""
    for version in range(MIGRATIONS[-1].number, 0, -1):
        connection = connect_in_memory()
        try:
            migrate(connection, MIGRATIONS[:version], backups=Path())
            if names >= set(own_tables(connection)):
                return version
        finally:
            connection.close()
    return MIGRATIONS[-1].number


def _tables(connection: sqlite3.Connection) -> dict[str, _Table]:
    return {name: _table(connection, name) for name in own_tables(connection)}


def _table(connection: sqlite3.Connection, name: str) -> _Table:
    rows = connection.execute(f'PRAGMA table_info("{name}")').fetchall()
    columns = tuple(str(row[1]) for row in rows)
    keys = [number for number, row in enumerate(rows) if row[5]]
    alias = keys[0] if len(keys) == 1 and str(rows[keys[0]][2]).upper() == "INTEGER" else None
    return _Table(name=name, columns=columns, rowid=alias, insert=f'INSERT OR IGNORE INTO "{name}"')


class _Saving:
    def __init__(self, connection: sqlite3.Connection, tables: dict[str, _Table]) -> None:
        self._connection = connection
        self.tables = tables
        self.lost = 0

    def fill(self, image: Image, trees: Trees, homes: dict[int, str], told: Told) -> None:
        """First what the schema leads to; stray pages after it, so that they never displace a row."""
        strays: list[int] = []
        done, total = 0, sum(len(leaves) for leaves in trees.leaves.values())
        for top, leaves in trees.leaves.items():
            name = homes.get(top)
            if name is None:
                strays += leaves
                continue
            if name in self.tables:
                self._put_all(image, self.tables[name], leaves)
            done += len(leaves)
            told(done, total)
        if trees.broken or not homes or _has_lost_tops(trees, homes, self.tables):
            for number in strays:
                self._place(image, number)
                done += 1
                told(done, total)

    def _put_all(self, image: Image, table: _Table, leaves: Iterable[int]) -> None:
        for number in leaves:
            for row in rows_of(image, number):
                if row is None or not self._put(table, row):
                    self.lost += 1

    def _place(self, image: Image, number: int) -> None:
        """A page that nothing leads to: the table that takes most of its first rows gets all of it."""
        rows = [row for row in rows_of(image, number) if row is not None]
        best = max(self.tables.values(), key=lambda table: self._taken(table, rows[:_TRIED]), default=None)
        if best is None or not rows or not self._taken(best, rows[:_TRIED]):
            return
        for row in rows:
            if not self._put(best, row):
                self.lost += 1

    def _taken(self, table: _Table, rows: Sequence[Row]) -> int:
        self._connection.execute("SAVEPOINT tried")
        taken = sum(self._put(table, row) for row in rows)
        self._connection.execute("ROLLBACK TO tried")
        self._connection.execute("RELEASE tried")
        return taken

    def _put(self, table: _Table, row: Row) -> bool:
        """Whether the table has this row now. A row of an older step has fewer columns; the rest gets its default."""
        rowid, values = row
        if not 0 < len(values) <= len(table.columns):
            return False
        filled: list[Value] = list(values)
        if table.rowid is not None and table.rowid < len(filled):
            if filled[table.rowid] is not None:
                return False
            filled[table.rowid] = rowid
        columns = ", ".join(f'"{column}"' for column in table.columns[: len(filled)])
        marks = ", ".join("?" * len(filled))
        try:
            done = self._connection.execute(f"{table.insert}({columns}) VALUES ({marks})", filled)
        except (sqlite3.IntegrityError, sqlite3.InterfaceError, OverflowError):
            return False
        return done.rowcount > 0 or self._is_there(table, filled)

    def _is_there(self, table: _Table, values: Sequence[Value]) -> bool:
        """OR IGNORE says nothing about why; a row that a rule of the table refuses is not there."""
        where = " AND ".join(f'"{column}" IS ?' for column in table.columns[: len(values)])
        found = self._connection.execute(f'SELECT 1 FROM "{table.name}" WHERE {where}', values).fetchone()
        return found is not None


def _has_lost_tops(trees: Trees, homes: dict[int, str], tables: dict[str, _Table]) -> bool:
    """Whether a table of ours has no declared top page, or its top page is gone."""
    declared = {name: top for top, name in homes.items()}
    return any(declared.get(name) not in trees.leaves for name in tables)


def _whole_rows(image: Image, leaves: Iterable[int]) -> Iterator[Row]:
    for number in leaves:
        yield from (row for row in rows_of(image, number) if row is not None)


def _bad_pages(image: Image, trees: Trees, homes: dict[int, str], tables: dict[str, _Table]) -> int:
    """Pages that a table should have and has not, and the first page when its header is gone."""
    tops = {top for top, name in homes.items() if name in tables and top not in trees.leaves}
    return len(trees.missing | tops) + (0 if image.page(1).startswith(MAGIC) else 1)
