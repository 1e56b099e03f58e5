-- When the snapshot of the last successful backup was taken, in milliseconds since 1970; NULL: never.
ALTER TABLE roster.about ADD COLUMN last_backup_at bigint;
