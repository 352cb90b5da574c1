"""Schema step 2: what is remembered about the user, its evidence and history, and what the vector index still owes.

A single-valued slot holds one wanted value a place, and a place one item a subject: two unique indexes say so, so
that no path can break it. Evidence belongs to its message and goes with it; history therefore keeps the numbers of
evidence rows, never their words. A change of an active item notes itself in `outbox` in the same transaction.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite_utils

_PREFERENCE = """
CREATE TABLE preference(
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE CHECK(id <> ''),
  kind TEXT NOT NULL,
  statement TEXT NOT NULL CHECK(statement <> ''),
  language TEXT NOT NULL,
  domain TEXT NOT NULL,
  slot TEXT NOT NULL,
  object TEXT NOT NULL,
  subject TEXT NOT NULL,
  cardinality TEXT NOT NULL CHECK(cardinality IN ('single', 'multi')),
  polarity INTEGER NOT NULL CHECK(polarity IN (-1, 0, 1)),
  strength INTEGER NOT NULL CHECK(strength BETWEEN 1 AND 4),
  scope_type TEXT NOT NULL,
  scope_value TEXT NOT NULL,
  condition TEXT NOT NULL,
  source TEXT NOT NULL CHECK(source IN ('explicit', 'corrected', 'confirmed', 'imported', 'inferred')),
  status TEXT NOT NULL CHECK(status IN ('candidate', 'active', 'disputed', 'superseded', 'retracted', 'expired')),
  sensitivity TEXT NOT NULL CHECK(sensitivity IN ('normal', 'personal', 'special')),
  alpha REAL NOT NULL CHECK(alpha > 0),
  beta REAL NOT NULL CHECK(beta > 0),
  pinned INTEGER NOT NULL CHECK(pinned IN (0, 1)),
  valid_from TEXT,
  valid_to TEXT,
  recorded_at TEXT NOT NULL,
  retracted_at TEXT,
  superseded_by TEXT REFERENCES preference(id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
  contests TEXT REFERENCES preference(id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
  last_reinforced_at TEXT,
  review_after TEXT,
  revision INTEGER NOT NULL,
  extractor TEXT NOT NULL,
  content_hash TEXT NOT NULL
) STRICT
"""
_PLACE = "slot, scope_type, scope_value, condition"

_TABLES = (
    _PREFERENCE,
    f"CREATE UNIQUE INDEX preference_single ON preference({_PLACE}) "
    "WHERE status = 'active' AND cardinality = 'single' AND polarity >= 0",
    f"CREATE UNIQUE INDEX preference_subject ON preference({_PLACE}, subject) WHERE status = 'active'",
    "CREATE INDEX preference_slot ON preference(slot, subject)",
    "CREATE INDEX preference_hash ON preference(content_hash)",
    "CREATE INDEX preference_domain ON preference(status, domain)",
    "CREATE INDEX preference_successor ON preference(superseded_by) WHERE superseded_by IS NOT NULL",
    "CREATE INDEX preference_contested ON preference(contests) WHERE contests IS NOT NULL",
    """
    CREATE TABLE evidence(
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      preference_id TEXT NOT NULL,
      message_id INTEGER REFERENCES message(id) ON DELETE CASCADE,
      session_id TEXT,
      quote TEXT NOT NULL,
      start INTEGER NOT NULL,
      stop INTEGER NOT NULL,
      stance TEXT NOT NULL CHECK(stance IN ('supports', 'contradicts', 'withdraws')),
      weight REAL NOT NULL,
      at TEXT NOT NULL,
      live INTEGER NOT NULL DEFAULT 1 CHECK(live IN (0, 1))
    ) STRICT
    """,
    "CREATE INDEX evidence_of ON evidence(preference_id)",
    "CREATE INDEX evidence_in ON evidence(message_id) WHERE message_id IS NOT NULL",
    """
    CREATE TABLE history_entry(
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      at TEXT NOT NULL,
      operation TEXT NOT NULL,
      actor TEXT NOT NULL CHECK(actor IN ('user', 'rules', 'model', 'upkeep', 'import')),
      reason TEXT NOT NULL,
      undo_of INTEGER,
      undone INTEGER NOT NULL DEFAULT 0 CHECK(undone IN (0, 1)),
      undoable INTEGER NOT NULL DEFAULT 1 CHECK(undoable IN (0, 1))
    ) STRICT
    """,
    """
    CREATE TABLE history_delta(
      entry_id INTEGER NOT NULL REFERENCES history_entry(id) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      preference_id TEXT NOT NULL,
      before TEXT,
      after TEXT,
      evidence_before TEXT NOT NULL,
      evidence_after TEXT NOT NULL,
      PRIMARY KEY(entry_id, position)
    ) STRICT
    """,
    "CREATE INDEX history_of ON history_delta(preference_id)",
    """
    CREATE TABLE usage(
      preference_id TEXT NOT NULL REFERENCES preference(id) ON DELETE CASCADE,
      message_id INTEGER NOT NULL REFERENCES message(id) ON DELETE CASCADE,
      place TEXT NOT NULL CHECK(place IN ('head', 'turn')),
      score REAL NOT NULL,
      outcome TEXT NOT NULL CHECK(outcome IN ('unknown', 'followed', 'violated', 'corrected')),
      at TEXT NOT NULL,
      PRIMARY KEY(preference_id, message_id)
    ) STRICT
    """,
    "CREATE INDEX usage_in ON usage(message_id)",
    "CREATE TABLE tombstone(key TEXT PRIMARY KEY, at TEXT NOT NULL) STRICT",
)

_INDEX = (
    """
    CREATE TABLE outbox(
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      collection TEXT NOT NULL,
      item_id TEXT NOT NULL,
      attempts INTEGER NOT NULL DEFAULT 0,
      last_error TEXT NOT NULL DEFAULT '',
      UNIQUE(collection, item_id)
    ) STRICT
    """,
    """
    CREATE TABLE vector(
      seq INTEGER PRIMARY KEY,
      collection TEXT NOT NULL,
      item_id TEXT NOT NULL,
      stamp TEXT NOT NULL,
      vector BLOB NOT NULL,
      UNIQUE(collection, item_id)
    ) STRICT
    """,
    """
    CREATE TABLE index_state(
      collection TEXT PRIMARY KEY,
      model TEXT NOT NULL,
      dimensions INTEGER NOT NULL,
      generation INTEGER NOT NULL
    ) STRICT
    """,
    "CREATE VIRTUAL TABLE preference_fts USING fts5(statement, object, content='preference', content_rowid='seq', "
    "tokenize='porter unicode61 remove_diacritics 2')",
)

_FTS_ADD = "INSERT INTO preference_fts(rowid, statement, object) VALUES (new.seq, new.statement, new.object);"
_FTS_REMOVE = (
    "INSERT INTO preference_fts(preference_fts, rowid, statement, object) "
    "VALUES ('delete', old.seq, old.statement, old.object);"
)
# Not INSERT OR REPLACE: the conflict rule of the statement that fires a trigger overrides the trigger's own.
_NOTE = (
    "DELETE FROM outbox WHERE collection = 'preferences' AND item_id = {0}.id; "
    "INSERT INTO outbox(collection, item_id) VALUES ('preferences', {0}.id);"
)
_NOTE_NEW, _NOTE_OLD = _NOTE.format("new"), _NOTE.format("old")
_DROP_VECTOR = "DELETE FROM vector WHERE collection = 'preferences' AND item_id = old.id;"
_OTHER_TEXT = "old.statement IS NOT new.statement OR old.object IS NOT new.object"

_TRIGGERS = (
    f"CREATE TRIGGER preference_found AFTER INSERT ON preference BEGIN {_FTS_ADD} END",
    f"CREATE TRIGGER preference_lost AFTER DELETE ON preference BEGIN {_FTS_REMOVE} END",
    f"CREATE TRIGGER preference_reworded AFTER UPDATE OF statement, object ON preference WHEN {_OTHER_TEXT} "
    f"BEGIN {_FTS_REMOVE} {_FTS_ADD} END",
    f"CREATE TRIGGER preference_owes AFTER INSERT ON preference WHEN new.status = 'active' BEGIN {_NOTE_NEW} END",
    "CREATE TRIGGER preference_owes_change AFTER UPDATE ON preference "
    "WHEN (old.status = 'active' OR new.status = 'active') AND (old.statement IS NOT new.statement "
    "OR old.condition IS NOT new.condition OR old.status IS NOT new.status) "
    f"BEGIN {_NOTE_NEW} {_DROP_VECTOR} END",
    f"CREATE TRIGGER preference_owes_removal AFTER DELETE ON preference BEGIN {_NOTE_OLD} {_DROP_VECTOR} END",
)


def m002_preferences(db: "sqlite_utils.Database") -> None:
    """Items, evidence, history, use, tombstones, full text, vectors and their outbox."""
    for statement in (*_TABLES, *_INDEX, *_TRIGGERS):
        db.execute(statement)
