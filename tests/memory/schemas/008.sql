PRAGMA application_id = 1398036292;
PRAGMA user_version = 8;
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
      origin TEXT NOT NULL CHECK(origin IN ('typed', 'pasted', 'file', 'tool', 'recalled', 'generated', 'imported')),
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
) STRICT;
CREATE UNIQUE INDEX preference_single ON preference(slot, scope_type, scope_value, condition) WHERE status = 'active' AND cardinality = 'single' AND polarity >= 0;
CREATE UNIQUE INDEX preference_subject ON preference(slot, scope_type, scope_value, condition, subject) WHERE status = 'active';
CREATE INDEX preference_slot ON preference(slot, subject);
CREATE INDEX preference_hash ON preference(content_hash);
CREATE INDEX preference_domain ON preference(status, domain);
CREATE INDEX preference_successor ON preference(superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX preference_contested ON preference(contests) WHERE contests IS NOT NULL;
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
    ) STRICT;
CREATE INDEX evidence_of ON evidence(preference_id);
CREATE INDEX evidence_in ON evidence(message_id) WHERE message_id IS NOT NULL;
CREATE TABLE history_entry(
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      at TEXT NOT NULL,
      operation TEXT NOT NULL,
      actor TEXT NOT NULL CHECK(actor IN ('user', 'rules', 'model', 'upkeep', 'import')),
      reason TEXT NOT NULL,
      undo_of INTEGER,
      undone INTEGER NOT NULL DEFAULT 0 CHECK(undone IN (0, 1)),
      undoable INTEGER NOT NULL DEFAULT 1 CHECK(undoable IN (0, 1))
    ) STRICT;
CREATE TABLE history_delta(
      entry_id INTEGER NOT NULL REFERENCES history_entry(id) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      preference_id TEXT NOT NULL,
      before TEXT,
      after TEXT,
      evidence_before TEXT NOT NULL,
      evidence_after TEXT NOT NULL,
      PRIMARY KEY(entry_id, position)
    ) STRICT;
CREATE INDEX history_of ON history_delta(preference_id);
CREATE TABLE usage(
      preference_id TEXT NOT NULL REFERENCES preference(id) ON DELETE CASCADE,
      message_id INTEGER NOT NULL REFERENCES message(id) ON DELETE CASCADE,
      place TEXT NOT NULL CHECK(place IN ('head', 'turn')),
      score REAL NOT NULL,
      outcome TEXT NOT NULL CHECK(outcome IN ('unknown', 'followed', 'violated', 'corrected')),
      at TEXT NOT NULL,
      PRIMARY KEY(preference_id, message_id)
    ) STRICT;
CREATE INDEX usage_in ON usage(message_id);
CREATE TABLE tombstone(key TEXT PRIMARY KEY, at TEXT NOT NULL) STRICT;
CREATE TABLE outbox(
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      collection TEXT NOT NULL,
      item_id TEXT NOT NULL,
      attempts INTEGER NOT NULL DEFAULT 0,
      last_error TEXT NOT NULL DEFAULT '',
      UNIQUE(collection, item_id)
    ) STRICT;
CREATE TABLE vector(
      seq INTEGER PRIMARY KEY,
      collection TEXT NOT NULL,
      item_id TEXT NOT NULL,
      stamp TEXT NOT NULL,
      vector BLOB NOT NULL,
      UNIQUE(collection, item_id)
    ) STRICT;
CREATE TABLE index_state(
      collection TEXT PRIMARY KEY,
      model TEXT NOT NULL,
      dimensions INTEGER NOT NULL,
      generation INTEGER NOT NULL
    ) STRICT;
CREATE VIRTUAL TABLE preference_fts USING fts5(statement, object, content='preference', content_rowid='seq', tokenize='porter unicode61 remove_diacritics 2');
CREATE TRIGGER preference_found AFTER INSERT ON preference BEGIN INSERT INTO preference_fts(rowid, statement, object) VALUES (new.seq, new.statement, new.object); END;
CREATE TRIGGER preference_lost AFTER DELETE ON preference BEGIN INSERT INTO preference_fts(preference_fts, rowid, statement, object) VALUES ('delete', old.seq, old.statement, old.object); END;
CREATE TRIGGER preference_reworded AFTER UPDATE OF statement, object ON preference WHEN old.statement IS NOT new.statement OR old.object IS NOT new.object BEGIN INSERT INTO preference_fts(preference_fts, rowid, statement, object) VALUES ('delete', old.seq, old.statement, old.object); INSERT INTO preference_fts(rowid, statement, object) VALUES (new.seq, new.statement, new.object); END;
CREATE TRIGGER preference_owes AFTER INSERT ON preference WHEN new.status = 'active' BEGIN DELETE FROM outbox WHERE collection = 'preferences' AND item_id = new.id; INSERT INTO outbox(collection, item_id) VALUES ('preferences', new.id); END;
CREATE TRIGGER preference_owes_change AFTER UPDATE ON preference WHEN (old.status = 'active' OR new.status = 'active') AND (old.statement IS NOT new.statement OR old.condition IS NOT new.condition OR old.status IS NOT new.status) BEGIN DELETE FROM outbox WHERE collection = 'preferences' AND item_id = new.id; INSERT INTO outbox(collection, item_id) VALUES ('preferences', new.id); DELETE FROM vector WHERE collection = 'preferences' AND item_id = old.id; END;
CREATE TRIGGER preference_owes_removal AFTER DELETE ON preference BEGIN DELETE FROM outbox WHERE collection = 'preferences' AND item_id = old.id; INSERT INTO outbox(collection, item_id) VALUES ('preferences', old.id); DELETE FROM vector WHERE collection = 'preferences' AND item_id = old.id; END;
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
    ) STRICT;
CREATE INDEX reminder_state ON reminder(state, next_at);
CREATE INDEX reminder_message ON reminder(message_id) WHERE message_id IS NOT NULL;
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
    ) STRICT;
CREATE INDEX notice_open ON notice(due_at) WHERE state IN ('claimed', 'shown');
CREATE INDEX notice_unshown ON notice(due_at) WHERE state = 'claimed';
CREATE TABLE reminder_history(
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      reminder_id TEXT NOT NULL REFERENCES reminder(id) ON DELETE CASCADE,
      operation TEXT NOT NULL CHECK(operation IN ('add', 'edit', 'done', 'snooze', 'delete', 'undo')),
      at TEXT NOT NULL,
      before TEXT NOT NULL,
      notices TEXT NOT NULL,
      undone INTEGER NOT NULL DEFAULT 0 CHECK(undone IN (0, 1)),
      request TEXT UNIQUE
    ) STRICT;
CREATE INDEX reminder_history_of ON reminder_history(reminder_id);
CREATE TABLE reminder_note(name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE learning(
      message_id INTEGER PRIMARY KEY REFERENCES message(id) ON DELETE CASCADE,
      queued_at TEXT NOT NULL
    ) STRICT;
BEGIN;
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
    ) STRICT;
CREATE UNIQUE INDEX item_uid ON item(uid, recurrence) WHERE uid <> '';
CREATE INDEX item_time ON item(kind, state, repeats, starts);
CREATE TABLE item_history(
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      operation TEXT NOT NULL CHECK(operation IN ('add', 'edit', 'done', 'delete', 'import', 'undo')),
      kind TEXT NOT NULL CHECK(kind IN ('event', 'task', 'note')),
      label TEXT NOT NULL,
      at TEXT NOT NULL,
      undone INTEGER NOT NULL DEFAULT 0 CHECK(undone IN (0, 1)),
      request TEXT UNIQUE
    ) STRICT;
CREATE INDEX item_history_kind ON item_history(kind, id);
CREATE TABLE item_history_change(
      entry_id INTEGER NOT NULL REFERENCES item_history(id) ON DELETE CASCADE,
      item_id TEXT NOT NULL,
      before TEXT NOT NULL,
      after TEXT NOT NULL,
      revision INTEGER NOT NULL,
      PRIMARY KEY(entry_id, item_id)
    ) STRICT, WITHOUT ROWID;
CREATE INDEX item_history_item ON item_history_change(item_id);
CREATE VIRTUAL TABLE item_fts USING fts5(title, text, content='item', content_rowid='seq', tokenize='unicode61 remove_diacritics 2');
CREATE TRIGGER item_found AFTER INSERT ON item BEGIN INSERT INTO item_fts(rowid, title, text) VALUES (new.seq, new.title, new.text); END;
CREATE TRIGGER item_lost AFTER DELETE ON item BEGIN INSERT INTO item_fts(item_fts, rowid, title, text) VALUES ('delete', old.seq, old.title, old.text); END;
CREATE TRIGGER item_reworded AFTER UPDATE OF title, text ON item WHEN old.title IS NOT new.title OR old.text IS NOT new.text BEGIN INSERT INTO item_fts(item_fts, rowid, title, text) VALUES ('delete', old.seq, old.title, old.text); INSERT INTO item_fts(rowid, title, text) VALUES (new.seq, new.title, new.text); END;
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
    ) STRICT;
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
    ) STRICT;
CREATE INDEX passage_model ON passage(model);
CREATE VIRTUAL TABLE passage_fts USING fts5(label, text, content='passage', content_rowid='id', tokenize='porter unicode61 remove_diacritics 2');
CREATE TRIGGER passage_found AFTER INSERT ON passage BEGIN INSERT INTO passage_fts(rowid, label, text) VALUES (new.id, new.label, new.text); END;
CREATE TRIGGER passage_lost AFTER DELETE ON passage BEGIN INSERT INTO passage_fts(passage_fts, rowid, label, text) VALUES ('delete', old.id, old.label, old.text); END;
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
    ;
CREATE INDEX opportunity_open ON opportunity(closes_at) WHERE state IN ('open', 'inbox');
CREATE INDEX opportunity_over ON opportunity(closes_at) WHERE state IN ('told', 'closed', 'expired');
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
    ;
CREATE INDEX opportunity_evidence_message ON opportunity_evidence(message_id) WHERE message_id IS NOT NULL;
CREATE INDEX opportunity_evidence_preference ON opportunity_evidence(preference_id) WHERE preference_id IS NOT NULL;
CREATE INDEX opportunity_evidence_reminder ON opportunity_evidence(reminder_id) WHERE reminder_id IS NOT NULL;
CREATE INDEX opportunity_evidence_item ON opportunity_evidence(item_id) WHERE item_id IS NOT NULL;
CREATE TABLE suggestion_decision(
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      at TEXT NOT NULL,
      breakpoint TEXT NOT NULL,
      action TEXT NOT NULL CHECK(action IN ('speak', 'inbox', 'ask', 'wait', 'silent')),
      opportunity_id TEXT,
      body TEXT NOT NULL CHECK(json_valid(body))
    ) STRICT
    ;
CREATE INDEX suggestion_decision_at ON suggestion_decision(at);
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
    ;
CREATE UNIQUE INDEX suggestion_once ON suggestion(opportunity_id, turn, (channel = 'spoken'));
CREATE INDEX suggestion_spoken ON suggestion(claimed_at) WHERE channel = 'spoken';
CREATE INDEX suggestion_waiting ON suggestion(claimed_at) WHERE state IN ('claimed', 'shown');
CREATE INDEX suggestion_answered ON suggestion(answered_at) WHERE answered_at IS NOT NULL;
CREATE INDEX suggestion_by_decision ON suggestion(decision_id);
CREATE TABLE suggestion_rule(
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      kind TEXT NOT NULL,
      said TEXT NOT NULL,
      at TEXT NOT NULL,
      state TEXT NOT NULL CHECK(state IN ('active', 'undone')),
      body TEXT NOT NULL CHECK(json_valid(body))
    ) STRICT
    ;
CREATE TABLE suggestion_note(name TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID;
CREATE TRIGGER opportunity_gone BEFORE DELETE ON opportunity BEGIN
      UPDATE suggestion SET opportunity_id = NULL, text = '',
        state = CASE WHEN state IN ('claimed', 'shown') THEN 'withdrawn' ELSE state END
        WHERE opportunity_id = old.id;
      UPDATE suggestion_note SET value = value + 1 WHERE name = 'version';
    END;
CREATE TRIGGER opportunity_unfounded AFTER DELETE ON opportunity_evidence BEGIN
      DELETE FROM opportunity WHERE id = old.opportunity_id;
    END;
CREATE TRIGGER opportunity_redacted AFTER UPDATE OF content ON message WHEN new.role = 'user' BEGIN
      DELETE FROM opportunity WHERE id IN
        (SELECT opportunity_id FROM opportunity_evidence WHERE message_id = new.id);
    END;
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
INSERT INTO preference(seq, id, kind, statement, language, domain, slot, object, subject, cardinality, polarity, strength, scope_type, scope_value, condition, source, status, sensitivity, alpha, beta, pinned, valid_from, valid_to, recorded_at, retracted_at, superseded_by, contests, last_reinforced_at, review_after, revision, extractor, content_hash) VALUES (1, 'p5vd7r4cpny', 'constraint', 'I''m vegetarian', 'en', 'food', 'food.diet', 'vegetarian', 'vegetarian', 'single', 1, 2, 'global', '', '', 'explicit', 'superseded', 'normal', 9.0, 1.0, 0, NULL, '2026-03-02T10:00:00.000000Z', '2026-03-02T09:00:00.000000Z', '2026-03-02T10:00:00.000000Z', 'pw2qxt6x7ts', NULL, '2026-03-02T09:01:00.000000Z', NULL, 2, '', '159b847c155166bf060a93be0f4d3c335308811f324c4bd18dc16c15b8d3ad5f');
INSERT INTO preference(seq, id, kind, statement, language, domain, slot, object, subject, cardinality, polarity, strength, scope_type, scope_value, condition, source, status, sensitivity, alpha, beta, pinned, valid_from, valid_to, recorded_at, retracted_at, superseded_by, contests, last_reinforced_at, review_after, revision, extractor, content_hash) VALUES (2, 'pec8ek7zx46', 'preference', 'ich hasse Koriander 🌿', 'en', 'food', 'food.taste', 'Koriander', 'koriander', 'multi', -1, 2, 'global', '', '', 'explicit', 'active', 'normal', 9.0, 1.0, 0, NULL, NULL, '2026-03-02T09:00:00.000000Z', NULL, NULL, NULL, '2026-03-02T09:03:00.000000Z', NULL, 1, '', '5ccbca1fb3d5f2346f55d82e4dda236fb5fb9c8173cac92c8586c8345873ffd5');
INSERT INTO preference(seq, id, kind, statement, language, domain, slot, object, subject, cardinality, polarity, strength, scope_type, scope_value, condition, source, status, sensitivity, alpha, beta, pinned, valid_from, valid_to, recorded_at, retracted_at, superseded_by, contests, last_reinforced_at, review_after, revision, extractor, content_hash) VALUES (3, 'pw2qxt6x7ts', 'constraint', 'I eat fish now', 'en', 'food', 'food.diet', 'pescatarian', 'pescatarian', 'single', 1, 2, 'global', '', '', 'explicit', 'active', 'normal', 9.0, 1.0, 0, NULL, NULL, '2026-03-02T10:00:00.000000Z', NULL, NULL, NULL, '2026-03-02T09:05:00.000000Z', NULL, 1, '', '1605d09e1f0538b29e87df52e8dbab2adbca9ba78f843b1195e88c1779c54bcd');
INSERT INTO preference(seq, id, kind, statement, language, domain, slot, object, subject, cardinality, polarity, strength, scope_type, scope_value, condition, source, status, sensitivity, alpha, beta, pinned, valid_from, valid_to, recorded_at, retracted_at, superseded_by, contests, last_reinforced_at, review_after, revision, extractor, content_hash) VALUES (4, 'pzhdjqfvh7q', 'constraint', 'fish? no', 'en', 'food', 'food.diet', 'pescatarian', 'pescatarian', 'single', -1, 2, 'global', '', '', 'inferred', 'disputed', 'normal', 2.0, 2.0, 0, NULL, NULL, '2026-03-02T11:00:00.000000Z', NULL, NULL, 'pw2qxt6x7ts', '2026-03-02T09:05:00.000000Z', NULL, 1, '', 'ce98c5a3ed9fb628b5febdd202e86461ddc0cdd68186d1cdc124353945b13695');
INSERT INTO evidence(id, preference_id, message_id, session_id, quote, start, stop, stance, weight, at, live) VALUES (1, 'p5vd7r4cpny', 1, 's0001', 'I''m vegetarian', 0, 14, 'supports', 1.0, '2026-03-02T09:01:00.000000Z', 1);
INSERT INTO evidence(id, preference_id, message_id, session_id, quote, start, stop, stance, weight, at, live) VALUES (2, 'pec8ek7zx46', 3, 's0001', 'ich hasse Koriander 🌿', 0, 21, 'supports', 1.0, '2026-03-02T09:03:00.000000Z', 1);
INSERT INTO evidence(id, preference_id, message_id, session_id, quote, start, stop, stance, weight, at, live) VALUES (3, 'pw2qxt6x7ts', 5, 's0001', 'I eat fish now', 0, 14, 'supports', 1.0, '2026-03-02T09:05:00.000000Z', 1);
INSERT INTO evidence(id, preference_id, message_id, session_id, quote, start, stop, stance, weight, at, live) VALUES (4, 'pzhdjqfvh7q', 5, 's0001', 'fish? no', 0, 8, 'supports', 1.0, '2026-03-02T09:05:00.000000Z', 1);
INSERT INTO history_entry(id, at, operation, actor, reason, undo_of, undone, undoable) VALUES (1, '2026-03-02T09:00:00.000000Z', 'add', 'rules', 'you said so', NULL, 0, 1);
INSERT INTO history_entry(id, at, operation, actor, reason, undo_of, undone, undoable) VALUES (2, '2026-03-02T09:00:00.000000Z', 'add', 'rules', 'you said so', NULL, 0, 1);
INSERT INTO history_entry(id, at, operation, actor, reason, undo_of, undone, undoable) VALUES (3, '2026-03-02T10:00:00.000000Z', 'supersede', 'rules', 'replaces what was said before', NULL, 0, 1);
INSERT INTO history_entry(id, at, operation, actor, reason, undo_of, undone, undoable) VALUES (4, '2026-03-02T11:00:00.000000Z', 'dispute', 'model', 'contradicts what is in force', NULL, 0, 1);
INSERT INTO history_entry(id, at, operation, actor, reason, undo_of, undone, undoable) VALUES (5, '2026-03-02T11:00:00.000000Z', 'add', 'model', 'noticed in what you wrote', NULL, 0, 0);
INSERT INTO history_entry(id, at, operation, actor, reason, undo_of, undone, undoable) VALUES (6, '2026-03-02T12:00:00.000000Z', 'pin', 'user', '', NULL, 1, 1);
INSERT INTO history_entry(id, at, operation, actor, reason, undo_of, undone, undoable) VALUES (7, '2026-03-02T13:00:00.000000Z', 'undo', 'user', 'undone by you', 6, 0, 1);
INSERT INTO history_entry(id, at, operation, actor, reason, undo_of, undone, undoable) VALUES (8, '2026-03-02T14:00:00.000000Z', 'forget', 'user', 'forgotten by you', NULL, 0, 0);
INSERT INTO history_delta(entry_id, position, preference_id, before, after, evidence_before, evidence_after) VALUES (1, 0, 'p5vd7r4cpny', NULL, '{"alpha":9.0,"beta":1.0,"condition":"","contests":null,"domain":"food","extractor":"","id":"p5vd7r4cpny","kind":"constraint","language":"en","last_reinforced_at":"2026-03-02T09:01:00.000000Z","object":"vegetarian","pinned":0,"polarity":1,"recorded_at":"2026-03-02T09:00:00.000000Z","retracted_at":null,"review_after":null,"revision":1,"scope_type":"global","scope_value":"","sensitivity":"normal","slot":"food.diet","source":"explicit","statement":"I''m vegetarian","status":"active","strength":2,"superseded_by":null,"valid_from":null,"valid_to":null}', '[]', '[1]');
INSERT INTO history_delta(entry_id, position, preference_id, before, after, evidence_before, evidence_after) VALUES (2, 0, 'pec8ek7zx46', NULL, '{"alpha":9.0,"beta":1.0,"condition":"","contests":null,"domain":"food","extractor":"","id":"pec8ek7zx46","kind":"preference","language":"en","last_reinforced_at":"2026-03-02T09:03:00.000000Z","object":"Koriander","pinned":0,"polarity":-1,"recorded_at":"2026-03-02T09:00:00.000000Z","retracted_at":null,"review_after":null,"revision":1,"scope_type":"global","scope_value":"","sensitivity":"normal","slot":"food.taste","source":"explicit","statement":"ich hasse Koriander 🌿","status":"active","strength":2,"superseded_by":null,"valid_from":null,"valid_to":null}', '[]', '[2]');
INSERT INTO history_delta(entry_id, position, preference_id, before, after, evidence_before, evidence_after) VALUES (3, 0, 'p5vd7r4cpny', '{"alpha":9.0,"beta":1.0,"condition":"","contests":null,"domain":"food","extractor":"","id":"p5vd7r4cpny","kind":"constraint","language":"en","last_reinforced_at":"2026-03-02T09:01:00.000000Z","object":"vegetarian","pinned":0,"polarity":1,"recorded_at":"2026-03-02T09:00:00.000000Z","retracted_at":null,"review_after":null,"revision":1,"scope_type":"global","scope_value":"","sensitivity":"normal","slot":"food.diet","source":"explicit","statement":"I''m vegetarian","status":"active","strength":2,"superseded_by":null,"valid_from":null,"valid_to":null}', '{"alpha":9.0,"beta":1.0,"condition":"","contests":null,"domain":"food","extractor":"","id":"p5vd7r4cpny","kind":"constraint","language":"en","last_reinforced_at":"2026-03-02T09:01:00.000000Z","object":"vegetarian","pinned":0,"polarity":1,"recorded_at":"2026-03-02T09:00:00.000000Z","retracted_at":"2026-03-02T10:00:00.000000Z","review_after":null,"revision":2,"scope_type":"global","scope_value":"","sensitivity":"normal","slot":"food.diet","source":"explicit","statement":"I''m vegetarian","status":"superseded","strength":2,"superseded_by":"pw2qxt6x7ts","valid_from":null,"valid_to":"2026-03-02T10:00:00.000000Z"}', '[1]', '[1]');
INSERT INTO history_delta(entry_id, position, preference_id, before, after, evidence_before, evidence_after) VALUES (3, 1, 'pw2qxt6x7ts', NULL, '{"alpha":9.0,"beta":1.0,"condition":"","contests":null,"domain":"food","extractor":"","id":"pw2qxt6x7ts","kind":"constraint","language":"en","last_reinforced_at":"2026-03-02T09:05:00.000000Z","object":"pescatarian","pinned":0,"polarity":1,"recorded_at":"2026-03-02T10:00:00.000000Z","retracted_at":null,"review_after":null,"revision":1,"scope_type":"global","scope_value":"","sensitivity":"normal","slot":"food.diet","source":"explicit","statement":"I eat fish now","status":"active","strength":2,"superseded_by":null,"valid_from":null,"valid_to":null}', '[]', '[3]');
INSERT INTO history_delta(entry_id, position, preference_id, before, after, evidence_before, evidence_after) VALUES (4, 0, 'pzhdjqfvh7q', NULL, '{"alpha":2.0,"beta":2.0,"condition":"","contests":"pw2qxt6x7ts","domain":"food","extractor":"","id":"pzhdjqfvh7q","kind":"constraint","language":"en","last_reinforced_at":"2026-03-02T09:05:00.000000Z","object":"pescatarian","pinned":0,"polarity":-1,"recorded_at":"2026-03-02T11:00:00.000000Z","retracted_at":null,"review_after":null,"revision":1,"scope_type":"global","scope_value":"","sensitivity":"normal","slot":"food.diet","source":"inferred","statement":"fish? no","status":"disputed","strength":2,"superseded_by":null,"valid_from":null,"valid_to":null}', '[]', '[4]');
INSERT INTO history_delta(entry_id, position, preference_id, before, after, evidence_before, evidence_after) VALUES (6, 0, 'pw2qxt6x7ts', '{"alpha":9.0,"beta":1.0,"condition":"","contests":null,"domain":"food","extractor":"","id":"pw2qxt6x7ts","kind":"constraint","language":"en","last_reinforced_at":"2026-03-02T09:05:00.000000Z","object":"pescatarian","pinned":0,"polarity":1,"recorded_at":"2026-03-02T10:00:00.000000Z","retracted_at":null,"review_after":null,"revision":1,"scope_type":"global","scope_value":"","sensitivity":"normal","slot":"food.diet","source":"explicit","statement":"I eat fish now","status":"active","strength":2,"superseded_by":null,"valid_from":null,"valid_to":null}', '{"alpha":9.0,"beta":1.0,"condition":"","contests":null,"domain":"food","extractor":"","id":"pw2qxt6x7ts","kind":"constraint","language":"en","last_reinforced_at":"2026-03-02T09:05:00.000000Z","object":"pescatarian","pinned":1,"polarity":1,"recorded_at":"2026-03-02T10:00:00.000000Z","retracted_at":null,"review_after":null,"revision":2,"scope_type":"global","scope_value":"","sensitivity":"normal","slot":"food.diet","source":"explicit","statement":"I eat fish now","status":"active","strength":2,"superseded_by":null,"valid_from":null,"valid_to":null}', '[3]', '[3]');
INSERT INTO history_delta(entry_id, position, preference_id, before, after, evidence_before, evidence_after) VALUES (7, 0, 'pw2qxt6x7ts', '{"alpha":9.0,"beta":1.0,"condition":"","contests":null,"domain":"food","extractor":"","id":"pw2qxt6x7ts","kind":"constraint","language":"en","last_reinforced_at":"2026-03-02T09:05:00.000000Z","object":"pescatarian","pinned":1,"polarity":1,"recorded_at":"2026-03-02T10:00:00.000000Z","retracted_at":null,"review_after":null,"revision":2,"scope_type":"global","scope_value":"","sensitivity":"normal","slot":"food.diet","source":"explicit","statement":"I eat fish now","status":"active","strength":2,"superseded_by":null,"valid_from":null,"valid_to":null}', '{"alpha":9.0,"beta":1.0,"condition":"","contests":null,"domain":"food","extractor":"","id":"pw2qxt6x7ts","kind":"constraint","language":"en","last_reinforced_at":"2026-03-02T09:05:00.000000Z","object":"pescatarian","pinned":0,"polarity":1,"recorded_at":"2026-03-02T10:00:00.000000Z","retracted_at":null,"review_after":null,"revision":1,"scope_type":"global","scope_value":"","sensitivity":"normal","slot":"food.diet","source":"explicit","statement":"I eat fish now","status":"active","strength":2,"superseded_by":null,"valid_from":null,"valid_to":null}', '[3]', '[3]');
INSERT INTO usage(preference_id, message_id, place, score, outcome, at) VALUES ('pw2qxt6x7ts', 2, 'turn', 0.5, 'unknown', '2026-03-02T09:00:00.000000Z');
INSERT INTO tombstone(key, at) VALUES ('about:0eca15fabd5a8df4ca0bbf5bf600bf7bc973bd2d03a47dc9722466ff51b1ea7d', '2026-03-02T14:00:00.000000Z');
INSERT INTO tombstone(key, at) VALUES ('words:4ba7a4c7b0cf99cbbcbf9dd833ce719f1d31c5bd92c348d6da0c8e396fe1ba3f', '2026-03-02T14:00:00.000000Z');
INSERT INTO vector(seq, collection, item_id, stamp, vector) VALUES (1, 'preferences', 'pw2qxt6x7ts', 's', x'0000803f0000803f');
INSERT INTO index_state(collection, model, dimensions, generation) VALUES ('preferences', 'm', 2, 1);
INSERT INTO reminder(seq, id, text, kind, zone, created_at, at, local, floating, rule, if_missed, state, snoozed_until, taken, next, next_at, message_id, revision, changed_at) VALUES (1, 'r0000001', 'Anna''s   call', 'instant', 'UTC', '2026-03-02T09:00:00.000000Z', '2026-03-02T10:00:00.000000Z', NULL, 0, '', 'tell', 'active', NULL, '2026-03-02T10:00:00.000000Z', NULL, NULL, NULL, 2, '2026-03-02T10:00:00.000000Z');
INSERT INTO reminder(seq, id, text, kind, zone, created_at, at, local, floating, rule, if_missed, state, snoozed_until, taken, next, next_at, message_id, revision, changed_at) VALUES (2, 'r0000002', 'gone', 'instant', 'UTC', '2026-03-02T09:00:00.000000Z', '2026-03-02T10:00:00.000000Z', NULL, 0, '', 'tell', 'active', NULL, NULL, '2026-03-02T10:00:00.000000Z', '2026-03-02T10:00:00.000000Z', NULL, 1, '2026-03-02T09:00:00.000000Z');
INSERT INTO notice(id, reminder_id, occurrence, due_at, claimed_at, state, late, missed, first_due) VALUES (1, 'r0000001', '2026-03-02T10:00:00.000000Z', '2026-03-02T10:00:00.000000Z', '2026-03-02T10:00:00.000000Z', 'claimed', 0, 0, NULL);
INSERT INTO reminder_history(id, reminder_id, operation, at, before, notices, undone, request) VALUES (1, 'r0000001', 'add', '2026-03-02T09:00:00.000000Z', '', '[]', 0, NULL);
INSERT INTO reminder_history(id, reminder_id, operation, at, before, notices, undone, request) VALUES (2, 'r0000002', 'add', '2026-03-02T09:00:00.000000Z', '', '[]', 0, NULL);
INSERT INTO learning(message_id, queued_at) VALUES (1, '2026-03-02T09:00:00.000000Z');
DELETE FROM outbox;
INSERT INTO outbox(seq, collection, item_id, attempts, last_error) VALUES (2, 'preferences', 'pec8ek7zx46', 0, '');
INSERT INTO outbox(seq, collection, item_id, attempts, last_error) VALUES (3, 'preferences', 'p5vd7r4cpny', 0, '');
INSERT INTO outbox(seq, collection, item_id, attempts, last_error) VALUES (6, 'preferences', 'pw2qxt6x7ts', 0, '');
INSERT INTO outbox(seq, collection, item_id, attempts, last_error) VALUES (7, 'preferences', 'pcgyuhfsyzh', 0, '');
INSERT INTO item(seq, id, kind, state, revision, title, text, uid, recurrence, repeats, starts, ends, done_at, created_at, changed_at, body) VALUES (1, 'i0000001', 'note', 'active', 1, 'Wi-Fi', 'behind the piano 🎹', '', '', 0, NULL, NULL, NULL, '2026-03-02T09:00:00.000000Z', '2026-03-02T09:00:00.000000Z', '{}');
INSERT INTO item_history(id, operation, kind, label, at, undone, request) VALUES (1, 'add', 'note', 'Wi-Fi', '2026-03-02T09:00:00.000000Z', 0, NULL);
INSERT INTO document(seq, id, path, name, kind, digest, size, added_at, pages, passages, left_out) VALUES (1, 'd0000001', '/home/ann/lease.txt', 'lease.txt', 'text', 'x', 20, '2026-03-02T09:00:00.000000Z', 0, 1, '');
INSERT INTO passage(id, document_seq, place, page, heading, label, text, model, vector) VALUES (1, 1, 0, 0, '', 'lease.txt', 'The lease ends in May.', '', NULL);
CREATE TABLE decision(
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      state TEXT NOT NULL CHECK(state IN ('open', 'answered', 'done', 'failed', 'superseded', 'declined', 'withdrawn', 'expired')),
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
    ) STRICT;
CREATE INDEX decision_open ON decision(id) WHERE state = 'open';
CREATE INDEX decision_session ON decision(session_id) WHERE session_id IS NOT NULL;
CREATE INDEX decision_message ON decision(message_id) WHERE message_id IS NOT NULL;
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
    ) STRICT;
CREATE INDEX effect_newest ON effect(started_at DESC);
CREATE INDEX effect_message ON effect(message_id) WHERE message_id IS NOT NULL;
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
    ) STRICT;
CREATE INDEX standing_grant_session ON standing_grant(session_id) WHERE session_id IS NOT NULL;
CREATE TABLE question_price(
      kind TEXT PRIMARY KEY,
      log_price REAL NOT NULL,
      asked INTEGER NOT NULL,
      needless INTEGER NOT NULL,
      useful INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
CREATE TABLE belief_label(
      id INTEGER PRIMARY KEY,
      model TEXT NOT NULL,
      belief REAL NOT NULL CHECK(belief BETWEEN 0 AND 1),
      right INTEGER NOT NULL CHECK(right IN (0, 1)),
      at TEXT NOT NULL
    ) STRICT;
CREATE INDEX belief_label_model ON belief_label(model, id);
CREATE TABLE imported(
      session_id TEXT PRIMARY KEY REFERENCES session(id) ON DELETE CASCADE,
      source TEXT NOT NULL CHECK(source IN ('chatgpt', 'claude')),
      external_id TEXT NOT NULL CHECK(external_id <> ''),
      digest TEXT NOT NULL,
      imported_at TEXT NOT NULL,
      learned_to INTEGER NOT NULL DEFAULT 0,
      UNIQUE(source, external_id)
    ) STRICT, WITHOUT ROWID;
CREATE TABLE plan(
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      goal TEXT NOT NULL,
      steps TEXT NOT NULL CHECK(json_valid(steps)),
      state TEXT NOT NULL CHECK(state IN ('running', 'waiting', 'stopped', 'done')),
      session_id TEXT REFERENCES session(id) ON DELETE SET NULL,
      message_id INTEGER REFERENCES message(id) ON DELETE SET NULL,
      created_at TEXT NOT NULL,
      changed_at TEXT NOT NULL
    ) STRICT;
CREATE INDEX plan_session ON plan(session_id) WHERE session_id IS NOT NULL;
CREATE INDEX plan_message ON plan(message_id) WHERE message_id IS NOT NULL;
INSERT INTO decision(id, state, asked, created_at) VALUES (1, 'open', '{}', '2026-03-02T09:00:00.000000Z');
INSERT INTO effect(key, tool, arguments, state, summary, undo_token, changed, decision_id, started_at) VALUES ('k1', 'task_add', '{}', 'done', 'Added a task.', '', '[]', 1, '2026-03-02T09:00:00.000000Z');
INSERT INTO plan(id, goal, steps, state, created_at, changed_at) VALUES (1, 'move house', '[]', 'running', '2026-03-02T09:00:00.000000Z', '2026-03-02T09:00:00.000000Z');
INSERT INTO imported(session_id, source, external_id, digest, imported_at, learned_to) VALUES ('s0001', 'claude', 'c-1', 'd', '2026-03-02T09:00:00.000000Z', 0);
COMMIT;
