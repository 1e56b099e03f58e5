-- The folded userName, or NULL. A user without userName has its email as user name.
ALTER TABLE users ADD COLUMN user_name_key TEXT;

-- Who has which user name. Users that have not changed their user name since this migration have no row: they have no userName, and the
-- index of emails finds them.
CREATE TABLE user_names (
  name    TEXT PRIMARY KEY, -- folded
  user_id INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER add_user_name AFTER INSERT ON users WHEN coalesce(new.user_name_key, new.email_key) IS NOT NULL BEGIN
  INSERT INTO user_names VALUES (coalesce(new.user_name_key, new.email_key), new.id);
END;
CREATE TRIGGER change_user_name AFTER UPDATE OF user_name_key, email_key ON users
WHEN coalesce(new.user_name_key, new.email_key) IS NOT coalesce(old.user_name_key, old.email_key) BEGIN
  DELETE FROM user_names WHERE name = coalesce(old.user_name_key, old.email_key) AND user_id = old.id;
  INSERT INTO user_names SELECT coalesce(new.user_name_key, new.email_key), new.id
  WHERE coalesce(new.user_name_key, new.email_key) IS NOT NULL;
END;
CREATE TRIGGER remove_user_name AFTER DELETE ON users WHEN coalesce(old.user_name_key, old.email_key) IS NOT NULL BEGIN
  DELETE FROM user_names WHERE name = coalesce(old.user_name_key, old.email_key) AND user_id = old.id;
END;

-- Users up to this id have no custom fields with the names of fields that Roster defines now: userName, groups, scim. NULL: all users.
-- A start moves such values to other fields, in steps (domain/users/settle-user.ts).
ALTER TABLE directory ADD COLUMN settled_to INTEGER;
UPDATE directory SET settled_to = 0 WHERE EXISTS (SELECT 1 FROM users);
