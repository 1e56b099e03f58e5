import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { checkInSlices } from "../../src/store/sqlite/health/check-slices.ts";

const ROWS = 3000;

test("a check reads text keys with NUL and unpaired surrogates, byte keys and nullable indexes without an error", () => {
  const db = new Database(":memory:");
  db.run("CREATE TABLE texts (a TEXT, b TEXT, c INTEGER, PRIMARY KEY (a, b, c)) WITHOUT ROWID");
  db.run("CREATE TABLE bytes (a, b, PRIMARY KEY (a, b)) WITHOUT ROWID");
  db.run("CREATE TABLE numbered (id INTEGER PRIMARY KEY, name TEXT)");
  db.run("CREATE INDEX by_name ON numbered (name)");
  db.run("CREATE INDEX named ON numbered (name) WHERE name IS NOT NULL");
  const texts = db.prepare("INSERT INTO texts VALUES (?, ?, ?)");
  const bytes = db.prepare("INSERT INTO bytes VALUES (?, ?)");
  const numbered = db.prepare("INSERT INTO numbered VALUES (?, ?)");
  db.transaction(() => {
    for (let i = 0; i < ROWS; i++) {
      texts.run(`f\0${i % 3}`, `v\0\ud800é😀\uffff${"\0".repeat(i % 7)}${i}`, i);
      bytes.run(i % 5, new Uint8Array([i & 255, 0, 255, i >> 8]));
      numbered.run(i - ROWS / 2, i % 2 ? null : `n${i}`);
    }
  })();
  // Seven slices per table, the last one empty, two indexes, and the schema.
  expect([...checkInSlices(db)]).toHaveLength(3 * 7 + 2 + 1);
  db.close();
});
