import type { ImportOptions } from "../../contract/bulk/bulk.ts";
import type { GroupRecord } from "../../contract/groups/group.ts";
import type { ProblemType } from "../../contract/problems.ts";
import type { ListExplanation } from "../../contract/users/explanation-schemas.ts";
import type { Origin } from "../caller.ts";
import type { IdempotencyKey } from "../idempotency-key.ts";
import type { ImportDryRun, ImportedRecord, ImportTarget } from "../import-row.ts";
import type { Page } from "../lists/listing.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import type { Precondition } from "../precondition.ts";
import type { ProblemData } from "../problem-error.ts";
import type { StoredRecord } from "../records/record.ts";
import type { GroupEdit } from "./group.ts";
import type { GroupListQuery } from "./group-list-fields.ts";

/**
 * A group to create with its first members, or a problem to store as the outcome of its idempotency key. Ids that no user has are no
 * members. A group has at most 1,000 first members.
 */
export type GroupAttempt =
  | { readonly record: GroupRecord; readonly members?: readonly number[] }
  | { readonly problem: ProblemData };

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

/** A change of a group's record, of its members, or of both. */
export interface GroupChange {
  readonly edit?: GroupEdit;
  /** The record that the edit was computed from. If the group has another one, the change fails with `version-mismatch`. */
  readonly from?: GroupRecord;
  readonly members?: MemberPatch;
  /** Whether ids to add that no user has are skipped. Otherwise the change fails. */
  readonly skipMissing?: boolean;
}

/** The group after a change, and how many users the change really added and removed. */
export interface GroupChangeOutcome {
  readonly group: StoredRecord;
  readonly added: number;
  readonly removed: number;
}

/** How many users a patch really added and removed. */
export interface MemberPatchOutcome {
  readonly added: number;
  readonly removed: number;
  /** The version of the group. */
  readonly version: number;
}

/** A user and a group, which may be a membership. */
export interface Membership {
  readonly groupId: number;
  readonly userId: number;
}

/** A line of an import of memberships, or the type of the problem that was found before. */
export type MembershipLine = Membership | ProblemType;

/** The result of a line: its membership was added or removed, or did not need to change, or the type of its problem. */
export type MembershipResult = "changed" | "unchanged" | ProblemType;

/** The outcome of a chunk of an import of memberships: of this request, or the stored outcome of an earlier one. */
export interface MembershipsOutcome {
  readonly results: readonly MembershipResult[];
  /** The bytes of JSON of the groups that have changed. */
  readonly bytes: number;
  readonly replayed: boolean;
}

/** Where a page of memberships begins: after this one, in the order of groups and users. */
export interface MembershipPageQuery {
  readonly after: Membership | undefined;
  /** Only these groups, in the order of their ids. Undefined for all. */
  readonly groupIds: readonly number[] | undefined;
  /** Whether rows have names, as far as there are any, in place of ids. */
  readonly names: boolean;
}

/** A group and a user: the id, the name of the group or the user name. */
export type MembershipRow = readonly [group: number | string, user: number | string];

/** Some memberships, in the order of groups and users. A page can be short and still have a next page. */
export interface MembershipPage {
  readonly rows: readonly MembershipRow[];
  /** Where the next page begins; undefined at the end. */
  readonly next: Membership | undefined;
}

/**
 * Storage for groups, with the guarantees of `Store`. A line of an import succeeds or fails as in `create` or `edit`; the options say
 * which groups the lines match, and what happens to these groups.
 */
export interface GroupStore extends ImportTarget<ImportOptions, ImportedRecord> {
  read(id: number): MaybePromise<StoredRecord | undefined>;

  /** As the list of users: a page can be short and still have a next page. */
  list(query: GroupListQuery, findOwner?: () => string): MaybePromise<Page>;

  /** How `list` finds the page, with what it reads. Ignores `count`. */
  explain(query: GroupListQuery, findOwner?: () => string): Promise<ListExplanation>;

  /**
   * Assigns the next id. A unique index decides whether the name is in use; the outcome is then the problem `value-taken`. With an
   * idempotency key, the outcome is stored as that of a user. First members are the second version of the group.
   */
  create(attempt: GroupAttempt, idempotencyKey?: IdempotencyKey, by?: Origin): Promise<GroupCreateOutcome>;

  /** The outcomes that an import would have now. Nothing is written, and idempotency keys are ignored. */
  startDryRun(): ImportDryRun<ImportOptions, ImportedRecord>;

  /** The size of each of these groups, in bytes of JSON. Groups that do not exist are left out. */
  measure(ids: readonly number[]): Promise<ReadonlyMap<number, number>>;

  /**
   * Applies the edit to the current group. An edit that changes nothing keeps `version` and `updatedAt`. If it fails, with
   * `group-not-found`, `version-mismatch`, `precondition-failed`, `value-taken` or `invalid-group`, nothing changes.
   */
  edit(id: number, edit: GroupEdit, precondition?: Precondition, by?: Origin): Promise<StoredRecord>;

  /**
   * Changes the record and the members in one transaction, as `edit` and `patchMembers` do. The record has its own version and event,
   * before those of the members. If it fails, nothing changes.
   */
  change(
    id: number,
    change: GroupChange,
    precondition?: Precondition,
    by?: Origin,
  ): Promise<GroupChangeOutcome>;

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

  /** The last id that a user was given: nobody has ever had a greater one. */
  lastUserId(): MaybePromise<number>;

  /** The ids of the groups with these folded names. */
  findByNames(names: readonly string[]): MaybePromise<ReadonlyMap<string, number>>;

  /**
   * Adds memberships, or removes them, in one transaction. Each line succeeds or fails on its own, with `group-not-found` or
   * `user-not-found`. With an idempotency key, all results together are stored as one outcome. A repeated request gets the stored
   * outcome even if its names mean other users and groups now.
   */
  importMembers(
    lines: readonly MembershipLine[],
    removes: boolean,
    idempotencyKey?: IdempotencyKey,
    by?: Origin,
  ): Promise<MembershipsOutcome>;

  /** What importing each line would do now, if it was the only one. */
  checkMembers(lines: readonly MembershipLine[], removes: boolean): Promise<MembershipResult[]>;

  /** Does a limited amount of work. Memberships of groups that do not exist any more are left out. */
  listMemberships(query: MembershipPageQuery): Promise<MembershipPage>;

  /** Removes some rows of groups that were removed, in a short transaction. Returns how many: 0 if there are none left. */
  removeLeftMemberships(): Promise<number>;
}
