import type { Database } from "../../config/database-url.ts";
import { Connections } from "../postgres/connections.ts";
import { toStoreError } from "../postgres/to-store-error.ts";
import { connect, withStoreErrors } from "../sqlite/database.ts";
import type { DatabaseOptions } from "../store-options.ts";

/** Stores in the database when its last backup was taken, for the metrics. Fails with a `StoreError`. */
export async function recordBackup(database: Database, at: number, options: DatabaseOptions): Promise<void> {
  if (database.engine === "sqlite") {
    const { path } = database;
    withStoreErrors(path, () => {
      const db = connect(path, options.waitMs);
      try {
        db.query<unknown, [number]>("UPDATE directory SET last_backup_at = ?").run(at);
      } finally {
        db.close();
      }
    });
    return;
  }
  try {
    const connections = await Connections.open({ ...options, database, pool: 3 });
    try {
      await connections.withSeparateConnection((sql) =>
        sql.unsafe("UPDATE roster.about SET last_backup_at = $1", [String(at)]),
      );
    } finally {
      await connections.close();
    }
  } catch (error) {
    throw toStoreError(error, database);
  }
}
