-- Which users the events of members name, for their histories. Triggers keep the rows up to date: an event gets them when it is published,
-- also by a node of the version before, and loses them when it is removed, or becomes the first row of the feed.
CREATE TABLE roster.member_events (
  user_id  bigint NOT NULL,
  position bigint NOT NULL, -- of an event group.members_changed
  PRIMARY KEY (user_id, position)
);

-- Who may write events must be able to write these rows.
DO $$
DECLARE
  node name;
BEGIN
  FOR node IN
    SELECT r.rolname FROM pg_class c CROSS JOIN aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee
    WHERE c.oid = 'roster.events'::regclass AND a.privilege_type = 'INSERT' AND a.grantee <> c.relowner
  LOOP
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON roster.member_events TO %I', node);
  END LOOP;
END
$$;

-- The ids of the users that changes of members name.
CREATE FUNCTION roster.changed_members(changes text) RETURNS SETOF bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT member::bigint FROM jsonb_array_elements_text(
    (changes::jsonb #> '{members,added}') || (changes::jsonb #> '{members,removed}')) AS member
$$;

CREATE FUNCTION roster.add_member_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO roster.member_events
  SELECT user_id, NEW.position FROM roster.changed_members(NEW.changes) AS user_id
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;

CREATE FUNCTION roster.remove_member_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM roster.member_events
  WHERE position = OLD.position AND user_id IN (SELECT roster.changed_members(OLD.changes));
  RETURN NULL;
END
$$;

CREATE TRIGGER add_member_events AFTER INSERT ON roster.events
  FOR EACH ROW WHEN (NEW.action = 'members_changed') EXECUTE FUNCTION roster.add_member_events();
CREATE TRIGGER remove_member_events AFTER DELETE ON roster.events
  FOR EACH ROW WHEN (OLD.action = 'members_changed') EXECUTE FUNCTION roster.remove_member_events();
CREATE TRIGGER change_member_events AFTER UPDATE ON roster.events
  FOR EACH ROW WHEN (OLD.action = 'members_changed' AND NEW.action <> 'members_changed')
  EXECUTE FUNCTION roster.remove_member_events();

-- The triggers have locked the table: no event is missed.
INSERT INTO roster.member_events
SELECT user_id, position FROM roster.events, roster.changed_members(changes) AS user_id
WHERE subject_type = 'group' AND action = 'members_changed'
ON CONFLICT DO NOTHING;
