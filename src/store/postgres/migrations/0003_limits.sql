-- The bytes of all events are the sum of these rows. Each change of events adds a row: no transaction waits for another one. The
-- cleanup replaces the rows by their sum (store/events/postgres-events.ts).
CREATE TABLE roster.event_usage (bytes bigint NOT NULL);

-- Who may write events must be able to count them: nodes of the version before keep running, perhaps with a role of their own.
DO $$
DECLARE
  node name;
BEGIN
  FOR node IN
    SELECT r.rolname FROM pg_class c CROSS JOIN aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee
    WHERE c.oid = 'roster.events'::regclass AND a.privilege_type = 'INSERT' AND a.grantee <> c.relowner
  LOOP
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON roster.event_usage TO %I', node);
  END LOOP;
END
$$;

-- Events after the first position, up to the second, are not counted yet; NULL: all are. The cleanup counts them in steps.
ALTER TABLE roster.about ADD COLUMN uncounted_after bigint, ADD COLUMN uncounted_to bigint;

-- About how many bytes an event has. Without its contents, an event has 80 bytes, as on SQLite.
CREATE FUNCTION roster.event_bytes(changes text, record text) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT octet_length(changes) + octet_length(record) + 80::bigint
$$;

-- Triggers count also what nodes of earlier versions write.
CREATE FUNCTION roster.count_added_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO roster.event_usage
  SELECT sum(roster.event_bytes(changes, record)) FROM added HAVING count(*) > 0;
  RETURN NULL;
END
$$;

-- Waits while a step counts events, and returns which ones are still not counted: the range of their positions, or NULL.
CREATE FUNCTION roster.lock_event_usage(OUT first bigint, OUT last bigint) LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM roster.about a WHERE a.uncounted_to IS NOT NULL) THEN
    PERFORM pg_advisory_xact_lock_shared(1383298162, 5);
    SELECT a.uncounted_after + 1, a.uncounted_to INTO first, last FROM roster.about a;
  END IF;
END
$$;

CREATE FUNCTION roster.count_changed_events() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  uncounted record := roster.lock_event_usage();
BEGIN
  INSERT INTO roster.event_usage
  SELECT sum(roster.event_bytes(a.changes, a.record) - roster.event_bytes(r.changes, r.record))
  FROM added a JOIN removed r USING (position)
  WHERE (position BETWEEN uncounted.first AND uncounted.last) IS NOT TRUE HAVING count(*) > 0;
  RETURN NULL;
END
$$;

CREATE FUNCTION roster.count_removed_events() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  uncounted record := roster.lock_event_usage();
BEGIN
  INSERT INTO roster.event_usage
  SELECT -sum(roster.event_bytes(changes, record)) FROM removed
  WHERE (position BETWEEN uncounted.first AND uncounted.last) IS NOT TRUE HAVING count(*) > 0;
  RETURN NULL;
END
$$;

CREATE TRIGGER count_added_events AFTER INSERT ON roster.events
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION roster.count_added_events();
CREATE TRIGGER count_changed_events AFTER UPDATE ON roster.events
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION roster.count_changed_events();
CREATE TRIGGER count_removed_events AFTER DELETE ON roster.events
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION roster.count_removed_events();

-- The triggers have locked the table: no event is missed between the last position and the first event that a trigger counts.
UPDATE roster.about SET uncounted_after = 0, uncounted_to = last.position
FROM (SELECT max(position) AS position FROM roster.events) AS last WHERE last.position IS NOT NULL;

-- Fails if the transaction has taken longer than this. Its caller may have been refused by now, so it must not commit.
CREATE FUNCTION roster.require_time(allowed_ms bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF clock_timestamp() - transaction_timestamp() > allowed_ms * interval '1 millisecond' THEN
    RAISE EXCEPTION 'The transaction took too long.' USING ERRCODE = 'RS002';
  END IF;
END
$$;
