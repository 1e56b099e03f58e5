import { defaultImportOptions, type ImportOptions } from "../../contract/bulk/bulk.ts";
import { anonymousOrigin, type Origin, systemOrigin } from "../../domain/caller.ts";
import type { IdempotencyKey } from "../../domain/idempotency-key.ts";
import type { ImportedRecord, ImportLine, ImportOutcome } from "../../domain/import-row.ts";
import type { Precondition } from "../../domain/precondition.ts";
import type { StoredRecord } from "../../domain/records/record.ts";
import type { RestoreChanges } from "../../domain/users/check-user.ts";
import type { Edit } from "../../domain/users/user.ts";
import type {
  Attempt,
  BulkChange,
  ChangeCondition,
  ChangesOutcome,
  CreateOutcome,
} from "../../domain/users/user-store.ts";
import { toRawLine } from "../writes/import-lines.ts";
import { toChangedUser, toImportedRecord } from "../writes/stored-outcome.ts";
import type { WriteQueue } from "../writes/write-queue.ts";

/** The methods of a store that write users. */
export class UserWrites {
  readonly #queue: WriteQueue;

  constructor(queue: WriteQueue) {
    this.#queue = queue;
  }

  async create(
    attempt: Attempt,
    idempotencyKey?: IdempotencyKey,
    by: Origin = anonymousOrigin,
  ): Promise<CreateOutcome> {
    const { outcome, replayed } = await this.#queue.submit({ kind: "create", attempt, idempotencyKey, by });
    return { outcome, replayed };
  }

  async import(
    lines: readonly ImportLine[],
    idempotencyKey?: IdempotencyKey,
    by: Origin = anonymousOrigin,
    options: ImportOptions = defaultImportOptions,
  ): Promise<ImportOutcome<ImportedRecord>> {
    const rawLines = lines.map(toRawLine);
    const { users, replayed } = await this.#queue.submit({
      kind: "import",
      lines: rawLines,
      options,
      idempotencyKey,
      by,
    });
    return { results: users.map(toImportedRecord), replayed };
  }

  async changeMany(
    ids: readonly number[],
    change: BulkChange,
    idempotencyKey?: IdempotencyKey,
    by: Origin = anonymousOrigin,
    condition?: ChangeCondition,
  ): Promise<ChangesOutcome> {
    const write = { kind: "change-many", ids, change, condition, idempotencyKey, by } as const;
    const { users, storedIds = ids, replayed } = await this.#queue.submit(write);
    return { users: users.map((result, index) => toChangedUser(storedIds[index] ?? 0, result)), replayed };
  }

  async edit(
    id: number,
    edit: Edit,
    precondition?: Precondition,
    by: Origin = anonymousOrigin,
  ): Promise<StoredRecord> {
    return (await this.#queue.submit({ kind: "edit", id, edit, precondition, by })).user;
  }

  async remove(
    id: number,
    precondition?: Precondition,
    by: Origin = anonymousOrigin,
    purge = false,
  ): Promise<void> {
    await this.#queue.submit({ kind: "remove", id, precondition, by, purge });
  }

  async restore(
    id: number,
    changes: RestoreChanges = {},
    precondition?: Precondition,
    by: Origin = anonymousOrigin,
  ): Promise<StoredRecord> {
    return (await this.#queue.submit({ kind: "restore", id, changes, precondition, by })).user;
  }

  async purge(id: number, precondition?: Precondition, by: Origin = anonymousOrigin): Promise<void> {
    await this.#queue.submit({ kind: "purge", id, precondition, by });
  }

  /** Returns how many of the users have changed. */
  async settle(ids: readonly number[]): Promise<number> {
    return (await this.#queue.submit({ kind: "settle", ids, by: systemOrigin })).moved;
  }

  /** Purges those of the users that were deleted before this time, and returns how many. */
  async purgeDeletedBefore(ids: readonly number[], before: number, by: Origin): Promise<number> {
    return (await this.#queue.submit({ kind: "purge-old", ids, before, by })).purged;
  }
}
