PRAGMA application_id = 1398036292;
PRAGMA user_version = 1;
PRAGMA journal_mode = WAL;
CREATE TABLE session(
      seq INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE CHECK(id <> ''),
      title TEXT NOT NULL DEFAULT '',
      mode TEXT NOT NULL DEFAULT 'normal' CHECK(mode IN ('normal', 'no_learn', 'incognito')),
      created_at TEXT NOT NULL CHECK(created_at GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9].??????Z'),
      updated_at TEXT NOT NULL CHECK(updated_at GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9].??????Z'),
      head_id INTEGER,
      FOREIGN KEY(id, head_id) REFERENCES message(session_id, id) DEFERRABLE INITIALLY DEFERRED
    ) STRICT;
CREATE INDEX session_newest ON session(updated_at DESC, seq DESC);
CREATE TABLE message(
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      session_id TEXT NOT NULL REFERENCES session(id),
      parent_id INTEGER CHECK(parent_id < id),
      role TEXT NOT NULL CHECK(role IN ('user', 'assistant')),
      content TEXT NOT NULL,
      thought TEXT NOT NULL DEFAULT '',
      origin TEXT NOT NULL CHECK(origin IN ('typed', 'pasted', 'file', 'tool', 'recalled', 'generated')),
      status TEXT NOT NULL CHECK(status IN ('complete', 'writing', 'stopped', 'interrupted', 'failed')),
      model TEXT NOT NULL DEFAULT '',
      finish_reason TEXT NOT NULL DEFAULT '',
      tokens_in INTEGER NOT NULL DEFAULT 0 CHECK(tokens_in >= 0),
      tokens_out INTEGER NOT NULL DEFAULT 0 CHECK(tokens_out >= 0),
      seconds REAL NOT NULL DEFAULT 0 CHECK(seconds >= 0),
      created_at TEXT NOT NULL CHECK(created_at GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9].??????Z'),
      UNIQUE(session_id, id),
      FOREIGN KEY(session_id, parent_id) REFERENCES message(session_id, id)
    ) STRICT;
CREATE INDEX message_child ON message(session_id, parent_id);
CREATE INDEX message_writing ON message(id) WHERE status = 'writing';
CREATE VIRTUAL TABLE message_fts USING fts5(content, content='message', content_rowid='id', tokenize='unicode61 remove_diacritics 2');
CREATE TRIGGER message_indexed AFTER INSERT ON message BEGIN INSERT INTO message_fts(rowid, content) VALUES (new.id, new.content); END;
CREATE TRIGGER message_unindexed AFTER DELETE ON message BEGIN INSERT INTO message_fts(message_fts, rowid, content) VALUES ('delete', old.id, old.content); END;
CREATE TRIGGER message_reindexed AFTER UPDATE OF content ON message WHEN old.content IS NOT new.content BEGIN INSERT INTO message_fts(message_fts, rowid, content) VALUES ('delete', old.id, old.content); INSERT INTO message_fts(rowid, content) VALUES (new.id, new.content); END;
CREATE VIRTUAL TABLE session_fts USING fts5(title, content='session', content_rowid='seq', tokenize='unicode61 remove_diacritics 2');
CREATE TRIGGER session_indexed AFTER INSERT ON session BEGIN INSERT INTO session_fts(rowid, title) VALUES (new.seq, new.title); END;
CREATE TRIGGER session_unindexed AFTER DELETE ON session BEGIN INSERT INTO session_fts(session_fts, rowid, title) VALUES ('delete', old.seq, old.title); END;
CREATE TRIGGER session_reindexed AFTER UPDATE OF title ON session WHEN old.title IS NOT new.title BEGIN INSERT INTO session_fts(session_fts, rowid, title) VALUES ('delete', old.seq, old.title); INSERT INTO session_fts(rowid, title) VALUES (new.seq, new.title); END;
BEGIN;
PRAGMA defer_foreign_keys = ON;
INSERT INTO session(seq, id, title, mode, created_at, updated_at, head_id) VALUES (1, 's0001', 'O''Brien; DROP TABLE message; --', 'normal', '2026-03-02T09:00:00.000000Z', '2026-03-02T09:00:00.000000Z', 4);
INSERT INTO session(seq, id, title, mode, created_at, updated_at, head_id) VALUES (2, 's0002', '', 'no_learn', '2026-03-02T09:00:00.000000Z', '2026-03-02T09:00:00.000000Z', NULL);
INSERT INTO session(seq, id, title, mode, created_at, updated_at, head_id) VALUES (3, 's0003', 'Ünïcode', 'normal', '2026-03-02T09:00:00.000000Z', '2026-03-02T09:00:00.000000Z', 6);
INSERT INTO message(id, session_id, parent_id, role, content, thought, origin, status, model, finish_reason, tokens_in, tokens_out, seconds, created_at) VALUES (1, 's0001', NULL, 'user', 'Hello ''quoted'' "text"', '', 'typed', 'complete', '', '', 0, 0, 0.0, '2026-03-02T09:00:00.000000Z');
INSERT INTO message(id, session_id, parent_id, role, content, thought, origin, status, model, finish_reason, tokens_in, tokens_out, seconds, created_at) VALUES (2, 's0001', 1, 'assistant', 'line
break	and [31m', '', 'generated', 'complete', 'tiny', 'stop', 10, 5, 0.5, '2026-03-02T09:00:01.000000Z');
INSERT INTO message(id, session_id, parent_id, role, content, thought, origin, status, model, finish_reason, tokens_in, tokens_out, seconds, created_at) VALUES (3, 's0001', NULL, 'user', 'A walrus, 海象 🦭�', '', 'typed', 'complete', '', '', 0, 0, 0.0, '2026-03-02T09:00:00.000000Z');
INSERT INTO message(id, session_id, parent_id, role, content, thought, origin, status, model, finish_reason, tokens_in, tokens_out, seconds, created_at) VALUES (4, 's0001', 3, 'assistant', 'Yes ‮‮ indeed', '', 'generated', 'stopped', 'tiny', 'stop', 10, 5, 0.5, '2026-03-02T09:00:00.000000Z');
INSERT INTO message(id, session_id, parent_id, role, content, thought, origin, status, model, finish_reason, tokens_in, tokens_out, seconds, created_at) VALUES (5, 's0003', NULL, 'user', 'cut off', '', 'typed', 'complete', '', '', 0, 0, 0.0, '2026-03-02T09:00:00.000000Z');
INSERT INTO message(id, session_id, parent_id, role, content, thought, origin, status, model, finish_reason, tokens_in, tokens_out, seconds, created_at) VALUES (6, 's0003', 5, 'assistant', 'half an ans', 'a thought', 'generated', 'writing', 'tiny', '', 0, 0, 0.0, '2026-03-02T09:00:00.000000Z');
COMMIT;
