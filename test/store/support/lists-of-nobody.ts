import { bulkLimits, defaultImportOptions } from "../../../src/contract/bulk/bulk.ts";
import { anonymousOrigin } from "../../../src/domain/caller.ts";
import type { Page } from "../../../src/domain/lists/listing.ts";
import type { MaybePromise } from "../../../src/domain/maybe-promise.ts";
import { defaultRecordRules } from "../../../src/domain/users/record-rules.ts";
import type { UserListQuery } from "../../../src/domain/users/user-list-fields.ts";
import { userQueries } from "../../../src/http/query/user-queries.ts";
import { openDatabase } from "../../../src/store/sqlite/database.ts";
import { Writer } from "../../../src/store/sqlite/writer.ts";

/** Creates a database of users in two halves: no user has a value of both. */
export function createHalves(path: string, users: number): void {
  const db = openDatabase(path, 5000);
  const writer = new Writer(db, defaultRecordRules);
  const common = {
    kind: "import",
    records: "users",
    by: anonymousOrigin,
    idempotencyKey: undefined,
  } as const;
  for (let first = 1; first <= users; first += bulkLimits.chunkLines) {
    const count = Math.min(bulkLimits.chunkLines, users - first + 1);
    const lines = Array.from({ length: count }, (_, index) => {
      const id = first + index;
      return JSON.stringify({
        name: id % 2 ? `Marco Karin ${id}` : `Nina Rino ${id}`,
        site: id % 2 ? "a" : "b",
        team: id % 2 ? 1 : 2,
      });
    });
    writer.apply([{ ...common, lines, options: defaultImportOptions }]);
  }
  db.close();
}

const conditions = {
  "without an index": "filter=not (name pr)",
  "of two filters": "site=a&team=2",
  "of an expression": 'filter=site eq "b" and team eq 1',
  "of a range and a value": 'filter=site eq "b" and team lt 2',
  "of a search": "q=marina",
};

/** Lists that match no user of `createHalves`. */
export const listsOfNobody = Object.entries(conditions).flatMap(([name, condition]) =>
  ["id", "-name", "team"].map((sort) => ({
    name: `${name}, by ${sort}`,
    query: userQueries.parse(new URLSearchParams(`${condition}&sort=${sort}&limit=20`).toString()),
  })),
);

/** Follows the cursors of a list to its end. Returns the number of users found, and of pages. */
export async function followToEnd(
  query: UserListQuery,
  list: (query: UserListQuery) => MaybePromise<Page>,
  maxPages: number,
): Promise<{ found: number; pages: number }> {
  let [found, pages] = [0, 0];
  let { from } = query;
  do {
    const page = await list({ ...query, from });
    found += page.size;
    from = page.next;
    pages++;
  } while (from && pages < maxPages);
  if (from) throw new Error(`The list has more than ${maxPages} pages.`);
  return { found, pages };
}
