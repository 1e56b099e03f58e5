import type { ImportOptions } from "../contract/bulk/bulk.ts";
import type { Origin } from "../domain/caller.ts";
import type { Precondition } from "../domain/precondition.ts";
import type {
  Attempt,
  BulkChange,
  ChangeCondition,
  ChangesOutcome,
  CreateOutcome,
  IdempotencyKey,
  ImportDryRun,
  ImportLine,
  ImportOutcome,
  Store,
} from "../domain/store.ts";
import type { RecordRules } from "../domain/users/record-rules.ts";
import type { Edit, StoredUser } from "../domain/users/user.ts";
import type { TableStores } from "./table-stores.ts";
import type { UserWrites } from "./users/user-writes.ts";
import { DryRun } from "./writes/dry-run.ts";

/** The parts of a store that are the same on every engine: writes of users, and the stores of all other tables. */
export abstract class SqlStore implements TableStores {
  readonly keys: Store["keys"];
  readonly events: Store["events"];
  readonly webhooks: Store["webhooks"];
  readonly deliveries: Store["deliveries"];
  readonly deletedUsers: Store["deletedUsers"];
  readonly statistics: Store["statistics"];
  readonly schema: Store["schema"];

  constructor(
    protected readonly writes: UserWrites,
    tables: TableStores,
    private readonly recordRules: RecordRules,
  ) {
    this.keys = tables.keys;
    this.events = tables.events;
    this.webhooks = tables.webhooks;
    this.deliveries = tables.deliveries;
    this.deletedUsers = tables.deletedUsers;
    this.statistics = tables.statistics;
    this.schema = tables.schema;
  }

  abstract findUsers(...parameters: Parameters<Store["findUsers"]>): Promise<StoredUser[]>;

  create(attempt: Attempt, idempotencyKey?: IdempotencyKey, by?: Origin): Promise<CreateOutcome> {
    return this.writes.create(attempt, idempotencyKey, by);
  }

  import(
    lines: readonly ImportLine[],
    idempotencyKey?: IdempotencyKey,
    by?: Origin,
    options?: ImportOptions,
  ): Promise<ImportOutcome> {
    return this.writes.import(lines, idempotencyKey, by, options);
  }

  changeMany(
    ids: readonly number[],
    change: BulkChange,
    idempotencyKey?: IdempotencyKey,
    by?: Origin,
    condition?: ChangeCondition,
  ): Promise<ChangesOutcome> {
    return this.writes.changeMany(ids, change, idempotencyKey, by, condition);
  }

  edit(id: number, edit: Edit, precondition?: Precondition, by?: Origin): Promise<StoredUser> {
    return this.writes.edit(id, edit, precondition, by);
  }

  remove(id: number, precondition?: Precondition, by?: Origin, purge?: boolean): Promise<void> {
    return this.writes.remove(id, precondition, by, purge);
  }

  startDryRun(): ImportDryRun {
    return new DryRun(this, this.recordRules);
  }
}
