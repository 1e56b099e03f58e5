import { anonymousOrigin } from "../../../src/domain/caller.ts";
import { ProblemError } from "../../../src/domain/problem-error.ts";
import type { Store } from "../../../src/domain/store.ts";
import type { MembershipCondition } from "../../../src/domain/users/user-store.ts";
import type { Action } from "../action.ts";
import { ConnectionLost } from "../node.ts";
import { Random } from "../random.ts";
import type { World } from "../world.ts";

/** Few names: some creates are refused. */
const NAMES = 8;
/** Users that one write adds, removes, deletes or restores. */
const MOST_USERS = 6;

/** Some of the users that somebody has created, in any order. */
function pickUsers({ userIds }: World, random: Random): number[] {
  const chosen = Array.from({ length: 1 + random.integer(MOST_USERS) }, () => random.pick(userIds));
  return [...new Set(chosen)];
}

/** A write that the store of a node does; `isEverywhere`: of every node, at the same time. */
function write(
  weight: number,
  name: string,
  work: (store: Store, world: World, random: Random) => Promise<unknown>,
  isEverywhere = false,
): Action {
  return {
    name,
    weight,
    isPlain: false,
    async run(world, random) {
      const running = world.nodes.filter((node) => node.isRunning);
      if (running.length === 0 || world.groupIds.length === 0 || world.userIds.length === 0) return;
      const nodes = isEverywhere ? running : [random.pick(running)];
      const seed = random.integer(2 ** 32);
      await Promise.all(
        nodes.map(async (node) => {
          try {
            // The same random numbers choose the same group and users.
            await node.useStore((store) => work(store, world, new Random(seed)));
          } catch (error) {
            if (!(error instanceof ProblemError || error instanceof ConnectionLost)) throw error;
          }
        }),
      );
    },
  };
}

function nextOrigin(world: World) {
  return { ...anonymousOrigin, requestId: `members-${world.nextMark()}` };
}

export const groupActions: readonly Action[] = [
  {
    name: "create a group",
    weight: 4,
    isPlain: false,
    async run(world, random) {
      const node = world.pickNode(random);
      if (!node) return;
      const json = { name: `Group ${random.integer(NAMES)}`, mark: world.nextMark() };
      const credential = world.pickCredential(random);
      const answer = await world.call(node, { method: "POST", path: "/api/groups", json, credential });
      if (answer?.status === 201) world.groupIds.push(JSON.parse(answer.text).id);
    },
  },
  {
    name: "remove a group",
    weight: 1,
    isPlain: false,
    async run(world, random) {
      const node = world.pickNode(random);
      if (!node || world.groupIds.length === 0) return;
      const path = `/api/groups/${random.pick(world.groupIds)}`;
      await world.call(node, { method: "DELETE", path, credential: world.pickCredential(random) });
    },
  },
  write(
    2,
    "import the same groups on every node",
    async ({ groups }, world, random) => {
      const names = Array.from({ length: 1 + random.integer(4) }, () => `Group ${random.integer(NAMES)}`);
      const onConflict = random.pick(["fail", "skip", "update"] as const);
      const lines = names.map((name) => ({ json: JSON.stringify({ name, mark: world.nextMark() }) }));
      const options = { onConflict, match: "name" };
      const { results } = await groups.import(lines, undefined, nextOrigin(world), options);
      for (const line of results)
        if ("created" in line && line.created && line.id) world.groupIds.push(line.id);
    },
    true,
  ),
  write(10, "change members of a group", ({ groups }, world, random) => {
    const users = pickUsers(world, random);
    const added = random.integer(users.length + 1);
    const patch = { add: users.slice(0, added), remove: users.slice(added) };
    return groups.patchMembers(random.pick(world.groupIds), patch, undefined, nextOrigin(world));
  }),
  write(
    3,
    "change the same members of a group on every node",
    ({ groups }, world, random) => {
      const groupId = random.pick(world.groupIds);
      const users = pickUsers(world, random);
      const isAdded = random.chance(0.5);
      const patch = { add: isAdded ? users : [], remove: isAdded ? [] : users };
      return groups.patchMembers(groupId, patch, undefined, nextOrigin(world));
    },
    true,
  ),
  write(
    3,
    "change a group and its members on every node",
    ({ groups }, world, random) => {
      const users = pickUsers(world, random);
      const added = random.integer(users.length + 1);
      const members = { add: users.slice(0, added), remove: users.slice(added) };
      const edit = { merge: { name: `Group ${random.integer(NAMES)}`, mark: world.nextMark() } };
      const change = { edit, members, skipMissing: true };
      return groups.change(random.pick(world.groupIds), change, undefined, nextOrigin(world));
    },
    true,
  ),
  write(2, "create a group with members", async ({ groups }, world, random) => {
    const record = { name: `Group ${random.integer(NAMES)}`, mark: world.nextMark() };
    const attempt = { record, members: pickUsers(world, random) };
    const { outcome } = await groups.create(attempt, undefined, nextOrigin(world));
    if ("group" in outcome) world.groupIds.push(outcome.group.id);
  }),
  write(4, "add or remove a member", ({ groups }, world, random) => {
    const [groupId, userId] = [random.pick(world.groupIds), random.pick(world.userIds)];
    return groups.setMember(groupId, userId, random.chance(0.7), undefined, nextOrigin(world));
  }),
  write(4, "import or remove memberships of several groups", ({ groups }, world, random) => {
    const lines = pickUsers(world, random).map((userId) => ({
      groupId: random.pick(world.groupIds),
      userId,
    }));
    return groups.importMembers(lines, random.chance(0.3), undefined, nextOrigin(world));
  }),
  write(3, "delete or restore several users", ({ users }, world, random) => {
    const change = random.pick(["remove", "restore", "restore", "remove-and-purge"] as const);
    return users.changeMany(pickUsers(world, random), change, undefined, nextOrigin(world));
  }),
  write(3, "add several users to a group, or remove them", ({ users }, world, random) => {
    const change = { groupId: random.pick(world.groupIds), isMember: random.chance(0.7) };
    const memberships: readonly MembershipCondition[] = random.pick([
      [],
      [{ kind: "membership", by: "any", values: [], negated: true }],
      [{ kind: "membership", by: "id", values: [random.pick(world.groupIds)], negated: false }],
    ]);
    return users.changeMany(pickUsers(world, random), change, undefined, nextOrigin(world), {
      ...{ expression: undefined, versions: [], memberships },
    });
  }),
];
