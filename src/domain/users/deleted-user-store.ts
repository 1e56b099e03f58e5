import type { Origin } from "../caller.ts";
import type { Expression } from "../filter/expression.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import type { Precondition } from "../precondition.ts";
import type { StoredRecord } from "../records/record.ts";
import type { RestoreChanges } from "./check-user.ts";

/** Where a page of deleted users stopped. */
export interface DeletedPosition {
  /** Milliseconds since 1970. */
  readonly deletedAt: number;
  readonly id: number;
}

/** Which deleted users to list. All conditions must hold. */
export interface DeletedListQuery {
  /** `newest`: the last deletion first. The other orders are those of the ids. */
  readonly order: "newest" | "id" | "-id";
  readonly limit: number;
  readonly after?: DeletedPosition | undefined;
  /** Folded words, as in lists of users. */
  readonly search?: readonly string[] | undefined;
  readonly expression?: Expression | undefined;
}

export interface DeletedPage {
  /** `json` has the member deletedAt. */
  readonly users: readonly StoredRecord[];
  /** Where the next page starts; undefined on the last page. */
  readonly next: DeletedPosition | undefined;
}

/** Users that were deleted and are kept for a while. */
export interface DeletedUserStore {
  read(id: number): MaybePromise<StoredRecord | undefined>;

  /** Does a limited amount of work: a page can be short and still have a next page. */
  list(query: DeletedListQuery): Promise<DeletedPage>;

  /** The size of each of these users, in bytes of JSON. Users that are not deleted are left out. */
  measure(ids: readonly number[]): Promise<ReadonlyMap<number, number>>;

  /**
   * Makes a deleted user a user again, with the same id and the next version. `changes` replace its email and user name; null removes.
   * Fails with `user-not-found`, `version-mismatch`, `precondition-failed`, `email-taken` or `invalid-user`.
   */
  restore(
    id: number,
    changes?: RestoreChanges,
    precondition?: Precondition,
    by?: Origin,
  ): Promise<StoredRecord>;

  /**
   * Erases the personal data in the events of a user that is purged next, except the last ones, in short transactions between
   * other writes. The purge erases the rest. Fails with `version-mismatch` or `precondition-failed`.
   */
  eraseHistory(user: StoredRecord, precondition?: Precondition): Promise<void>;

  /**
   * Erases a deleted user for good: the record, and the personal data in its events and stored outcomes. Fails with
   * `user-not-found`, `version-mismatch` or `precondition-failed`.
   */
  purge(id: number, precondition?: Precondition, by?: Origin): Promise<void>;

  /**
   * Purges some of the users that were deleted before this time, in a short transaction. Returns how many: 0 when done. Several
   * nodes can do this at the same time; each user is purged once.
   */
  purgeOldest(before: number): Promise<number>;
}
