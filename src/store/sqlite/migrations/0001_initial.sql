-- `json` is the user exactly as responses contain it. The other columns are for sorting and filtering lists.
-- Columns named *_fold are folded by the program (domain/fold.ts) and sorted by their bytes.
CREATE TABLE users (
  id          INTEGER PRIMARY KEY,
  version     INTEGER NOT NULL,
  json        TEXT NOT NULL,
  created_at  INTEGER NOT NULL, -- milliseconds since 1970
  updated_at  INTEGER NOT NULL,
  changed_by  INTEGER,          -- id of the API key of the last change; 0: ROSTER_API_KEY, NULL: no key was required, -1: a command
  name_fold   TEXT NOT NULL,
  name_key    TEXT,             -- folded by case only; NULL if equal to name_fold
  email_fold  TEXT,
  email_key   TEXT,
  word_starts TEXT NOT NULL     -- for searches of one or two characters
) STRICT;

-- Only ids: lists skip users several times faster than in the table.
CREATE INDEX users_by_id ON users (id);
CREATE INDEX users_by_name ON users (name_fold);
CREATE INDEX users_by_email ON users (email_fold);
CREATE INDEX users_by_creation ON users (created_at);
CREATE INDEX users_by_update ON users (updated_at);
CREATE INDEX users_by_version ON users (version);
CREATE UNIQUE INDEX users_email ON users (email_key) WHERE email_key IS NOT NULL;

-- Values of custom fields, for filters and sorting (domain/value-index.ts).
CREATE TABLE user_values (
  field   TEXT NOT NULL,    -- path of the value
  value   TEXT NOT NULL,    -- sorts like the value; text is folded by case
  user_id INTEGER NOT NULL,
  exact   TEXT NOT NULL,    -- text as written, if it differs from value
  PRIMARY KEY (field, value, user_id, exact)
) STRICT, WITHOUT ROWID;

-- Every version of the schema for custom fields, as sent. Without a row, there is no schema.
CREATE TABLE schema_versions (
  version    INTEGER PRIMARY KEY,
  json       TEXT NOT NULL,
  created_at INTEGER NOT NULL, -- milliseconds since 1970
  created_by INTEGER           -- like users.changed_by
) STRICT;

-- The values of unique custom fields, like user_values. Rows of other fields are left over, and removed with the next schema.
CREATE TABLE unique_values (
  field   TEXT NOT NULL,
  value   TEXT NOT NULL,
  user_id INTEGER NOT NULL,
  PRIMARY KEY (field, value)
) STRICT, WITHOUT ROWID;

-- Trigrams of name, email and word_starts, without their positions: a search for longer text tests the users it finds.
CREATE VIRTUAL TABLE user_search USING fts5 (
  text,
  content = '',
  contentless_delete = 1,
  detail = none,
  tokenize = 'trigram case_sensitive 1'
);
-- The writer merges a few pages of the index after each change. By itself, FTS5 merges a whole index at once when most of its
-- entries are outdated, which takes seconds.
INSERT INTO user_search (user_search, rank) VALUES ('automerge', 0), ('deletemerge', 0);

-- Deleted users, until they are restored or purged. `json` is the user as responses contain it, with deletedAt.
CREATE TABLE deleted_users (
  id         INTEGER PRIMARY KEY,
  version    INTEGER NOT NULL,
  json       TEXT NOT NULL,
  deleted_at INTEGER NOT NULL -- milliseconds since 1970
) STRICT;
CREATE INDEX deleted_users_by_deletion ON deleted_users (deleted_at);

-- One row: the last id ever given to a user, the number of users, a random id of this database, the last position of an event
-- that this database had before a restore, the last id ever given to a webhook, and the fields whose values are being collected
-- before they become unique (schema/schema-state.ts), as JSON.
CREATE TABLE directory (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  last_id  INTEGER NOT NULL,
  users    INTEGER NOT NULL,
  identity TEXT NOT NULL,
  events_after INTEGER NOT NULL,
  last_webhook_id INTEGER NOT NULL,
  collecting   TEXT
) STRICT;
INSERT INTO directory VALUES (1, 0, 0, lower(hex(randomblob(16))), 0, 0, NULL);

-- The changes of the number of users on each day (UTC), for statistics.
CREATE TABLE daily_users (
  day      TEXT NOT NULL,    -- like 2026-11-16
  part     INTEGER NOT NULL, -- PostgreSQL shares a day between several rows
  created  INTEGER NOT NULL,
  deleted  INTEGER NOT NULL,
  restored INTEGER NOT NULL,
  PRIMARY KEY (day, part)
) STRICT, WITHOUT ROWID;

-- The feed of events: every change of a user, a key or a webhook, in the order of commits. Positions are microseconds since 1970,
-- and higher than every earlier position. After events have been removed, the first row has the position of the last removed event.
CREATE TABLE events (
  position     INTEGER PRIMARY KEY,
  subject_type TEXT NOT NULL,    -- user, key or webhook; feed in the first row, if events have been removed
  subject_id   INTEGER NOT NULL,
  action       TEXT NOT NULL,    -- like created
  version      INTEGER,
  actor        INTEGER,          -- like users.changed_by
  request_id   TEXT,
  changes      TEXT NOT NULL,    -- JSON
  record       TEXT NOT NULL     -- JSON
) STRICT;
CREATE INDEX events_by_subject ON events (subject_type, subject_id);

-- One row: about how many bytes of the file are events, for the metrics. An event without its contents has 80 bytes.
CREATE TABLE event_usage (bytes INTEGER NOT NULL) STRICT;
INSERT INTO event_usage VALUES (0);
CREATE TRIGGER add_event_usage AFTER INSERT ON events BEGIN
  UPDATE event_usage SET bytes = bytes + octet_length(new.changes) + octet_length(new.record) + 80;
END;
CREATE TRIGGER change_event_usage AFTER UPDATE OF changes, record ON events BEGIN
  UPDATE event_usage SET bytes = bytes + octet_length(new.changes) + octet_length(new.record)
    - octet_length(old.changes) - octet_length(old.record);
END;
CREATE TRIGGER remove_event_usage AFTER DELETE ON events BEGIN
  UPDATE event_usage SET bytes = bytes - octet_length(old.changes) - octet_length(old.record) - 80;
END;

-- API keys. Rows of expired and revoked keys stay. `change` numbers the changes of rows: nodes read the rows with a higher
-- number than the last one they know.
CREATE TABLE keys (
  id            INTEGER PRIMARY KEY,
  name          TEXT NOT NULL,
  prefix        TEXT NOT NULL,
  digest        TEXT NOT NULL,
  scopes        TEXT NOT NULL, -- separated by spaces
  created_at    INTEGER NOT NULL,
  created_by    INTEGER,
  lifetime      INTEGER, -- milliseconds from creation to the original expiry
  expires_at    INTEGER, -- earlier if another key replaces this one
  revoked_at    INTEGER,
  revoked_by    INTEGER,
  rate_requests INTEGER,
  rate_seconds  INTEGER,
  quota         INTEGER,
  change        INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX keys_digest ON keys (digest);
CREATE UNIQUE INDEX keys_change ON keys (change);

CREATE TABLE key_usage (
  key_id       INTEGER NOT NULL,
  month        TEXT NOT NULL, -- like 2026-11
  requests     INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL,
  PRIMARY KEY (key_id, month)
) STRICT, WITHOUT ROWID;

CREATE TABLE daily_key_usage (
  key_id   INTEGER NOT NULL,
  day      TEXT NOT NULL, -- like 2026-11-16, UTC
  requests INTEGER NOT NULL,
  PRIMARY KEY (key_id, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX daily_key_usage_by_day ON daily_key_usage (day);

-- Browser sign-ins: each stands for a key.
CREATE TABLE sessions (
  digest     TEXT PRIMARY KEY,
  key_digest TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- Events after `position` are still to be delivered.
CREATE TABLE webhooks (
  id              INTEGER PRIMARY KEY,
  url             TEXT NOT NULL,
  types           TEXT NOT NULL,    -- JSON array of patterns
  description     TEXT NOT NULL,
  filter          TEXT,             -- filter expression
  active          INTEGER NOT NULL, -- 0 or 1
  secret          TEXT NOT NULL,
  previous_secret TEXT,             -- also signs deliveries, until previous_until
  previous_until  INTEGER,
  created_at      INTEGER NOT NULL,
  updated_at      INTEGER NOT NULL,
  version         INTEGER NOT NULL,
  position        INTEGER NOT NULL,
  failing_since   INTEGER,
  disabled_reason TEXT
) STRICT;

-- The last deliveries of each webhook, and those that wait for another attempt.
CREATE TABLE webhook_deliveries (
  webhook_id      INTEGER NOT NULL,
  position        INTEGER NOT NULL, -- of the event
  type            TEXT NOT NULL,
  subject_id      INTEGER NOT NULL,
  state           TEXT NOT NULL,    -- waiting, delivered or failed
  attempts        TEXT NOT NULL,    -- JSON: time, code, milliseconds and error of each
  failures        INTEGER NOT NULL,
  next_attempt_at INTEGER,          -- NULL while an earlier event of the same subject waits
  attempted_at    INTEGER,
  PRIMARY KEY (webhook_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, next_attempt_at) WHERE state = 'waiting';

-- Which node delivers to a webhook, and until when; and the events to send again.
CREATE TABLE webhook_work (
  webhook_id   INTEGER PRIMARY KEY,
  node         TEXT NOT NULL,
  leased_until INTEGER NOT NULL,
  paused_until INTEGER NOT NULL,
  replay_from  INTEGER,
  replay_to    INTEGER,
  replay_after INTEGER -- position of the last event that was taken
) STRICT;

-- Stored outcomes of creates and imports with an Idempotency-Key.
CREATE TABLE outcomes (
  caller      TEXT NOT NULL,
  key         TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  outcome     TEXT NOT NULL,
  expires_at  INTEGER NOT NULL,
  user_id     INTEGER, -- the user in the outcome of a create
  PRIMARY KEY (caller, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX outcomes_by_expiry ON outcomes (expires_at);
CREATE INDEX outcomes_by_user ON outcomes (user_id) WHERE user_id IS NOT NULL;

-- One row while a move into this database is unfinished (store/move.ts). Services refuse to start then.
CREATE TABLE moving (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  mark     TEXT NOT NULL, -- state of the move, as JSON
  indexes  TEXT NOT NULL  -- CREATE INDEX statements of the dropped indexes, as JSON
) STRICT;
