import { Database } from "bun:sqlite";
import { openDatabase } from "../../src/store/sqlite/database.ts";

let template: Uint8Array | undefined;

/** A migrated, empty database in memory. The simulated databases keep in it what is committed. */
export function openStorage(): Database {
  template ??= createTemplate();
  return Database.deserialize(template, { strict: true });
}

function createTemplate(): Uint8Array {
  const db = openDatabase(":memory:", 0);
  const bytes = db.serialize();
  db.close();
  return bytes;
}
