import { defaultImportOptions, type ImportOptions } from "../../contract/bulk/bulk.ts";
import { anonymousOrigin, type Origin, systemOrigin } from "../../domain/caller.ts";
import type { IdempotencyKey } from "../../domain/idempotency-key.ts";
import type { ImportLine } from "../../domain/import-row.ts";
import type { Precondition } from "../../domain/precondition.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import type { StoreObserver } from "../../domain/store.ts";
import type { RestoreChanges } from "../../domain/users/check-user.ts";
import type { Edit, StoredUser } from "../../domain/users/user.ts";
import type {
  Attempt,
  BulkChange,
  ChangeCondition,
  ChangesOutcome,
  CreateOutcome,
  ImportOutcome,
} from "../../domain/users/user-store.ts";
import { type Write, type WriteOutcome, writeWeight } from "../writes/apply-write.ts";
import { GroupCommit, type GroupCommitOptions } from "../writes/group-commit.ts";
import { toRawLine } from "../writes/import-lines.ts";
import { toChangedUser, toImportedUser } from "../writes/stored-outcome.ts";
import type { WriteBatch } from "../writes/write-batch.ts";

type OutcomeOf<Kind> = WriteOutcome extends infer Outcome
  ? Outcome extends { readonly kind: infer Kinds }
    ? Kind extends Kinds
      ? Outcome
      : never
    : never
  : never;

/** The write methods of a store, for any engine that can commit a batch of writes. */
export class UserWrites {
  readonly #commits: GroupCommit<Write, WriteOutcome>;

  constructor(
    commit: (batch: WriteBatch<Write>) => Promise<(WriteOutcome | null)[]>,
    options: GroupCommitOptions,
    observer: StoreObserver,
  ) {
    this.#commits = new GroupCommit(commit, options, observer, writeWeight);
  }

  async create(
    attempt: Attempt,
    idempotencyKey?: IdempotencyKey,
    by: Origin = anonymousOrigin,
  ): Promise<CreateOutcome> {
    const { outcome, replayed } = await this.#submit({ kind: "create", attempt, idempotencyKey, by });
    return { outcome, replayed };
  }

  async import(
    lines: readonly ImportLine[],
    idempotencyKey?: IdempotencyKey,
    by: Origin = anonymousOrigin,
    options: ImportOptions = defaultImportOptions,
  ): Promise<ImportOutcome> {
    const rawLines = lines.map(toRawLine);
    const { users, replayed } = await this.#submit({
      kind: "import",
      lines: rawLines,
      options,
      idempotencyKey,
      by,
    });
    return { users: users.map(toImportedUser), replayed };
  }

  async changeMany(
    ids: readonly number[],
    change: BulkChange,
    idempotencyKey?: IdempotencyKey,
    by: Origin = anonymousOrigin,
    condition?: ChangeCondition,
  ): Promise<ChangesOutcome> {
    const write = { kind: "change-many", ids, change, condition, idempotencyKey, by } as const;
    const { users, storedIds = ids, replayed } = await this.#submit(write);
    return { users: users.map((result, index) => toChangedUser(storedIds[index] ?? 0, result)), replayed };
  }

  async edit(
    id: number,
    edit: Edit,
    precondition?: Precondition,
    by: Origin = anonymousOrigin,
  ): Promise<StoredUser> {
    return (await this.#submit({ kind: "edit", id, edit, precondition, by })).user;
  }

  async remove(
    id: number,
    precondition?: Precondition,
    by: Origin = anonymousOrigin,
    purge = false,
  ): Promise<void> {
    await this.#submit({ kind: "remove", id, precondition, by, purge });
  }

  async restore(
    id: number,
    changes: RestoreChanges = {},
    precondition?: Precondition,
    by: Origin = anonymousOrigin,
  ): Promise<StoredUser> {
    return (await this.#submit({ kind: "restore", id, changes, precondition, by })).user;
  }

  async purge(id: number, precondition?: Precondition, by: Origin = anonymousOrigin): Promise<void> {
    await this.#submit({ kind: "purge", id, precondition, by });
  }

  /** Returns how many of the users have changed. */
  async settle(ids: readonly number[]): Promise<number> {
    return (await this.#submit({ kind: "settle", ids, by: systemOrigin })).moved;
  }

  /** Purges those of the users that were deleted before this time, and returns how many. */
  async purgeDeletedBefore(ids: readonly number[], before: number, by: Origin): Promise<number> {
    return (await this.#submit({ kind: "purge-old", ids, before, by })).purged;
  }

  /** Number of writes that wait for their commit. */
  get queued(): number {
    return this.#commits.queued;
  }

  /** Resolves when no write is queued or being committed. */
  drain(): Promise<void> {
    return this.#commits.drain();
  }

  /** Throws the problem or the failure of a write that was not applied. */
  #submit<W extends Write>(write: W): Promise<OutcomeOf<W["kind"]>>;
  async #submit(write: Write): Promise<WriteOutcome> {
    const outcome = await this.#commits.submit(write);
    if (outcome.kind === write.kind) return outcome;
    if (outcome.kind === "problem") throw ProblemError.of(outcome.problem);
    if (outcome.kind === "failure") throw new Error(outcome.failure);
    throw new Error(`Expected the outcome of ${write.kind}, got ${outcome.kind}.`);
  }
}
