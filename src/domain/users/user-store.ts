import type { ImportOptions } from "../../contract/bulk/bulk.ts";
import type { ListExplanation } from "../../contract/users/explanation-schemas.ts";
import type { CountedFieldValue, CustomField, FieldValue } from "../../contract/users/field-schemas.ts";
import type { UserRecord } from "../../contract/users/user.ts";
import type { Origin } from "../caller.ts";
import type { Expression } from "../filter/expression.ts";
import type { IdempotencyKey } from "../idempotency-key.ts";
import type { ImportDryRun, ImportedRecord, ImportTarget } from "../import-row.ts";
import type { MembershipFilter, Page } from "../lists/listing.ts";
import type { ValueRow } from "../lists/value-index.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import type { Precondition } from "../precondition.ts";
import type { ProblemData } from "../problem-error.ts";
import type { StoredRecord } from "../records/record.ts";
import type { DeletedUserStore } from "./deleted-user-store.ts";
import type { Edit } from "./user.ts";
import type { UserListQuery } from "./user-list-fields.ts";

/** The outcome of a create: of this request, or the stored outcome of an earlier one. */
export interface CreateOutcome {
  readonly outcome: { readonly user: StoredRecord } | { readonly problem: ProblemData };
  readonly replayed: boolean;
}

/** A user to create, or a problem to store as the outcome of its idempotency key. */
export type Attempt = { readonly record: UserRecord } | { readonly problem: ProblemData };

/** Makes users members of a group, or removes them from it. */
export interface MembershipChange {
  readonly groupId: number;
  readonly isMember: boolean;
}

/**
 * What a bulk change does with each user: a merge patch (RFC 7396), a change of its membership, or remove, remove and purge, or restore
 * the user.
 */
export type BulkChange =
  | Pick<Extract<Edit, { merge: unknown }>, "merge">
  | MembershipChange
  | "remove"
  | "remove-and-purge"
  | "restore";

export function isMembershipChange(change: BulkChange): change is MembershipChange {
  return typeof change !== "string" && "groupId" in change;
}

/** The condition of a bulk change. A user that does not meet it when the change is made is skipped. */
export interface ChangeCondition {
  readonly expression: Expression | undefined;
  /** The version of each user that was found. A user with this version meets the expression. */
  readonly versions: readonly number[];
  /** Tested in any case: a user keeps its version when its groups change. */
  readonly memberships: readonly MembershipCondition[];
}

/** A condition of a user's groups. Their names have been replaced by their ids. */
export type MembershipCondition = Exclude<MembershipFilter, { readonly by: "name" }>;

/** The result of a bulk change for one user. Without a problem, the change was made, unless the user was skipped. */
export interface ChangedUser {
  readonly id: number;
  readonly problem?: ProblemData;
  readonly skipped?: true;
}

/** The outcome of a bulk change: of this request, or the stored outcome of an earlier one. */
export interface ChangesOutcome {
  readonly users: readonly ChangedUser[];
  readonly replayed: boolean;
}

/** The stores of users and of deleted users. */
export interface UserStores {
  readonly users: UserStore;
  readonly deletedUsers: DeletedUserStore;
}

/**
 * Storage for users, with the guarantees of `Store`. A line of an import succeeds or fails as in `create`; the options say which users
 * the lines match, and what happens to these users.
 */
export interface UserStore extends ImportTarget<ImportOptions, ImportedRecord> {
  read(id: number): MaybePromise<StoredRecord | undefined>;

  /**
   * Does a limited amount of work: a page can be short and still have a next page. `findOwner` says whose list it is: owners take
   * turns with lists that have to wait.
   */
  list(query: UserListQuery, findOwner?: () => string): MaybePromise<Page>;

  /** How `list` finds the page, with what it reads. Ignores `count`. */
  explain(query: UserListQuery, findOwner?: () => string): Promise<ListExplanation>;

  /** The custom fields that users have, in the order of their names. */
  listFields(owner?: string): Promise<CustomField[]>;

  /** The first values of a custom field; with a prefix, only texts that start with it. */
  listFieldValues(field: string, prefix: string, owner?: string): Promise<FieldValue[]>;

  /** The same values, each with the number of users who have it. Bounded: counts stop at the limits of `fieldLimits`. */
  countFieldValues(field: string, prefix: string, owner?: string): Promise<CountedFieldValue[]>;

  /**
   * Assigns the next id. A unique index decides whether the email is in use; the outcome is then the problem
   * `email-taken`.
   * With an idempotency key, the outcome is stored for 24 hours in the same transaction. A repeated request gets the
   * stored outcome, or fails with `idempotency-mismatch` if its fingerprint differs.
   */
  create(attempt: Attempt, idempotencyKey?: IdempotencyKey, by?: Origin): Promise<CreateOutcome>;

  /**
   * Changes many users in one transaction. Each succeeds or fails on its own, as in `edit`, `remove` and `restore`. A change of
   * memberships fails as a whole, with `group-not-found`, if the group does not exist. With an
   * idempotency key, all results together are stored as one outcome. A repeated request gets the stored outcome even if it has
   * other ids.
   */
  changeMany(
    ids: readonly number[],
    change: BulkChange,
    idempotencyKey?: IdempotencyKey,
    by?: Origin,
    condition?: ChangeCondition,
  ): Promise<ChangesOutcome>;

  /**
   * Looks at the users that are older than the fields `userName`, `groups` and `scim`, and moves the values that these fields cannot
   * have to other fields, as in `settleRecord`. Continues where an earlier call stopped. Calls `takesLong` once if there are many
   * users to look at. Returns how many users have changed.
   */
  settle(takesLong: () => void): Promise<number>;

  /** The outcomes that an import would have now. Nothing is written, and idempotency keys are ignored. */
  startDryRun(): ImportDryRun<ImportOptions, ImportedRecord>;

  /** The size of each of these users, in bytes of JSON. Users that do not exist are left out. */
  measure(ids: readonly number[]): Promise<ReadonlyMap<number, number>>;

  /** The users with one of these ids, folded emails or user names, or values of unique fields, in any order. */
  find(
    ids: readonly number[],
    names: readonly string[],
    values?: readonly Pick<ValueRow, "field" | "value">[],
  ): Promise<StoredRecord[]>;

  /** The ids of the users with these folded user names; for names that nobody has, of the users with these emails. */
  findByNames(names: readonly string[]): MaybePromise<ReadonlyMap<string, number>>;

  /**
   * Applies the edit to the current user. An edit that changes nothing keeps `version` and `updatedAt`.
   * If it fails, with `user-not-found`, `version-mismatch`, `precondition-failed`, `email-taken` or `invalid-user`,
   * nothing changes.
   */
  edit(id: number, edit: Edit, precondition?: Precondition, by?: Origin): Promise<StoredRecord>;

  /**
   * Fails with `user-not-found`, `version-mismatch` or `precondition-failed`. The id is never reused. The user can be restored,
   * unless `purge` erases it too.
   */
  remove(id: number, precondition?: Precondition, by?: Origin, purge?: boolean): Promise<void>;
}
