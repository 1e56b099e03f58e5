import type { Clock } from "../../domain/clock.ts";
import type { Page } from "../../domain/lists/listing.ts";
import type { MaybePromise } from "../../domain/maybe-promise.ts";
import type { SchemaStore } from "../../domain/schema/schema-store.ts";
import type { RecordRules } from "../../domain/users/record-rules.ts";
import type { UserListQuery } from "../../domain/users/user-list-fields.ts";
import type { UserStore } from "../../domain/users/user-store.ts";
import { fillPage } from "../lists/fill-page.ts";
import type { ListOrigin, ListReads } from "../lists/list-reads.ts";
import { countInRounds, isUnfiltered } from "../lists/plans/count.ts";
import type { EngineOf } from "../sql/engine.ts";
import { DryRun } from "../writes/dry-run.ts";
import type { UserTables } from "./user-tables.ts";
import type { UserWrites } from "./user-writes.ts";

/** How an engine reads users. */
export type UserReads = Pick<UserStore, "read" | "find">;

/** What the store of users is made of. */
interface UserStoreParts {
  readonly reads: UserReads;
  readonly lists: ListReads;
  readonly writes: UserWrites;
  readonly tables: EngineOf<UserTables>;
  readonly schema: SchemaStore;
  readonly recordRules: RecordRules;
  readonly clock: Clock;
}

/** The store of users, for any engine. */
export function userStore({
  reads,
  lists,
  writes,
  tables,
  schema,
  recordRules,
  clock,
}: UserStoreParts): UserStore {
  const countMatches = async (query: UserListQuery, origin: ListOrigin) =>
    isUnfiltered(query)
      ? { count: await tables.read("count", []), capped: false }
      : countInRounds((after) => lists.countRound(query, after, origin));
  return {
    read: (id) => reads.read(id),
    list(query, findOwner) {
      const origin = { since: clock.running(), findOwner };
      const read = () => fillPage(query, (part) => lists.page(part, origin));
      const page = isFirstPage(query) ? lists.keepPage(query.name, read) : read();
      return query.count ? withTotal(query, page, () => countMatches(query, origin)) : page;
    },
    explain: (query, findOwner) => lists.explain(query, { since: clock.running(), findOwner }),
    listFields: (...args) => lists.customFields(...args),
    listFieldValues: (...args) => lists.fieldValues(...args),
    countFieldValues: (...args) => lists.fieldValueCounts(...args),
    measure: async (...args) => tables.read("measure", args),
    find: (...args) => reads.find(...args),
    create: (...args) => writes.create(...args),
    import: (...args) => writes.import(...args),
    changeMany: (...args) => writes.changeMany(...args),
    edit: (...args) => writes.edit(...args),
    remove: (...args) => writes.remove(...args),
    async settle(takesLong) {
      let moved = 0;
      for (let parts = 0; ; parts++) {
        const part = await tables.read("findUnsettled", []);
        if (!part) return moved;
        if (parts === 1) takesLong();
        if (part.ids.length > 0) moved += await writes.settle(part.ids);
        await tables.write("setSettled", [part.to]);
      }
    },
    startDryRun: () => new DryRun(reads, schema, recordRules),
  };
}

function isFirstPage(query: UserListQuery): query is UserListQuery & { readonly name: string } {
  const { name, from, offset, format } = query;
  return name !== undefined && from === undefined && offset === 0 && format === undefined;
}

/** A page that ends with the list tells how many users the list has. */
async function withTotal(
  { from, offset }: UserListQuery,
  reading: MaybePromise<Page>,
  count: () => Promise<Page["total"]>,
): Promise<Page> {
  const page = await reading;
  const isEnd = page.next === undefined && from === undefined && (offset === 0 || page.size > 0);
  return { ...page, total: isEnd ? { count: offset + page.size, capped: false } : await count() };
}
