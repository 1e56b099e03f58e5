import type { ListExplanation } from "../../contract/users/explanation-schemas.ts";
import type { Origin } from "../caller.ts";
import { callerOf, type IdempotencyKey, type RunningKeys } from "../idempotency-key.ts";
import type { Page } from "../lists/listing.ts";
import { andThen, type MaybePromise } from "../maybe-promise.ts";
import { checkPrecondition, type Precondition } from "../precondition.ts";
import { ProblemError } from "../problem-error.ts";
import type { StoredRecord } from "../records/record.ts";
import { userCheck } from "./check-user.ts";
import type { DeletedUserStore } from "./deleted-user-store.ts";
import type { RecordRules } from "./record-rules.ts";
import type { UserListQuery } from "./user-list-fields.ts";
import type { Attempt, UserStore, UserStores } from "./user-store.ts";

/** A complete request body with its digest, or the reason why it could not be parsed. */
export type ReceivedBody = { fingerprint: string } & ({ body: unknown } | { problem: ProblemError });

/** What callers can do with users. Methods throw a `ProblemError` if they fail. */
export class Users {
  readonly #users: UserStore;
  readonly #deleted: DeletedUserStore;
  readonly #recordRules: RecordRules;
  readonly #running: RunningKeys;
  readonly #keepsDeleted: boolean;

  /** `keepsDeleted` says whether deleted users can be restored. Otherwise a delete purges. */
  constructor(store: UserStores, recordRules: RecordRules, running: RunningKeys, keepsDeleted: boolean) {
    this.#users = store.users;
    this.#deleted = store.deletedUsers;
    this.#recordRules = recordRules;
    this.#running = running;
    this.#keepsDeleted = keepsDeleted;
  }

  read(id: number, precondition?: Precondition): MaybePromise<StoredRecord> {
    return andThen(this.#users.read(id), (user) => {
      if (!user) throw new ProblemError("user-not-found", `There is no user ${id}.`);
      if (precondition) checkPrecondition(precondition, user);
      return user;
    });
  }

  /** `findOwner` says whose list it is: a key or an address. */
  list(query: UserListQuery, findOwner: () => string): MaybePromise<Page> {
    return this.#users.list(query, findOwner);
  }

  /** How the page of a list is found. */
  explain(query: UserListQuery, findOwner: () => string): Promise<ListExplanation> {
    return this.#users.explain(query, findOwner);
  }

  async create(by: Origin, body: unknown): Promise<StoredRecord> {
    const record = userCheck.whole(body, this.#recordRules);
    const { outcome } = await this.#users.create({ record }, undefined, by);
    if ("problem" in outcome) throw ProblemError.of(outcome.problem);
    return outcome.user;
  }

  /**
   * Creates a user once per idempotency key; a repeated request gets the stored outcome. Calls `receive` only after
   * it has reserved the key, because a request counts as running while its body arrives.
   */
  async createIdempotent(
    by: Origin,
    key: string,
    receive: () => Promise<ReceivedBody>,
  ): Promise<{ user: StoredRecord; replayed: boolean }> {
    using _running = this.#running.reserve(by, key);
    const received = await receive();
    const idempotencyKey: IdempotencyKey = { caller: callerOf(by), key, fingerprint: received.fingerprint };
    const attempt =
      "problem" in received ? { problem: received.problem.data } : this.#parseRecord(received.body);
    const { outcome, replayed } = await this.#users.create(attempt, idempotencyKey, by);
    if ("problem" in outcome) throw ProblemError.of(outcome.problem, replayed);
    return { user: outcome.user, replayed };
  }

  replace(
    by: Origin,
    id: number,
    body: unknown,
    precondition: Precondition | undefined,
  ): Promise<StoredRecord> {
    return this.#users.edit(id, { replace: userCheck.whole(body, this.#recordRules, id) }, precondition, by);
  }

  update(
    by: Origin,
    id: number,
    body: unknown,
    precondition: Precondition | undefined,
  ): Promise<StoredRecord> {
    return this.#users.edit(id, { merge: userCheck.patch(body, id) }, precondition, by);
  }

  /** With `purge`, the user cannot be restored. */
  async remove(
    by: Origin,
    id: number,
    precondition: Precondition | undefined,
    purge: boolean,
  ): Promise<void> {
    const purges = purge || !this.#keepsDeleted;
    const user = purges ? await this.#users.read(id) : undefined;
    if (user) await this.#deleted.eraseHistory(user, precondition);
    return this.#users.remove(id, precondition, by, purges);
  }

  #parseRecord(body: unknown): Attempt {
    try {
      return { record: userCheck.whole(body, this.#recordRules) };
    } catch (error) {
      if (error instanceof ProblemError) return { problem: error.data };
      throw error;
    }
  }
}
