import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultRecordRules } from "../../src/domain/record-rules.ts";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { Writer } from "../../src/store/sqlite/writer.ts";
import type { Write } from "../../src/store/writes/apply-write.ts";
import { storeContract } from "./support/store-contract.ts";

storeContract("SQLite", async (maxCandidates) => {
  const folder = mkdtempSync(join(tmpdir(), "roster-store-"));
  const path = join(folder, "roster.db");
  const options = { path, batch: 512, queue: 10_000, waitMs: 60_000, recordRules: defaultRecordRules };
  const store = new SqliteStore(maxCandidates ? { ...options, maxCandidates } : options, { committed() {} });
  return {
    store,
    async destroy() {
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
});

test("SQLite: applies the other writes of a batch if one fails unexpectedly", () => {
  const folder = mkdtempSync(join(tmpdir(), "roster-writer-"));
  const db = openDatabase(join(folder, "roster.db"), 0);
  const writer = new Writer(db, defaultRecordRules);
  const create = (name: string): Write => ({
    kind: "create",
    attempt: { record: { name } },
    idempotencyKey: undefined,
    by: { actor: null },
  });
  const edit = JSON.parse('{"replace":null}');
  const broken: Write = { kind: "edit", id: 1, edit, precondition: undefined, by: { actor: null } };
  const [first, second, third] = writer.apply([create("A"), broken, create("B")]);
  expect(first).toMatchObject({ outcome: { user: { id: 1 } } });
  expect(second).toHaveProperty("failure");
  expect(third).toMatchObject({ outcome: { user: { id: 2 } } });
  db.close();
  rmSync(folder, { recursive: true });
});
