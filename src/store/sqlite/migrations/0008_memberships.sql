-- Who belongs to which group. Only rows of groups that exist count: those of a removed group are removed in steps (removed_groups).
CREATE TABLE memberships (
  group_id INTEGER NOT NULL,
  user_id  INTEGER NOT NULL,
  PRIMARY KEY (group_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX memberships_by_user ON memberships (user_id, group_id);

-- Removed groups that may still have rows in memberships.
CREATE TABLE removed_groups (id INTEGER PRIMARY KEY) STRICT;

-- The groups that the user had when it was deleted, as a JSON array of ids; NULL for none.
ALTER TABLE deleted_users ADD COLUMN groups TEXT;
