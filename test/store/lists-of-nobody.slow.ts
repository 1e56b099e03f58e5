import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultRecordRules } from "../../src/domain/users/record-rules.ts";
import type { UserListQuery } from "../../src/domain/users/user-list-fields.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { createHalves, followToEnd, listsOfNobody } from "./support/lists-of-nobody.ts";

const USERS = 1_000_000;
/** A page is filled for 250 ms, and its last round takes up to 100 ms. */
const MAX_PAGE_MS = 1000;

test("among a million users, each page of a list that matches nobody comes in time, and its cursors end", async () => {
  const folder = mkdtempSync(join(tmpdir(), "roster-nobody-"));
  const path = join(folder, "roster.db");
  createHalves(path, USERS);
  const options = { path, batch: 1, queue: 1, waitMs: 10_000, recordRules: defaultRecordRules };
  const store = openSqliteStore(options, { committed: () => {} });
  try {
    for (const { name, query } of listsOfNobody) {
      let longestMs = 0;
      const list = async (part: UserListQuery) => {
        const start = performance.now();
        const page = await store.users.list(part);
        longestMs = Math.max(longestMs, performance.now() - start);
        return page;
      };
      const { found, pages } = await followToEnd(query, list, 1000);
      console.log(`${name}: ${pages} pages, the longest took ${longestMs.toFixed(0)} ms`);
      expect({ name, found, isInTime: longestMs < MAX_PAGE_MS }).toEqual({ name, found: 0, isInTime: true });
    }
  } finally {
    await store.close();
    rmSync(folder, { recursive: true });
  }
}, 1_200_000);
