-- The folded userName, or NULL. A user without userName has its email as user name.
ALTER TABLE users ADD COLUMN user_name_key TEXT;

-- Who has which user name. Users that have not changed their user name since this migration have no row: they have no userName, and the
-- index of emails finds them. Triggers would keep a journal of each statement, with which FTS5 writes its index after each user.
CREATE TABLE user_names (
  name    TEXT PRIMARY KEY, -- folded
  user_id INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Users up to this id have no custom fields with the names of fields that Roster defines now: userName, groups, scim. NULL: all users.
-- A start moves such values to other fields, in steps (domain/users/settle-user.ts).
ALTER TABLE directory ADD COLUMN settled_to INTEGER;
UPDATE directory SET settled_to = 0 WHERE EXISTS (SELECT 1 FROM users);
