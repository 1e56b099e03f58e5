import type { Clock } from "../../domain/clock.ts";
import type { GroupStore } from "../../domain/groups/group-store.ts";
import type { ListReads } from "../lists/list-reads.ts";
import { listStore } from "../lists/list-store.ts";
import type { EngineOf } from "../sql/engine.ts";
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
  readonly clock: Clock;
}

/** The store of groups, for any engine. */
export function groupStore({ read, lists, writes, tables, clock }: GroupStoreParts): GroupStore {
  return {
    read,
    ...listStore({ lists, countAll: async () => tables.read("count", []), clock }),
    create: (...args) => writes.create(...args),
    edit: (...args) => writes.edit(...args),
    remove: (...args) => writes.remove(...args),
  };
}
