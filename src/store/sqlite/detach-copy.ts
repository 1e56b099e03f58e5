import { Database } from "bun:sqlite";
import { withStoreErrors } from "./database.ts";

/**
 * Makes a database of its own of a copy, in one file: it is another than the one that it was copied from, whatever
 * becomes of either. Nobody is signed in there. No id up to the last one will be given.
 */
export function detachCopy(path: string, lastId = 0): void {
  withStoreErrors(path, () => {
    const db = new Database(path, { create: false, readwrite: true, strict: true });
    try {
      db.run("PRAGMA journal_mode = DELETE");
      db.query("UPDATE directory SET identity = lower(hex(randomblob(16))), last_id = max(last_id, ?)").run(
        lastId,
      );
      db.run("DELETE FROM sessions");
    } finally {
      db.close();
    }
  });
}
