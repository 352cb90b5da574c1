"""Events, tasks and notes in SQLite: the truth. One transaction a call, an import of many included."""

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Self, TypeVar

from memory.database import Database, has_tables
from memory.home_key import Key
from memory.item_rules import check_revision, check_undo, day_key, kind_in, no_entry, no_item, only_one, uid_is_there
from memory.items import Event, Item, ItemChange, ItemEntry, ItemEntryId, ItemHit, ItemKind, Note, Task
from memory.sqlite_item_rows import ITEM, body_of, item_from, row_of
from memory.text import MARK_END, MARK_START, like_pattern, moment, moment_text, parse_query, snippet_around

K = TypeVar("K", Event, Task, Note)

_ZONES_APART = timedelta(days=2)
_SNIPPET_WORDS = 16
_IN_ONE_QUERY = 500
_WEIGHTS = "3.0, 1.0"  # a word of the title says more than one of the text


class SqliteItems:
    """Implements memory.item_store.ItemStore over one Database, which it shares with the transcript."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @classmethod
    async def open_reading(cls, path: Path, key: Key | None = None) -> Self | None:
        """Beside an owner, or without one; None where there never was an item. Raises StoreError."""
        database = await Database.open_read_only(path, knows=has_tables("item"), key=key)
        return None if database is None else cls(database)

    async def close(self) -> None:
        await self._database.close()

    async def apply(self, change: ItemChange, *, at: datetime, request: str = "") -> ItemEntry:
        return await self._database.write(lambda connection: _apply(connection, change, at, request))

    async def find(self, kind: ItemKind, wanted: str) -> Item:
        def work(connection: sqlite3.Connection) -> Item:
            exact = _item(connection, wanted)
            if exact is not None and exact[0] == kind:
                return exact[1]
            sql = (
                "SELECT id FROM item WHERE kind = ?2 AND state = 'active' AND ?1 <> '' "
                "AND substr(id, 1, length(?1)) = ?1 ORDER BY id LIMIT 20"
            )
            fitting = tuple(id for (id,) in connection.execute(sql, (wanted, kind)))
            found = _item(connection, only_one(kind, wanted, fitting))
            if found is None:
                raise no_item(kind, wanted)
            return found[1]

        return await self._database.read(work)

    async def events(self, first: datetime, last: datetime) -> tuple[Event, ...]:
        sql = (
            f"SELECT {ITEM} FROM item WHERE kind = 'event' AND state = 'active' AND repeats = 1 UNION ALL "
            f"SELECT {ITEM} FROM item WHERE kind = 'event' AND state = 'active' AND repeats = 0 "
            "AND starts <= ? AND ends >= ?"
        )
        low, high = first - _ZONES_APART, last + _ZONES_APART
        found = await self._items(Event, sql, day_key(high), day_key(low))
        return tuple(sorted(found, key=lambda event: event.starts))

    async def by_uid(self, uids: Sequence[str]) -> tuple[Event, ...]:
        wanted = [uid for uid in dict.fromkeys(uids) if uid]
        found: list[Event] = []
        for start in range(0, len(wanted), _IN_ONE_QUERY):
            part = wanted[start : start + _IN_ONE_QUERY]
            marks = ", ".join("?" for _ in part)
            found += await self._items(Event, f"SELECT {ITEM} FROM item WHERE uid <> '' AND uid IN ({marks})", *part)
        return tuple(found)

    async def tasks(self, *, done: bool = False, limit: int = 500) -> tuple[Task, ...]:
        which, order = ("NOT NULL", "done_at DESC, seq DESC") if done else ("NULL", "starts IS NULL, starts, seq")
        sql = (
            f"SELECT {ITEM} FROM item WHERE kind = 'task' AND state = 'active' AND done_at IS {which} "
            f"ORDER BY {order} LIMIT ?"
        )
        return tuple(await self._items(Task, sql, limit))

    async def notes(self, *, limit: int = 500) -> tuple[Note, ...]:
        sql = f"SELECT {ITEM} FROM item WHERE kind = 'note' AND state = 'active' ORDER BY seq DESC LIMIT ?"
        return tuple(await self._items(Note, sql, limit))

    async def search(self, words: str, kinds: Sequence[ItemKind], *, limit: int = 20) -> tuple[ItemHit, ...]:
        return await self._database.read(lambda connection: _search(connection, words, kinds, limit))

    async def entry(self, kind: ItemKind, id: ItemEntryId | None = None) -> ItemEntry:
        return await self._database.read(lambda connection: _entry(connection, kind, id))

    async def purge(self, before: datetime) -> int:
        return await self._database.write(lambda connection: _purge(connection, before))

    async def _items(self, kind: type[K], sql: str, *values: object) -> list[K]:
        rows = await self._database.read(lambda connection: connection.execute(sql, values).fetchall())
        return [item for row in rows if isinstance(item := item_from(*row), kind)]


def _item(connection: sqlite3.Connection, id: str) -> tuple[str, Item] | None:
    row = connection.execute(f"SELECT {ITEM} FROM item WHERE id = ?", (id,)).fetchone()
    return None if row is None else (row[0], item_from(*row))


def _apply(connection: sqlite3.Connection, change: ItemChange, at: datetime, request: str) -> ItemEntry:
    kind = kind_in(change)
    if request:
        row = connection.execute("SELECT id FROM item_history WHERE request = ?", (request,)).fetchone()
        if row is not None:
            return _entry(connection, kind, ItemEntryId(row[0]))
    if change.undoes is not None:
        check_undo(_entry(connection, kind, change.undoes))
        connection.execute("UPDATE item_history SET undone = 1 WHERE id = ?", (change.undoes,))
    made = connection.execute(
        "INSERT INTO item_history(operation, kind, label, at, request) VALUES (?, ?, ?, ?, ?)",
        (change.operation, kind, change.label, moment_text(at), request or None),
    )
    id = ItemEntryId(made.lastrowid or 0)
    try:
        for item in change.items:
            found = _item(connection, item.id)
            before = None if found is None else found[1]
            check_revision(before, item)
            after = replace(item, revision=item.revision + 1)
            _put(connection, after, before is None, at)
            connection.execute(
                "INSERT INTO item_history_change(entry_id, item_id, before, after, revision) VALUES (?, ?, ?, ?, ?)",
                (id, item.id, "" if before is None else body_of(before), body_of(after), after.revision),
            )
    except sqlite3.IntegrityError as error:
        raise uid_is_there() from error
    return _entry(connection, kind, id)


def _put(connection: sqlite3.Connection, item: Item, is_new: bool, at: datetime) -> None:
    values = row_of(item, at)
    if is_new:
        names, marks = ", ".join(values), ", ".join(f":{name}" for name in values)
        connection.execute(f"INSERT INTO item({names}) VALUES ({marks})", values)
    else:
        sets = ", ".join(f"{name} = :{name}" for name in values if name != "id")
        connection.execute(f"UPDATE item SET {sets} WHERE id = :id", values)


def _entry(connection: sqlite3.Connection, kind: ItemKind, id: ItemEntryId | None) -> ItemEntry:
    where, values = ("id = ?", [id]) if id is not None else ("undone = 0 AND operation <> 'undo'", [])
    row = connection.execute(
        f"SELECT id, operation, kind, label, at, undone FROM item_history WHERE kind = ? AND {where} "
        "ORDER BY id DESC LIMIT 1",
        (kind, *values),
    ).fetchone()
    if row is None:
        raise no_entry()
    changed = connection.execute(
        "SELECT before, after, revision FROM item_history_change WHERE entry_id = ? ORDER BY item_id", (row[0],)
    )
    return ItemEntry(
        id=ItemEntryId(row[0]),
        operation=row[1],
        kind=row[2],
        label=row[3],
        at=moment(row[4]),
        undone=bool(row[5]),
        changed=tuple(
            (item_from(kind, before, revision - 1) if before else None, item_from(kind, after, revision))
            for before, after, revision in changed
        ),
    )


def _search(connection: sqlite3.Connection, words: str, kinds: Sequence[ItemKind], limit: int) -> tuple[ItemHit, ...]:
    query = parse_query(words)
    if not query.terms or not kinds:
        return ()
    marks = ", ".join("?" for _ in kinds)
    rows: list[tuple[Any, ...]] = []
    if query.for_index:
        for wanted in dict.fromkeys((query.whole, query.begun)):
            if wanted and not rows:
                sql = (
                    f"SELECT {ITEM}, snippet(item_fts, -1, '{MARK_START}', '{MARK_END}', '…', {_SNIPPET_WORDS}) "
                    "FROM item_fts JOIN item ON item.seq = item_fts.rowid WHERE item_fts MATCH ? "
                    f"AND item.state = 'active' AND item.kind IN ({marks}) ORDER BY bm25(item_fts, {_WEIGHTS}) LIMIT ?"
                )
                rows = connection.execute(sql, (wanted, *kinds, limit)).fetchall()
    if rows:
        return tuple(ItemHit(item=item_from(*row[:3]), snippet=row[3]) for row in rows)
    like = " AND ".join(["(item.title LIKE ? ESCAPE '!' OR item.text LIKE ? ESCAPE '!')"] * len(query.terms))
    patterns = [pattern for term in query.terms for pattern in [like_pattern(term)] * 2]
    sql = (
        f"SELECT {ITEM} FROM item WHERE item.state = 'active' AND item.kind IN ({marks}) AND {like} "
        "ORDER BY seq DESC LIMIT ?"
    )
    found = [item_from(*row) for row in connection.execute(sql, (*kinds, *patterns, limit))]
    return tuple(ItemHit(item=item, snippet=snippet_around(item.text or item.title, query.terms)) for item in found)


def _purge(connection: sqlite3.Connection, before: datetime) -> int:
    old = "SELECT id FROM item WHERE state = 'deleted' AND changed_at < ?"
    gone = [id for (id,) in connection.execute(old, (moment_text(before),))]
    for id in gone:
        entries = "SELECT entry_id FROM item_history_change WHERE item_id = ?"
        connection.execute(f"UPDATE item_history SET undone = 1, label = '' WHERE id IN ({entries})", (id,))
        connection.execute(f"DELETE FROM item_history_change WHERE entry_id IN ({entries})", (id,))
        connection.execute("DELETE FROM item WHERE id = ?", (id,))
    if gone:
        connection.execute("INSERT INTO item_fts(item_fts) VALUES ('optimize')")
    return len(gone)
