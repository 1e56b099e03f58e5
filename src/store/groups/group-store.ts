import type { Clock } from "../../domain/clock.ts";
import type { GroupStore } from "../../domain/groups/group-store.ts";
import type { RecordRules } from "../../domain/users/record-rules.ts";
import type { ListReads } from "../lists/list-reads.ts";
import { listStore } from "../lists/list-store.ts";
import { isUnfiltered } from "../lists/plans/count.ts";
import type { EngineOf } from "../sql/engine.ts";
import { dryRunGroups } from "../writes/dry-run-groups.ts";
import type { GroupTables } from "./group-tables.ts";
import type { GroupWrites } from "./group-writes.ts";

/** How an engine reads a group by its id. */
export type ReadGroup = GroupStore["read"];

/** What the store of groups is made of. */
interface GroupStoreParts {
  readonly read: ReadGroup;
  readonly lists: ListReads;
  readonly writes: GroupWrites;
  readonly tables: EngineOf<GroupTables>;
  readonly recordRules: RecordRules;
  readonly clock: Clock;
}

/** The store of groups, for any engine. */
export function groupStore({ read, lists, writes, tables, recordRules, clock }: GroupStoreParts): GroupStore {
  return {
    read,
    ...listStore({
      lists,
      countKnown: (query) => (isUnfiltered(query) ? tables.read("count", []) : undefined),
      clock,
    }),
    create: (...args) => writes.create(...args),
    import: (...args) => writes.import(...args),
    startDryRun: () => dryRunGroups((...args) => tables.readLong("find", args), recordRules),
    measure: async (...args) => tables.read("measure", args),
    edit: (...args) => writes.edit(...args),
    change: (...args) => writes.change(...args),
    remove: (...args) => writes.remove(...args),
    patchMembers: (...args) => writes.patchMembers(...args),
    setMember: (...args) => writes.setMember(...args),
    importMembers: (...args) => writes.importMembers(...args),
    lastUserId: () => tables.read("lastUserId", []),
    findByNames: (...args) => tables.read("findByNames", args),
    checkMembers: async (...args) => tables.read("checkMembers", args),
    listMemberships: (...args) => tables.readLong("listMemberships", args),
    isMember: async (...args) => tables.read("isMember", args),
    // Asked every second: there is rarely something to write.
    removeLeftMemberships: async () =>
      (await tables.read("hasLeftMemberships", [])) ? tables.write("removeLeftMemberships", []) : 0,
  };
}
