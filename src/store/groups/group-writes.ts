import { defaultGroupImportOptions, type ImportOptions } from "../../contract/bulk/bulk.ts";
import { anonymousOrigin, type Origin } from "../../domain/caller.ts";
import type { GroupEdit } from "../../domain/groups/group.ts";
import type {
  GroupAttempt,
  GroupChange,
  GroupChangeOutcome,
  GroupCreateOutcome,
  MemberPatch,
  MemberPatchOutcome,
  MembershipLine,
  MembershipsOutcome,
} from "../../domain/groups/group-store.ts";
import type { IdempotencyKey } from "../../domain/idempotency-key.ts";
import type { ImportedRecord, ImportLine, ImportOutcome } from "../../domain/import-row.ts";
import type { Precondition } from "../../domain/precondition.ts";
import type { StoredRecord } from "../../domain/records/record.ts";
import { submitImport } from "../writes/submit-import.ts";
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

  import(
    lines: readonly ImportLine[],
    idempotencyKey?: IdempotencyKey,
    by: Origin = anonymousOrigin,
    options: ImportOptions = defaultGroupImportOptions,
  ): Promise<ImportOutcome<ImportedRecord>> {
    return submitImport(this.#queue, { records: "groups", lines, idempotencyKey, by, options });
  }

  async edit(
    id: number,
    edit: GroupEdit,
    precondition?: Precondition,
    by: Origin = anonymousOrigin,
  ): Promise<StoredRecord> {
    return (await this.change(id, { edit }, precondition, by)).group;
  }

  async change(
    id: number,
    change: GroupChange,
    precondition?: Precondition,
    by: Origin = anonymousOrigin,
  ): Promise<GroupChangeOutcome> {
    const { group, added, removed } = await this.#queue.submit({
      kind: "change-group",
      id,
      change,
      precondition,
      by,
    });
    return { group, added, removed };
  }

  async patchMembers(
    id: number,
    patch: MemberPatch,
    precondition?: Precondition,
    by: Origin = anonymousOrigin,
  ): Promise<MemberPatchOutcome> {
    const { group, added, removed } = await this.change(id, { members: patch }, precondition, by);
    return { added, removed, version: group.version };
  }

  async setMember(
    id: number,
    userId: number,
    isMember: boolean,
    precondition?: Precondition,
    by: Origin = anonymousOrigin,
  ): Promise<void> {
    await this.#queue.submit({ kind: "set-member", id, userId, isMember, precondition, by });
  }

  async importMembers(
    lines: readonly MembershipLine[],
    removes: boolean,
    idempotencyKey?: IdempotencyKey,
    by: Origin = anonymousOrigin,
  ): Promise<MembershipsOutcome> {
    const { results, bytes, replayed } = await this.#queue.submit({
      kind: "import-members",
      lines,
      removes,
      idempotencyKey,
      by,
    });
    return { results, bytes, replayed };
  }

  async remove(id: number, precondition?: Precondition, by: Origin = anonymousOrigin): Promise<void> {
    await this.#queue.submit({ kind: "remove-group", id, precondition, by });
  }
}
