"""Items as rows and as the JSON of the history. One list of columns serves both, so they cannot drift apart."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from memory.keys import content_hash, subject_key
from memory.preferences import Evidence, Preference, PreferenceId, Scope
from memory.slots import slot
from memory.text import moment, moment_text, storable
from memory.types import MessageId, SessionId


def _when(value: datetime | None) -> str | None:
    return None if value is None else moment_text(value)


def _moment(value: str | None) -> datetime | None:
    return None if value is None else moment(value)


def _same(value: Any) -> Any:
    return value


# field -> (how it is written, how it is read); scope, subject and the like are derived
_FIELDS: Mapping[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "id": (_same, PreferenceId),
    "kind": (_same, _same),
    "statement": (storable, _same),
    "language": (storable, _same),
    "domain": (_same, _same),
    "slot": (storable, _same),
    "object": (storable, _same),
    "polarity": (_same, _same),
    "strength": (_same, _same),
    "condition": (storable, _same),
    "source": (_same, _same),
    "status": (_same, _same),
    "sensitivity": (_same, _same),
    "alpha": (float, _same),
    "beta": (float, _same),
    "pinned": (int, bool),
    "valid_from": (_when, _moment),
    "valid_to": (_when, _moment),
    "recorded_at": (moment_text, moment),
    "retracted_at": (_when, _moment),
    "superseded_by": (_same, _same),
    "contests": (_same, _same),
    "last_reinforced_at": (_when, _moment),
    "review_after": (_when, _moment),
    "revision": (_same, _same),
    "extractor": (storable, _same),
}
_MOMENTS = tuple(name for name, (_, read) in _FIELDS.items() if read in (moment, _moment))
STORED = (*_FIELDS, "scope_type", "scope_value")
DERIVED = ("subject", "cardinality", "content_hash")
SELECT = ", ".join(f"preference.{column}" for column in STORED)
EVIDENCE = "id, message_id, session_id, quote, start, stop, stance, weight, at"

_COLUMNS = (*STORED, *DERIVED)
INSERT = (
    f"INSERT INTO preference({', '.join(_COLUMNS)}) VALUES ({', '.join(':' + name for name in _COLUMNS)}) "
    f"ON CONFLICT(id) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _COLUMNS if name != 'id')}"
)


def stored(preference: Preference) -> dict[str, Any]:
    """The columns that can be read back."""
    row = {name: write(getattr(preference, name)) for name, (write, _) in _FIELDS.items()}
    return row | {"scope_type": preference.scope.type, "scope_value": storable(preference.scope.value)}


def row_of(preference: Preference) -> dict[str, Any]:
    """Every column of the table."""
    derived = {
        "subject": storable(subject_key(preference)),
        "cardinality": slot(preference.slot).cardinality,
        "content_hash": content_hash(preference.statement),
    }
    return stored(preference) | derived


def preference_from(row: Sequence[Any]) -> Preference:
    """From a row of SELECT."""
    return _build(dict(zip(STORED, row, strict=True)))


def _build(row: Mapping[str, Any]) -> Preference:
    """From what `_FIELDS` writes; all but moments, yes or no, and the scope is read as it is written."""
    fields = dict(row)
    for name in _MOMENTS:
        value = fields[name]
        if value is not None:
            fields[name] = moment(value)
    fields["pinned"] = bool(fields["pinned"])
    scope = Scope(type=fields.pop("scope_type"), value=fields.pop("scope_value"))
    return Preference(**fields, scope=scope)


def to_json(preference: Preference) -> str:
    return json.dumps(stored(preference), ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def from_json(text: str) -> Preference:
    import orjson

    return _build(orjson.loads(text))


def evidence_row(evidence: Evidence) -> tuple[Any, ...]:
    return (
        evidence.message_id,
        evidence.session_id,
        storable(evidence.quote),
        evidence.start,
        evidence.stop,
        evidence.stance,
        evidence.weight,
        moment_text(evidence.at),
    )


def evidence_from(row: Sequence[Any]) -> Evidence:
    """From a row of EVIDENCE."""
    _, message_id, session_id, quote, start, stop, stance, weight, at = row
    return Evidence(
        quote=quote,
        at=moment(at),
        message_id=None if message_id is None else MessageId(message_id),
        session_id=None if session_id is None else SessionId(session_id),
        start=start,
        stop=stop,
        stance=stance,
        weight=weight,
    )
