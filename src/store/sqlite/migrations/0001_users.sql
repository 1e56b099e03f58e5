-- A user's JSON is kept as it is answered; the other columns are what lists are ordered and tested by.
-- Texts named *_fold are folded by the program (domain/fold.ts) and order by their bytes.
CREATE TABLE users (
  id          INTEGER PRIMARY KEY,
  version     INTEGER NOT NULL,
  json        TEXT NOT NULL,
  created_at  INTEGER NOT NULL, -- milliseconds since 1970
  updated_at  INTEGER NOT NULL,
  changed_by  INTEGER,          -- the key that it was last changed with; 0 the environment's, NULL where none was asked for
  name_fold   TEXT NOT NULL,
  name_key    TEXT,             -- folded by case alone; NULL where that is the same as name_fold
  email_fold  TEXT,
  email_key   TEXT,
  word_starts TEXT NOT NULL     -- what a search of one or two characters looks in
) STRICT;

CREATE INDEX users_by_name ON users (name_fold);
CREATE INDEX users_by_email ON users (email_fold);
CREATE INDEX users_by_creation ON users (created_at);
CREATE INDEX users_by_update ON users (updated_at);
CREATE INDEX users_by_version ON users (version);
CREATE UNIQUE INDEX users_email ON users (email_key) WHERE email_key IS NOT NULL;

-- What equality filters on the caller's own fields find.
CREATE TABLE user_values (
  field   TEXT NOT NULL,
  value   TEXT NOT NULL,
  user_id INTEGER NOT NULL,
  PRIMARY KEY (field, value, user_id)
) STRICT, WITHOUT ROWID;

-- Every three characters that follow each other in name, email and word_starts. It only says which users have them,
-- not where: whoever searches longer text tests the users that it finds.
CREATE VIRTUAL TABLE user_search USING fts5 (
  text,
  content = '',
  contentless_delete = 1,
  detail = none,
  tokenize = 'trigram case_sensitive 1'
);

-- One row: the last id given, which outlives the user that had it, how many users there are, and what tells this
-- database from every other, by whatever name it is reached.
CREATE TABLE directory (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  last_id  INTEGER NOT NULL,
  users    INTEGER NOT NULL,
  identity TEXT NOT NULL
) STRICT;
INSERT INTO directory VALUES (1, 0, 0, lower(hex(randomblob(16))));

-- Who removed which user, since its row is gone.
CREATE TABLE removals (
  user_id    INTEGER PRIMARY KEY,
  removed_at INTEGER NOT NULL,
  removed_by INTEGER
) STRICT;

-- The keys that callers show who they are by. Rows stay when a key has ended. Each change of a row gets the next number,
-- by which nodes find what has changed.
CREATE TABLE keys (
  id            INTEGER PRIMARY KEY,
  name          TEXT NOT NULL,
  prefix        TEXT NOT NULL,
  digest        TEXT NOT NULL,
  scopes        TEXT NOT NULL, -- with spaces between
  created_at    INTEGER NOT NULL,
  created_by    INTEGER,
  lifetime      INTEGER, -- milliseconds that it was made for
  expires_at    INTEGER, -- sooner, where another has taken its place
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

-- What keys were traded for in a browser.
CREATE TABLE sessions (
  digest     TEXT PRIMARY KEY,
  key_digest TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- How creates with an Idempotency-Key ended.
CREATE TABLE outcomes (
  caller      TEXT NOT NULL,
  key         TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  outcome     TEXT NOT NULL,
  expires_at  INTEGER NOT NULL,
  PRIMARY KEY (caller, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX outcomes_by_expiry ON outcomes (expires_at);

-- One row while everything is being moved here from another database (store/move.ts): nobody is served meanwhile.
CREATE TABLE moving (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  mark     TEXT NOT NULL, -- how far it has come, as JSON
  indexes  TEXT NOT NULL  -- the statements that make the indexes which are left out meanwhile, as JSON
) STRICT;
