import { expect } from "bun:test";
import { decodeCursor, encodeCursor } from "../../../src/domain/lists/cursor.ts";
import type { ListFields } from "../../../src/domain/lists/list-fields.ts";
import { type ListQuery, PAGE_BYTES, type Page } from "../../../src/domain/lists/listing.ts";
import type { MaybePromise } from "../../../src/domain/maybe-promise.ts";
import type { ModelRow } from "./store-model.ts";
import { rowsOf } from "./store-under-test.ts";

/** The methods of a store that read a list. */
interface Lists<Query> {
  list(query: Query): MaybePromise<Page>;
}

/** Reads every page and checks its size. Returns all rows. */
export async function readAllPages<Query extends ListQuery>(
  lists: Lists<Query>,
  fields: ListFields,
  query: Query,
): Promise<ModelRow[]> {
  const found: ModelRow[] = [];
  let from = query.from;
  for (let pages = 0; pages < 2000; pages++) {
    const page = await lists.list({ ...query, from });
    const rows = rowsOf(page);
    expect(rows.length).toBeLessThanOrEqual(query.limit);
    if (rows.length > 1) expect(page.body.length).toBeLessThan(PAGE_BYTES + 2 * query.limit);
    found.push(...rows);
    if (!page.next) return found;
    from = decodeCursor(fields, query, encodeCursor(query, page.next));
    expect(from).toEqual(page.next);
  }
  throw new Error("There are more than 2000 pages.");
}
