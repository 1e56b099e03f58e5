-- Who belongs to which group. Only rows of groups that exist count: those of a removed group are removed in steps (removed_groups).
CREATE TABLE roster.memberships (
  group_id bigint NOT NULL,
  user_id  bigint NOT NULL,
  PRIMARY KEY (group_id, user_id)
);
CREATE INDEX memberships_by_user ON roster.memberships (user_id, group_id);

-- Removed groups that may still have rows in memberships.
CREATE TABLE roster.removed_groups (id bigint PRIMARY KEY);

-- The groups that the user had when it was deleted, as a JSON array of ids; NULL for none.
ALTER TABLE roster.deleted_users ADD COLUMN groups text;

-- Nodes that are not allowed to migrate have a role of their own: it gets the rights that it has on users.
DO $$
DECLARE
  node name;
BEGIN
  FOR node IN
    SELECT r.rolname FROM pg_class c CROSS JOIN aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee
    WHERE c.oid = 'roster.users'::regclass AND a.privilege_type = 'INSERT' AND a.grantee <> c.relowner
  LOOP
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON roster.memberships, roster.removed_groups TO %I', node);
  END LOOP;
END
$$;
