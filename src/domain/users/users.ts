import type { BulkFormat, ImportOptions } from "../../contract/bulk/bulk.ts";
import { changeUsers } from "../bulk/bulk-changes.ts";
import type { BulkRequest } from "../bulk/check-bulk.ts";
import { countUsers } from "../bulk/count-users.ts";
import { exportCsv, exportNdjson } from "../bulk/exports.ts";
import { CONCURRENT_CHUNKS, importRows, type Row, type RowOutcome } from "../bulk/imports.ts";
import { createRowReader, type RowReader } from "../bulk/row-reader.ts";
import type { Origin } from "../caller.ts";
import type { ListQuery, Page } from "../lists/listing.ts";
import { andThen, type MaybePromise } from "../maybe-promise.ts";
import type { Meter } from "../meter.ts";
import { checkPrecondition, type Precondition } from "../precondition.ts";
import { ProblemError } from "../problem-error.ts";
import { Semaphore } from "../scheduling/semaphore.ts";
import type { Attempt, ChangedUser, IdempotencyKey, Store } from "../store.ts";
import { checkPatch, checkUser } from "./check-user.ts";
import type { RecordRules } from "./record-rules.ts";
import type { StoredUser } from "./user.ts";

/** A complete request body with its digest, or the reason why it could not be parsed. */
export type ReceivedBody = { fingerprint: string } & ({ body: unknown } | { problem: ProblemError });

/** What callers can do with users. Methods throw a `ProblemError` if they fail. */
export class Users {
  readonly #store: Store;
  /** Running creates and imports with an idempotency key, by caller and key. */
  readonly #inFlight = new Set<string>();
  readonly #chunkSlots = new Semaphore(CONCURRENT_CHUNKS);

  constructor(
    store: Store,
    readonly recordRules: RecordRules,
    /** Whether deleted users can be restored. Otherwise a delete purges. */
    readonly keepsDeleted = true,
  ) {
    this.#store = store;
  }

  read(id: number, precondition?: Precondition): MaybePromise<StoredUser> {
    return andThen(this.#store.read(id), (user) => {
      if (!user) throw new ProblemError("user-not-found", `There is no user ${id}.`);
      if (precondition) checkPrecondition(precondition, user);
      return user;
    });
  }

  /** `findOwner` says whose list it is: a key or an address. */
  list(query: ListQuery, findOwner: () => string): MaybePromise<Page> {
    return this.#store.list(query, findOwner);
  }

  /** Every user that matches the query, in order. Ends early when the signal aborts. */
  export(
    format: BulkFormat,
    query: ListQuery,
    signal: AbortSignal,
    meter?: Meter,
  ): AsyncGenerator<Uint8Array, void> {
    const exportUsers = format === "csv" ? exportCsv : exportNdjson;
    return exportUsers(this.#store, query, signal, meter);
  }

  async create(by: Origin, body: unknown): Promise<StoredUser> {
    const record = checkUser(body, this.recordRules);
    const { outcome } = await this.#store.create({ record }, undefined, by);
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
  ): Promise<{ user: StoredUser; replayed: boolean }> {
    const caller = String(by.actor ?? "");
    const name = `${caller}\n${key}`;
    if (this.#inFlight.has(name)) throw new ProblemError("idempotency-in-flight");
    this.#inFlight.add(name);
    try {
      const received = await receive();
      const idempotencyKey: IdempotencyKey = { caller, key, fingerprint: received.fingerprint };
      const attempt =
        "problem" in received ? { problem: received.problem.data } : this.#parseRecord(received.body);
      const { outcome, replayed } = await this.#store.create(attempt, idempotencyKey, by);
      if ("problem" in outcome) throw ProblemError.of(outcome.problem, replayed);
      return { user: outcome.user, replayed };
    } finally {
      this.#inFlight.delete(name);
    }
  }

  /** Returns undefined if users cannot be found by the field `match`. A row may have `maxRowBytes`. */
  createRowReader(
    format: BulkFormat,
    options: ImportOptions,
    maxRowBytes: number,
  ): Promise<RowReader | undefined> {
    return createRowReader(this.#store.schema, format, options, maxRowBytes);
  }

  /**
   * Creates or updates a user for each row, in chunks. With an idempotency key, each chunk runs once. A key runs one import
   * at a time.
   */
  async *import(
    by: Origin,
    key: string | undefined,
    rows: AsyncIterable<readonly Row[]>,
    options?: ImportOptions,
    meter?: Meter,
  ): AsyncGenerator<RowOutcome[], void> {
    const chunkSlots = this.#chunkSlots;
    const measureUsers = (ids: readonly number[]) => this.#store.measureUsers(ids);
    const context = {
      ...{ by, target: this.#store, key, chunkSlots, meter, measureUsers },
      ...(options && { options }),
    };
    yield* this.#runAlone(by, key, importRows(rows, context));
  }

  /** The outcomes that an import of these rows would have now. */
  async *checkImport(
    by: Origin,
    rows: AsyncIterable<readonly Row[]>,
    options: ImportOptions,
    meter?: Meter,
  ): AsyncGenerator<RowOutcome[], void> {
    using target = this.#store.startDryRun();
    yield* importRows(rows, { by, target, options, chunkSlots: this.#chunkSlots, meter });
  }

  /** Applies one change to many users, in chunks. Idempotency keys work as in `import`. */
  async *changeMany(
    by: Origin,
    key: string | undefined,
    request: BulkRequest,
    meter?: Meter,
    signal?: AbortSignal,
  ): AsyncGenerator<ChangedUser[], void> {
    const context = { by, key, chunkSlots: this.#chunkSlots, meter, signal };
    const purges = request.change === "remove" && !this.keepsDeleted;
    const changed = purges ? { ...request, change: "remove-and-purge" as const } : request;
    yield* this.#runAlone(by, key, changeUsers(this.#store, changed, context));
  }

  /** The number of users that a bulk change would apply to now. */
  countMany(request: BulkRequest, signal: AbortSignal, meter?: Meter): Promise<number> {
    return countUsers(this.#store, request, signal, meter);
  }

  replace(
    by: Origin,
    id: number,
    body: unknown,
    precondition: Precondition | undefined,
  ): Promise<StoredUser> {
    return this.#store.edit(id, { replace: checkUser(body, this.recordRules, id) }, precondition, by);
  }

  update(by: Origin, id: number, body: unknown, precondition: Precondition | undefined): Promise<StoredUser> {
    return this.#store.edit(id, { merge: checkPatch(body, id) }, precondition, by);
  }

  /** With `purge`, the user cannot be restored. */
  async remove(
    by: Origin,
    id: number,
    precondition: Precondition | undefined,
    purge: boolean,
  ): Promise<void> {
    const purges = purge || !this.keepsDeleted;
    const user = purges ? await this.#store.read(id) : undefined;
    if (user) await this.#store.deletedUsers.eraseHistory(user, precondition);
    return this.#store.remove(id, precondition, by, purges);
  }

  /** Throws `idempotency-in-flight` if a request with the same key is running. */
  async *#runAlone<T>(
    { actor }: Origin,
    key: string | undefined,
    work: AsyncGenerator<T, void>,
  ): AsyncGenerator<T, void> {
    const name = `${actor ?? ""}\n${key}`;
    if (key !== undefined && this.#inFlight.has(name)) throw new ProblemError("idempotency-in-flight");
    if (key !== undefined) this.#inFlight.add(name);
    try {
      yield* work;
    } finally {
      if (key !== undefined) this.#inFlight.delete(name);
    }
  }

  #parseRecord(body: unknown): Attempt {
    try {
      return { record: checkUser(body, this.recordRules) };
    } catch (error) {
      if (error instanceof ProblemError) return { problem: error.data };
      throw error;
    }
  }
}
