import type { GroupRecord } from "../../contract/groups/group.ts";
import type { ListExplanation } from "../../contract/users/explanation-schemas.ts";
import type { Origin } from "../caller.ts";
import type { IdempotencyKey } from "../idempotency-key.ts";
import type { Page } from "../lists/listing.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import type { Precondition } from "../precondition.ts";
import type { ProblemData } from "../problem-error.ts";
import type { StoredRecord } from "../records/record.ts";
import type { GroupEdit } from "./group.ts";
import type { GroupListQuery } from "./group-list-fields.ts";

/** A group to create, or a problem to store as the outcome of its idempotency key. */
export type GroupAttempt = { readonly record: GroupRecord } | { readonly problem: ProblemData };

/** The outcome of a create: of this request, or the stored outcome of an earlier one. */
export interface GroupCreateOutcome {
  readonly outcome: { readonly group: StoredRecord } | { readonly problem: ProblemData };
  readonly replayed: boolean;
}

/** The ids of users to add to a group, and of members to remove. None is in both. */
export interface MemberPatch {
  readonly add: readonly number[];
  readonly remove: readonly number[];
}

/** How many users a patch really added and removed. */
export interface MemberPatchOutcome {
  readonly added: number;
  readonly removed: number;
  /** The version of the group. */
  readonly version: number;
}

/** Storage for groups, with the guarantees of `Store`. */
export interface GroupStore {
  read(id: number): MaybePromise<StoredRecord | undefined>;

  /** As the list of users: a page can be short and still have a next page. */
  list(query: GroupListQuery, findOwner?: () => string): MaybePromise<Page>;

  /** How `list` finds the page, with what it reads. Ignores `count`. */
  explain(query: GroupListQuery, findOwner?: () => string): Promise<ListExplanation>;

  /**
   * Assigns the next id. A unique index decides whether the name is in use; the outcome is then the problem `value-taken`. With an
   * idempotency key, the outcome is stored as that of a user.
   */
  create(attempt: GroupAttempt, idempotencyKey?: IdempotencyKey, by?: Origin): Promise<GroupCreateOutcome>;

  /**
   * Applies the edit to the current group. An edit that changes nothing keeps `version` and `updatedAt`. If it fails, with
   * `group-not-found`, `version-mismatch`, `precondition-failed`, `value-taken` or `invalid-group`, nothing changes.
   */
  edit(id: number, edit: GroupEdit, precondition?: Precondition, by?: Origin): Promise<StoredRecord>;

  /**
   * Fails with `group-not-found`, `version-mismatch` or `precondition-failed`. The id is never reused, the name is free, and nobody is
   * a member any more; `removeLeftMemberships` removes what is left of the memberships.
   */
  remove(id: number, precondition?: Precondition, by?: Origin): Promise<void>;

  /**
   * Adds and removes members in one transaction. The version grows if at least one changes. If it fails, with `group-not-found`,
   * `version-mismatch`, `precondition-failed` or `invalid-group`, nothing changes.
   */
  patchMembers(
    id: number,
    patch: MemberPatch,
    precondition?: Precondition,
    by?: Origin,
  ): Promise<MemberPatchOutcome>;

  /** Makes a user a member, or removes it. Fails as `patchMembers`, and with `user-not-found`. */
  setMember(
    id: number,
    userId: number,
    isMember: boolean,
    precondition?: Precondition,
    by?: Origin,
  ): Promise<void>;

  /** Whether the user is a member. Undefined if there is no such group. */
  isMember(id: number, userId: number): Promise<boolean | undefined>;

  /** The ids of the groups that have one of these folded names. */
  findIds(names: readonly string[]): Promise<ReadonlyMap<string, number>>;

  /** Removes some rows of groups that were removed, in a short transaction. Returns how many: 0 if there are none left. */
  removeLeftMemberships(): Promise<number>;
}
