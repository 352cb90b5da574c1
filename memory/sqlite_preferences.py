"""Preferences in SQLite: the truth. One transaction a call; a returned change is on disk."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Self, TypeVar

from memory import sqlite_forget as forgetting
from memory import sqlite_preference_reads as reads
from memory import sqlite_preference_writes as writes
from memory import sqlite_profile as profiles
from memory.changes import Change, EntryId, HistoryEntry, Learned
from memory.database import Database, empty_log
from memory.home_key import Key
from memory.preferences import (
    ANY,
    IN_FORCE,
    Actor,
    Candidate,
    Domain,
    Filter,
    ForgetMessages,
    ForgetPreview,
    Forgotten,
    Hit,
    Item,
    Outcome,
    Preference,
    PreferenceId,
    ReviewQueue,
    Scope,
    Status,
    Usage,
)
from memory.profile_state import Parcel, Snapshot
from memory.sqlite_gone import gone
from memory.text import moment_text
from memory.types import MessageId
from memory.upkeep import upkeep

T = TypeVar("T")

_EXPORT_PAGE = 200


class SqlitePreferences:
    """Implements memory.preference_store.PreferenceStore over one Database, which it shares with the transcript."""

    def __init__(
        self,
        database: Database,
        *,
        on_change: Callable[[], None] | None = None,
        on_forget: Callable[[], None] | None = None,
    ) -> None:
        """`on_change` is called after every change that is on disk: the index has something to do. `on_forget` removes
        what others derived from the words and keep on disk; it is called in a thread, before a forget returns."""
        self._database = database
        self.on_change = on_change
        self._on_forget = on_forget

    @classmethod
    async def open_reading(cls, path: Path, key: Key | None = None) -> Self | None:
        """Beside an owner, or without one; None where nothing was ever remembered. Raises StoreError."""
        database = await Database.open_read_only(path, knows=reads.remembers, key=key)
        return None if database is None else cls(database)

    async def close(self) -> None:
        await self._database.close()

    async def learn(self, candidates: Sequence[Candidate], *, actor: Actor, at: datetime) -> Learned:
        if not candidates:
            return Learned()
        return self._changed(
            await self._database.write(lambda connection: writes.learn(connection, candidates, actor, at))
        )

    async def apply(self, changes: Sequence[Change], *, actor: Actor, at: datetime) -> tuple[HistoryEntry, ...]:
        return self._changed(
            await self._database.write(lambda connection: writes.apply(connection, changes, actor, at))
        )

    async def undo(self, entry: EntryId | None = None, *, actor: Actor = "user", at: datetime) -> HistoryEntry:
        return self._changed(await self._database.write(lambda connection: writes.undo(connection, entry, actor, at)))

    async def take_in(self, parcel: Parcel, *, actor: Actor, at: datetime) -> HistoryEntry | None:
        return self._changed(
            await self._database.write(lambda connection: profiles.take_in(connection, parcel, actor, at))
        )

    async def keep_up(self, *, at: datetime) -> tuple[HistoryEntry, ...]:
        def work(connection: sqlite3.Connection) -> tuple[HistoryEntry, ...]:
            return writes.apply(connection, upkeep(reads.perishable(connection, at), at), "upkeep", at)

        return self._changed(await self._database.write(work))

    async def record_usage(self, uses: Sequence[Usage]) -> None:
        rows = [
            (use.preference_id, use.message_id, use.place, use.score, use.outcome, moment_text(use.at)) for use in uses
        ]
        sql = (
            "INSERT OR REPLACE INTO usage(preference_id, message_id, place, score, outcome, at) "
            "SELECT preference.id, message.id, ?3, ?4, ?5, ?6 FROM preference, message "
            "WHERE preference.id = ?1 AND message.id = ?2"
        )
        await self._database.write(lambda connection: _each(connection, sql, rows))

    async def mark_outcome(self, message_id: MessageId, ids: Collection[PreferenceId], outcome: Outcome) -> None:
        rows = [(outcome, message_id, id) for id in ids]
        sql = "UPDATE usage SET outcome = ? WHERE message_id = ? AND preference_id = ?"
        await self._database.write(lambda connection: _each(connection, sql, rows))

    async def item(self, id: PreferenceId) -> Item:
        return await self._database.read(lambda connection: reads.item(connection, id))

    async def find(self, wanted: str) -> Item:
        return await self._database.read(lambda connection: reads.find(connection, wanted))

    async def list(self, filter: Filter = ANY, *, limit: int = 50, offset: int = 0) -> tuple[Preference, ...]:
        return await self._database.read(lambda connection: reads.filtered(connection, filter, limit, offset))

    async def count(self, filter: Filter = ANY) -> int:
        return await self._database.read(lambda connection: reads.counted(connection, filter))

    async def by_ids(self, ids: Collection[PreferenceId]) -> tuple[Preference, ...]:
        return await self._database.read(lambda connection: reads.by_ids(connection, ids))

    async def search(self, text: str, *, limit: int = 20, statuses: tuple[Status, ...] = IN_FORCE) -> tuple[Hit, ...]:
        return await self._database.read(lambda connection: reads.search(connection, text, limit, statuses))

    async def in_domains(self, domains: Collection[Domain], *, limit: int = 50) -> tuple[Preference, ...]:
        return await self._database.read(lambda connection: reads.in_domains(connection, domains, limit))

    async def head(self, *, at: datetime, scopes: Collection[Scope] = ()) -> tuple[Preference, ...]:
        return await self._database.read(lambda connection: reads.head(connection, at, scopes))

    async def history(
        self, id: PreferenceId | None = None, *, limit: int = 50, offset: int = 0
    ) -> tuple[HistoryEntry, ...]:
        return await self._database.read(lambda connection: reads.history(connection, id, limit, offset))

    async def usage_of(self, message_id: MessageId) -> tuple[Usage, ...]:
        return await self._database.read(lambda connection: reads.usage_of(connection, message_id))

    async def uses(self, id: PreferenceId, *, limit: int = 20) -> tuple[Usage, ...]:
        return await self._database.read(lambda connection: reads.uses(connection, id, limit))

    async def review(self, *, at: datetime, limit: int = 50) -> ReviewQueue:
        return await self._database.read(lambda connection: reads.review(connection, at, limit))

    async def export(self) -> AsyncIterator[Item]:
        page = await self._page(0)
        while page.items:
            for item in page.items:
                yield item
            page = await self._page(page.last)

    async def _page(self, after: int) -> reads.Page:
        return await self._database.read(lambda connection: reads.page(connection, after, _EXPORT_PAGE))

    async def snapshot(self) -> Snapshot:
        return await self._database.read(profiles.snapshot)

    async def gone(self) -> tuple[Item, ...]:
        return await self._database.read(gone)

    async def preview_forget(self, ids: Collection[PreferenceId]) -> ForgetPreview:
        return await self._database.read(lambda connection: forgetting.preview(connection, ids))

    async def forget(
        self, ids: Collection[PreferenceId], *, messages: ForgetMessages = "keep", at: datetime
    ) -> Forgotten:
        done = await self._database.write(lambda connection: forgetting.forget(connection, ids, messages, at))
        whole = messages != "keep"
        emptied = await self._database.run(lambda one: forgetting.rewrite(one, empty_log, whole=whole))
        if self._on_forget is not None:
            await asyncio.to_thread(self._on_forget)
        return self._changed(replace(done, log_held=not emptied))

    def _changed(self, result: T) -> T:
        if self.on_change is not None:
            self.on_change()
        return result


def _each(connection: sqlite3.Connection, sql: str, rows: Sequence[tuple[object, ...]]) -> None:
    connection.executemany(sql, rows)
