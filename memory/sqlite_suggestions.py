"""Suggestions in SQLite. One transaction a call; what was claimed is on disk before anybody is told."""

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Self, TypeVar

from memory.database import Database, has_tables
from memory.home_key import Key
from memory.sqlite_suggestion_writes import add_rule, claim, keep, purge, rate, record, set_state
from memory.suggestion_rows import (
    DECISION,
    OPPORTUNITY,
    SUGGESTION,
    SUGGESTION_WIDTH,
    decision_from,
    opportunity_from,
    posteriors_from,
    posteriors_text,
    rule_from,
    settings_from,
    settings_text,
    suggestion_from,
)
from memory.suggestion_rules import check_undo_rule, no_opportunity, no_rule, no_suggestion
from memory.suggestions import (
    Channel,
    Decision,
    Evidence,
    Feedback,
    MadeBy,
    Opportunity,
    OpportunityId,
    OpportunityState,
    Posteriors,
    Rule,
    RuleId,
    Settings,
    Suggestion,
    SuggestionId,
    SuggestionState,
    Told,
)
from memory.text import moment, moment_text

T = TypeVar("T")

_TOLD = (
    f"SELECT {SUGGESTION}, {OPPORTUNITY}, {DECISION} FROM suggestion "
    "JOIN opportunity ON opportunity.id = suggestion.opportunity_id "
    "JOIN suggestion_decision ON suggestion_decision.id = suggestion.decision_id"
)
_BUMP = "UPDATE suggestion_note SET value = value + 1 WHERE name = 'version'"
_OPPORTUNITY_WIDTH = 8


class SqliteSuggestions:
    """Implements memory.suggestion_store.SuggestionStore over one Database, which it shares with the transcript."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @classmethod
    async def open_reading(cls, path: Path, key: Key | None = None) -> Self | None:
        """Beside an owner, or without one; None where there never was a suggestion. Raises StoreError."""
        database = await Database.open_read_only(path, knows=has_tables("suggestion"), key=key)
        return None if database is None else cls(database)

    async def close(self) -> None:
        await self._database.close()

    async def _write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        def counted(connection: sqlite3.Connection) -> T:
            result = work(connection)
            connection.execute(_BUMP)
            return result

        return await self._database.write(counted)

    async def _rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        return await self._database.read(lambda connection: connection.execute(sql, values).fetchall())

    async def version(self) -> int:
        return int(await self.noted("version"))

    async def settings(self) -> Settings:
        text = await self.noted("settings")
        return settings_from(text) if text else Settings()

    async def save_settings(self, settings: Settings) -> None:
        await self._write(lambda connection: _note(connection, "settings", settings_text(settings)))

    async def add_rule(self, rule: Rule) -> Rule:
        return await self._write(lambda connection: add_rule(connection, rule))

    async def undo_rule(self, id: RuleId) -> Rule:
        def work(connection: sqlite3.Connection) -> Rule:
            found = _rules(connection, "WHERE id = ?", id)
            if not found:
                raise no_rule(id)
            check_undo_rule(found[0])
            connection.execute("UPDATE suggestion_rule SET state = 'undone' WHERE id = ?", (id,))
            return _rules(connection, "WHERE id = ?", id)[0]

        return await self._write(work)

    async def rules(self, *, undone: bool = False) -> tuple[Rule, ...]:
        where = "" if undone else "WHERE state = 'active'"
        return tuple(await self._database.read(lambda connection: _rules(connection, where)))

    async def posteriors(self) -> Posteriors:
        text = await self.noted("posteriors")
        return posteriors_from(text) if text else Posteriors()

    async def save_posteriors(self, learned: Posteriors) -> None:
        await self._write(lambda connection: _note(connection, "posteriors", posteriors_text(learned)))

    async def keep(self, found: Sequence[Opportunity]) -> tuple[Opportunity, ...]:
        if not found:
            return ()
        return await self._database.write(lambda connection: keep(connection, found))

    async def open(self, *, limit: int = 2_000) -> tuple[Opportunity, ...]:
        where = "WHERE state IN ('open', 'inbox') ORDER BY closes_at, id LIMIT ?"
        return await self._database.read(lambda connection: _opportunities(connection, where, limit))

    async def opportunity(self, id: OpportunityId) -> Opportunity:
        found = await self._database.read(lambda connection: _opportunities(connection, "WHERE id = ?", id))
        if not found:
            raise no_opportunity(id)
        return found[0]

    async def set_state(self, ids: Sequence[OpportunityId], state: OpportunityState) -> None:
        if ids:
            await self._write(lambda connection: set_state(connection, ids, state))

    async def noted(self, name: str) -> str:
        found = await self._rows("SELECT value FROM suggestion_note WHERE name = ?", name)
        return str(found[0][0]) if found else ""

    async def note(self, name: str, value: str) -> None:
        await self._database.write(lambda connection: _note(connection, name, value))

    async def claim(self, decisions: Sequence[Decision], *, channel: Channel, at: datetime) -> tuple[Told, ...]:
        def work(connection: sqlite3.Connection) -> tuple[Told, ...]:
            taken = (claim(connection, decision, channel, at) for decision in decisions)
            return tuple(
                told
                for id in taken
                if id is not None
                for told in _tolds(connection, f"{_TOLD} WHERE suggestion.id = ?", id)
            )

        return await self._write(work) if decisions else ()

    async def record(self, decision: Decision) -> Decision:
        return await self._database.write(lambda connection: record(connection, decision))

    async def word(self, id: SuggestionId, text: str, made_by: MadeBy) -> None:
        def work(connection: sqlite3.Connection) -> None:
            sql = "UPDATE suggestion SET text = ?, made_by = ? WHERE id = ?"
            if connection.execute(sql, (text, made_by, id)).rowcount != 1:
                raise no_suggestion(id)

        await self._database.write(work)

    async def mark_shown(self, ids: Sequence[SuggestionId]) -> None:
        sql = "UPDATE suggestion SET state = 'shown' WHERE id = ? AND state = 'claimed'"

        def work(connection: sqlite3.Connection) -> None:
            connection.executemany(sql, [(id,) for id in ids])

        await self._database.write(work)

    async def unshown(self, *, limit: int = 50) -> tuple[Told, ...]:
        where = "suggestion.state = 'claimed' AND suggestion.channel = 'spoken'"
        sql = f"{_TOLD} WHERE {where} ORDER BY suggestion.id LIMIT ?"
        return await self._database.read(lambda connection: _tolds(connection, sql, limit, again=True))

    async def rate(self, feedback: Feedback, learned: Posteriors, rule: Rule | None = None) -> Suggestion:
        def work(connection: sqlite3.Connection) -> Suggestion:
            rate(connection, feedback)
            _note(connection, "posteriors", posteriors_text(learned))
            if rule is not None:
                add_rule(connection, rule)
            return _suggestions(connection, "WHERE id = ?", feedback.suggestion_id)[0]

        return await self._write(work)

    async def rated(self, since: datetime | None = None) -> tuple[tuple[Suggestion, Decision], ...]:
        sql = (
            f"SELECT {SUGGESTION}, {DECISION} FROM suggestion "
            "JOIN suggestion_decision ON suggestion_decision.id = suggestion.decision_id "
            "WHERE suggestion.answered_at >= ? ORDER BY suggestion.answered_at, suggestion.id"
        )
        rows = await self._rows(sql, "" if since is None else moment_text(since))
        return tuple((suggestion_from(row[:SUGGESTION_WIDTH]), decision_from(row[SUGGESTION_WIDTH:])) for row in rows)

    async def told(self, id: SuggestionId) -> Told:
        sql = f"{_TOLD} WHERE suggestion.id = ?"
        found = await self._database.read(lambda connection: _tolds(connection, sql, id))
        if not found:
            raise no_suggestion(id)
        return found[0]

    async def list(
        self,
        states: Sequence[SuggestionState] = ("claimed", "shown"),
        channels: Sequence[Channel] = ("spoken", "inbox", "digest"),
        *,
        limit: int = 100,
        offset: int = 0,
    ) -> tuple[Told, ...]:
        sql = (
            f"{_TOLD} WHERE suggestion.state IN ({_marks(states)}) AND suggestion.channel IN ({_marks(channels)}) "
            "ORDER BY suggestion.claimed_at DESC, suggestion.id DESC LIMIT ? OFFSET ?"
        )
        values = (*states, *channels, limit, offset)
        return await self._database.read(lambda connection: _tolds(connection, sql, *values))

    async def spoken_since(self, at: datetime, *, limit: int = 500) -> tuple[Suggestion, ...]:
        where = "WHERE channel = 'spoken' AND claimed_at >= ? ORDER BY claimed_at DESC, id DESC LIMIT ?"
        found = await self._database.read(lambda connection: _suggestions(connection, where, moment_text(at), limit))
        return tuple(found)

    async def decisions(self, *, limit: int = 50, since: datetime | None = None) -> tuple[Decision, ...]:
        sql = f"SELECT {DECISION} FROM suggestion_decision WHERE at >= ? ORDER BY id DESC LIMIT ?"
        rows = await self._rows(sql, "" if since is None else moment_text(since), limit)
        return tuple(decision_from(row) for row in rows)

    async def purge(self, before: datetime) -> int:
        return await self._write(lambda connection: purge(connection, before))


def _marks(values: Iterable[object]) -> str:
    return ", ".join("?" for _ in values)


def _note(connection: sqlite3.Connection, name: str, value: str) -> None:
    sql = (
        "INSERT INTO suggestion_note(name, value) VALUES (?, ?) ON CONFLICT(name) DO UPDATE SET value = excluded.value"
    )
    connection.execute(sql, (name, value))


def _rules(connection: sqlite3.Connection, where: str, *values: object) -> list[Rule]:
    sql = f"SELECT id, kind, said, at, state, body FROM suggestion_rule {where} ORDER BY id"
    return [rule_from(*row) for row in connection.execute(sql, values)]


def _suggestions(connection: sqlite3.Connection, where: str, *values: object) -> list[Suggestion]:
    sql = f"SELECT {SUGGESTION} FROM suggestion {where}"
    return [suggestion_from(row) for row in connection.execute(sql, values)]


def _evidence(connection: sqlite3.Connection, ids: Sequence[str]) -> dict[str, list[Evidence]]:
    found: dict[str, list[Evidence]] = {}
    for start in range(0, len(ids), 500):
        part = ids[start : start + 500]
        sql = (
            "SELECT opportunity_id, source, ref, quote, at FROM opportunity_evidence "
            f"WHERE opportunity_id IN ({_marks(part)}) ORDER BY opportunity_id, place"
        )
        for id, source, ref, quote, at in connection.execute(sql, part):
            found.setdefault(id, []).append(Evidence(source=source, ref=ref, quote=quote, at=moment(at)))
    return found


def _opportunities(connection: sqlite3.Connection, where: str, *values: object) -> tuple[Opportunity, ...]:
    rows = connection.execute(f"SELECT {OPPORTUNITY} FROM opportunity {where}", values).fetchall()
    evidence = _evidence(connection, [row[0] for row in rows])
    return tuple(opportunity_from(row, tuple(evidence.get(row[0], ()))) for row in rows)


def _tolds(connection: sqlite3.Connection, sql: str, *values: object, again: bool = False) -> tuple[Told, ...]:
    rows = connection.execute(sql, values).fetchall()
    first, second = SUGGESTION_WIDTH, SUGGESTION_WIDTH + _OPPORTUNITY_WIDTH
    evidence = _evidence(connection, [row[first] for row in rows])
    return tuple(
        Told(
            suggestion=suggestion_from(row[:first]),
            opportunity=opportunity_from(row[first:second], tuple(evidence.get(row[first], ()))),
            decision=decision_from(row[second:]),
            again=again,
        )
        for row in rows
    )
