-- `json` is the group exactly as responses contain it. The other columns are for sorting and filtering lists, as those of users.
CREATE TABLE roster.groups (
  id           bigint PRIMARY KEY,
  version      bigint NOT NULL,
  json         text NOT NULL,
  created_at   bigint NOT NULL,           -- milliseconds since 1970
  updated_at   bigint NOT NULL,
  changed_by   bigint,                    -- like users.changed_by
  member_count bigint NOT NULL,
  name_fold    text COLLATE "C" NOT NULL,
  name_key     text COLLATE "C",          -- folded by case only; NULL if equal to name_fold
  unique_name  text COLLATE "C" NOT NULL, -- folded like an email
  word_starts  text COLLATE "C" NOT NULL  -- for searches of one or two characters
);

CREATE UNIQUE INDEX groups_name ON roster.groups (unique_name);
CREATE INDEX groups_by_name ON roster.groups (name_fold, id);
CREATE INDEX groups_by_creation ON roster.groups (created_at, id);
CREATE INDEX groups_by_update ON roster.groups (updated_at, id);
CREATE INDEX groups_by_version ON roster.groups (version, id);
CREATE INDEX groups_by_members ON roster.groups (member_count, id);

-- Ids are never reused. Ids that a batch takes and does not use leave gaps.
CREATE SEQUENCE roster.group_ids MAXVALUE 9007199254740991;

-- Values of custom fields of groups, like user_values.
CREATE TABLE roster.group_values (
  field    text COLLATE "C" NOT NULL,
  value    text COLLATE "C" NOT NULL,
  group_id bigint NOT NULL,
  exact    text COLLATE "C" NOT NULL,
  PRIMARY KEY (field, value, group_id, exact)
);

-- Trigrams of name and word_starts, like user_search.
CREATE TABLE roster.group_search (
  group_id bigint PRIMARY KEY,
  keys     integer[] NOT NULL
);
CREATE INDEX group_search_keys ON roster.group_search USING gin (keys) WITH (fastupdate = on, gin_pending_list_limit = 512);

-- The number of groups is the sum over all parts, like the number of users.
ALTER TABLE roster.user_counts ADD COLUMN groups bigint NOT NULL DEFAULT 0;

-- Nodes that are not allowed to migrate have a role of their own: it gets the rights that it has on users.
DO $$
DECLARE
  node name;
BEGIN
  FOR node IN
    SELECT r.rolname FROM pg_class c CROSS JOIN aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee
    WHERE c.oid = 'roster.users'::regclass AND a.privilege_type = 'INSERT' AND a.grantee <> c.relowner
  LOOP
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON roster.groups, roster.group_values, roster.group_search TO %I', node);
    EXECUTE format('GRANT USAGE, UPDATE ON SEQUENCE roster.group_ids TO %I', node);
  END LOOP;
END
$$;
