import { anonymousOrigin, type Origin } from "../../domain/caller.ts";
import type { GroupEdit } from "../../domain/groups/group.ts";
import type { GroupAttempt, GroupCreateOutcome } from "../../domain/groups/group-store.ts";
import type { IdempotencyKey } from "../../domain/idempotency-key.ts";
import type { Precondition } from "../../domain/precondition.ts";
import type { StoredRecord } from "../../domain/records/record.ts";
import type { WriteQueue } from "../writes/write-queue.ts";

/** The methods of a store that write groups. */
export class GroupWrites {
  readonly #queue: WriteQueue;

  constructor(queue: WriteQueue) {
    this.#queue = queue;
  }

  async create(
    attempt: GroupAttempt,
    idempotencyKey?: IdempotencyKey,
    by: Origin = anonymousOrigin,
  ): Promise<GroupCreateOutcome> {
    const { outcome, replayed } = await this.#queue.submit({
      kind: "create-group",
      attempt,
      idempotencyKey,
      by,
    });
    return { outcome, replayed };
  }

  async edit(
    id: number,
    edit: GroupEdit,
    precondition?: Precondition,
    by: Origin = anonymousOrigin,
  ): Promise<StoredRecord> {
    return (await this.#queue.submit({ kind: "edit-group", id, edit, precondition, by })).group;
  }

  async remove(id: number, precondition?: Precondition, by: Origin = anonymousOrigin): Promise<void> {
    await this.#queue.submit({ kind: "remove-group", id, precondition, by });
  }
}
