"""Reading preferences: each function runs inside one consistent view of the connection it is given."""

import json
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory.changes import Delta, EntryId, HistoryEntry
from memory.errors import SchemaTooNew
from memory.preferences import (
    Domain,
    Evidence,
    Filter,
    Hit,
    Item,
    Preference,
    PreferenceId,
    ReviewQueue,
    Scope,
    Status,
    Usage,
)
from memory.selection import (
    HEAD_SLOTS,
    belongs_in_head,
    fits,
    head_order,
    no_memory,
    one_memory,
    review_queue,
    strongest_first,
)
from memory.sqlite_preference_rows import EVIDENCE, SELECT, STORED, evidence_from, from_json, preference_from
from memory.text import like_pattern, moment, moment_text, parse_query, storable
from memory.types import MessageId
from memory.undo import nothing_to_undo
from memory.upkeep import LOOK_AGAIN_AFTER
from memory.words import NAMED_SCORE, any_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    item: Item
    evidence_ids: tuple[int, ...]


def load(connection: sqlite3.Connection, where: str, values: Sequence[Any], order: str = "seq") -> list[Loaded]:
    """Items with their evidence, oldest first."""
    rows = connection.execute(f"SELECT {SELECT} FROM preference WHERE {where} ORDER BY {order}", values).fetchall()
    return [_with_evidence(connection, preference_from(row)) for row in rows]


def _with_evidence(connection: sqlite3.Connection, preference: Preference) -> Loaded:
    rows = connection.execute(
        f"SELECT {EVIDENCE} FROM evidence WHERE preference_id = ? AND live = 1 ORDER BY at, id", (preference.id,)
    ).fetchall()
    item = Item(preference=preference, evidence=tuple(evidence_from(row) for row in rows))
    return Loaded(item=item, evidence_ids=tuple(row[0] for row in rows))


def remembers(connection: sqlite3.Connection) -> bool:
    """Whether this database has a place for preferences: a home that only an older Steward used has none. Raises
    SchemaTooNew when columns are missing that reading needs."""
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'preference'").fetchone() is None:
        return False
    try:
        connection.execute(f"SELECT {SELECT} FROM preference LIMIT 1")
    except sqlite3.OperationalError as error:
        raise SchemaTooNew(
            "What is remembered was written by another version of Steward.", "Update Steward, then run it once."
        ) from error
    return True


def item(connection: sqlite3.Connection, id: PreferenceId) -> Item:
    found = load(connection, "preference.id = ?", (id,))
    if not found:
        raise no_memory(id)
    return found[0].item


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    items: tuple[Item, ...]
    last: int  # where the next page goes on


def page(connection: sqlite3.Connection, after: int, size: int) -> Page:
    """In the order in which they were stored."""
    rows = connection.execute("SELECT seq FROM preference WHERE seq > ? ORDER BY seq LIMIT ?", (after, size)).fetchall()
    if not rows:
        return Page(items=(), last=after)
    last = rows[-1][0]
    found = load(connection, "seq > ? AND seq <= ?", (after, last))
    return Page(items=tuple(one.item for one in found), last=last)


def find(connection: sqlite3.Connection, wanted: str) -> Item:
    rows = connection.execute(
        r"SELECT id FROM preference WHERE ? <> '' AND id LIKE ? ESCAPE '\' ORDER BY id",
        (wanted, like_pattern(wanted)[1:]),
    )
    fitting = [row[0] for row in rows]
    return item(connection, PreferenceId(wanted) if wanted in fitting else one_memory(wanted, fitting))


def filtered(connection: sqlite3.Connection, filter: Filter, limit: int, offset: int) -> tuple[Preference, ...]:
    """Newest first. Text is compared as people do, without accents, which SQLite cannot; so rows are read on."""
    found: list[Preference] = []
    skipped = 0
    for preference in _candidates(connection, filter):
        if len(found) == limit:
            break
        if not fits(preference, filter):
            continue
        skipped += 1
        if skipped > offset:
            found.append(preference)
    return tuple(found)


def counted(connection: sqlite3.Connection, filter: Filter) -> int:
    if filter.text:
        return sum(1 for preference in _candidates(connection, filter) if fits(preference, filter))
    where, values = _where(filter)
    return int(connection.execute(f"SELECT count(*) FROM preference WHERE {where}", values).fetchone()[0])


def _candidates(connection: sqlite3.Connection, filter: Filter) -> Iterator[Preference]:
    where, values = _where(filter)
    rows = connection.execute(
        f"SELECT {SELECT} FROM preference WHERE {where} ORDER BY recorded_at DESC, id DESC", values
    )
    return (preference_from(row) for row in rows)


def _where(filter: Filter) -> tuple[str, list[Any]]:
    clauses, values = ["1 = 1"], list[Any]()
    for column, wanted in (("status", filter.statuses), ("domain", filter.domains), ("source", filter.sources)):
        if wanted:
            clauses.append(f"{column} IN ({', '.join('?' * len(wanted))})")
            values += wanted
    if filter.slot:
        clauses.append("slot = ?")
        values.append(filter.slot)
    if filter.pinned is not None:
        clauses.append("pinned = ?")
        values.append(int(filter.pinned))
    return " AND ".join(clauses), values


def by_ids(connection: sqlite3.Connection, ids: Collection[PreferenceId]) -> tuple[Preference, ...]:
    marks = ", ".join("?" * len(ids))
    rows = connection.execute(f"SELECT {SELECT} FROM preference WHERE id IN ({marks})", tuple(ids))
    found = {row[0]: preference_from(row) for row in rows}
    return tuple(found[id] for id in dict.fromkeys(ids) if id in found)


def search(connection: sqlite3.Connection, text: str, limit: int, statuses: tuple[Status, ...]) -> tuple[Hit, ...]:
    """By bm25 (Robertson & Zaragoza 2009), turned so that higher is better.

    The index takes a clause of a script without spaces for one word; there an object is looked for inside the text.
    """
    words, marks = any_of(text), ", ".join("?" * len(statuses))
    rows: list[tuple[Any, ...]] = []
    if words:
        rows += connection.execute(
            f"SELECT {SELECT}, -bm25(preference_fts) AS score FROM preference_fts "
            "JOIN preference ON preference.seq = preference_fts.rowid "
            f"WHERE preference_fts MATCH ? AND preference.status IN ({marks}) "
            "ORDER BY score DESC, preference.id LIMIT ?",
            (words, *statuses, limit),
        ).fetchall()
    if len(rows) < limit and parse_query(text).pieces:
        rows += connection.execute(
            f"SELECT {SELECT}, {NAMED_SCORE} FROM preference WHERE status IN ({marks}) AND length(object) > 1 "
            "AND instr(?, object) > 0 ORDER BY id LIMIT ?",
            (*statuses, storable(text), limit),
        ).fetchall()
    hits = (Hit(preference=preference_from(row[: len(STORED)]), score=row[-1]) for row in rows)
    return tuple({hit.preference.id: hit for hit in reversed([*hits])}.values())[::-1][:limit]


def in_domains(connection: sqlite3.Connection, domains: Collection[Domain], limit: int) -> tuple[Preference, ...]:
    rows = connection.execute(
        f"SELECT {SELECT} FROM preference WHERE status = 'active' AND domain IN ({', '.join('?' * len(domains))}) "
        "ORDER BY strength DESC, alpha / (alpha + beta) DESC, id LIMIT ?",
        (*domains, limit),
    )
    return strongest_first(preference_from(row) for row in rows)


def head(connection: sqlite3.Connection, at: datetime, scopes: Collection[Scope]) -> tuple[Preference, ...]:
    rows = connection.execute(
        f"SELECT {SELECT} FROM preference WHERE status = 'active' "
        f"AND (pinned = 1 OR strength = 4 OR slot IN ({', '.join('?' * len(HEAD_SLOTS))}))",
        HEAD_SLOTS,
    )
    preferences = (preference_from(row) for row in rows)
    return head_order(one for one in preferences if belongs_in_head(one, at, scopes))


def review(connection: sqlite3.Connection, at: datetime, limit: int) -> ReviewQueue:
    open_ones = load(connection, "status IN ('candidate', 'disputed')", ())
    contested = load(connection, "id IN (SELECT contests FROM preference WHERE status = 'disputed')", ())
    said = "coalesce(last_reinforced_at, recorded_at)"  # the same rule and order as memory.selection, few rows read
    old = f"status = 'active' AND kind <> 'identity' AND coalesce(review_after <= ?, {said} < ?)"
    dates = (moment_text(at), moment_text(at - LOOK_AGAIN_AFTER))
    stale = load(connection, old, (*dates, limit), f"{said}, id LIMIT ?")
    return review_queue({one.item.id: one.item for one in (*open_ones, *contested, *stale)}, at, limit)


def perishable(connection: sqlite3.Connection, at: datetime) -> list[Preference]:
    """What upkeep may touch: live items with a passed date, active ones that were inferred."""
    rows = connection.execute(
        f"SELECT {SELECT} FROM preference WHERE (valid_to <= ? AND status IN ('candidate', 'active', 'disputed')) "
        "OR (status = 'active' AND source = 'inferred')",
        (moment_text(at),),
    )
    return [preference_from(row) for row in rows]


# --- history -------------------------------------------------------------------------------------------------


def history(
    connection: sqlite3.Connection, id: PreferenceId | None, limit: int, offset: int
) -> tuple[HistoryEntry, ...]:
    where = "1 = 1" if id is None else "id IN (SELECT entry_id FROM history_delta WHERE preference_id = ?)"
    rows = connection.execute(
        f"SELECT id FROM history_entry WHERE {where} ORDER BY id DESC LIMIT ? OFFSET ?",
        (*(() if id is None else (id,)), limit, offset),
    ).fetchall()
    return tuple(history_entry(connection, EntryId(row[0])) for row in rows)


def newest_entry(connection: sqlite3.Connection) -> HistoryEntry:
    row = connection.execute(
        "SELECT max(id) FROM history_entry WHERE operation <> 'undo' AND undone = 0 AND undoable = 1"
    ).fetchone()
    if row[0] is None:
        raise nothing_to_undo()
    return history_entry(connection, EntryId(row[0]))


def history_entry(connection: sqlite3.Connection, id: EntryId) -> HistoryEntry:
    row = connection.execute(
        "SELECT at, operation, actor, reason, undo_of, undone, undoable FROM history_entry WHERE id = ?", (id,)
    ).fetchone()
    if row is None:
        raise nothing_to_undo()
    at, operation, actor, reason, undo_of, undone, undoable = row
    deltas = connection.execute(
        "SELECT preference_id, before, after, evidence_before, evidence_after FROM history_delta "
        "WHERE entry_id = ? ORDER BY position",
        (id,),
    ).fetchall()
    return HistoryEntry(
        id=id,
        at=moment(at),
        operation=operation,
        actor=actor,
        reason=reason,
        deltas=tuple(
            Delta(
                id=PreferenceId(preference_id),
                before=_state(connection, before, evidence_before),
                after=_state(connection, after, evidence_after),
            )
            for preference_id, before, after, evidence_before, evidence_after in deltas
        ),
        undo_of=None if undo_of is None else EntryId(undo_of),
        undone=bool(undone),
        undoable=bool(undoable),
    )


def _state(connection: sqlite3.Connection, text: str | None, evidence_ids: str) -> Item | None:
    if text is None:
        return None
    evidence = (_evidence(connection, id) for id in json.loads(evidence_ids))
    return Item(preference=from_json(text), evidence=tuple(one for one in evidence if one is not None))


def _evidence(connection: sqlite3.Connection, id: int) -> Evidence | None:
    """None when its conversation was deleted."""
    row = connection.execute(f"SELECT {EVIDENCE} FROM evidence WHERE id = ?", (id,)).fetchone()
    return None if row is None else evidence_from(row)


# --- use -----------------------------------------------------------------------------------------------------

_USAGE = "preference_id, message_id, place, score, outcome, at"


def usage_of(connection: sqlite3.Connection, message_id: MessageId) -> tuple[Usage, ...]:
    rows = connection.execute(
        f"SELECT {_USAGE} FROM usage WHERE message_id = ? ORDER BY score DESC, preference_id", (message_id,)
    )
    return tuple(_usage_from(row) for row in rows)


def uses(connection: sqlite3.Connection, id: PreferenceId, limit: int) -> tuple[Usage, ...]:
    rows = connection.execute(
        f"SELECT {_USAGE} FROM usage WHERE preference_id = ? ORDER BY message_id DESC LIMIT ?", (id, limit)
    )
    return tuple(_usage_from(row) for row in rows)


def _usage_from(row: Sequence[Any]) -> Usage:
    preference_id, message_id, place, score, outcome, at = row
    return Usage(
        preference_id=preference_id, message_id=message_id, place=place, score=score, outcome=outcome, at=moment(at)
    )
