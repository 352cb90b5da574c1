"""Schema step 7: opportunities with their evidence, decisions, suggestions, rules, and notes of the engine.

An opportunity goes with anything it rests on, and takes the words of its suggestions with it: forgetting reaches
everything that was made of what is forgotten. What was said stays as a row without words, for the budget and for what
was learned. One opportunity is spoken once a turn (a snooze begins another), and lies in the inbox once: a unique index
says so.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite_utils

_TABLES = (
    """
    CREATE TABLE opportunity(
      id TEXT PRIMARY KEY CHECK(id <> ''),
      key TEXT NOT NULL UNIQUE,
      kind TEXT NOT NULL,
      state TEXT NOT NULL CHECK(state IN ('open', 'inbox', 'told', 'closed', 'expired')),
      opens_at TEXT NOT NULL,
      closes_at TEXT NOT NULL,
      snoozed_until TEXT,
      turn INTEGER NOT NULL,
      body TEXT NOT NULL CHECK(json_valid(body))
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX opportunity_open ON opportunity(closes_at) WHERE state IN ('open', 'inbox')",
    "CREATE INDEX opportunity_over ON opportunity(closes_at) WHERE state IN ('told', 'closed', 'expired')",
    """
    CREATE TABLE opportunity_evidence(
      opportunity_id TEXT NOT NULL REFERENCES opportunity(id) ON DELETE CASCADE,
      place INTEGER NOT NULL,
      source TEXT NOT NULL CHECK(source IN ('message', 'reminder', 'preference', 'event', 'task')),
      ref TEXT NOT NULL,
      quote TEXT NOT NULL,
      at TEXT NOT NULL,
      message_id INTEGER REFERENCES message(id) ON DELETE CASCADE,
      preference_id TEXT REFERENCES preference(id) ON DELETE CASCADE,
      reminder_id TEXT REFERENCES reminder(id) ON DELETE CASCADE,
      item_id TEXT REFERENCES item(id) ON DELETE CASCADE,
      PRIMARY KEY(opportunity_id, place)
    ) STRICT
    """,
    *(
        f"CREATE INDEX opportunity_evidence_{what} ON opportunity_evidence({what}_id) WHERE {what}_id IS NOT NULL"
        for what in ("message", "preference", "reminder", "item")
    ),
    """
    CREATE TABLE suggestion_decision(
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      at TEXT NOT NULL,
      breakpoint TEXT NOT NULL,
      action TEXT NOT NULL CHECK(action IN ('speak', 'inbox', 'ask', 'wait', 'silent')),
      opportunity_id TEXT,
      body TEXT NOT NULL CHECK(json_valid(body))
    ) STRICT
    """,
    "CREATE INDEX suggestion_decision_at ON suggestion_decision(at)",
    """
    CREATE TABLE suggestion(
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      opportunity_id TEXT REFERENCES opportunity(id),
      turn INTEGER NOT NULL,
      decision_id INTEGER NOT NULL REFERENCES suggestion_decision(id),
      topic TEXT NOT NULL,
      channel TEXT NOT NULL CHECK(channel IN ('spoken', 'inbox', 'digest')),
      claimed_at TEXT NOT NULL,
      text TEXT NOT NULL,
      made_by TEXT NOT NULL CHECK(made_by IN ('template', 'model')),
      state TEXT NOT NULL CHECK(state IN ('claimed', 'shown', 'answered', 'withdrawn')),
      answer TEXT CHECK(answer IN ('useful', 'not', 'snooze', 'mute', 'acted', 'dismissed', 'ignored')),
      reason TEXT NOT NULL,
      answered_at TEXT
    ) STRICT
    """,
    "CREATE UNIQUE INDEX suggestion_once ON suggestion(opportunity_id, turn, (channel = 'spoken'))",
    "CREATE INDEX suggestion_spoken ON suggestion(claimed_at) WHERE channel = 'spoken'",
    "CREATE INDEX suggestion_waiting ON suggestion(claimed_at) WHERE state IN ('claimed', 'shown')",
    "CREATE INDEX suggestion_answered ON suggestion(answered_at) WHERE answered_at IS NOT NULL",
    "CREATE INDEX suggestion_by_decision ON suggestion(decision_id)",
    """
    CREATE TABLE suggestion_rule(
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      kind TEXT NOT NULL,
      said TEXT NOT NULL,
      at TEXT NOT NULL,
      state TEXT NOT NULL CHECK(state IN ('active', 'undone')),
      body TEXT NOT NULL CHECK(json_valid(body))
    ) STRICT
    """,
    "CREATE TABLE suggestion_note(name TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID",
    "INSERT INTO suggestion_note(name, value) VALUES ('version', 0)",
    """
    CREATE TRIGGER opportunity_gone BEFORE DELETE ON opportunity BEGIN
      UPDATE suggestion SET opportunity_id = NULL, text = '',
        state = CASE WHEN state IN ('claimed', 'shown') THEN 'withdrawn' ELSE state END
        WHERE opportunity_id = old.id;
      UPDATE suggestion_note SET value = value + 1 WHERE name = 'version';
    END
    """,
    """
    CREATE TRIGGER opportunity_unfounded AFTER DELETE ON opportunity_evidence BEGIN
      DELETE FROM opportunity WHERE id = old.opportunity_id;
    END
    """,
    """
    CREATE TRIGGER opportunity_redacted AFTER UPDATE OF content ON message WHEN new.role = 'user' BEGIN
      DELETE FROM opportunity WHERE id IN
        (SELECT opportunity_id FROM opportunity_evidence WHERE message_id = new.id);
    END
    """,
)


def m007_suggestions(db: "sqlite_utils.Database") -> None:
    """Opportunities, evidence, decisions, suggestions, rules, notes."""
    for statement in _TABLES:
        db.execute(statement)
