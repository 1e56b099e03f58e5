import type { Clock } from "../../domain/clock.ts";
import type { ListQuery, Page } from "../../domain/lists/listing.ts";
import type { MaybePromise } from "../../domain/maybe-promise.ts";
import type { SchemaStore } from "../../domain/schema/schema-store.ts";
import type { RecordRules } from "../../domain/users/record-rules.ts";
import type { UserStore } from "../../domain/users/user-store.ts";
import { countInRounds, isUnfiltered } from "../lists/count.ts";
import { fillPage } from "../lists/fill-page.ts";
import type { CountRound } from "../lists/plans/found-rows.ts";
import type { EngineOf } from "../sql/engine.ts";
import { DryRun } from "../writes/dry-run.ts";
import type { UserTables } from "./user-tables.ts";
import type { UserWrites } from "./user-writes.ts";

/** When a list began, and whose list it is. */
export interface ListOrigin {
  readonly since: number;
  readonly findOwner: (() => string) | undefined;
}

/** How an engine reads users. */
export interface UserReads extends Pick<UserStore, "read" | "listFields" | "listFieldValues" | "find"> {
  /** A page with bounded work: it can be short and still have a next page. */
  page(query: ListQuery, origin: ListOrigin): MaybePromise<Page>;
  /** Counts the matches after an id, with bounded work. */
  countRound(query: ListQuery, after: number | undefined, origin: ListOrigin): Promise<CountRound>;
}

/** What the store of users is made of. */
interface UserStoreParts {
  readonly reads: UserReads;
  readonly writes: UserWrites;
  readonly tables: EngineOf<UserTables>;
  readonly schema: SchemaStore;
  readonly recordRules: RecordRules;
  readonly clock: Clock;
}

/** The store of users, for any engine. */
export function userStore({ reads, writes, tables, schema, recordRules, clock }: UserStoreParts): UserStore {
  const countMatches = async (query: ListQuery, origin: ListOrigin) =>
    isUnfiltered(query)
      ? { count: await tables.read("count", []), capped: false }
      : countInRounds((after) => reads.countRound(query, after, origin));
  return {
    read: (id) => reads.read(id),
    list(query, findOwner) {
      const origin = { since: clock.running(), findOwner };
      const page = fillPage(query, (part) => reads.page(part, origin));
      return query.count ? withTotal(page, () => countMatches(query, origin)) : page;
    },
    listFields: (...args) => reads.listFields(...args),
    listFieldValues: (...args) => reads.listFieldValues(...args),
    measure: async (...args) => tables.read("measure", args),
    find: (...args) => reads.find(...args),
    create: (...args) => writes.create(...args),
    import: (...args) => writes.import(...args),
    changeMany: (...args) => writes.changeMany(...args),
    edit: (...args) => writes.edit(...args),
    remove: (...args) => writes.remove(...args),
    startDryRun: () => new DryRun(reads, schema, recordRules),
  };
}

async function withTotal(page: MaybePromise<Page>, count: () => Promise<Page["total"]>): Promise<Page> {
  return { ...(await page), total: await count() };
}
