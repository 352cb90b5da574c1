"""Rows of the decision tables as the frozen values of memory.decisions, memory.effects and memory.plans."""

import json
from dataclasses import asdict
from datetime import datetime
from typing import Any

from memory.decisions import Decision, DecisionOption, FormField, NewDecision, OptionAttribute, PlannedCall
from memory.effects import EffectRecord, Grant
from memory.plans import Plan, Step
from memory.text import moment, moment_text, storable

DECISION = (
    "id, state, asked, session_id, message_id, created_at, expires_at, answer, answered_from, answered_at, result, "
    "undo_token, superseded_by"
)
EFFECT = "key, tool, arguments, state, summary, undo_token, changed, decision_id, message_id, started_at, finished_at"
GRANT = "id, tool, fixed, scope, session_id, expires_at, created_at, created_from, used, revoked_at"
PLAN = "id, goal, steps, state, session_id, message_id, created_at, changed_at, ends_at"


def asked_text(asked: NewDecision) -> str:
    """The fixed part of a decision. What has a column of its own is left out."""
    fields = asdict(asked)
    for column in ("session_id", "message_id", "expires_at"):
        del fields[column]
    return storable(json.dumps(fields, ensure_ascii=False, sort_keys=True))


def decision_from(row: tuple[Any, ...]) -> Decision:
    id, state, asked, session_id, message_id, created_at, expires_at, *rest = row
    answer, answered_from, answered_at, result, undo_token, superseded_by = rest
    return Decision(
        id=id,
        asked=_asked(json.loads(asked), session_id, message_id, optional_moment(expires_at)),
        state=state,
        created_at=moment(created_at),
        answer=answer,
        answered_from=answered_from,
        answered_at=optional_moment(answered_at),
        result=result,
        undo_token=undo_token,
        superseded_by=superseded_by,
    )


def _asked(fields: dict[str, Any], session_id: Any, message_id: Any, expires_at: datetime | None) -> NewDecision:
    options = tuple(
        DecisionOption(
            **{**option, "attributes": tuple(OptionAttribute(**attribute) for attribute in option["attributes"])}
        )
        for option in fields.pop("options")
    )
    call = fields.pop("call")
    return NewDecision(
        **{
            **fields,
            "options": options,
            "call": None if call is None else _call(call),
            "sources": tuple(fields["sources"]),
            "assumptions": tuple(fields["assumptions"]),
            "fields": tuple(map(_field, fields.get("fields", ()))),
            "session_id": session_id,
            "message_id": message_id,
            "expires_at": expires_at,
        }
    )


def _field(fields: dict[str, Any]) -> FormField:
    return FormField(**{**fields, "choices": tuple(fields["choices"]), "labels": tuple(fields["labels"])})


def _call(fields: dict[str, Any]) -> PlannedCall:
    preconditions = tuple((name, value) for name, value in fields["preconditions"])
    return PlannedCall(**{**fields, "preconditions": preconditions})


def effect_values(record: EffectRecord) -> tuple[Any, ...]:
    return (
        record.key,
        record.tool,
        storable(record.arguments),
        record.state,
        storable(record.summary),
        record.undo_token,
        storable(json.dumps(record.changed, ensure_ascii=False)),
        record.decision_id,
        record.message_id,
        moment_text(record.started_at),
        optional_text(record.finished_at),
    )


def effect_from(row: tuple[Any, ...]) -> EffectRecord:
    key, tool, arguments, state, summary, undo_token, changed, decision_id, message_id, started_at, finished_at = row
    return EffectRecord(
        key=key,
        tool=tool,
        arguments=arguments,
        state=state,
        summary=summary,
        undo_token=undo_token,
        changed=tuple(json.loads(changed)),
        decision_id=decision_id,
        message_id=message_id,
        started_at=moment(started_at),
        finished_at=optional_moment(finished_at),
    )


def grant_from(row: tuple[Any, ...]) -> Grant:
    id, tool, fixed, scope, session_id, expires_at, created_at, created_from, used, revoked_at = row
    return Grant(
        id=id,
        tool=tool,
        fixed=tuple((name, value) for name, value in json.loads(fixed)),
        scope=scope,
        session_id=session_id,
        expires_at=optional_moment(expires_at),
        created_at=moment(created_at),
        created_from=created_from,
        used=used,
        revoked_at=optional_moment(revoked_at),
    )


def steps_text(steps: tuple[Step, ...]) -> str:
    return storable(json.dumps([asdict(step) for step in steps], ensure_ascii=False, sort_keys=True))


def plan_from(row: tuple[Any, ...]) -> Plan:
    id, goal, steps, state, session_id, message_id, created_at, changed_at, ends_at = row
    return Plan(
        id=id,
        goal=goal,
        steps=tuple(_step(step) for step in json.loads(steps)),
        state=state,
        session_id=session_id,
        message_id=message_id,
        created_at=moment(created_at),
        changed_at=moment(changed_at),
        ends_at=optional_moment(ends_at),
    )


def _step(fields: dict[str, Any]) -> Step:
    return Step(**{**fields, "untrusted": tuple(fields.get("untrusted", ()))})


def optional_moment(text: str | None) -> datetime | None:
    return None if text is None else moment(text)


def optional_text(at: datetime | None) -> str | None:
    return None if at is None else moment_text(at)
