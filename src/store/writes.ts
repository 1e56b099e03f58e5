import type {
  Actor,
  Attempt,
  CreateOutcome,
  ImportLine,
  ImportOutcome,
  Once,
  Precondition,
  StoreObserver,
} from "../domain/store.ts";
import type { Edit, StoredUser } from "../domain/user.ts";
import { unexpected, type Write, type WriteOutcome, weightOf } from "./apply-write.ts";
import { GroupCommit, type GroupCommitOptions } from "./group-commit.ts";

/** The writing half of a store, for any engine that can commit a batch of writes. */
export class Writes {
  readonly #commits: GroupCommit<Write, WriteOutcome>;

  constructor(
    commit: (writes: Write[]) => Promise<WriteOutcome[]>,
    options: GroupCommitOptions,
    observer: StoreObserver,
  ) {
    this.#commits = new GroupCommit(commit, options, observer, weightOf);
  }

  async create(attempt: Attempt, once?: Once, by: Actor = null): Promise<CreateOutcome> {
    const outcome = await this.#commits.submit({ do: "create", attempt, once, by });
    if ("outcome" in outcome) return outcome;
    throw unexpected(outcome);
  }

  async import(lines: readonly ImportLine[], once?: Once, by: Actor = null): Promise<ImportOutcome> {
    const plain = lines.map((line) => ("json" in line ? line.json : line.refusal));
    const outcome = await this.#commits.submit({ do: "import", lines: plain, once, by });
    if (!("users" in outcome)) throw unexpected(outcome);
    const users = outcome.users.map((user) => (typeof user === "number" ? { id: user } : { refusal: user }));
    return { users, replayed: outcome.replayed };
  }

  async edit(id: number, edit: Edit, precondition?: Precondition, by: Actor = null): Promise<StoredUser> {
    const outcome = await this.#commits.submit({ do: "edit", id, edit, precondition, by });
    if ("user" in outcome) return outcome.user;
    throw unexpected(outcome);
  }

  async remove(id: number, precondition?: Precondition, by: Actor = null): Promise<void> {
    const outcome = await this.#commits.submit({ do: "remove", id, precondition, by });
    if (!("removed" in outcome)) throw unexpected(outcome);
  }

  /** Resolves when nothing is waiting or being committed. */
  drain(): Promise<void> {
    return this.#commits.drain();
  }
}
