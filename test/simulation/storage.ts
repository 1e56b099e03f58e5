import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EVENT_COLUMNS } from "../../src/store/events/event-tables.ts";
import { openDatabase } from "../../src/store/sqlite/database.ts";

let template: Uint8Array | undefined;

/** An empty database in memory, with the tables of SQLite. Migrations run only for the first one, which the others are copies of. */
export function openStorage(): Database {
  template ??= createTemplate();
  const storage = Database.deserialize(template, { strict: true });
  storage.run("PRAGMA journal_mode = MEMORY");
  storage.run("PRAGMA synchronous = OFF");
  return storage;
}

function createTemplate(): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), "roster-simulation-"));
  try {
    const db = openDatabase(join(folder, "roster.db"), 1000);
    // A log needs a file.
    db.run("PRAGMA journal_mode = DELETE");
    // The same in every simulation.
    db.run("UPDATE directory SET identity = 'simulation'");
    db.run("UPDATE migrations SET applied_at = 0");
    // Of PostgreSQL: events that are not part of the feed yet, and which of them have become which event.
    db.run(`CREATE TABLE new_events AS SELECT 0 AS key, ${EVENT_COLUMNS} FROM events WHERE FALSE`);
    db.run("CREATE TABLE published (position INTEGER PRIMARY KEY, key INTEGER NOT NULL)");
    const bytes = db.serialize();
    db.close();
    return bytes;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
