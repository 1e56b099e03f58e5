import { expect } from "bun:test";
import fc from "fast-check";
import { anonymousOrigin, type Origin } from "../../../src/domain/caller.ts";
import { foldEmail } from "../../../src/domain/fold.ts";
import type { GroupListQuery } from "../../../src/domain/groups/group-list-fields.ts";
import type { MemberPatch, Membership, MembershipResult } from "../../../src/domain/groups/group-store.ts";
import type { MembershipFilter } from "../../../src/domain/lists/listing.ts";
import type { Precondition } from "../../../src/domain/precondition.ts";
import { ProblemError } from "../../../src/domain/problem-error.ts";
import type { Store } from "../../../src/domain/store.ts";
import type { UserListQuery } from "../../../src/domain/users/user-list-fields.ts";
import type { BulkChange, MembershipCondition } from "../../../src/domain/users/user-store.ts";
import { type EventReplay, MembershipReplay } from "./membership-replay.ts";
import { allGroups, allUsers, ifMatch, rowsOf } from "./store-under-test.ts";

const NAMES = 5;
/** No user ever has this id. */
const UNKNOWN_ID = 4_000_000_000;

const kinds = [
  "create-user",
  "create-group",
  "rename-group",
  "remove-group",
  "delete",
  "delete-and-purge",
  "delete-many",
  "purge-many",
  "restore",
  "restore-many",
  "purge",
  "set",
  "unset",
  "patch",
  "patch",
  "patch-unknown",
  "import",
  "import-removal",
  "set-many",
  "unset-many",
  "set-some",
  "delete-some",
] as const;

/** A random change. The numbers choose among the users, groups and names of the model. */
export interface MemberChange {
  readonly kind: (typeof kinds)[number];
  readonly group: number;
  readonly users: readonly number[];
  readonly name: number;
  /** The precondition of a change of a group: none, its version, or another one. */
  readonly match: "none" | "right" | "wrong";
}

const memberChanges: fc.Arbitrary<MemberChange> = fc.record({
  kind: fc.constantFrom(...kinds),
  group: fc.nat(1000),
  users: fc.array(fc.nat(1000), { minLength: 1, maxLength: 5 }),
  name: fc.nat(NAMES - 1),
  match: fc.oneof({ weight: 8, arbitrary: fc.constant("none" as const) }, fc.constantFrom("right", "wrong")),
});

/** Changes that are submitted together: to one node, in this order; or to two nodes in turns, in any order. */
export interface Step {
  readonly changes: readonly MemberChange[];
  readonly nodes: 1 | 2;
  readonly removesLeft: boolean;
}

export const steps: fc.Arbitrary<Step> = fc.record({
  changes: fc.array(memberChanges, { minLength: 1, maxLength: 10 }),
  nodes: fc.constantFrom(1, 1, 2),
  removesLeft: fc.boolean(),
});

interface ModelUser {
  state: "user" | "deleted" | "purged";
  /** The groups of a deleted user. */
  kept: readonly number[];
}

interface ModelGroup {
  name: string;
  version: number;
  members: Set<number>;
}

/** A change with the users and the group that it is about. */
interface Target {
  readonly kind: MemberChange["kind"];
  readonly name: string;
  readonly groupId: number;
  readonly ids: readonly number[];
  /** The first of the ids. */
  readonly userId: number;
  readonly precondition: Precondition | undefined;
  readonly isWrong: boolean;
  readonly patch: MemberPatch;
  /** The lines of an import, in several groups. */
  readonly lines: readonly Membership[];
  /** The condition of a change of some users. */
  readonly condition: MembershipCondition;
}

/** What a write returns, in short. */
type Result = string;
type Outcome = () => Promise<void>;

/** The expected users, groups and memberships of a store that nobody else changes. */
export class MembershipModel {
  readonly #store: Store;
  readonly #other: Store;
  /** Names and users of other models have another mark. */
  readonly #mark: string;
  readonly #users = new Map<number, ModelUser>();
  readonly #groups = new Map<number, ModelGroup>();
  readonly #removedGroups: number[] = [];
  readonly #replay: MembershipReplay;
  /** Writes that have been submitted. */
  writes = 0;

  private constructor(nodes: readonly [Store, Store], mark: string, replay: MembershipReplay) {
    [this.#store, this.#other] = nodes;
    this.#mark = mark;
    this.#replay = replay;
  }

  static async start(nodes: readonly [Store, Store], mark: string): Promise<MembershipModel> {
    const model = new MembershipModel(nodes, mark, await MembershipReplay.start(nodes[0]));
    const first = (kind: MemberChange["kind"], name: number): MemberChange => ({
      ...{ kind, name },
      ...{ group: 0, users: [], match: "none" },
    });
    const users = Array.from({ length: 6 }, (_, i) => first("create-user", i));
    const groups = Array.from({ length: 3 }, (_, i) => first("create-group", i));
    await model.run({ changes: [...users, ...groups], nodes: 1, removesLeft: false });
    return model;
  }

  async run({ changes, nodes, removesLeft }: Step): Promise<void> {
    this.writes += changes.length;
    if (nodes === 1) {
      const outcomes = changes.map((change) => this.#submit(change));
      for (const outcome of outcomes) await outcome();
      this.#expectSame(await this.#replay.readNew());
    } else {
      const writes = changes.map((change, i) =>
        this.#submitUnordered(change, i % 2 ? this.#other : this.#store),
      );
      for (const problem of await Promise.all(writes))
        if (problem) expect(expectedProblems).toContainEqual(problem);
      this.#take(await this.#replay.readNew());
    }
    if (removesLeft) await this.#other.groups.removeLeftMemberships();
  }

  /** Compares the records and the lists of both nodes with the model. */
  async verify(): Promise<void> {
    await Promise.all([this.#verifyRecords(this.#store), this.#verifyLists(this.#other)]);
  }

  /** Removes all that is left of removed groups. */
  async removeLeft(): Promise<void> {
    while ((await this.#store.groups.removeLeftMemberships()) > 0);
  }

  async #verifyRecords(store: Store): Promise<void> {
    for (const [id, { name, version, members }] of this.#groups) {
      const group = await store.groups.read(id);
      expect(group && JSON.parse(group.json)).toMatchObject({ id, name, version, memberCount: members.size });
      expect(group?.version).toBe(version);
      for (const userId of this.#users.keys())
        expect([id, userId, await store.groups.isMember(id, userId)]).toEqual([
          id,
          userId,
          members.has(userId),
        ]);
    }
    for (const id of this.#removedGroups) {
      expect(await store.groups.read(id)).toBeUndefined();
      expect(await store.groups.isMember(id, 1)).toBeUndefined();
    }
    for (const [id, { state }] of this.#users) {
      const found = [await store.users.read(id), await store.deletedUsers.read(id)];
      expect([id, ...found.map((user) => user !== undefined)]).toEqual([
        id,
        state === "user",
        state === "deleted",
      ]);
    }
  }

  async #verifyLists(store: Store): Promise<void> {
    const users = [...this.#users].filter(([, { state }]) => state === "user").map(([id]) => id);
    const ownUsers = { kind: "custom", field: "mark", values: [this.#mark] } as const;
    const ownGroups = ownUsers;
    const expectUsers = async (filter: MembershipFilter, expected: (id: number) => boolean, part = {}) => {
      const isAlone = !filter.negated && filter.by !== "any";
      const filters: UserListQuery["filters"] = isAlone ? [filter] : [filter, ownUsers];
      const query = { ...allUsers, limit: 1000, filters, count: true, ...part };
      const { total, ...page } = await store.users.list(query);
      const ids = rowsOf({ ...page, total }).map(({ id }) => id);
      const wanted = sortNumbers(users.filter(expected));
      expect({ filter, ids: sortNumbers(ids) }).toEqual({ filter, ids: wanted });
      expect({ filter, total }).toEqual({ filter, total: { count: wanted.length, capped: false } });
    };
    const expectGroups = async (filter: MembershipFilter, expected: (members: Set<number>) => boolean) => {
      const filters: GroupListQuery["filters"] = [filter, ownGroups];
      const query: GroupListQuery = { ...allGroups, limit: 1000, filters, sort: "memberCount" };
      const found = rowsOf(await store.groups.list(query)).map(({ id }) => id);
      const wanted = [...this.#groups].filter(([, { members }]) => expected(members));
      const ordered = wanted.sort(([a, { members: m }], [b, { members: n }]) => m.size - n.size || a - b);
      expect({ filter, found }).toEqual({ filter, found: ordered.map(([id]) => id) });
    };
    const isIn = (groupId: number, id: number) => this.#groups.get(groupId)?.members.has(id) ?? false;
    const groupIds = [...this.#groups.keys(), ...this.#removedGroups];
    const isInAny = (id: number) => groupIds.some((groupId) => isIn(groupId, id));
    const kind = "membership";
    for (const [index, id] of groupIds.entries()) {
      await expectUsers({ kind, by: "id", values: [id] }, (userId) => isIn(id, userId));
      await expectUsers({ kind, by: "id", values: [id], negated: true }, (userId) => !isIn(id, userId));
      const pair = [id, groupIds[(index + 1) % groupIds.length] ?? id, UNKNOWN_ID];
      const isInPair = (userId: number) => pair.some((groupId) => isIn(groupId, userId));
      await expectUsers({ kind, by: "id", values: pair }, isInPair, { sort: "name", descending: true });
      await expectUsers({ kind, by: "id", values: pair, negated: true }, (userId) => !isInPair(userId));
    }
    for (const [id, { name }] of this.#groups) {
      const values = [foldEmail(name)];
      await expectUsers({ kind, by: "name", values }, (userId) => isIn(id, userId));
      await expectUsers({ kind, by: "name", values, negated: true }, (userId) => !isIn(id, userId));
    }
    await expectUsers({ kind, by: "name", values: [`${this.#mark} nobody`] }, () => false);
    await expectUsers({ kind, by: "any", values: [] }, isInAny);
    await expectUsers({ kind, by: "any", values: [], negated: true }, (id) => !isInAny(id));
    for (const id of this.#users.keys()) {
      await expectGroups({ kind, by: "id", values: [id] }, (members) => members.has(id));
      await expectGroups({ kind, by: "id", values: [id], negated: true }, (members) => !members.has(id));
    }
    await expectGroups({ kind, by: "id", values: [...this.#users.keys()] }, ({ size }) => size > 0);
    await expectGroups({ kind, by: "any", values: [] }, ({ size }) => size > 0);
  }

  /** Applies a change to the model and submits it. The returned function compares the outcomes. */
  #submit(change: MemberChange): Outcome {
    const target = this.#target(change);
    const expected = this.#apply(target);
    const actual = this.#write(this.#store, target).catch(problemType);
    return async () => {
      const result = await actual;
      if (expected !== undefined) {
        expect([change, result]).toEqual([change, expected]);
        return;
      }
      // The id of the new record is known now.
      expect([change, result]).toEqual([change, expect.stringMatching(/^\d+$/)]);
      if (target.kind === "create-user") {
        this.#users.set(Number(result), { state: "user", kept: [] });
      } else {
        this.#groups.set(Number(result), { name: target.name, version: 1, members: new Set() });
        this.#reserved.delete(target.name);
      }
    };
  }

  /** Submits a change whose outcome depends on other nodes. Returns its problem. */
  async #submitUnordered(change: MemberChange, node: Store): Promise<Result | undefined> {
    const result = await this.#write(node, this.#target(change)).catch(problemType);
    return /^(\d|done|version \d)/.test(result) ? undefined : result;
  }

  /** Names of groups that are being created. */
  readonly #reserved = new Set<string>();

  #target(change: MemberChange): Target {
    const groupIds = [...this.#groups.keys(), ...this.#removedGroups.slice(-1)];
    const userIds = [...this.#users.keys()].slice(-12);
    const groupId = groupIds[change.group % groupIds.length] ?? 0;
    const ids = userIds.length > 0 ? change.users.map((user) => userIds[user % userIds.length] ?? 0) : [];
    const version = this.#groups.get(groupId)?.version ?? 1;
    const precondition =
      change.match === "none" ? undefined : ifMatch(change.match === "right" ? version : version + 100);
    const half = Math.ceil(ids.length / 2);
    const add = ids.slice(0, half);
    const remove = [...new Set(ids.slice(half))].filter((id) => !add.includes(id));
    const unknown = change.kind === "patch-unknown" ? [UNKNOWN_ID] : [];
    const tested = groupIds[(change.group + 1) % groupIds.length] ?? 0;
    const membership = { kind: "membership", negated: change.name % 2 > 0 } as const;
    return {
      kind: change.kind,
      name: this.#nameOf(change.name),
      ...{ groupId, ids: [...new Set(ids)], userId: ids[0] ?? 0, precondition },
      isWrong: change.match === "wrong",
      patch: { add: [...add, ...unknown], remove },
      lines: change.users.map((user, i) => ({
        groupId: groupIds[(change.group + i) % groupIds.length] ?? 0,
        userId: i === 3 ? UNKNOWN_ID : (userIds[user % userIds.length] ?? 0),
      })),
      condition:
        change.name < 2
          ? { ...membership, by: "any", values: [] }
          : { ...membership, by: "id", values: [tested, UNKNOWN_ID] },
    };
  }

  #nameOf(number: number): string {
    return `${this.#mark} Group ${number}`;
  }

  /** The expected result; undefined for the id of a new record. */
  #apply(target: Target): Result | undefined {
    const { kind, groupId, ids, userId, name, isWrong, patch, lines, condition } = target;
    const group = this.#groups.get(groupId);
    const isTaken = this.#reserved.has(name) || [...this.#groups.values()].some((each) => each.name === name);
    const touched = new Map<number, number>();
    const touch = (id: number) => touched.set(id, (touched.get(id) ?? 0) + 1);
    const remove = (id: number, purge: boolean): boolean => {
      const user = this.#users.get(id);
      if (user?.state !== "user") return false;
      const own = [...this.#groups].filter(([, { members }]) => members.delete(id)).map(([each]) => each);
      own.forEach(touch);
      Object.assign(user, { state: purge ? "purged" : "deleted", kept: purge ? [] : own });
      return true;
    };
    const restore = (id: number): boolean => {
      const user = this.#users.get(id);
      if (user?.state !== "deleted") return false;
      for (const each of user.kept) {
        if (this.#groups.has(each)) touch(each);
        this.#groups.get(each)?.members.add(id);
      }
      Object.assign(user, { state: "user", kept: [] });
      return true;
    };
    const raiseVersions = () => {
      for (const id of touched.keys()) {
        const each = this.#groups.get(id);
        if (each) each.version++;
      }
    };
    const one = (done: boolean): Result => {
      raiseVersions();
      return done ? "done" : "user-not-found";
    };
    const many = (change: (id: number) => boolean): Result => {
      const done = ids.filter(change).length;
      raiseVersions();
      return `done ${done}`;
    };
    const isMet = (id: number) => {
      const tested: readonly number[] = condition.by === "any" ? [...this.#groups.keys()] : condition.values;
      return tested.some((each) => this.#groups.get(each)?.members.has(id)) !== condition.negated;
    };
    const set = (members: Set<number>, isMember: boolean) => (id: number) => {
      if (this.#users.get(id)?.state !== "user") return false;
      if (members.has(id) !== isMember) touch(groupId);
      if (isMember) members.add(id);
      else members.delete(id);
      return true;
    };
    switch (kind) {
      case "create-user":
        return undefined;
      case "create-group":
        if (isTaken) return "value-taken";
        this.#reserved.add(name);
        return undefined;
      case "delete":
      case "delete-and-purge":
        return one(remove(userId, kind !== "delete"));
      case "delete-many":
      case "purge-many":
        return many((id) => remove(id, kind === "purge-many"));
      case "restore":
        return one(restore(userId));
      case "import":
      case "import-removal": {
        const results = lines.map((line): MembershipResult => {
          const members = this.#groups.get(line.groupId)?.members;
          if (!members) return "group-not-found";
          if (this.#users.get(line.userId)?.state !== "user") return "user-not-found";
          if (members.has(line.userId) !== (kind === "import-removal")) return "unchanged";
          if (kind === "import") members.add(line.userId);
          else members.delete(line.userId);
          touch(line.groupId);
          return "changed";
        });
        raiseVersions();
        return `done ${results}`;
      }
      case "restore-many":
        return many(restore);
      case "delete-some":
        return many((id) => isMet(id) && remove(id, false));
      case "purge": {
        const user = this.#users.get(userId);
        if (user?.state !== "deleted") return "user-not-found";
        Object.assign(user, { state: "purged", kept: [] });
        return "done";
      }
    }
    if (!group) return "group-not-found";
    if (kind === "set-many" || kind === "unset-many") return many(set(group.members, kind === "set-many"));
    if (kind === "set-some") return many((id) => isMet(id) && set(group.members, true)(id));
    if (isWrong) return "version-mismatch";
    switch (kind) {
      case "rename-group":
        if (group.name === name) return `version ${group.version}`;
        if (isTaken) return "value-taken";
        group.name = name;
        group.version++;
        return `version ${group.version}`;
      case "remove-group":
        this.#groups.delete(groupId);
        this.#removedGroups.push(groupId);
        return "done";
      case "set":
      case "unset": {
        if (this.#users.get(userId)?.state !== "user") return "user-not-found";
        const isChanged = group.members.has(userId) !== (kind === "set");
        if (kind === "set") group.members.add(userId);
        else group.members.delete(userId);
        if (isChanged) group.version++;
        return "done";
      }
      case "patch":
      case "patch-unknown": {
        const missing = patch.add.flatMap((id, i) => (this.#users.get(id)?.state === "user" ? [] : [i]));
        if (missing.length > 0) return `invalid-group ${missing.map((i) => `/add/${i}`)}`;
        const before = group.members.size;
        for (const id of patch.add) group.members.add(id);
        const added = group.members.size - before;
        const removed = patch.remove.filter((id) => group.members.delete(id)).length;
        if (added + removed > 0) group.version++;
        return `version ${group.version} ${added} ${removed}`;
      }
    }
  }

  async #write(store: Store, target: Target): Promise<Result> {
    const { kind, groupId, ids, userId, name, precondition, patch, lines, condition } = target;
    const by: Origin = { ...anonymousOrigin, requestId: crypto.randomUUID() };
    const { users, groups, deletedUsers } = store;
    const many = async (change: BulkChange, memberships?: readonly MembershipCondition[]) => {
      const met = memberships && { expression: undefined, versions: [], memberships };
      const changed = await users.changeMany(ids, change, undefined, by, met);
      return `done ${changed.users.filter(({ problem, skipped }) => !(problem || skipped)).length}`;
    };
    switch (kind) {
      case "create-user": {
        const { outcome } = await users.create({ record: { name, mark: this.#mark } }, undefined, by);
        return "user" in outcome ? String(outcome.user.id) : outcome.problem.type;
      }
      case "create-group": {
        const { outcome } = await groups.create({ record: { name, mark: this.#mark } }, undefined, by);
        return "group" in outcome ? String(outcome.group.id) : outcome.problem.type;
      }
      case "rename-group":
        return `version ${(await groups.edit(groupId, { merge: { name } }, precondition, by)).version}`;
      case "remove-group":
        await groups.remove(groupId, precondition, by);
        return "done";
      case "delete":
      case "delete-and-purge":
        await users.remove(userId, undefined, by, kind !== "delete");
        return "done";
      case "delete-many":
        return many("remove");
      case "purge-many":
        return many("remove-and-purge");
      case "restore":
        await deletedUsers.restore(userId, {}, undefined, by);
        return "done";
      case "restore-many":
        return many("restore");
      case "delete-some":
        return many("remove", [condition]);
      case "set-many":
      case "unset-many":
        return many({ groupId, isMember: kind === "set-many" });
      case "set-some":
        return many({ groupId, isMember: true }, [condition]);
      case "purge":
        await deletedUsers.purge(userId, undefined, by);
        return "done";
      case "import":
      case "import-removal": {
        const { results } = await groups.importMembers(lines, kind === "import-removal", undefined, by);
        return `done ${results}`;
      }
      case "set":
      case "unset":
        await groups.setMember(groupId, userId, kind === "set", precondition, by);
        return "done";
      case "patch":
      case "patch-unknown": {
        const { version, added, removed } = await groups.patchMembers(groupId, patch, precondition, by);
        return `version ${version} ${added} ${removed}`;
      }
    }
  }

  /** The events say what the model says. */
  #expectSame({ users, groups, removedGroups }: EventReplay): void {
    expect(removedGroups).toEqual(this.#removedGroups);
    expect(sortById(groups)).toEqual(sortById(this.#groups));
    expect(sortById(users)).toEqual(sortById(this.#users));
  }

  /** The model now says what the events say. */
  #take({ users, groups, removedGroups }: EventReplay): void {
    this.#users.clear();
    this.#groups.clear();
    for (const [id, user] of sortById(users)) this.#users.set(id, user);
    for (const [id, group] of sortById(groups)) this.#groups.set(id, group);
    this.#removedGroups.splice(0, this.#removedGroups.length, ...removedGroups);
  }
}

/** Problems of writes that other nodes were faster than. */
const expectedProblems = [
  "user-not-found",
  "group-not-found",
  "value-taken",
  "version-mismatch",
  expect.stringMatching(/^invalid-group \/add\//),
];

function problemType(error: unknown): Result {
  if (!(error instanceof ProblemError)) throw error;
  const { errors } = error.data;
  return error.type === "invalid-group"
    ? `${error.type} ${errors?.map(({ pointer }) => pointer)}`
    : error.type;
}

function sortById<T>(map: ReadonlyMap<number, T>): [number, T][] {
  return structuredClone([...map].sort(([a], [b]) => a - b));
}

function sortNumbers(ids: readonly number[]): number[] {
  return [...ids].sort((a, b) => a - b);
}
