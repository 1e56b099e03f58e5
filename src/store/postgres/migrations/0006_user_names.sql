-- The folded userName, or NULL. A user without userName has its email as user name.
ALTER TABLE roster.users ADD COLUMN user_name_key text COLLATE "C";

-- Who has which user name. Users that have not changed their user name since this migration have no row: they have no userName, and the
-- index of emails finds them.
CREATE TABLE roster.user_names (
  name    text COLLATE "C" PRIMARY KEY, -- folded
  user_id bigint NOT NULL
);

-- Nodes of the version before keep running, perhaps with a role of their own.
DO $$
DECLARE
  node name;
BEGIN
  FOR node IN
    SELECT r.rolname FROM pg_class c CROSS JOIN aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee
    WHERE c.oid = 'roster.users'::regclass AND a.privilege_type = 'INSERT' AND a.grantee <> c.relowner
  LOOP
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON roster.user_names TO %I', node);
  END LOOP;
END
$$;

-- A service inserts the names with their users. Triggers change and remove them, also for nodes of the version before. A statement
-- that swaps names frees all of them before it takes any: triggers BEFORE a row run before those AFTER a row.
CREATE FUNCTION roster.free_user_name() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM roster.user_names WHERE name = coalesce(OLD.user_name_key, OLD.email_key) AND user_id = OLD.id;
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  RETURN NEW;
END
$$;

CREATE FUNCTION roster.take_user_name() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO roster.user_names (name, user_id) VALUES (coalesce(NEW.user_name_key, NEW.email_key), NEW.id);
  RETURN NULL;
END
$$;

CREATE TRIGGER free_user_name BEFORE UPDATE OF user_name_key, email_key ON roster.users FOR EACH ROW
  WHEN (coalesce(NEW.user_name_key, NEW.email_key) IS DISTINCT FROM coalesce(OLD.user_name_key, OLD.email_key))
  EXECUTE FUNCTION roster.free_user_name();
CREATE TRIGGER take_user_name AFTER UPDATE OF user_name_key, email_key ON roster.users FOR EACH ROW
  WHEN (coalesce(NEW.user_name_key, NEW.email_key) IS DISTINCT FROM coalesce(OLD.user_name_key, OLD.email_key)
    AND coalesce(NEW.user_name_key, NEW.email_key) IS NOT NULL)
  EXECUTE FUNCTION roster.take_user_name();
CREATE TRIGGER remove_user_name BEFORE DELETE ON roster.users FOR EACH ROW
  WHEN (coalesce(OLD.user_name_key, OLD.email_key) IS NOT NULL)
  EXECUTE FUNCTION roster.free_user_name();

-- Users up to this id have no custom fields with the names of fields that Roster defines now: userName, groups, scim. NULL: all users.
-- A start moves such values to other fields, in steps (domain/users/settle-user.ts).
ALTER TABLE roster.about ADD COLUMN settled_to bigint;
UPDATE roster.about SET settled_to = 0 WHERE EXISTS (SELECT 1 FROM roster.users);
