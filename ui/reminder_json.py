"""Reminders as JSON values, in the shapes that docs/formats.md promises: fields may be added, none goes."""

from typing import Any

from assistant.policies.cleaning import clean
from memory.reminders import Due, Reminder
from ui.reminder_acts import Question


def reminder_value(one: Reminder, open_notice: Due | None = None) -> dict[str, Any]:
    notice = open_notice.notice if open_notice is not None else None
    return {
        "id": one.id,
        "text": clean(one.text),
        "kind": one.kind,
        "state": one.state,
        "next_at": _moment(one.next_at),
        "wall_time": one.local.isoformat() if one.local is not None else None,
        "zone": one.zone,
        "follows_wall_clock": one.floating,
        "rule": one.rule,
        "if_missed": one.if_missed,
        "snoozed_until": _moment(one.snoozed_until),
        "created_at": _moment(one.created_at),
        "waits_since": _moment(notice.due_at) if notice is not None else None,
        "missed": notice.missed if notice is not None else 0,
    }


def question_value(question: Question) -> dict[str, Any]:
    readings = [
        {"reading": number, "words": words, "due_at": _moment(reading.due)}
        for number, (reading, words) in enumerate(zip(question.readings, question.words, strict=True), start=1)
    ]
    return {"question": clean(question.text), "text": clean(question.title), "readings": readings}


def _moment(at: Any) -> str | None:
    return at.isoformat(timespec="seconds").replace("+00:00", "Z") if at is not None else None
