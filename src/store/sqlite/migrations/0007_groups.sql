-- `json` is the group exactly as responses contain it. The other columns are for sorting and filtering lists, as those of users.
CREATE TABLE groups (
  id           INTEGER PRIMARY KEY,
  version      INTEGER NOT NULL,
  json         TEXT NOT NULL,
  created_at   INTEGER NOT NULL, -- milliseconds since 1970
  updated_at   INTEGER NOT NULL,
  changed_by   INTEGER,          -- like users.changed_by
  member_count INTEGER NOT NULL,
  name_fold    TEXT NOT NULL,
  name_key     TEXT,             -- folded by case only; NULL if equal to name_fold
  unique_name  TEXT NOT NULL,    -- folded like an email
  word_starts  TEXT NOT NULL     -- for searches of one or two characters
) STRICT;

CREATE INDEX groups_by_id ON groups (id);
CREATE INDEX groups_by_name ON groups (name_fold);
CREATE INDEX groups_by_creation ON groups (created_at);
CREATE INDEX groups_by_update ON groups (updated_at);
CREATE INDEX groups_by_version ON groups (version);
CREATE INDEX groups_by_members ON groups (member_count);
CREATE UNIQUE INDEX groups_name ON groups (unique_name);

-- Values of custom fields of groups, like user_values.
CREATE TABLE group_values (
  field    TEXT NOT NULL,
  value    TEXT NOT NULL,
  group_id INTEGER NOT NULL,
  exact    TEXT NOT NULL,
  PRIMARY KEY (field, value, group_id, exact)
) STRICT, WITHOUT ROWID;

-- Trigrams of name and word_starts, like user_search.
CREATE VIRTUAL TABLE group_search USING fts5 (
  text,
  content = '',
  contentless_delete = 1,
  detail = none,
  tokenize = 'trigram case_sensitive 1'
);
INSERT INTO group_search (group_search, rank) VALUES ('automerge', 0), ('deletemerge', 0);

-- The last id ever given to a group, and the number of groups.
ALTER TABLE directory ADD COLUMN last_group_id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE directory ADD COLUMN groups INTEGER NOT NULL DEFAULT 0;
