"""Events, tasks and notes as rows: columns for what is asked by value, JSON for the rest."""

import json
from datetime import date, datetime
from typing import Any

from memory.item_rules import day_key
from memory.items import Event, Item, ItemId, Note, Task, kind_of
from memory.text import moment, moment_text, storable

ITEM = "item.kind, item.body, item.revision"


def row_of(item: Item, at: datetime) -> dict[str, Any]:
    """`revision` is that of the row as written."""
    row: dict[str, Any] = {
        "id": item.id,
        "kind": kind_of(item),
        "state": item.state,
        "revision": item.revision,
        "title": storable(item.title),
        "text": storable(item.text),
        "uid": "",
        "recurrence": "",
        "repeats": 0,
        "starts": None,
        "ends": None,
        "done_at": None,
        "created_at": moment_text(item.created_at),
        "changed_at": moment_text(at),
        "body": body_of(item),
    }
    match item:
        case Event():
            row |= {
                "uid": storable(item.uid),
                "recurrence": "" if item.recurrence is None else day_key(item.recurrence),
                "repeats": int(bool(item.rule or item.added or item.recurrence)),
                "starts": day_key(item.starts),
                "ends": day_key(item.ends),
            }
        case Task():
            row |= {
                "starts": None if item.due is None else item.due.isoformat(),
                "done_at": None if item.done_at is None else moment_text(item.done_at),
            }
        case Note():
            pass
    return row


def body_of(item: Item) -> str:
    """Every field but the revision."""
    values: dict[str, Any] = {
        "id": item.id,
        "title": storable(item.title),
        "text": storable(item.text),
        "created_at": moment_text(item.created_at),
        "source": storable(item.source),
        "state": item.state,
    }
    match item:
        case Event():
            values |= {
                "starts": day_key(item.starts),
                "ends": day_key(item.ends),
                "zone": item.zone,
                "all_day": item.all_day,
                "rule": item.rule,
                "excluded": [day_key(at) for at in item.excluded],
                "added": [day_key(at) for at in item.added],
                "uid": storable(item.uid),
                "recurrence": None if item.recurrence is None else day_key(item.recurrence),
                "place": storable(item.place),
                "cancelled": item.cancelled,
            }
        case Task():
            values |= {
                "due": None if item.due is None else item.due.isoformat(),
                "project": storable(item.project),
                "done_at": None if item.done_at is None else moment_text(item.done_at),
            }
        case Note():
            pass
    return json.dumps(values)


def item_from(kind: str, body: str, revision: int) -> Item:
    values: dict[str, Any] = json.loads(body)
    values["created_at"] = moment(values["created_at"])
    values["id"] = ItemId(values["id"])
    values["revision"] = revision
    if kind == "event":
        for name in ("starts", "ends"):
            values[name] = datetime.fromisoformat(values[name])
        for name in ("excluded", "added"):
            values[name] = tuple(datetime.fromisoformat(at) for at in values[name])
        values["recurrence"] = None if values["recurrence"] is None else datetime.fromisoformat(values["recurrence"])
        return Event(**values)
    if kind == "task":
        values["due"] = None if values["due"] is None else date.fromisoformat(values["due"])
        values["done_at"] = None if values["done_at"] is None else moment(values["done_at"])
        return Task(**values)
    return Note(**values)
