import { Database } from "bun:sqlite";
import { copyFileSync } from "node:fs";
import { seededDatabase } from "./seeded-database.ts";

const USERS = 100_000;

/** Copies a database of sample users, whose creation has left an event each, and repeats these events until there are enough. */
export async function copyWithEvents(path: string, events: number): Promise<void> {
  copyFileSync(await seededDatabase(Math.min(USERS, events)), path);
  const db = new Database(path);
  try {
    const columns = "subject_type, subject_id, action, version, actor, request_id, changes, record";
    for (let count = USERS; count < events; ) {
      const missing = Math.min(count, events - count);
      db.run(`INSERT INTO events (position, ${columns})
              SELECT position + (SELECT max(position) - min(position) + 1000 FROM events), ${columns}
              FROM events ORDER BY position LIMIT ${missing}`);
      count += missing;
    }
    db.run("PRAGMA wal_checkpoint(TRUNCATE)");
  } finally {
    db.close();
  }
}
