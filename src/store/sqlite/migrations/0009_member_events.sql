-- Which users the events of members name, for their histories. Triggers keep the rows up to date: an event gets them when it is inserted,
-- and loses them when it is removed, or becomes the first row of the feed.
CREATE TABLE member_events (
  user_id  INTEGER NOT NULL,
  position INTEGER NOT NULL, -- of an event group.members_changed
  PRIMARY KEY (user_id, position)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER add_member_events AFTER INSERT ON events WHEN new.action = 'members_changed' BEGIN
  INSERT OR IGNORE INTO member_events
  SELECT value, new.position FROM json_each(new.changes, '$.members.added')
  UNION ALL SELECT value, new.position FROM json_each(new.changes, '$.members.removed');
END;
CREATE TRIGGER remove_member_events AFTER DELETE ON events WHEN old.action = 'members_changed' BEGIN
  DELETE FROM member_events WHERE position = old.position AND user_id IN (
    SELECT value FROM json_each(old.changes, '$.members.added')
    UNION ALL SELECT value FROM json_each(old.changes, '$.members.removed'));
END;
CREATE TRIGGER change_member_events AFTER UPDATE OF action ON events
WHEN old.action = 'members_changed' AND new.action <> 'members_changed' BEGIN
  DELETE FROM member_events WHERE position = old.position AND user_id IN (
    SELECT value FROM json_each(old.changes, '$.members.added')
    UNION ALL SELECT value FROM json_each(old.changes, '$.members.removed'));
END;

INSERT OR IGNORE INTO member_events
SELECT value, position FROM events, json_each(events.changes, '$.members.added')
WHERE subject_type = 'group' AND action = 'members_changed'
UNION ALL
SELECT value, position FROM events, json_each(events.changes, '$.members.removed')
WHERE subject_type = 'group' AND action = 'members_changed';
