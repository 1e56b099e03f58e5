import type { Caller } from "./caller.ts";
import { checkPatch, checkUser } from "./check-user.ts";
import { importRows, type Row, type RowOutcome, Semaphore } from "./imports.ts";
import type { ListQuery, Page } from "./listing.ts";
import { andThen, type MaybePromise } from "./maybe-promise.ts";
import { ProblemError } from "./problem-error.ts";
import type { RecordRules } from "./record-rules.ts";
import type { Attempt, IdempotencyKey, Precondition, Store } from "./store.ts";
import type { StoredUser } from "./user.ts";

/** A body that has come in whole, and its digest; or why it could not be read. */
export type ReceivedBody = { fingerprint: string } & ({ body: unknown } | { problem: ProblemError });

/** What can be done with users, by the verb a caller would say. Whatever cannot be done throws a `Refusal`. */
export class Users {
  /** Creates that are under way, by caller and key. */
  readonly #underWay = new Set<string>();
  readonly #importTurns = new Semaphore();

  constructor(
    readonly store: Store,
    readonly recordRules: RecordRules,
  ) {}

  read(id: number): MaybePromise<StoredUser> {
    return andThen(this.store.read(id), (user) => {
      if (!user) throw new ProblemError("user-not-found", `There is no user ${id}.`);
      return user;
    });
  }

  list(query: ListQuery): MaybePromise<Page> {
    return this.store.list(query);
  }

  async create({ actor }: Caller, body: unknown): Promise<StoredUser> {
    const record = checkUser(body, this.recordRules);
    const { outcome } = await this.store.create({ record }, undefined, actor);
    if ("problem" in outcome) throw ProblemError.of(outcome.problem);
    return outcome.user;
  }

  /**
   * Creates a user once, however often it is asked under the same key. The body is received only when the key is
   * ours, since receiving it is part of the first request's running.
   */
  async createIdempotent(
    { actor }: Caller,
    key: string,
    receive: () => Promise<ReceivedBody>,
  ): Promise<{ user: StoredUser; replayed: boolean }> {
    const caller = String(actor ?? "");
    const name = `${caller}\n${key}`;
    if (this.#underWay.has(name)) throw new ProblemError("idempotency-in-flight");
    this.#underWay.add(name);
    try {
      const received = await receive();
      const idempotencyKey: IdempotencyKey = { caller, key, fingerprint: received.fingerprint };
      const attempt =
        "problem" in received ? { problem: received.problem.data } : this.#attempt(received.body);
      const { outcome, replayed } = await this.store.create(attempt, idempotencyKey, actor);
      if ("problem" in outcome) throw ProblemError.of(outcome.problem, replayed);
      return { user: outcome.user, replayed };
    } finally {
      this.#underWay.delete(name);
    }
  }

  /** Creates a user of each row, in chunks; with a key, each chunk once. Only one import at a time may use a key. */
  async *import(
    caller: Caller,
    key: string | undefined,
    rows: AsyncIterable<readonly Row[]>,
  ): AsyncGenerator<RowOutcome[], void> {
    const name = `${caller.actor ?? ""}\n${key}`;
    if (key !== undefined && this.#underWay.has(name)) throw new ProblemError("idempotency-in-flight");
    if (key !== undefined) this.#underWay.add(name);
    try {
      yield* importRows(this.store, caller, key, rows, this.#importTurns);
    } finally {
      if (key !== undefined) this.#underWay.delete(name);
    }
  }

  replace(
    { actor }: Caller,
    id: number,
    body: unknown,
    precondition: Precondition | undefined,
  ): Promise<StoredUser> {
    return this.store.edit(id, { replace: checkUser(body, this.recordRules, id) }, precondition, actor);
  }

  update(
    { actor }: Caller,
    id: number,
    body: unknown,
    precondition: Precondition | undefined,
  ): Promise<StoredUser> {
    return this.store.edit(id, { merge: checkPatch(body, id) }, precondition, actor);
  }

  remove({ actor }: Caller, id: number, precondition: Precondition | undefined): Promise<void> {
    return this.store.remove(id, precondition, actor);
  }

  #attempt(body: unknown): Attempt {
    try {
      return { record: checkUser(body, this.recordRules) };
    } catch (error) {
      if (error instanceof ProblemError) return { problem: error.data };
      throw error;
    }
  }
}
