import type { GroupRecord } from "../../contract/groups/group.ts";
import type { GroupColumn } from "../../contract/groups/group-fields.ts";
import type { Origin } from "../caller.ts";
import type { RunningKeys } from "../idempotency-key.ts";
import type { Precondition } from "../precondition.ts";
import type { RecordLimits } from "../records/check-record.ts";
import { Records } from "../records/records.ts";
import { groupCheck } from "./check-group.ts";
import type { GroupStore } from "./group-store.ts";

/** What callers can do with groups. Methods throw a `ProblemError` if they fail. */
export class Groups extends Records<GroupRecord, GroupColumn, "group"> {
  readonly #groups: GroupStore;

  constructor(store: GroupStore, limits: RecordLimits, running: RunningKeys) {
    super({ kind: "group", store, check: groupCheck, limits, running, fingerprintPrefix: "groups:" });
    this.#groups = store;
  }

  /** The group cannot be restored. */
  remove(by: Origin, id: number, precondition: Precondition | undefined): Promise<void> {
    return this.#groups.remove(id, precondition, by);
  }
}
