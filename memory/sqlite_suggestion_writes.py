"""What changes suggestions in SQLite: functions that run inside somebody's transaction."""

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from memory.suggestion_rows import decision_text, opportunity_text, optional_text, rule_text
from memory.suggestion_rules import after_answer, can_take, no_suggestion, taken
from memory.suggestions import (
    Channel,
    Decision,
    DecisionId,
    Evidence,
    EvidenceSource,
    Feedback,
    Opportunity,
    OpportunityId,
    OpportunityState,
    Rule,
    RuleId,
    SuggestionId,
)
from memory.text import moment_text, storable

# Which column says what evidence rests on, and the table it names: what goes there takes the opportunity with it.
_RESTS_ON: dict[EvidenceSource, tuple[str, str]] = {
    "message": ("message_id", "message"),
    "preference": ("preference_id", "preference"),
    "reminder": ("reminder_id", "reminder"),
    "event": ("item_id", "item"),
    "task": ("item_id", "item"),
}
_WITHDRAW = (
    "UPDATE suggestion SET state = 'withdrawn' WHERE opportunity_id = ? AND state IN ('claimed', 'shown') AND id <> ?"
)


def add_rule(connection: sqlite3.Connection, rule: Rule) -> Rule:
    cursor = connection.execute(
        "INSERT INTO suggestion_rule(kind, said, at, state, body) VALUES (?, ?, ?, 'active', ?)",
        (rule.kind, storable(rule.said), moment_text(rule.at), rule_text(rule)),
    )
    return replace(rule, id=RuleId(cursor.lastrowid or 0), state="active")


def keep(connection: sqlite3.Connection, found: Sequence[Opportunity]) -> tuple[Opportunity, ...]:
    """Those that are new. The version grows only where something changed."""
    new, changed = [], 0
    for one in found:
        row = connection.execute("SELECT state FROM opportunity WHERE id = ?", (one.id,)).fetchone()
        if row is None:
            if all(_exists(connection, evidence) for evidence in one.evidence):
                new.append(_add(connection, one))
            continue
        if row[0] in ("open", "inbox"):
            changed += _update(connection, one)
    if new or changed:
        connection.execute("UPDATE suggestion_note SET value = value + 1 WHERE name = 'version'")
    return tuple(new)


def _exists(connection: sqlite3.Connection, evidence: Evidence) -> bool:
    """Whether what it rests on is there: it may have been forgotten while somebody looked."""
    _, table = _RESTS_ON[evidence.source]
    return connection.execute(f"SELECT 1 FROM {table} WHERE id = ?", (evidence.ref,)).fetchone() is not None


def _add(connection: sqlite3.Connection, one: Opportunity) -> Opportunity:
    kept = replace(one, subject=storable(one.subject), state="open", snoozed_until=None)
    connection.execute(
        "INSERT INTO opportunity(id, key, kind, state, opens_at, closes_at, turn, body) "
        "VALUES (?, ?, ?, 'open', ?, ?, 0, ?)",
        (
            one.id,
            storable(one.key),
            one.kind,
            moment_text(one.opens_at),
            moment_text(one.closes_at),
            opportunity_text(kept),
        ),
    )
    for place, evidence in enumerate(one.evidence):
        column, _ = _RESTS_ON[evidence.source]
        connection.execute(
            f"INSERT INTO opportunity_evidence(opportunity_id, place, source, ref, quote, at, {column}) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                one.id,
                place,
                evidence.source,
                evidence.ref,
                storable(evidence.quote),
                moment_text(evidence.at),
                int(evidence.ref) if evidence.source == "message" else evidence.ref,
            ),
        )
    return kept


def _update(connection: sqlite3.Connection, one: Opportunity) -> int:
    sql = (
        "UPDATE opportunity SET opens_at = ?1, closes_at = ?2, body = json_set(body, '$.deadline', ?3, '$.value', ?4, "
        "'$.need', ?5) WHERE id = ?6 AND (opens_at <> ?1 OR closes_at <> ?2 OR body ->> '$.deadline' IS NOT ?3 "
        "OR body ->> '$.value' <> ?4 OR body ->> '$.need' <> ?5)"
    )
    values = (moment_text(one.opens_at), moment_text(one.closes_at), optional_text(one.deadline), one.value, one.need)
    return connection.execute(sql, (*values, one.id)).rowcount


def set_state(connection: sqlite3.Connection, ids: Sequence[OpportunityId], state: OpportunityState) -> None:
    for id in ids:
        connection.execute("UPDATE opportunity SET state = ? WHERE id = ?", (state, id))
        if state in ("closed", "expired"):
            connection.execute(_WITHDRAW, (id, 0))


def record(connection: sqlite3.Connection, decision: Decision) -> Decision:
    cursor = connection.execute(
        "INSERT INTO suggestion_decision(at, breakpoint, action, opportunity_id, body) VALUES (?, ?, ?, ?, ?)",
        (
            moment_text(decision.at),
            decision.breakpoint,
            decision.action,
            decision.opportunity_id,
            decision_text(decision),
        ),
    )
    return replace(decision, id=DecisionId(cursor.lastrowid or 0))


def claim(connection: sqlite3.Connection, decision: Decision, channel: Channel, at: datetime) -> SuggestionId | None:
    row = connection.execute(
        "SELECT state, turn, body ->> '$.topic' FROM opportunity WHERE id = ?", (decision.opportunity_id,)
    ).fetchone()
    if row is None or not can_take(row[0], channel):
        return None
    _, turn, topic = row
    if channel == "spoken":
        connection.execute(_WITHDRAW, (decision.opportunity_id, 0))
    connection.execute("UPDATE opportunity SET state = ? WHERE id = ?", (taken(channel), decision.opportunity_id))
    kept = record(connection, decision)
    cursor = connection.execute(
        "INSERT INTO suggestion(opportunity_id, turn, decision_id, topic, channel, claimed_at, text, made_by, state, "
        "reason) VALUES (?, ?, ?, ?, ?, ?, '', 'template', 'claimed', '')",
        (decision.opportunity_id, turn, kept.id, topic, channel, moment_text(at)),
    )
    return SuggestionId(cursor.lastrowid or 0)


def rate(connection: sqlite3.Connection, feedback: Feedback) -> None:
    """Raises NotFound."""
    id = feedback.suggestion_id
    row = connection.execute("SELECT opportunity_id FROM suggestion WHERE id = ?", (id,)).fetchone()
    if row is None:
        raise no_suggestion(id)
    connection.execute(
        "UPDATE suggestion SET state = 'answered', answer = ?, reason = ?, answered_at = ? WHERE id = ?",
        (feedback.answer, feedback.reason, moment_text(feedback.at), id),
    )
    state = after_answer(feedback.answer)
    if state is None or row[0] is None:
        return
    connection.execute(_WITHDRAW, (row[0], id))
    until = optional_text(feedback.until) if state == "open" else None
    connection.execute(
        "UPDATE opportunity SET state = ?, snoozed_until = ?, turn = turn + (? = 'open') WHERE id = ?",
        (state, until, state, row[0]),
    )


def purge(connection: sqlite3.Connection, before: datetime) -> int:
    at = moment_text(before)
    gone = connection.execute(
        "DELETE FROM opportunity WHERE state IN ('told', 'closed', 'expired') AND closes_at < ?", (at,)
    ).rowcount
    connection.execute(
        "DELETE FROM suggestion_decision WHERE at < ? AND id NOT IN (SELECT decision_id FROM suggestion)", (at,)
    )
    return gone
