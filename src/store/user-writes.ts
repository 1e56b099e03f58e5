import type {
  Actor,
  Attempt,
  CreateOutcome,
  IdempotencyKey,
  ImportLine,
  ImportOutcome,
  Precondition,
  StoreObserver,
} from "../domain/store.ts";
import type { Edit, StoredUser } from "../domain/user.ts";
import { toError, type Write, type WriteOutcome, writeWeight } from "./apply-write.ts";
import { GroupCommit, type GroupCommitOptions } from "./group-commit.ts";

/** The writing half of a store, for any engine that can commit a batch of writes. */
export class UserWrites {
  readonly #commits: GroupCommit<Write, WriteOutcome>;

  constructor(
    commit: (writes: Write[]) => Promise<WriteOutcome[]>,
    options: GroupCommitOptions,
    observer: StoreObserver,
  ) {
    this.#commits = new GroupCommit(commit, options, observer, writeWeight);
  }

  async create(attempt: Attempt, idempotencyKey?: IdempotencyKey, by: Actor = null): Promise<CreateOutcome> {
    const outcome = await this.#commits.submit({ do: "create", attempt, idempotencyKey, by });
    if ("outcome" in outcome) return outcome;
    throw toError(outcome);
  }

  async import(
    lines: readonly ImportLine[],
    idempotencyKey?: IdempotencyKey,
    by: Actor = null,
  ): Promise<ImportOutcome> {
    const plain = lines.map((line) => ("json" in line ? line.json : line.problem));
    const outcome = await this.#commits.submit({ do: "import", lines: plain, idempotencyKey, by });
    if (!("users" in outcome)) throw toError(outcome);
    const users = outcome.users.map((user) => (typeof user === "number" ? { id: user } : { problem: user }));
    return { users, replayed: outcome.replayed };
  }

  async edit(id: number, edit: Edit, precondition?: Precondition, by: Actor = null): Promise<StoredUser> {
    const outcome = await this.#commits.submit({ do: "edit", id, edit, precondition, by });
    if ("user" in outcome) return outcome.user;
    throw toError(outcome);
  }

  async remove(id: number, precondition?: Precondition, by: Actor = null): Promise<void> {
    const outcome = await this.#commits.submit({ do: "remove", id, precondition, by });
    if (!("removed" in outcome)) throw toError(outcome);
  }

  /** Resolves when nothing is waiting or being committed. */
  drain(): Promise<void> {
    return this.#commits.drain();
  }
}
