import type { Database } from "../config/database-url.ts";
import type { InspectOptions } from "./database-facts.ts";
import { inspectServer, type ServerFacts } from "./postgres/inspect-server.ts";
import { type FileFacts, inspectFile } from "./sqlite/inspect-file.ts";

/** Looks at a database that is there, and leaves it as it is. Fails with a `StoreError` that says what to do. */
export async function inspectDatabase(
  database: Database,
  options: InspectOptions,
): Promise<FileFacts | ServerFacts> {
  return database.engine === "sqlite"
    ? inspectFile(database.path, options.waitMs, options.thorough)
    : await inspectServer(database, options);
}
