import type { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "../../src/store/sqlite/database.ts";
import { ListReader } from "../../src/store/sqlite/list-reader.ts";
import { userList } from "../../src/store/users/user-list.ts";
import { createHalves, followToEnd, listsOfNobody } from "./support/lists-of-nobody.ts";

const USERS = 3000;
const MAX_CANDIDATES = 100;

const folder = mkdtempSync(join(tmpdir(), "roster-nobody-"));
let db: Database;
beforeAll(() => {
  createHalves(join(folder, "roster.db"), USERS);
  db = connect(join(folder, "roster.db"), 5000);
}, 30_000);
afterAll(() => {
  db.close();
  rmSync(folder, { recursive: true });
});

for (const { name, query } of listsOfNobody) {
  test(`a list that matches nobody ends after short pages: ${name}`, async () => {
    const reader = new ListReader(db, userList, MAX_CANDIDATES);
    const { found, pages } = await followToEnd(query, (part) => reader.page(part), USERS);
    expect(found).toBe(0);
    // By a custom field, users without a value are a second part of the list.
    expect(pages).toBeLessThanOrEqual(1 + (2 * USERS) / MAX_CANDIDATES);
    if (name.startsWith("without an index")) expect(pages).toBeGreaterThanOrEqual(USERS / MAX_CANDIDATES / 2);
  });
}
