import type { Database } from "../config/database-url.ts";
import type { InspectOptions } from "./database-facts.ts";
import { inspectServer, type ServerFacts } from "./postgres/inspect-server.ts";
import { type FileFacts, inspectFile } from "./sqlite/inspect-file.ts";

/** Inspects an existing database for `roster doctor`, without changing it. Fails with a `StoreError`. */
export async function inspectDatabase(
  database: Database,
  options: InspectOptions,
): Promise<FileFacts | ServerFacts> {
  return database.engine === "sqlite"
    ? inspectFile(database.path, options.waitMs, options.thorough)
    : await inspectServer(database, options);
}
