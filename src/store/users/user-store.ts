import type { Clock } from "../../domain/clock.ts";
import type { ListQuery } from "../../domain/lists/listing.ts";
import type { SchemaStore } from "../../domain/schema/schema-store.ts";
import type { RecordRules } from "../../domain/users/record-rules.ts";
import type { UserStore } from "../../domain/users/user-store.ts";
import type { GroupTables } from "../groups/group-tables.ts";
import type { ListReads } from "../lists/list-reads.ts";
import { listStore } from "../lists/list-store.ts";
import { isUnfiltered } from "../lists/plans/count.ts";
import type { EngineOf } from "../sql/engine.ts";
import { dryRunUsers } from "../writes/dry-run-users.ts";
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
  readonly groups: EngineOf<GroupTables>;
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
  groups,
  schema,
  recordRules,
  clock,
}: UserStoreParts): UserStore {
  const countKnown = (query: ListQuery) => {
    if (isUnfiltered(query)) return tables.read("count", []);
    const groupId = onlyGroup(query);
    return groupId === undefined ? undefined : groups.read("countMembers", [groupId]);
  };
  return {
    read: (id) => reads.read(id),
    ...listStore({ lists, countKnown, clock }),
    listFields: (...args) => lists.customFields(...args),
    listFieldValues: (...args) => lists.fieldValues(...args),
    countFieldValues: (...args) => lists.fieldValueCounts(...args),
    measure: async (...args) => tables.read("measure", args),
    find: (...args) => reads.find(...args),
    findByNames: (...args) => tables.read("findByNames", args),
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
    startDryRun: () => dryRunUsers(reads, schema, recordRules),
  };
}

/** The group whose members a list shows, if the list has no other condition. */
function onlyGroup({ filters, search, expression }: ListQuery): number | undefined {
  const [filter] = filters;
  const isOnly = filters.length === 1 && search === undefined && expression === undefined;
  if (!isOnly || filter?.kind !== "membership" || filter.by !== "id" || filter.negated) return undefined;
  return filter.values.length === 1 ? filter.values[0] : undefined;
}
