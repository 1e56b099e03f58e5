-- The last stored response to each delivery, if the service stores responses. A purge of the user removes it.
CREATE TABLE roster.webhook_responses (
  webhook_id   bigint NOT NULL,
  position     bigint NOT NULL, -- of the event
  user_id      bigint,          -- the subject of the event; NULL if it is not a user
  attempted_at bigint NOT NULL, -- when the attempt began
  body         text NOT NULL,   -- the first 4 KiB, as text
  is_cut       bigint NOT NULL, -- 0 or 1
  PRIMARY KEY (webhook_id, position)
);
CREATE INDEX webhook_responses_by_user ON roster.webhook_responses (user_id, position) WHERE user_id IS NOT NULL;

-- How many attempts to deliver to a webhook began in an hour.
CREATE TABLE roster.webhook_hours (
  webhook_id bigint NOT NULL,
  hour       bigint NOT NULL, -- hours since 1970
  accepted   bigint NOT NULL,
  failed     bigint NOT NULL,
  PRIMARY KEY (webhook_id, hour)
) WITH (fillfactor = 50);
CREATE INDEX webhook_hours_by_hour ON roster.webhook_hours (hour);

-- Nodes may have a role of their own.
DO $$
DECLARE
  node name;
BEGIN
  FOR node IN
    SELECT r.rolname FROM pg_class c CROSS JOIN aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee
    WHERE c.oid = 'roster.webhook_deliveries'::regclass AND a.privilege_type = 'INSERT' AND a.grantee <> c.relowner
  LOOP
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON roster.webhook_responses, roster.webhook_hours TO %I', node);
  END LOOP;
END
$$;
