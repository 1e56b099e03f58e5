import type { Clock } from "../../domain/clock.ts";
import type { SchemaStore } from "../../domain/schema/schema-store.ts";
import type { RecordRules } from "../../domain/users/record-rules.ts";
import type { UserStore } from "../../domain/users/user-store.ts";
import type { ListReads } from "../lists/list-reads.ts";
import { listStore } from "../lists/list-store.ts";
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
  return {
    read: (id) => reads.read(id),
    ...listStore({ lists, countAll: async () => tables.read("count", []), clock }),
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
