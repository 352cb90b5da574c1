"""Schema step 5: events, tasks and notes with their history; documents with their passages; full text over both.

What is asked for by value has a column; the rest of an item is JSON. An occurrence of a calendar file's series is there
once: a unique index over uid and recurrence says so. A passage goes with its document, and its vector with it.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite_utils

_ADD = "INSERT INTO item_fts(rowid, title, text) VALUES (new.seq, new.title, new.text);"
_REMOVE = "INSERT INTO item_fts(item_fts, rowid, title, text) VALUES ('delete', old.seq, old.title, old.text);"
_ADD_PASSAGE = "INSERT INTO passage_fts(rowid, label, text) VALUES (new.id, new.label, new.text);"
_REMOVE_PASSAGE = (
    "INSERT INTO passage_fts(passage_fts, rowid, label, text) VALUES ('delete', old.id, old.label, old.text);"
)

_ITEMS = (
    """
    CREATE TABLE item(
      seq INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE CHECK(id <> ''),
      kind TEXT NOT NULL CHECK(kind IN ('event', 'task', 'note')),
      state TEXT NOT NULL CHECK(state IN ('active', 'deleted')),
      revision INTEGER NOT NULL,
      title TEXT NOT NULL,
      text TEXT NOT NULL,
      uid TEXT NOT NULL,
      recurrence TEXT NOT NULL,
      repeats INTEGER NOT NULL CHECK(repeats IN (0, 1)),
      starts TEXT,
      ends TEXT,
      done_at TEXT,
      created_at TEXT NOT NULL,
      changed_at TEXT NOT NULL,
      body TEXT NOT NULL CHECK(json_valid(body))
    ) STRICT
    """,
    "CREATE UNIQUE INDEX item_uid ON item(uid, recurrence) WHERE uid <> ''",
    "CREATE INDEX item_time ON item(kind, state, repeats, starts)",
    """
    CREATE TABLE item_history(
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      operation TEXT NOT NULL CHECK(operation IN ('add', 'edit', 'done', 'delete', 'import', 'undo')),
      kind TEXT NOT NULL CHECK(kind IN ('event', 'task', 'note')),
      label TEXT NOT NULL,
      at TEXT NOT NULL,
      undone INTEGER NOT NULL DEFAULT 0 CHECK(undone IN (0, 1)),
      request TEXT UNIQUE
    ) STRICT
    """,
    "CREATE INDEX item_history_kind ON item_history(kind, id)",
    """
    CREATE TABLE item_history_change(
      entry_id INTEGER NOT NULL REFERENCES item_history(id) ON DELETE CASCADE,
      item_id TEXT NOT NULL,
      before TEXT NOT NULL,
      after TEXT NOT NULL,
      revision INTEGER NOT NULL,
      PRIMARY KEY(entry_id, item_id)
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX item_history_item ON item_history_change(item_id)",
    "CREATE VIRTUAL TABLE item_fts USING fts5(title, text, content='item', content_rowid='seq', "
    "tokenize='unicode61 remove_diacritics 2')",
    f"CREATE TRIGGER item_found AFTER INSERT ON item BEGIN {_ADD} END",
    f"CREATE TRIGGER item_lost AFTER DELETE ON item BEGIN {_REMOVE} END",
    "CREATE TRIGGER item_reworded AFTER UPDATE OF title, text ON item "
    f"WHEN old.title IS NOT new.title OR old.text IS NOT new.text BEGIN {_REMOVE} {_ADD} END",
)

_DOCUMENTS = (
    """
    CREATE TABLE document(
      seq INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE CHECK(id <> ''),
      path TEXT NOT NULL UNIQUE CHECK(path <> ''),
      name TEXT NOT NULL,
      kind TEXT NOT NULL CHECK(kind IN ('text', 'markdown', 'html', 'pdf', 'docx')),
      digest TEXT NOT NULL,
      size INTEGER NOT NULL CHECK(size >= 0),
      added_at TEXT NOT NULL,
      pages INTEGER NOT NULL CHECK(pages >= 0),
      passages INTEGER NOT NULL CHECK(passages >= 0),
      left_out TEXT NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE passage(
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      document_seq INTEGER NOT NULL REFERENCES document(seq) ON DELETE CASCADE,
      place INTEGER NOT NULL,
      page INTEGER NOT NULL CHECK(page >= 0),
      heading TEXT NOT NULL,
      label TEXT NOT NULL,
      text TEXT NOT NULL,
      model TEXT NOT NULL DEFAULT '',
      vector BLOB,
      UNIQUE(document_seq, place)
    ) STRICT
    """,
    "CREATE INDEX passage_model ON passage(model)",
    "CREATE VIRTUAL TABLE passage_fts USING fts5(label, text, content='passage', content_rowid='id', "
    "tokenize='porter unicode61 remove_diacritics 2')",
    f"CREATE TRIGGER passage_found AFTER INSERT ON passage BEGIN {_ADD_PASSAGE} END",
    f"CREATE TRIGGER passage_lost AFTER DELETE ON passage BEGIN {_REMOVE_PASSAGE} END",
)


def m005_belongings(db: "sqlite_utils.Database") -> None:
    """Items, their history, documents, passages, full text."""
    for statement in (*_ITEMS, *_DOCUMENTS):
        db.execute(statement)
