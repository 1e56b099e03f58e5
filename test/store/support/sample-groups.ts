import { expect } from "bun:test";
import type { Store } from "../../../src/domain/store.ts";

/** Which users are members of each group. The first group has the id 1. */
const members: readonly ((userId: number) => boolean)[] = [
  (userId) => userId % 3 === 0,
  (userId) => userId % 7 === 1,
  (userId) => userId <= 60,
  (userId) => userId === 77,
  () => false,
];

/** A group that was removed, with rows of its members left, and one that never existed. */
const missing = [members.length + 1, 9999];

/** The ids that lists of users filter by. */
export const sampleGroupIds = [...members.map((_, index) => index + 1), ...missing];

/** The folded name of a group. */
export function sampleGroupName(id: number): string {
  return `team ${id}`;
}

/** Creates the groups in a store that has none. */
export async function createSampleGroups({ groups }: Store, userIds: readonly number[]): Promise<void> {
  for (const [index, isMember] of [...members, () => true].entries()) {
    const { outcome } = await groups.create({ record: { name: `Team ${index + 1}` } });
    expect(outcome).toMatchObject({ group: { id: index + 1 } });
    await groups.patchMembers(index + 1, { add: userIds.filter(isMember), remove: [] });
  }
  await groups.remove(members.length + 1);
}

/** The users, with the groups that `createSampleGroups` has made them members of. */
export function withSampleGroups<User extends { readonly id: number }>(
  users: readonly User[],
): (User & { memberships: number[] })[] {
  return users.map((user) => ({
    ...user,
    memberships: members.flatMap((isMember, index) => (isMember(user.id) ? [index + 1] : [])),
  }));
}
