-- A random id of this database.
ALTER TABLE roster.about ADD COLUMN identity text NOT NULL DEFAULT gen_random_uuid()::text;

-- `json` is the user exactly as responses contain it. The other columns are for sorting and filtering lists.
-- Columns named *_fold are folded by the program (domain/fold.ts) and sorted by their bytes.
CREATE TABLE roster.users (
  id          bigint PRIMARY KEY,
  version     bigint NOT NULL,
  json        text NOT NULL,
  created_at  bigint NOT NULL,           -- milliseconds since 1970
  updated_at  bigint NOT NULL,
  changed_by  bigint,                    -- id of the API key of the last change; 0: ROSTER_API_KEY, NULL: no key was required, -1: a command
  name_fold   text COLLATE "C" NOT NULL,
  name_key    text COLLATE "C",          -- folded by case only; NULL if equal to name_fold
  email_fold  text COLLATE "C",
  email_key   text COLLATE "C",
  word_starts text COLLATE "C" NOT NULL  -- for searches of one or two characters
);

CREATE UNIQUE INDEX users_email ON roster.users (email_key);
CREATE INDEX users_by_name ON roster.users (name_fold, id);
CREATE INDEX users_by_email ON roster.users (email_fold, id) WHERE email_fold IS NOT NULL;
CREATE INDEX users_without_email ON roster.users (id) WHERE email_fold IS NULL;
CREATE INDEX users_by_creation ON roster.users (created_at, id);
CREATE INDEX users_by_update ON roster.users (updated_at, id);
CREATE INDEX users_by_version ON roster.users (version, id);

-- Deleted users, until they are restored or purged. `json` is the user as responses contain it, with deletedAt.
CREATE TABLE roster.deleted_users (
  id         bigint PRIMARY KEY,
  version    bigint NOT NULL,
  json       text NOT NULL,
  deleted_at bigint NOT NULL -- milliseconds since 1970
);
CREATE INDEX deleted_users_by_deletion ON roster.deleted_users (deleted_at, id);

-- Ids are never reused. Ids that a batch takes and does not use leave gaps.
CREATE SEQUENCE roster.user_ids MAXVALUE 9007199254740991;

-- Values of custom fields, for filters and sorting (domain/value-index.ts).
CREATE TABLE roster.user_values (
  field   text COLLATE "C" NOT NULL, -- path of the value
  value   text COLLATE "C" NOT NULL, -- sorts like the value; text is folded by case
  user_id bigint NOT NULL,
  exact   text COLLATE "C" NOT NULL, -- text as written, if it differs from value
  PRIMARY KEY (field, value, user_id, exact)
);

-- Every version of the schema for custom fields, as sent. Without a row, there is no schema.
CREATE TABLE roster.schema_versions (
  version    bigint PRIMARY KEY,
  json       text NOT NULL,
  created_at bigint NOT NULL, -- milliseconds since 1970
  created_by bigint           -- like users.changed_by
);
-- Fields whose values are being collected before they become unique (schema/schema-state.ts), as JSON.
ALTER TABLE roster.about ADD COLUMN collecting text;

-- Counts the changes of the schema and of `collecting`. A statement sees the last number even if it has waited for a lock.
CREATE SEQUENCE roster.schema_changes;

-- The functions below take advisory locks: see schema-lock.ts. A query in a function sees what was committed while it waited.

-- Keeps other nodes from changing the schema until the end of the transaction, and reads its state.
CREATE FUNCTION roster.lock_schema(OUT version bigint, OUT collecting text, OUT now_ms bigint, OUT change bigint)
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(1383298162, 3);
  SELECT (SELECT max(v.version) FROM roster.schema_versions v), a.collecting,
         (extract(epoch FROM clock_timestamp()) * 1000)::bigint,
         coalesce(pg_sequence_last_value('roster.schema_changes'), 0)
  INTO version, collecting, now_ms, change FROM roster.about a;
END
$$;

-- Begins a change of the schema. Batches of writes that have appended their events are committed now; the others fail.
CREATE FUNCTION roster.change_schema() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(1383298162, 3);
  PERFORM nextval('roster.schema_changes');
  PERFORM pg_advisory_xact_lock(1383298162, 1);
END
$$;

-- Fails if the schema has changed since this change; with -1, never.
CREATE FUNCTION roster.require_schema(change bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF change >= 0 AND change <> coalesce(pg_sequence_last_value('roster.schema_changes'), 0) THEN
    RAISE EXCEPTION 'The schema has changed.' USING ERRCODE = 'RS001';
  END IF;
END
$$;

-- Waits until events can be appended, and then checks the schema.
CREATE FUNCTION roster.lock_events(change bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(1383298162, 1);
  PERFORM roster.require_schema(change);
END
$$;

-- The values of unique custom fields, like user_values. Rows of other fields are left over, and removed with the next schema.
CREATE TABLE roster.unique_values (
  field   text COLLATE "C" NOT NULL,
  value   text COLLATE "C" NOT NULL,
  user_id bigint NOT NULL,
  PRIMARY KEY (field, value)
);

-- Trigrams of name, email and word_starts, as numbers prefixed by the user's block of ids (search-keys.ts): a search reads
-- the unordered GIN index block by block.
CREATE TABLE roster.user_search (
  user_id bigint PRIMARY KEY,
  keys    integer[] NOT NULL
);
-- Every search reads the pending list: keep it short.
CREATE INDEX user_search_keys ON roster.user_search USING gin (keys) WITH (fastupdate = on, gin_pending_list_limit = 512);

-- The number of users is the sum of these rows. Nodes that write at the same time rarely lock the same row.
CREATE TABLE roster.user_counts (
  part  integer PRIMARY KEY,
  users bigint NOT NULL
) WITH (fillfactor = 50);
INSERT INTO roster.user_counts SELECT part, 0 FROM generate_series(0, 31) AS part;

-- The changes of the number of users on each day (UTC), for statistics. A day has several rows, for the same reason.
CREATE TABLE roster.daily_users (
  day      text COLLATE "C" NOT NULL, -- like 2026-11-16
  part     bigint NOT NULL,
  created  bigint NOT NULL,
  deleted  bigint NOT NULL,
  restored bigint NOT NULL,
  PRIMARY KEY (day, part)
) WITH (fillfactor = 50);

-- The feed of events: every change of a user, a key or a webhook, in the order of commits. Positions are microseconds since 1970,
-- and higher than every earlier position. After events have been removed, the first row has the position of the last removed event.
CREATE TABLE roster.events (
  position     bigint PRIMARY KEY,
  subject_type text COLLATE "C" NOT NULL, -- user, key or webhook; feed in the first row, if events have been removed
  subject_id   bigint NOT NULL,
  action       text COLLATE "C" NOT NULL, -- like created
  version      bigint,
  actor        bigint,                    -- like users.changed_by
  request_id   text,
  changes      text NOT NULL,             -- JSON
  record       text NOT NULL              -- JSON
);
CREATE INDEX events_by_subject ON roster.events (subject_type, subject_id, position);

-- The last position that was taken. Rollbacks leave gaps.
CREATE SEQUENCE roster.event_positions MAXVALUE 9007199254740991;

-- API keys. Rows of expired and revoked keys stay. `change` numbers the changes of rows: nodes read the rows with a higher
-- number than the last one they know.
CREATE TABLE roster.keys (
  id            bigint PRIMARY KEY,
  name          text NOT NULL,
  prefix        text NOT NULL,
  digest        text COLLATE "C" NOT NULL,
  scopes        text NOT NULL, -- separated by spaces
  created_at    bigint NOT NULL,
  created_by    bigint,
  lifetime      bigint, -- milliseconds from creation to the original expiry
  expires_at    bigint, -- earlier if another key replaces this one
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

CREATE TABLE roster.daily_key_usage (
  key_id   bigint NOT NULL,
  day      text COLLATE "C" NOT NULL, -- like 2026-11-16, UTC
  requests bigint NOT NULL,
  PRIMARY KEY (key_id, day)
) WITH (fillfactor = 50);
CREATE INDEX daily_key_usage_by_day ON roster.daily_key_usage (day);

-- Browser sign-ins: each stands for a key.
CREATE TABLE roster.sessions (
  digest     text COLLATE "C" PRIMARY KEY,
  key_digest text NOT NULL,
  expires_at bigint NOT NULL
);
CREATE INDEX sessions_by_expiry ON roster.sessions (expires_at);

-- Events after `position` are still to be delivered.
CREATE TABLE roster.webhooks (
  id              bigint PRIMARY KEY,
  url             text NOT NULL,
  types           text NOT NULL,   -- JSON array of patterns
  description     text NOT NULL,
  filter          text,            -- filter expression
  active          bigint NOT NULL, -- 0 or 1
  secret          text NOT NULL,
  previous_secret text,            -- also signs deliveries, until previous_until
  previous_until  bigint,
  created_at      bigint NOT NULL,
  updated_at      bigint NOT NULL,
  version         bigint NOT NULL,
  position        bigint NOT NULL,
  failing_since   bigint,
  disabled_reason text
) WITH (fillfactor = 50);

CREATE SEQUENCE roster.webhook_ids MAXVALUE 9007199254740991;

-- The last deliveries of each webhook, and those that wait for another attempt.
CREATE TABLE roster.webhook_deliveries (
  webhook_id      bigint NOT NULL,
  position        bigint NOT NULL, -- of the event
  type            text COLLATE "C" NOT NULL,
  subject_id      bigint NOT NULL,
  state           text COLLATE "C" NOT NULL,    -- waiting, delivered or failed
  attempts        text NOT NULL,    -- JSON: time, code, milliseconds and error of each
  failures        bigint NOT NULL,
  next_attempt_at bigint,          -- NULL while an earlier event of the same subject waits
  attempted_at    bigint,
  PRIMARY KEY (webhook_id, position)
);
CREATE INDEX webhook_deliveries_due ON roster.webhook_deliveries (webhook_id, next_attempt_at) WHERE state = 'waiting';

-- Which node delivers to a webhook, and until when; and the events to send again.
CREATE TABLE roster.webhook_work (
  webhook_id   bigint PRIMARY KEY,
  node         text NOT NULL,
  leased_until bigint NOT NULL,
  paused_until bigint NOT NULL,
  replay_from  bigint,
  replay_to    bigint,
  replay_after bigint -- position of the last event that was taken
) WITH (fillfactor = 50);

-- Stored outcomes of creates and imports with an Idempotency-Key.
CREATE TABLE roster.outcomes (
  caller      text COLLATE "C" NOT NULL,
  key         text COLLATE "C" NOT NULL,
  fingerprint text NOT NULL,
  outcome     text NOT NULL,
  expires_at  bigint NOT NULL,
  user_id     bigint, -- the user in the outcome of a create
  PRIMARY KEY (caller, key)
);
CREATE INDEX outcomes_by_expiry ON roster.outcomes (expires_at);
CREATE INDEX outcomes_by_user ON roster.outcomes (user_id) WHERE user_id IS NOT NULL;

-- One row while a move into this database is unfinished (store/move.ts). Services refuse to start then.
CREATE TABLE roster.moving (
  only_row integer PRIMARY KEY CHECK (only_row = 1),
  mark     text NOT NULL, -- state of the move, as JSON
  indexes  text NOT NULL  -- CREATE INDEX statements of the dropped indexes, as JSON
);
