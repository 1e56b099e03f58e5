import type { UserRecord } from "../contract/user.ts";
import type { Actor } from "./caller.ts";
import type { KeyStore } from "./key-store.ts";
import type { ListQuery, Page } from "./listing.ts";
import type { MaybePromise } from "./maybe-promise.ts";
import type { ProblemData } from "./problem-error.ts";
import type { Edit, StoredUser } from "./user.ts";

/** Which versions a change may be made to: the caller's If-Match. `any` means that the user has to exist. */
export type Precondition = "any" | readonly number[];

/** Names a create, so that repeating it does nothing new. */
export interface IdempotencyKey {
  readonly caller: string;
  readonly key: string;
  /** A digest of the body: the same key with another one is a mistake. */
  readonly fingerprint: string;
}

/** How a create ended, now or the first time it was tried. */
export interface CreateOutcome {
  readonly outcome: { readonly user: StoredUser } | { readonly problem: ProblemData };
  readonly replayed: boolean;
}

/** A user to create, or the problem of one, handed in to be kept as the outcome of its `Once`. */
export type Attempt = { readonly record: UserRecord } | { readonly problem: ProblemData };

/** One line of an import: the text of a JSON object, or why the line is none. */
export type ImportLine = { readonly json: string } | { readonly problem: ProblemData };

/** What became of it. */
export type ImportedUser = { readonly id: number } | { readonly problem: ProblemData };

/** What became of several, now or the first time it was tried. */
export interface ImportOutcome {
  readonly users: readonly ImportedUser[];
  readonly replayed: boolean;
}

export interface StoreStats {
  readonly users: number;
  readonly bytes: number;
}

/** What a store tells of its group commits, for the metrics. */
export interface StoreObserver {
  committed(writes: number, seconds: number): void;
}

/**
 * Where users are kept. Every engine passes the same suite (test/store/store-contract.ts).
 *
 * A method that answers has done its work durably: what is acknowledged survives a crash of the process and of the
 * machine. Each write succeeds or fails on its own, however many are committed together. Any method fails with
 * `unavailable` when the database does not answer in time; a write may then have been done or not.
 */
export interface Store {
  /** The keys that callers show who they are by. */
  readonly keys: KeyStore;

  read(id: number): MaybePromise<StoredUser | undefined>;

  /** Bounded work whatever is asked: a page may be short and still have a next one. */
  list(query: ListQuery): MaybePromise<Page>;

  /**
   * Gives the user the next id. The unique index decides whether the email is taken, never a look before: the
   * outcome is then the problem `email-taken`.
   * With `once`, the outcome is kept 24 hours in the same transaction, and a repeat within them gets it again;
   * a repeat with another fingerprint fails with `idempotency-mismatch`.
   */
  create(attempt: Attempt, idempotencyKey?: IdempotencyKey, by?: Actor): Promise<CreateOutcome>;

  /**
   * Creates many users in one transaction, each of which succeeds or is refused on its own, as in `create`.
   * With `once`, what became of all of them is kept, and repeated, as one outcome.
   */
  import(lines: readonly ImportLine[], idempotencyKey?: IdempotencyKey, by?: Actor): Promise<ImportOutcome>;

  /**
   * Applies the edit to the user as it is at that moment. An edit that changes nothing keeps version and time.
   * Fails with `user-not-found`, `version-mismatch`, `email-taken` or `invalid-user`, and then changes nothing.
   */
  edit(id: number, edit: Edit, precondition?: Precondition, by?: Actor): Promise<StoredUser>;

  /** Fails with `user-not-found` or `version-mismatch`. The id is never given again. */
  remove(id: number, precondition?: Precondition, by?: Actor): Promise<void>;

  /** Fails with `unavailable` when the database cannot be read. */
  ping(): Promise<void>;
  stats(): Promise<StoreStats>;

  /** Finishes the writes under way and lets go of the database. */
  close(): Promise<void>;
}
