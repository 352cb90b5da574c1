"""Schema step 3: reminders, the notices they led to, their history, and which handed-over requests were applied.

`next_at` is indexed by state, so that asking what is due reads only what is due. One notice an occurrence,
whatever happens: a unique index says so.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite_utils

_TABLES = (
    """
    CREATE TABLE reminder(
      seq INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE CHECK(id <> ''),
      text TEXT NOT NULL CHECK(text <> ''),
      kind TEXT NOT NULL CHECK(kind IN ('instant', 'wall', 'date')),
      zone TEXT NOT NULL CHECK(zone <> ''),
      created_at TEXT NOT NULL,
      at TEXT CHECK((kind = 'instant') = (at IS NOT NULL)),
      local TEXT CHECK((kind = 'instant') = (local IS NULL)),
      floating INTEGER NOT NULL CHECK(floating IN (0, 1)),
      rule TEXT NOT NULL,
      if_missed TEXT NOT NULL CHECK(if_missed IN ('tell', 'skip')),
      state TEXT NOT NULL CHECK(state IN ('active', 'done', 'deleted')),
      snoozed_until TEXT,
      taken TEXT,
      next TEXT,
      next_at TEXT,
      message_id INTEGER REFERENCES message(id) ON DELETE SET NULL,
      revision INTEGER NOT NULL,
      changed_at TEXT NOT NULL
    ) STRICT
    """,
    "CREATE INDEX reminder_state ON reminder(state, next_at)",
    "CREATE INDEX reminder_message ON reminder(message_id) WHERE message_id IS NOT NULL",
    """
    CREATE TABLE notice(
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      reminder_id TEXT NOT NULL REFERENCES reminder(id) ON DELETE CASCADE,
      occurrence TEXT NOT NULL CHECK(occurrence <> ''),
      due_at TEXT NOT NULL,
      claimed_at TEXT NOT NULL,
      state TEXT NOT NULL CHECK(state IN ('claimed', 'shown', 'done', 'snoozed', 'passed', 'skipped')),
      late INTEGER NOT NULL CHECK(late IN (0, 1)),
      missed INTEGER NOT NULL CHECK(missed >= 0),
      first_due TEXT,
      UNIQUE(reminder_id, occurrence)
    ) STRICT
    """,
    "CREATE INDEX notice_open ON notice(due_at) WHERE state IN ('claimed', 'shown')",
    "CREATE INDEX notice_unshown ON notice(due_at) WHERE state = 'claimed'",
    """
    CREATE TABLE reminder_history(
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      reminder_id TEXT NOT NULL REFERENCES reminder(id) ON DELETE CASCADE,
      operation TEXT NOT NULL CHECK(operation IN ('add', 'edit', 'done', 'snooze', 'delete', 'undo')),
      at TEXT NOT NULL,
      before TEXT NOT NULL,
      notices TEXT NOT NULL,
      undone INTEGER NOT NULL DEFAULT 0 CHECK(undone IN (0, 1)),
      request TEXT UNIQUE
    ) STRICT
    """,
    "CREATE INDEX reminder_history_of ON reminder_history(reminder_id)",
    "CREATE TABLE reminder_note(name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
)


def m003_reminders(db: "sqlite_utils.Database") -> None:
    """Reminders, notices, history, notes of the scheduler."""
    for statement in _TABLES:
        db.execute(statement)
