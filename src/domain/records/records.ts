import type { ListExplanation } from "../../contract/users/explanation-schemas.ts";
import type { Origin } from "../caller.ts";
import { callerOf, type IdempotencyKey, type RunningKeys } from "../idempotency-key.ts";
import type { ListQuery, Page } from "../lists/listing.ts";
import { andThen, type MaybePromise } from "../maybe-promise.ts";
import { checkPrecondition, type Precondition } from "../precondition.ts";
import { isProblem, type ProblemData, ProblemError } from "../problem-error.ts";
import { KeyedMutex } from "../scheduling/keyed-mutex.ts";
import type { RecordCheck, RecordLimits, RecordOfFields } from "./check-record.ts";
import type { EditOf, StoredRecord } from "./record.ts";

/** A complete request body with its digest, or the reason why it could not be parsed. */
export type ReceivedBody = { fingerprint: string } & ({ body: unknown } | { problem: ProblemError });

/** A record to create, or a problem to store as the outcome of its idempotency key. */
type AttemptOf<Fields> = { readonly record: Fields } | { readonly problem: ProblemData };

/** The outcome of a create: the record under the name of its kind, or a problem. */
interface CreateOutcomeOf<Kind extends string> {
  readonly outcome: { readonly [Name in Kind]: StoredRecord } | { readonly problem: ProblemData };
  readonly replayed: boolean;
}

/** What the store of every kind of record promises. */
interface RecordStore<Fields, Column extends string, Kind extends string> {
  read(id: number): MaybePromise<StoredRecord | undefined>;
  list(query: ListQuery<Column>, findOwner: () => string): MaybePromise<Page>;
  explain(query: ListQuery<Column>, findOwner: () => string): Promise<ListExplanation>;
  create(
    attempt: AttemptOf<Fields>,
    idempotencyKey: IdempotencyKey | undefined,
    by: Origin,
  ): Promise<CreateOutcomeOf<Kind>>;
  edit(
    id: number,
    edit: EditOf<Fields>,
    precondition: Precondition | undefined,
    by: Origin,
  ): Promise<StoredRecord>;
}

export interface RecordParts<Fields extends RecordOfFields, Column extends string, Kind extends string> {
  readonly kind: Kind;
  readonly store: RecordStore<Fields, Column, Kind>;
  readonly check: RecordCheck<Fields>;
  readonly limits: RecordLimits;
  /** The idempotency keys of all kinds: a caller sends a key for one request. */
  readonly running: RunningKeys;
  /** In front of the fingerprints of bodies: the same body for another kind of record is another request. */
  readonly fingerprintPrefix: string;
}

/** What callers can do with records of one kind, except to delete them. Methods throw a `ProblemError` if they fail. */
export class Records<Fields extends RecordOfFields, Column extends string, Kind extends "user" | "group"> {
  readonly #parts: RecordParts<Fields, Column, Kind>;
  /** One computed change of a record at a time: otherwise, each would make the others compute theirs again. */
  readonly #changes = new KeyedMutex();

  constructor(parts: RecordParts<Fields, Column, Kind>) {
    this.#parts = parts;
  }

  read(id: number, precondition?: Precondition): MaybePromise<StoredRecord> {
    return andThen(this.#parts.store.read(id), (record) => {
      const { kind } = this.#parts;
      if (!record) throw new ProblemError(`${kind}-not-found`, `There is no ${kind} ${id}.`);
      if (precondition) checkPrecondition(precondition, record, kind);
      return record;
    });
  }

  /** `findOwner` says whose list it is: a key or an address. */
  list(query: ListQuery<Column>, findOwner: () => string): MaybePromise<Page> {
    return this.#parts.store.list(query, findOwner);
  }

  /** How the page of a list is found. */
  explain(query: ListQuery<Column>, findOwner: () => string): Promise<ListExplanation> {
    return this.#parts.store.explain(query, findOwner);
  }

  async create(by: Origin, body: unknown): Promise<StoredRecord> {
    const { check, limits } = this.#parts;
    return (await this.#create({ record: check.whole(body, limits) }, undefined, by)).record;
  }

  /**
   * Creates a record once per idempotency key; a repeated request gets the stored outcome. Calls `receive` only after
   * it has reserved the key, because a request counts as running while its body arrives.
   */
  async createIdempotent(
    by: Origin,
    key: string,
    receive: () => Promise<ReceivedBody>,
  ): Promise<{ record: StoredRecord; replayed: boolean }> {
    const { running, fingerprintPrefix } = this.#parts;
    using _running = running.reserve(by, key);
    const received = await receive();
    const fingerprint = `${fingerprintPrefix}${received.fingerprint}`;
    const attempt = "problem" in received ? { problem: received.problem.data } : this.#parse(received.body);
    return this.#create(attempt, { caller: callerOf(by), key, fingerprint }, by);
  }

  replace(
    by: Origin,
    id: number,
    body: unknown,
    precondition: Precondition | undefined,
  ): Promise<StoredRecord> {
    const { store, check, limits } = this.#parts;
    return store.edit(id, { replace: check.whole(body, limits, id) }, precondition, by);
  }

  update(
    by: Origin,
    id: number,
    body: unknown,
    precondition: Precondition | undefined,
  ): Promise<StoredRecord> {
    const { store, check } = this.#parts;
    return store.edit(id, { merge: check.patch(body, id) }, precondition, by);
  }

  /**
   * Reads a record and lets `attempt` compute and write a change of it. If the attempt fails with `version-mismatch`, others have
   * changed the record since: then both are repeated. The precondition is checked for each record that was read.
   */
  protected computeChange<T>(
    id: number,
    precondition: Precondition | undefined,
    attempt: (record: StoredRecord) => Promise<T>,
  ): Promise<T> {
    return this.#changes.run(id, async () => {
      for (;;) {
        const record = await this.read(id, precondition);
        try {
          return await attempt(record);
        } catch (error) {
          if (!isProblem(error, "version-mismatch")) throw error;
        }
      }
    });
  }

  async #create(
    attempt: AttemptOf<Fields>,
    idempotencyKey: IdempotencyKey | undefined,
    by: Origin,
  ): Promise<{ record: StoredRecord; replayed: boolean }> {
    const { kind, store } = this.#parts;
    const { outcome, replayed } = await store.create(attempt, idempotencyKey, by);
    if ("problem" in outcome) throw ProblemError.of(outcome.problem, replayed);
    return { record: outcome[kind], replayed };
  }

  #parse(body: unknown): AttemptOf<Fields> {
    const { check, limits } = this.#parts;
    try {
      return { record: check.whole(body, limits) };
    } catch (error) {
      if (error instanceof ProblemError) return { problem: error.data };
      throw error;
    }
  }
}
