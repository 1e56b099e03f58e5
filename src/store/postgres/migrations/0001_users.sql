-- Tells this database from every other, by whatever name it is reached.
ALTER TABLE roster.about ADD COLUMN identity text NOT NULL DEFAULT gen_random_uuid()::text;

-- A user's JSON is kept as it is answered; the other columns are what lists are ordered and tested by.
-- Texts named *_fold are folded by the program (domain/fold.ts) and order by their bytes.
CREATE TABLE roster.users (
  id          bigint PRIMARY KEY,
  version     bigint NOT NULL,
  json        text NOT NULL,
  created_at  bigint NOT NULL,           -- milliseconds since 1970
  updated_at  bigint NOT NULL,
  changed_by  bigint,                    -- the key that it was last changed with; 0 the environment's, NULL where none was asked for
  name_fold   text COLLATE "C" NOT NULL,
  name_key    text COLLATE "C",          -- folded by case alone; NULL where that is the same as name_fold
  email_fold  text COLLATE "C",
  email_key   text COLLATE "C",
  word_starts text COLLATE "C" NOT NULL  -- what a search of one or two characters looks in
);

CREATE UNIQUE INDEX users_email ON roster.users (email_key);
CREATE INDEX users_by_name ON roster.users (name_fold, id);
CREATE INDEX users_by_email ON roster.users (email_fold, id) WHERE email_fold IS NOT NULL;
CREATE INDEX users_without_email ON roster.users (id) WHERE email_fold IS NULL;
CREATE INDEX users_by_creation ON roster.users (created_at, id);
CREATE INDEX users_by_update ON roster.users (updated_at, id);
CREATE INDEX users_by_version ON roster.users (version, id);

-- Outlives the users that had its ids. What a batch takes and does not use leaves a gap.
CREATE SEQUENCE roster.user_ids MAXVALUE 9007199254740991;

-- What equality filters on the caller's own fields find, in order of id.
CREATE TABLE roster.user_values (
  field   text COLLATE "C" NOT NULL,
  value   text COLLATE "C" NOT NULL,
  user_id bigint NOT NULL,
  PRIMARY KEY (field, value, user_id)
);

-- Every three characters that follow each other in name, email and word_starts, as numbers that begin with the block of
-- ids that the user is in (search-keys.ts): an index without order is then read one block after the other.
CREATE TABLE roster.user_search (
  user_id bigint PRIMARY KEY,
  keys    integer[] NOT NULL
);
-- What waits to be sorted into the index is read by every search: it is kept short.
CREATE INDEX user_search_keys ON roster.user_search USING gin (keys) WITH (fastupdate = on, gin_pending_list_limit = 512);

-- How many users there are, in parts, so that nodes which write at once do not wait for each other's row.
CREATE TABLE roster.user_counts (
  part  integer PRIMARY KEY,
  users bigint NOT NULL
) WITH (fillfactor = 50);
INSERT INTO roster.user_counts SELECT part, 0 FROM generate_series(0, 31) AS part;

-- Who removed which user, since its row is gone.
CREATE TABLE roster.removals (
  user_id    bigint PRIMARY KEY,
  removed_at bigint NOT NULL,
  removed_by bigint
);

-- The keys that callers show who they are by. Rows stay when a key has ended. Each change of a row gets the next number,
-- by which nodes find what has changed.
CREATE TABLE roster.keys (
  id            bigint PRIMARY KEY,
  name          text NOT NULL,
  prefix        text NOT NULL,
  digest        text COLLATE "C" NOT NULL,
  scopes        text NOT NULL, -- with spaces between
  created_at    bigint NOT NULL,
  created_by    bigint,
  lifetime      bigint, -- milliseconds that it was made for
  expires_at    bigint, -- sooner, where another has taken its place
  revoked_at    bigint,
  revoked_by    bigint,
  rate_requests bigint,
  rate_seconds  bigint,
  quota         bigint,
  change        bigint NOT NULL
);
CREATE UNIQUE INDEX keys_digest ON roster.keys (digest);
CREATE UNIQUE INDEX keys_change ON roster.keys (change);

CREATE TABLE roster.key_usage (
  key_id       bigint NOT NULL,
  month        text COLLATE "C" NOT NULL, -- like 2026-11
  requests     bigint NOT NULL,
  last_used_at bigint NOT NULL,
  PRIMARY KEY (key_id, month)
) WITH (fillfactor = 50);

-- What keys were traded for in a browser.
CREATE TABLE roster.sessions (
  digest     text COLLATE "C" PRIMARY KEY,
  key_digest text NOT NULL,
  expires_at bigint NOT NULL
);
CREATE INDEX sessions_by_expiry ON roster.sessions (expires_at);

-- How creates with an Idempotency-Key ended.
CREATE TABLE roster.outcomes (
  caller      text COLLATE "C" NOT NULL,
  key         text COLLATE "C" NOT NULL,
  fingerprint text NOT NULL,
  outcome     text NOT NULL,
  expires_at  bigint NOT NULL,
  PRIMARY KEY (caller, key)
);
CREATE INDEX outcomes_by_expiry ON roster.outcomes (expires_at);

-- One row while everything is being moved here from another database (store/move.ts): nobody is served meanwhile.
CREATE TABLE roster.moving (
  only_row integer PRIMARY KEY CHECK (only_row = 1),
  mark     text NOT NULL, -- how far it has come, as JSON
  indexes  text NOT NULL  -- the statements that make the indexes which are left out meanwhile, as JSON
);
