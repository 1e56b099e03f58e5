-- The last stored response to each delivery, if the service stores responses. A purge of the user removes it.
CREATE TABLE webhook_responses (
  webhook_id   INTEGER NOT NULL,
  position     INTEGER NOT NULL, -- of the event
  user_id      INTEGER,          -- the subject of the event; NULL if it is not a user
  attempted_at INTEGER NOT NULL, -- when the attempt began
  body         TEXT NOT NULL,    -- the first 4 KiB, as text
  is_cut       INTEGER NOT NULL, -- 0 or 1
  PRIMARY KEY (webhook_id, position)
) STRICT;
CREATE INDEX webhook_responses_by_user ON webhook_responses (user_id, position) WHERE user_id IS NOT NULL;

-- How many attempts to deliver to a webhook began in an hour.
CREATE TABLE webhook_hours (
  webhook_id INTEGER NOT NULL,
  hour       INTEGER NOT NULL, -- hours since 1970
  accepted   INTEGER NOT NULL,
  failed     INTEGER NOT NULL,
  PRIMARY KEY (webhook_id, hour)
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_hours_by_hour ON webhook_hours (hour);
