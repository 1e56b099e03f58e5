import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { anonymousOrigin } from "../../src/domain/caller.ts";
import { defaultRecordRules } from "../../src/domain/users/record-rules.ts";
import { userQueries } from "../../src/http/query/user-queries.ts";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import { Writer } from "../../src/store/sqlite/writer.ts";
import type { Write } from "../../src/store/writes/apply-write.ts";
import { openTestStore } from "../support/open-test-store.ts";
import { storeContract } from "./support/store-contract.ts";

storeContract("sqlite");

test("SQLite: applies the other writes of a batch if one fails unexpectedly", () => {
  const folder = mkdtempSync(join(tmpdir(), "roster-writer-"));
  const db = openDatabase(join(folder, "roster.db"), 0);
  const writer = new Writer(db, defaultRecordRules);
  const create = (name: string): Write => ({
    kind: "create",
    attempt: { record: { name } },
    idempotencyKey: undefined,
    by: anonymousOrigin,
  });
  const edit = JSON.parse('{"replace":null}');
  const broken: Write = { kind: "edit", id: 1, edit, precondition: undefined, by: anonymousOrigin };
  const [first, second, third] = writer.apply([create("A"), broken, create("B")]);
  expect(first).toMatchObject({ outcome: { user: { id: 1 } } });
  expect(second).toHaveProperty("failure");
  expect(third).toMatchObject({ outcome: { user: { id: 2 } } });
  db.close();
  rmSync(folder, { recursive: true });
});

test("SQLite: keeps the page of a repeated list until any store of the file changes a user", async () => {
  const folder = mkdtempSync(join(tmpdir(), "roster-pages-"));
  const path = join(folder, "roster.db");
  const [store, other] = [await openTestStore(path), await openTestStore(path)];
  const query = userQueries.parse("limit=3&sort=-id");
  const names = async () =>
    JSON.parse(Buffer.from((await store.users.list(query)).body).toString()).map(nameOf);
  const nameOf = ({ name }: { name: string }) => name;
  try {
    expect(await names()).toEqual([]);
    for (const [turn, writer] of [store, other, store, other].entries()) {
      const page = await store.users.list(query);
      expect(store.users.list(query)).toBe(page);
      await writer.users.create({ record: { name: `User ${turn}` } });
      expect((await names())[0]).toBe(`User ${turn}`);
    }
    await other.users.edit(4, { merge: { name: "Ada" } });
    expect(await names()).toEqual(["Ada", "User 2", "User 1"]);
    await other.users.remove(4);
    expect(await names()).toEqual(["User 2", "User 1", "User 0"]);
  } finally {
    await Promise.all([store.close(), other.close()]);
    rmSync(folder, { recursive: true });
  }
});

test("SQLite: does not keep large pages", async () => {
  const folder = mkdtempSync(join(tmpdir(), "roster-pages-"));
  const store = await openTestStore(join(folder, "roster.db"));
  const query = userQueries.parse("limit=1");
  try {
    await store.users.create({ record: { name: "Ada", notes: "x".repeat(32_768) } });
    const page = await store.users.list(query);
    expect(page.size).toBe(1);
    expect(store.users.list(query)).not.toBe(page);
  } finally {
    await store.close();
    rmSync(folder, { recursive: true });
  }
});
