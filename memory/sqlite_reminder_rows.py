"""Reminders and notices as rows and as the JSON of the history. The column lists and the functions belong together."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from memory.reminders import Due, Entry, Notice, Reminder
from memory.text import moment, moment_text

REMINDER = (
    "reminder.id, reminder.text, reminder.kind, reminder.zone, reminder.created_at, reminder.at, reminder.local, "
    "reminder.floating, reminder.rule, reminder.if_missed, reminder.state, reminder.snoozed_until, reminder.taken, "
    "reminder.next, reminder.next_at, reminder.message_id, reminder.revision"
)
NOTICE = (
    "notice.id, notice.reminder_id, notice.occurrence, notice.due_at, notice.claimed_at, notice.state, notice.late, "
    "notice.missed, notice.first_due"
)
NOTICE_WIDTH = 9
ENTRY = (
    "reminder_history.id, reminder_history.operation, reminder_history.reminder_id, reminder_history.at, "
    "reminder_history.before, reminder_history.notices, reminder_history.undone"
)


def optional_text(at: datetime | None) -> str | None:
    return None if at is None else moment_text(at)


def _optional(text: str | None) -> datetime | None:
    return None if text is None else moment(text)


def reminder_values(one: Reminder) -> dict[str, Any]:
    """Columns without `changed_at`; also what the history keeps."""
    return {
        "id": one.id,
        "text": one.text,
        "kind": one.kind,
        "zone": one.zone,
        "created_at": moment_text(one.created_at),
        "at": optional_text(one.at),
        "local": None if one.local is None else one.local.isoformat(),
        "floating": int(one.floating),
        "rule": one.rule,
        "if_missed": one.if_missed,
        "state": one.state,
        "snoozed_until": optional_text(one.snoozed_until),
        "taken": one.taken,
        "next": one.next,
        "next_at": optional_text(one.next_at),
        "message_id": one.message_id,
        "revision": one.revision,
    }


def reminder_from(row: Sequence[Any]) -> Reminder:
    id, text, kind, zone, created_at, at, local, floating, rule, if_missed, state, snoozed, *rest = row
    taken, next, next_at, message_id, revision = rest
    return Reminder(
        id=id,
        text=text,
        kind=kind,
        zone=zone,
        created_at=moment(created_at),
        at=_optional(at),
        local=None if local is None else datetime.fromisoformat(local),
        floating=bool(floating),
        rule=rule,
        if_missed=if_missed,
        state=state,
        snoozed_until=_optional(snoozed),
        taken=taken,
        next=next,
        next_at=_optional(next_at),
        message_id=message_id,
        revision=revision,
    )


def notice_from(row: Sequence[Any]) -> Notice:
    id, reminder_id, occurrence, due_at, claimed_at, state, late, missed, first_due = row
    return Notice(
        id=id,
        reminder_id=reminder_id,
        occurrence=occurrence,
        due_at=moment(due_at),
        claimed_at=moment(claimed_at),
        state=state,
        late=bool(late),
        missed=missed,
        first_due=_optional(first_due),
    )


def due_from(row: Sequence[Any]) -> Due:
    return Due(notice=notice_from(row[:NOTICE_WIDTH]), reminder=reminder_from(row[NOTICE_WIDTH:]))


def entry_from(row: Sequence[Any]) -> Entry:
    id, operation, reminder_id, at, before, notices, undone = row
    return Entry(
        id=id,
        operation=operation,
        reminder_id=reminder_id,
        at=moment(at),
        before=reminder_from(list(json.loads(before).values())) if before else None,
        notices=tuple((id, state) for id, state in json.loads(notices)),
        undone=bool(undone),
    )


def before_text(one: Reminder | None) -> str:
    return "" if one is None else json.dumps(reminder_values(one))
