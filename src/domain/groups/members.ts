import type { Origin } from "../caller.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import { checkPrecondition, type Precondition } from "../precondition.ts";
import { ProblemError } from "../problem-error.ts";
import type { StoredRecord } from "../records/record.ts";
import { checkMemberPatch } from "./check-members.ts";
import { groupNotFound } from "./group.ts";
import type { GroupStore, MemberPatchOutcome, Membership } from "./group-store.ts";

interface MemberStores {
  readonly groups: GroupStore;
  readonly users: { read(id: number): MaybePromise<StoredRecord | undefined> };
}

/** What callers can do with the members of groups, except to list them. Methods throw a `ProblemError` if they fail. */
export class Members {
  readonly #groups: GroupStore;
  readonly #users: MemberStores["users"];

  constructor({ groups, users }: MemberStores) {
    this.#groups = groups;
    this.#users = users;
  }

  /** The user that is a member. The precondition is about the user. */
  async read({ groupId, userId }: Membership, precondition: Precondition | undefined): Promise<StoredRecord> {
    const isMember = await this.#groups.isMember(groupId, userId);
    if (isMember === undefined) throw groupNotFound(groupId);
    const user = isMember ? await this.#users.read(userId) : undefined;
    if (!user) {
      throw new ProblemError("member-not-found", `User ${userId} is not a member of group ${groupId}.`);
    }
    if (precondition) checkPrecondition(precondition, user, "user");
    return user;
  }

  /** Adds and removes members. The precondition is about the group. */
  change(
    by: Origin,
    groupId: number,
    body: unknown,
    precondition: Precondition | undefined,
  ): Promise<MemberPatchOutcome> {
    return this.#groups.patchMembers(groupId, checkMemberPatch(body), precondition, by);
  }

  add(by: Origin, { groupId, userId }: Membership, precondition: Precondition | undefined): Promise<void> {
    return this.#groups.setMember(groupId, userId, true, precondition, by);
  }

  remove(by: Origin, { groupId, userId }: Membership, precondition: Precondition | undefined): Promise<void> {
    return this.#groups.setMember(groupId, userId, false, precondition, by);
  }
}
