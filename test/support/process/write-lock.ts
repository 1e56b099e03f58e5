import { Database } from "bun:sqlite";

/** Another program that holds the write lock. A service that has just started may write for a moment. */
export function takeWriteLock(database: string): Database {
  const other = new Database(database);
  other.run("PRAGMA busy_timeout = 60000");
  other.run("BEGIN IMMEDIATE");
  return other;
}
