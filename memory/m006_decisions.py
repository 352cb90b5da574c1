"""Schema step 6: decisions that wait for the user, what was carried out, standing permissions, what questions cost,
and plans.

A decision's fixed part is one JSON text, since nothing is ever searched inside it and it never changes: what was
shown stays what was shown. An effect's key is its primary key, so the same call cannot begin twice.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite_utils

_STATES = "'open', 'answered', 'done', 'failed', 'superseded', 'declined', 'withdrawn', 'expired'"
_TABLES = (
    f"""
    CREATE TABLE decision(
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      state TEXT NOT NULL CHECK(state IN ({_STATES})),
      asked TEXT NOT NULL CHECK(json_valid(asked)),
      session_id TEXT REFERENCES session(id) ON DELETE SET NULL,
      message_id INTEGER REFERENCES message(id) ON DELETE SET NULL,
      created_at TEXT NOT NULL,
      expires_at TEXT,
      answer TEXT NOT NULL DEFAULT '',
      answered_from TEXT NOT NULL DEFAULT '',
      answered_at TEXT,
      result TEXT NOT NULL DEFAULT '',
      undo_token TEXT NOT NULL DEFAULT '',
      superseded_by INTEGER REFERENCES decision(id)
    ) STRICT
    """,
    "CREATE INDEX decision_open ON decision(id) WHERE state = 'open'",
    "CREATE INDEX decision_session ON decision(session_id) WHERE session_id IS NOT NULL",
    "CREATE INDEX decision_message ON decision(message_id) WHERE message_id IS NOT NULL",
    """
    CREATE TABLE effect(
      key TEXT PRIMARY KEY CHECK(key <> ''),
      tool TEXT NOT NULL,
      arguments TEXT NOT NULL,
      state TEXT NOT NULL CHECK(state IN ('started', 'done', 'failed', 'undone')),
      summary TEXT NOT NULL,
      undo_token TEXT NOT NULL,
      changed TEXT NOT NULL CHECK(json_valid(changed)),
      decision_id INTEGER REFERENCES decision(id),
      message_id INTEGER REFERENCES message(id) ON DELETE SET NULL,
      started_at TEXT NOT NULL,
      finished_at TEXT
    ) STRICT
    """,
    "CREATE INDEX effect_newest ON effect(started_at DESC)",
    "CREATE INDEX effect_message ON effect(message_id) WHERE message_id IS NOT NULL",
    """
    CREATE TABLE standing_grant(
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      tool TEXT NOT NULL,
      fixed TEXT NOT NULL CHECK(json_valid(fixed)),
      scope TEXT NOT NULL CHECK(scope IN ('session', 'until', 'always')),
      session_id TEXT REFERENCES session(id) ON DELETE CASCADE,
      expires_at TEXT,
      created_at TEXT NOT NULL,
      created_from INTEGER REFERENCES decision(id),
      used INTEGER NOT NULL DEFAULT 0,
      revoked_at TEXT
    ) STRICT
    """,
    "CREATE INDEX standing_grant_session ON standing_grant(session_id) WHERE session_id IS NOT NULL",
    """
    CREATE TABLE question_price(
      kind TEXT PRIMARY KEY,
      log_price REAL NOT NULL,
      asked INTEGER NOT NULL,
      needless INTEGER NOT NULL,
      useful INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE belief_label(
      id INTEGER PRIMARY KEY,
      model TEXT NOT NULL,
      belief REAL NOT NULL CHECK(belief BETWEEN 0 AND 1),
      right INTEGER NOT NULL CHECK(right IN (0, 1)),
      at TEXT NOT NULL
    ) STRICT
    """,
    "CREATE INDEX belief_label_model ON belief_label(model, id)",
    """
    CREATE TABLE plan(
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      goal TEXT NOT NULL,
      steps TEXT NOT NULL CHECK(json_valid(steps)),
      state TEXT NOT NULL CHECK(state IN ('running', 'waiting', 'stopped', 'done')),
      session_id TEXT REFERENCES session(id) ON DELETE SET NULL,
      message_id INTEGER REFERENCES message(id) ON DELETE SET NULL,
      created_at TEXT NOT NULL,
      changed_at TEXT NOT NULL
    ) STRICT
    """,
    "CREATE INDEX plan_session ON plan(session_id) WHERE session_id IS NOT NULL",
    "CREATE INDEX plan_message ON plan(message_id) WHERE message_id IS NOT NULL",
)


def m006_decisions(db: "sqlite_utils.Database") -> None:
    """Decisions, effects, grants, prices of questions, labels, plans."""
    for statement in _TABLES:
        db.execute(statement)
