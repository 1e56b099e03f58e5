-- Events that have no position yet, in the order in which they were appended: transactions that append do not wait for each other
-- until they commit. `publish_events` moves committed events to `events`.
CREATE SEQUENCE roster.new_event_keys;
CREATE TABLE roster.new_events (
  key          bigint PRIMARY KEY DEFAULT nextval('roster.new_event_keys'),
  subject_type text COLLATE "C" NOT NULL, -- these columns are like those of events
  subject_id   bigint NOT NULL,
  action       text COLLATE "C" NOT NULL,
  version      bigint,
  actor        bigint,
  request_id   text,
  changes      text NOT NULL,
  record       text NOT NULL,
  -- Microseconds since 1970. For copies of the database, which give positions themselves.
  appended_at  bigint NOT NULL DEFAULT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, vacuum_truncate = off);

-- Nodes of the version before keep running, perhaps with a role of their own, and publish events too.
DO $$
DECLARE
  node name;
BEGIN
  FOR node IN
    SELECT r.rolname FROM pg_class c CROSS JOIN aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee
    WHERE c.oid = 'roster.events'::regclass AND a.privilege_type = 'INSERT' AND a.grantee <> c.relowner
  LOOP
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON roster.new_events TO %I', node);
    EXECUTE format('GRANT USAGE, UPDATE ON SEQUENCE roster.new_event_keys TO %I', node);
  END LOOP;
END
$$;

-- Begins to append events. Fails if the schema has changed since this change; with -1, never. A change of the schema waits for the
-- end of the transaction.
CREATE FUNCTION roster.begin_events(change bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(1383298162, 1);
  PERFORM roster.require_schema(change);
END
$$;

-- Gives positions to the first events after this key, and to those of this transaction, in the order of their keys. Without a limit,
-- to all. Returns their number. Transactions that publish wait for each other until they commit: events become visible in the order
-- of their positions. An event was appended after all events that its transaction depends on were committed, so its key is higher.
CREATE FUNCTION roster.publish_events(after_key bigint, most bigint) RETURNS bigint LANGUAGE plpgsql
SET enable_seqscan = off AS $$
DECLARE
  published bigint;
BEGIN
  PERFORM pg_advisory_xact_lock_shared(1383298162, 1);
  PERFORM pg_advisory_xact_lock(1383298162, 6);
  WITH bound AS MATERIALIZED (
    SELECT max(key) AS key FROM (SELECT key FROM roster.new_events WHERE key > after_key ORDER BY key LIMIT most) AS first
  ), moved AS MATERIALIZED (
    DELETE FROM roster.new_events n USING bound WHERE n.key > after_key AND n.key <= bound.key RETURNING n.*
  ), taken AS MATERIALIZED (
    SELECT setval('roster.event_positions',
      greatest(nextval('roster.event_positions'), (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
      + count(*) - 1) - count(*) AS position
    FROM moved HAVING count(*) > 0
  )
  INSERT INTO roster.events (position, subject_type, subject_id, action, version, actor, request_id, changes, record)
  SELECT taken.position + row_number() OVER (ORDER BY m.key),
         m.subject_type, m.subject_id, m.action, m.version, m.actor, m.request_id, m.changes, m.record
  FROM taken, moved m;
  GET DIAGNOSTICS published = ROW_COUNT;
  RETURN published;
END
$$;

-- Only for nodes of the version before, which append to `events` themselves, as the last statement of a transaction: waits until they
-- can, checks the schema, and publishes what was appended before.
CREATE OR REPLACE FUNCTION roster.lock_events(change bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(1383298162, 1);
  PERFORM roster.require_schema(change);
  PERFORM roster.publish_events(0, NULL);
END
$$;
