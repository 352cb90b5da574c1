"""What stands only in the history: items that do not exist any more because the change that brought them was undone,
or that came with an imported history. Their words are still in the file, so forgetting has to reach them."""

import sqlite3

from memory.preferences import Item, PreferenceId
from memory.sqlite_preference_rows import EVIDENCE, evidence_from, from_json

_GONE = "preference_id NOT IN (SELECT id FROM preference)"


def gone(connection: sqlite3.Connection, id: PreferenceId | None = None) -> tuple[Item, ...]:
    """One for each wording, the newest first; with `id` those of one item."""
    where, values = (_GONE, ()) if id is None else (f"{_GONE} AND preference_id = ?", (id,))
    rows = connection.execute(
        f"SELECT before, after FROM history_delta WHERE {where} ORDER BY entry_id DESC, position", values
    )
    found: dict[tuple[str, str], Item] = {}
    for row in rows:
        for text in row:
            if text is not None:
                preference = from_json(text)
                key = (preference.id, preference.statement)
                found.setdefault(key, Item(preference=preference, evidence=()))
    return tuple(_with_evidence(connection, item) for item in found.values())


def _with_evidence(connection: sqlite3.Connection, item: Item) -> Item:
    rows = connection.execute(
        f"SELECT {EVIDENCE} FROM evidence WHERE preference_id = ? ORDER BY at, id", (item.id,)
    ).fetchall()
    return Item(preference=item.preference, evidence=tuple(evidence_from(row) for row in rows))
