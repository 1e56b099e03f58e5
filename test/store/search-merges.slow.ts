import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bulkLimits, defaultImportOptions } from "../../src/contract/bulk/bulk.ts";
import { anonymousOrigin } from "../../src/domain/caller.ts";
import { defaultRecordRules } from "../../src/domain/users/record-rules.ts";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import { Writer } from "../../src/store/sqlite/writer.ts";
import type { Write } from "../../src/store/writes/apply-write.ts";

const USERS = 60_000;
/** A chunk takes 30 ms. When SQLite merged the search index by itself, some took over a second. */
const MAX_CHUNK_MS = 400;

test("no chunk of a bulk change waits until the whole search index is merged", () => {
  const file = join(tmpdir(), `roster-merges-${process.pid}.db`);
  const db = openDatabase(file, 5000);
  const writer = new Writer(db, defaultRecordRules);
  const common = { by: anonymousOrigin, idempotencyKey: undefined };
  const measure = (toWrite: (ids: readonly number[]) => Write) => {
    let longest = 0;
    for (let first = 1; first <= USERS; first += bulkLimits.chunkLines) {
      const write = toWrite(Array.from({ length: bulkLimits.chunkLines }, (_, index) => first + index));
      const begin = process.cpuUsage();
      const [outcome] = writer.apply([write]);
      const { user, system } = process.cpuUsage(begin);
      longest = Math.max(longest, (user + system) / 1000);
      expect(["import", "change-many"]).toContain(outcome?.kind ?? "");
    }
    return longest;
  };
  const change = (patch: { name: string } | undefined) => (ids: readonly number[]) => ({
    ...common,
    kind: "change-many" as const,
    ids,
    change: patch ? { merge: patch } : ("remove" as const),
    condition: undefined,
  });
  try {
    const longest = {
      import: measure((ids) => ({
        ...common,
        kind: "import",
        records: "users",
        lines: ids.map((id) => `{"name":"Person ${id.toString(36)}","email":"p${id}@example.com"}`),
        options: defaultImportOptions,
      })),
      rename: measure(change({ name: "Renamed" })),
      "rename again": measure(change({ name: "Again" })),
      delete: measure(change(undefined)),
    };
    console.log("longest chunk, in ms of CPU time", longest);
    expect(Math.max(...Object.values(longest))).toBeLessThan(MAX_CHUNK_MS);
  } finally {
    db.close();
    for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
  }
}, 300_000);
