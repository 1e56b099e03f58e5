import initial from "./0001_initial.sql" with { type: "text" };
import lastBackup from "./0002_last_backup.sql" with { type: "text" };

/** Every migration, in order. `roster.about` holds the number of migrations that a database has had. */
export const migrations: readonly string[] = [initial, lastBackup];
