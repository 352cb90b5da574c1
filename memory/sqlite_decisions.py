"""Decisions, effects, grants, prices and plans in SQLite. One transaction a call: what was claimed is on disk before
anything is carried out."""

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from memory.database import Database, has_tables
from memory.decision_rules import check_step, no_decision, no_effect, no_grant, no_plan
from memory.decisions import FROM_PROFILE, Decision, DecisionId, DecisionState, NewDecision
from memory.effects import BeliefLabel, EffectRecord, Grant, GrantId, QuestionPrice
from memory.home_key import Key
from memory.plans import Plan, PlanId, PlanState, Step
from memory.sqlite_decision_rows import (
    DECISION,
    EFFECT,
    GRANT,
    PLAN,
    asked_text,
    decision_from,
    effect_from,
    effect_values,
    grant_from,
    optional_text,
    plan_from,
    steps_text,
)
from memory.text import moment, moment_text, storable
from memory.types import MessageId, SessionId


class SqliteDecisions:
    """Implements memory.decision_store.DecisionStore over one Database, which it shares with the transcript."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @classmethod
    async def open_reading(cls, path: Path, key: Key | None = None) -> Self | None:
        """Beside an owner, or without one; None where there never was a decision. Raises StoreError."""
        database = await Database.open_read_only(path, knows=has_tables("decision"), key=key)
        return None if database is None else cls(database)

    async def close(self) -> None:
        await self._database.close()

    async def raise_decision(self, asked: NewDecision, *, at: datetime) -> Decision:
        values = (
            asked_text(asked),
            asked.session_id,
            asked.message_id,
            moment_text(at),
            optional_text(asked.expires_at),
        )
        sql = (
            "INSERT INTO decision(state, asked, session_id, message_id, created_at, expires_at) "
            "VALUES ('open', ?, ?, ?, ?, ?)"
        )

        def work(connection: sqlite3.Connection) -> Decision:
            return _decision(connection, DecisionId(connection.execute(sql, values).lastrowid or 0))

        return await self._database.write(work)

    async def decision(self, id: DecisionId) -> Decision:
        return await self._database.read(lambda connection: _decision(connection, id))

    async def decisions(self, states: Sequence[DecisionState] = ("open",), *, limit: int = 200) -> tuple[Decision, ...]:
        marks = ", ".join("?" for _ in states)
        sql = f"SELECT {DECISION} FROM decision WHERE state IN ({marks}) ORDER BY id DESC LIMIT ?"
        rows = await self._rows(sql, *states, limit)
        return tuple(decision_from(row) for row in rows)

    async def answer(self, id: DecisionId, answer: str, *, source: str, at: datetime) -> Decision:
        def work(connection: sqlite3.Connection) -> Decision:
            check_step(id, _decision(connection, id).state, "answered")
            connection.execute(
                "UPDATE decision SET state = 'answered', answer = ?, answered_from = ?, answered_at = ? WHERE id = ?",
                (storable(answer), source, moment_text(at), id),
            )
            return _decision(connection, id)

        return await self._database.write(work)

    async def close_decision(
        self,
        id: DecisionId,
        state: DecisionState,
        *,
        at: datetime,
        result: str = "",
        undo_token: str = "",
        superseded_by: DecisionId | None = None,
    ) -> Decision:
        def work(connection: sqlite3.Connection) -> Decision:
            check_step(id, _decision(connection, id).state, state)
            connection.execute(
                "UPDATE decision SET state = ?, result = ?, undo_token = ?, superseded_by = ?, "
                "answered_at = coalesce(answered_at, ?) WHERE id = ?",
                (state, storable(result), undo_token, superseded_by, moment_text(at), id),
            )
            return _decision(connection, id)

        return await self._database.write(work)

    async def keep_past(self, past: Sequence[Decision]) -> None:
        columns = "state, asked, created_at, answer, answered_from, answered_at, result"
        rows = [
            (
                one.state,
                asked_text(one.asked),
                moment_text(one.created_at),
                storable(one.answer),
                one.answered_from,
                optional_text(one.answered_at),
                storable(one.result),
            )
            for one in past
        ]

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM decision WHERE answered_from = ?", (FROM_PROFILE,))
            connection.executemany(f"INSERT INTO decision({columns}) VALUES (?, ?, ?, ?, ?, ?, ?)", rows)

        await self._database.write(work)

    async def expire(self, at: datetime) -> tuple[Decision, ...]:
        def work(connection: sqlite3.Connection) -> tuple[Decision, ...]:
            sql = "SELECT id FROM decision WHERE state = 'open' AND expires_at <= ? ORDER BY id"
            over = [id for (id,) in connection.execute(sql, (moment_text(at),))]
            connection.executemany(
                "UPDATE decision SET state = 'expired', answered_at = ? WHERE id = ?",
                [(moment_text(at), id) for id in over],
            )
            return tuple(_decision(connection, id) for id in over)

        return await self._database.write(work)

    async def begin_effect(self, record: EffectRecord) -> bool:
        values = effect_values(record)
        sql = f"INSERT OR IGNORE INTO effect({EFFECT}) VALUES ({', '.join('?' for _ in values)})"
        return await self._database.write(lambda connection: connection.execute(sql, values).rowcount == 1)

    async def finish_effect(self, record: EffectRecord) -> None:
        values = effect_values(record)

        def work(connection: sqlite3.Connection) -> None:
            columns = ", ".join(f"{name} = ?" for name in EFFECT.split(", "))
            changed = connection.execute(f"UPDATE effect SET {columns} WHERE key = ?", (*values, record.key))
            if changed.rowcount != 1:
                raise no_effect(record.key)

        await self._database.write(work)

    async def effect(self, key: str) -> EffectRecord | None:
        rows = await self._rows(f"SELECT {EFFECT} FROM effect WHERE key = ?", key)
        return effect_from(rows[0]) if rows else None

    async def effects(self, *, limit: int = 50) -> tuple[EffectRecord, ...]:
        rows = await self._rows(f"SELECT {EFFECT} FROM effect ORDER BY started_at DESC, rowid DESC LIMIT ?", limit)
        return tuple(effect_from(row) for row in rows)

    async def effects_of(self, message_id: MessageId) -> tuple[EffectRecord, ...]:
        sql = f"SELECT {EFFECT} FROM effect WHERE message_id = ? ORDER BY started_at, rowid"
        return tuple(effect_from(row) for row in await self._rows(sql, message_id))

    async def add_grant(self, grant: Grant) -> Grant:
        values = (
            grant.tool,
            json.dumps(grant.fixed, ensure_ascii=False),
            grant.scope,
            grant.session_id,
            optional_text(grant.expires_at),
            moment_text(grant.created_at),
            grant.created_from,
            grant.used,
            optional_text(grant.revoked_at),
        )
        sql = f"INSERT INTO standing_grant({GRANT.removeprefix('id, ')}) VALUES ({', '.join('?' for _ in values)})"

        def work(connection: sqlite3.Connection) -> int:
            return connection.execute(sql, values).lastrowid or 0

        return replace(grant, id=GrantId(await self._database.write(work)))

    async def grants(self, *, revoked: bool = False) -> tuple[Grant, ...]:
        where = "" if revoked else "WHERE revoked_at IS NULL"
        rows = await self._rows(f"SELECT {GRANT} FROM standing_grant {where} ORDER BY id DESC")
        return tuple(grant_from(row) for row in rows)

    async def use_grant(self, id: GrantId) -> None:
        await self._run("UPDATE standing_grant SET used = used + 1 WHERE id = ?", id)

    async def revoke_grant(self, id: GrantId, *, at: datetime) -> Grant:
        await self._run(
            "UPDATE standing_grant SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?", moment_text(at), id
        )
        rows = await self._rows(f"SELECT {GRANT} FROM standing_grant WHERE id = ?", id)
        if not rows:
            raise no_grant(id)
        return grant_from(rows[0])

    async def prices(self) -> Mapping[str, QuestionPrice]:
        rows = await self._rows("SELECT kind, log_price, asked, needless, useful FROM question_price")
        return {
            kind: QuestionPrice(kind=kind, log_price=log_price, asked=asked, needless=needless, useful=useful)
            for kind, log_price, asked, needless, useful in rows
        }

    async def set_price(self, price: QuestionPrice) -> None:
        await self._run(
            "REPLACE INTO question_price(kind, log_price, asked, needless, useful) VALUES (?, ?, ?, ?, ?)",
            price.kind,
            price.log_price,
            price.asked,
            price.needless,
            price.useful,
        )

    async def forget_prices(self) -> int:
        def work(connection: sqlite3.Connection) -> int:
            connection.execute("DELETE FROM belief_label")
            return connection.execute("DELETE FROM question_price").rowcount

        return await self._database.write(work)

    async def add_label(self, label: BeliefLabel) -> None:
        await self._run(
            "INSERT INTO belief_label(model, belief, right, at) VALUES (?, ?, ?, ?)",
            label.model,
            label.belief,
            int(label.right),
            moment_text(label.at),
        )

    async def labels(self, model: str, *, limit: int = 500) -> tuple[BeliefLabel, ...]:
        sql = "SELECT model, belief, right, at FROM belief_label WHERE model = ? ORDER BY id DESC LIMIT ?"
        return tuple(
            BeliefLabel(model=model, belief=belief, right=bool(right), at=moment(at))
            for model, belief, right, at in await self._rows(sql, model, limit)
        )

    async def add_plan(
        self,
        goal: str,
        steps: Sequence[Step],
        *,
        at: datetime,
        session_id: SessionId | None = None,
        message_id: MessageId | None = None,
        ends_at: datetime | None = None,
    ) -> Plan:
        now, ends = moment_text(at), optional_text(ends_at)
        values = (storable(goal), steps_text(tuple(steps)), "running", session_id, message_id, now, now, ends)
        sql = f"INSERT INTO plan({PLAN.removeprefix('id, ')}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"

        def work(connection: sqlite3.Connection) -> Plan:
            return _plan(connection, PlanId(connection.execute(sql, values).lastrowid or 0))

        return await self._database.write(work)

    async def plan(self, id: PlanId) -> Plan:
        return await self._database.read(lambda connection: _plan(connection, id))

    async def plans(self, states: Sequence[PlanState] = ("running", "waiting"), *, limit: int = 50) -> tuple[Plan, ...]:
        marks = ", ".join("?" for _ in states)
        sql = f"SELECT {PLAN} FROM plan WHERE state IN ({marks}) ORDER BY id DESC LIMIT ?"
        return tuple(plan_from(row) for row in await self._rows(sql, *states, limit))

    async def change_plan(self, id: PlanId, change: Callable[[Plan], Plan | None], *, at: datetime) -> Plan | None:
        sql = "UPDATE plan SET steps = ?, state = ?, ends_at = ?, changed_at = ? WHERE id = ?"

        def work(connection: sqlite3.Connection) -> Plan | None:
            after = change(_plan(connection, id))
            if after is None:
                return None
            connection.execute(
                sql, (steps_text(after.steps), after.state, optional_text(after.ends_at), moment_text(at), id)
            )
            return _plan(connection, id)

        return await self._database.write(work)

    async def _rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        return await self._database.read(lambda connection: connection.execute(sql, values).fetchall())

    async def _run(self, sql: str, *values: Any) -> None:
        await self._database.write(lambda connection: connection.execute(sql, values))


def _decision(connection: sqlite3.Connection, id: DecisionId) -> Decision:
    row = connection.execute(f"SELECT {DECISION} FROM decision WHERE id = ?", (id,)).fetchone()
    if row is None:
        raise no_decision(id)
    return decision_from(row)


def _plan(connection: sqlite3.Connection, id: PlanId) -> Plan:
    row = connection.execute(f"SELECT {PLAN} FROM plan WHERE id = ?", (id,)).fetchone()
    if row is None:
        raise no_plan(id)
    return plan_from(row)
