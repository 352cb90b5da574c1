"""What is remembered as JSON values, in the shapes that docs/formats.md promises: fields may be added, none goes."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from memory.changes import HistoryEntry
from memory.preferences import Evidence, ForgetPreview, Forgotten, Item, Preference, ReviewQueue, Usage


def preference_value(preference: Preference) -> dict[str, Any]:
    return {
        "id": preference.id,
        "statement": preference.statement,
        "language": preference.language,
        "kind": preference.kind,
        "domain": preference.domain,
        "slot": preference.slot,
        "object": preference.object,
        "polarity": preference.polarity,
        "strength": preference.strength,
        "scope": {"type": preference.scope.type, "value": preference.scope.value},
        "condition": preference.condition,
        "source": preference.source,
        "confidence": round(preference.confidence, 4),
        "status": preference.status,
        "sensitivity": preference.sensitivity,
        "pinned": preference.pinned,
        "valid_from": time(preference.valid_from),
        "valid_to": time(preference.valid_to),
        "recorded_at": time(preference.recorded_at),
        "retracted_at": time(preference.retracted_at),
        "last_reinforced_at": time(preference.last_reinforced_at),
        "review_after": time(preference.review_after),
        "superseded_by": preference.superseded_by,
        "contests": preference.contests,
        "revision": preference.revision,
    }


def evidence_value(evidence: Evidence) -> dict[str, Any]:
    return {
        "quote": evidence.quote,
        "at": time(evidence.at),
        "stance": evidence.stance,
        "message_id": evidence.message_id,
        "session_id": evidence.session_id,
        "start": evidence.start,
        "stop": evidence.stop,
    }


def item_value(item: Item) -> dict[str, Any]:
    return {**preference_value(item.preference), "evidence": [evidence_value(one) for one in item.evidence]}


def whole_value(item: Item, history: Sequence[HistoryEntry], uses: Sequence[Usage]) -> dict[str, Any]:
    """An item with its history, newest change first, and the answers it shaped, newest first."""
    return {
        **item_value(item),
        "history": [entry_value(entry) for entry in history],
        "used_in": [usage_value(use) for use in uses],
    }


def usage_value(use: Usage) -> dict[str, Any]:
    return {
        "message_id": use.message_id,
        "place": use.place,
        "score": round(use.score, 4),
        "outcome": use.outcome,
        "at": time(use.at),
    }


def entry_value(entry: HistoryEntry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "at": time(entry.at),
        "operation": entry.operation,
        "actor": entry.actor,
        "reason": entry.reason,
        "undo_of": entry.undo_of,
        "undone": entry.undone,
        "undoable": entry.undoable,
        "changes": [
            {
                "id": delta.id,
                "before": None if delta.before is None else preference_value(delta.before.preference),
                "after": None if delta.after is None else preference_value(delta.after.preference),
            }
            for delta in entry.deltas
        ],
    }


def preview_value(preview: ForgetPreview) -> dict[str, Any]:
    return {
        "items": [item_value(item) for item in preview.items],
        "history_entries": preview.history_entries,
        "uses": preview.uses,
        "source_messages": list(preview.sources),
        "mentioning_messages": list(preview.mentions),
    }


def forgotten_value(done: Forgotten, backups: Sequence[str]) -> dict[str, Any]:
    return {
        "ids": list(done.ids),
        "items": done.items,
        "evidence": done.evidence,
        "history_entries": done.history,
        "uses": done.uses,
        "vectors": done.vectors,
        "messages": done.messages,
        "messages_left": done.messages_left,
        "log_held": done.log_held,
        "backups": list(backups),
    }


def review_value(queue: ReviewQueue) -> dict[str, Any]:
    return {
        "disputes": [{"new": item_value(new), "in_force": item_value(old)} for new, old in queue.disputes],
        "candidates": [item_value(item) for item in queue.candidates],
        "stale": [item_value(item) for item in queue.stale],
    }


def time(at: datetime | None) -> str | None:
    return None if at is None else at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
