"""Forgetting in SQLite, physically: rows, evidence, history, use, full text, vectors, and if wished the messages.

`secure_delete` overwrites freed pages; merging the full-text segments drops words an index only marks as deleted;
emptying the write-ahead log removes older copies of pages (https://www.sqlite.org/pragma.html#pragma_secure_delete).
The file is not read to make sure: closing it would drop SQLite's own locks. The tests look at every byte instead.
"""

import sqlite3
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import assert_never

from memory import sqlite_preference_reads as reads
from memory.gone import traces_among
from memory.index_folder import remove_others, root_of
from memory.keys import tombstone_keys
from memory.preferences import ForgetMessages, ForgetPreview, Forgotten, Item, Preference, PreferenceId
from memory.sqlite_gone import gone
from memory.sqlite_preference_rows import from_json
from memory.sqlite_vectors import retire_generation
from memory.text import folded, like_pattern, moment_text, parse_query
from memory.types import MessageId
from memory.words import WORD

GONE = "[forgotten]"  # what stands in the place of a message's words; a conversation keeps its shape
_DISTINCT = 4  # characters from which an object alone counts as a mention


def preview(connection: sqlite3.Connection, ids: Collection[PreferenceId]) -> ForgetPreview:
    named = [_item(connection, id) for id in dict.fromkeys(ids)]
    items = (*named, *traces_among(gone(connection), named))
    ids = [item.id for item in items]
    sources = _sources(connection, items)
    return ForgetPreview(
        items=items,
        history_entries=_count(connection, "count(DISTINCT entry_id) FROM history_delta", ids),
        uses=_count(connection, "count(*) FROM usage", ids),
        sources=sources,
        mentions=tuple(sorted(set(_mentions(connection, items)) - set(sources))),
    )


def forget(
    connection: sqlite3.Connection, ids: Collection[PreferenceId], messages: ForgetMessages, at: datetime
) -> Forgotten:
    seen = preview(connection, ids)
    states = [
        *(one.preference for one in seen.items),
        *_past_states(connection, [one.id for one in seen.items]),
    ]
    keys = {key for state in states for key in tombstone_keys(state)}
    connection.executemany(
        "INSERT OR IGNORE INTO tombstone(key, at) VALUES (?, ?)", [(key, moment_text(at)) for key in sorted(keys)]
    )
    vectors = 0
    for one in seen.items:
        vectors += _changed(connection, "DELETE FROM vector WHERE collection = 'preferences' AND item_id = ?", one.id)
        connection.execute("DELETE FROM evidence WHERE preference_id = ?", (one.id,))
        _forget_history(connection, one.id)
        connection.execute("DELETE FROM preference WHERE id = ?", (one.id,))
    redacted = _chosen(seen, messages)
    _redact(connection, redacted, states)
    connection.execute("INSERT INTO preference_fts(preference_fts) VALUES ('optimize')")
    retire_generation(connection)
    connection.execute(
        "INSERT INTO history_entry(at, operation, actor, reason, undoable) VALUES (?, 'forget', 'user', ?, 0)",
        (moment_text(at), "forgotten by you"),
    )
    return Forgotten(
        ids=tuple(one.id for one in seen.items),
        items=len(seen.items),
        evidence=sum(len(one.evidence) for one in seen.items),
        history=seen.history_entries,
        uses=seen.uses,
        vectors=vectors,
        messages=len(redacted),
        messages_left=len({*seen.sources, *seen.mentions} - set(redacted)),
    )


def _item(connection: sqlite3.Connection, id: PreferenceId) -> Item:
    """As it is, or as it was last when only the history knows it. Raises NotFound."""
    past = gone(connection, id)
    return past[0] if past else reads.item(connection, id)


def rewrite(connection: sqlite3.Connection, empty_log: Callable[[sqlite3.Connection], bool], *, whole: bool) -> bool:
    """After the transaction: no index of the vectors, no old page in the log; with `whole` no unused byte in the file.

    False when another process held the log open. Killed before this, the next start does it: the log is emptied at
    every opening, and an index of a generation that was retired is removed.
    """
    (_, _, file) = connection.execute("PRAGMA database_list").fetchone()
    remove_others(root_of(Path(file)), None)
    if whole:
        connection.execute("VACUUM")
    return empty_log(connection)


def _chosen(seen: ForgetPreview, messages: ForgetMessages) -> tuple[MessageId, ...]:
    match messages:
        case "keep":
            return ()
        case "sources":
            return seen.sources
        case "mentions":
            return tuple(sorted({*seen.sources, *seen.mentions}))
        case _:
            assert_never(messages)


def _sources(connection: sqlite3.Connection, items: Iterable[Item]) -> tuple[MessageId, ...]:
    """The messages quoted, and the answers to them, which repeat what they were told."""
    quoted = {evidence.message_id for item in items for evidence in item.evidence if evidence.message_id is not None}
    found = set(quoted)
    for message_id in quoted:
        rows = connection.execute(
            "SELECT id FROM message WHERE parent_id = ? AND role = 'assistant' AND session_id = "
            "(SELECT session_id FROM message WHERE id = ?)",
            (message_id, message_id),
        )
        found.update(MessageId(row[0]) for row in rows)
    return tuple(sorted(found))


def _mentions(connection: sqlite3.Connection, items: Iterable[Item]) -> set[MessageId]:
    """Messages that contain a statement, a quote or a distinct object, in any case."""
    found: set[MessageId] = set()
    for text in _phrases(items):
        rows = _containing(connection, text)
        found.update(MessageId(row[0]) for row in rows if folded(text) in folded(row[1]))
    return found


def _containing(connection: sqlite3.Connection, text: str) -> Iterable[tuple[int, str]]:
    """Candidates, through the index where it knows the words, else by looking at every message."""
    words = WORD.findall(text)
    if words and not parse_query(text).pieces:
        return connection.execute(
            "SELECT message.id, message.content FROM message_fts JOIN message ON message.id = message_fts.rowid "
            "WHERE message_fts MATCH ?",
            ('"' + " ".join(words) + '"',),
        )
    pattern = like_pattern(text)
    return connection.execute(r"SELECT id, content FROM message WHERE content LIKE ? ESCAPE '\'", (pattern,))


def _phrases(items: Iterable[Item]) -> frozenset[str]:
    texts: set[str] = set()
    for item in items:
        texts |= {item.preference.statement, *(evidence.quote for evidence in item.evidence)}
        object = item.preference.object
        if len(object) >= _DISTINCT or (len(object) > 1 and parse_query(object).pieces):
            texts.add(object)
    return frozenset(text for text in texts if text)


def _redact(connection: sqlite3.Connection, ids: Sequence[MessageId], states: Sequence[Preference]) -> None:
    """The words go, the place in the conversation stays; titles that were made from the words go too."""
    if not ids:
        return
    marks = ", ".join("?" * len(ids))
    sessions = f"SELECT session_id FROM message WHERE id IN ({marks})"
    rows = connection.execute(f"SELECT id, title FROM session WHERE title <> '' AND id IN ({sessions})", ids).fetchall()
    contents = [folded(row[0]) for row in connection.execute(f"SELECT content FROM message WHERE id IN ({marks})", ids)]
    told = [folded(text) for state in states for text in (state.statement, state.object) if text]
    for session_id, title in rows:
        words = folded(title).rstrip("….")
        if any(words in content for content in contents) or any(text in words for text in told):
            connection.execute("UPDATE session SET title = '' WHERE id = ?", (session_id,))
    connection.execute(f"UPDATE message SET content = ?, thought = '' WHERE id IN ({marks})", (GONE, *ids))
    connection.execute(f"DELETE FROM evidence WHERE message_id IN ({marks})", ids)
    connection.execute("INSERT INTO message_fts(message_fts) VALUES ('optimize')")
    connection.execute("INSERT INTO session_fts(session_fts) VALUES ('optimize')")


def _past_states(connection: sqlite3.Connection, ids: Collection[PreferenceId]) -> list[Preference]:
    """Earlier wordings, which are barred from coming back as well."""
    rows = [
        row
        for id in ids
        for row in connection.execute("SELECT before, after FROM history_delta WHERE preference_id = ?", (id,))
    ]
    return [from_json(text) for row in rows for text in row if text is not None]


def _forget_history(connection: sqlite3.Connection, id: PreferenceId) -> None:
    connection.execute(
        "UPDATE history_entry SET undoable = 0 WHERE id IN "
        "(SELECT entry_id FROM history_delta WHERE preference_id = ?)",
        (id,),
    )
    connection.execute("DELETE FROM history_delta WHERE preference_id = ?", (id,))


def _count(connection: sqlite3.Connection, what: str, ids: Collection[PreferenceId]) -> int:
    marks = ", ".join("?" * len(ids))
    return int(connection.execute(f"SELECT {what} WHERE preference_id IN ({marks})", tuple(ids)).fetchone()[0])


def _changed(connection: sqlite3.Connection, statement: str, id: PreferenceId) -> int:
    return connection.execute(statement, (id,)).rowcount
