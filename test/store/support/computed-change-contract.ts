import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { GroupRecord } from "../../../src/contract/groups/group.ts";
import type { UserRecord } from "../../../src/contract/users/user.ts";
import { anonymousOrigin, type Origin } from "../../../src/domain/caller.ts";
import { parseGroup } from "../../../src/domain/groups/group.ts";
import type { GroupChange, GroupStore } from "../../../src/domain/groups/group-store.ts";
import { Groups } from "../../../src/domain/groups/groups.ts";
import { memberIds } from "../../../src/domain/groups/member-ids.ts";
import { RunningKeys } from "../../../src/domain/idempotency-key.ts";
import { ProblemError } from "../../../src/domain/problem-error.ts";
import type { StoredRecord } from "../../../src/domain/records/record.ts";
import type { Store } from "../../../src/domain/store.ts";
import { defaultRecordRules } from "../../../src/domain/users/record-rules.ts";
import { parseUser } from "../../../src/domain/users/user.ts";
import { Users } from "../../../src/domain/users/users.ts";
import { findSqliteCorruption } from "../../support/consistency/list-checks.ts";
import { findPostgresCorruption } from "../../support/consistency/postgres-corruption.ts";
import { ifMatch, type OpenStore, outcomeOf, type StoreUnderTest } from "./store-under-test.ts";

const by: Origin = anonymousOrigin;

/** A greater id than any user has had. */
const NEVER = 1e9;

/** What every engine must do with changes that are computed from records, between nodes too. */
export function computedChangeContract(engine: string, open: OpenStore): void {
  describe(`${engine}: computed changes`, () => {
    let opened: StoreUnderTest;
    let store: Store;
    /** The use cases of two nodes. */
    let users: readonly [Users, Users];
    let groups: readonly [Groups, Groups];
    let other: Store;
    beforeAll(async () => {
      opened = await open();
      [store, other] = [opened.store, await opened.openAnother()];
      users = [usersOf(store), usersOf(other)];
      groups = [groupsOf(store.groups), groupsOf(other.groups)];
    });
    afterAll(async () => {
      const { url } = opened;
      const { users: count } = await store.stats();
      // The simulated database has no URL.
      if (!url.startsWith("postgres://simulated")) {
        const find = opened.engine === "sqlite" ? findSqliteCorruption : findPostgresCorruption;
        expect(await find(url, count)).toEqual([]);
      }
      await other.close();
      await opened.destroy();
    });

    const createUser = async (record: Partial<UserRecord> = {}): Promise<number> =>
      (await users[0].create(by, { name: "Member", ...record })).id;
    const createUsers = async (count: number): Promise<number[]> => {
      const ids = await Promise.all(Array.from({ length: count }, () => createUser()));
      return ids.sort((a, b) => a - b);
    };
    let created = 0;
    const createGroup = (members: readonly number[] = []) =>
      groups[0].createWithMembers(by, { name: `Group ${created++}` }, members);
    const membersOf = async (groupId: number) => {
      const ids: number[] = [];
      for await (const page of memberIds(other.groups, groupId)) ids.push(...page);
      return ids;
    };
    const readGroup = async (id: number) => {
      const group = await other.groups.read(id);
      if (!group) throw new Error(`There is no group ${id}.`);
      const { record, memberCount } = parseGroup(group.json);
      return { version: group.version, record, memberCount };
    };
    /** The events of a group: type, version, and how many members were added and removed. */
    const eventsOf = async (id: number) => {
      const page = await other.events.read({ limit: 100, subject: { type: "group", id } });
      return (page?.events ?? []).map(({ json }) => {
        const { type, version, changes, record } = JSON.parse(json);
        expect(record).toMatchObject({ id, version });
        const { added = [], removed = [] } = changes.members ?? {};
        return [type, version, added.length, removed.length, record.memberCount];
      });
    };

    test("of users on two nodes all arrive, each on top of the others", async () => {
      const id = await createUser();
      const marks = Array.from({ length: 40 }, (_, i) => i);
      await Promise.all(
        marks.map((mark) =>
          users[mark % 2 ? 1 : 0].transform(by, id, undefined, (user) => ({
            record: append(parseUser(user.json).record, mark),
          })),
        ),
      );
      const user = await other.users.read(id);
      expect(user?.version).toBe(1 + marks.length);
      expect(sorted(JSON.parse(user?.json ?? "{}").marks)).toEqual(marks);
    });

    test("of groups on two nodes all arrive, while others change their members", async () => {
      const ids = await createUsers(20);
      const { id } = await createGroup();
      const marks = Array.from({ length: 40 }, (_, i) => i);
      await Promise.all([
        ...marks.map((mark) =>
          groups[mark % 2 ? 1 : 0].transform(by, id, undefined, (group) => ({
            record: append(parseGroup(group.json).record, mark),
          })),
        ),
        ...ids.map((userId) => store.groups.setMember(id, userId, true)),
      ]);
      const { version, record, memberCount } = await readGroup(id);
      expect({ marks: sorted(record.marks), memberCount }).toEqual({ marks, memberCount: ids.length });
      const events = await eventsOf(id);
      expect(events.map(([, version]) => version)).toEqual(Array.from({ length: version }, (_, i) => i + 1));
    });

    test("are computed again from the record that another node has written since", async () => {
      const id = await createUser({ level: 1 });
      let edits = 0;
      const raced = usersOf({
        ...store,
        users: {
          ...store.users,
          async edit(...args) {
            if (edits++ < 3) await other.users.edit(id, { merge: { level: 1 + edits } });
            return store.users.edit(...args);
          },
        },
      });
      const seen: unknown[] = [];
      const changed = await raced.transform(by, id, undefined, (user) => {
        const { record } = parseUser(user.json);
        seen.push(record.level);
        return { record: { ...record, mark: "kept" } };
      });
      expect(seen).toEqual([1, 2, 3, 4]);
      expect(JSON.parse(changed.json)).toMatchObject({ level: 4, mark: "kept", version: 5 });
      expect(await other.users.read(id)).toEqual(changed);
    });

    test("are no longer repeated when the store closes", async () => {
      const id = await createUser();
      const node = await opened.openAnother();
      const raced = Promise.withResolvers<void>();
      let edits = 0;
      const closing = usersOf({
        ...node,
        users: {
          ...node.users,
          async edit(...args) {
            await other.users.edit(id, { merge: { level: ++edits } });
            if (edits === 3) raced.resolve();
            return node.users.edit(...args);
          },
        },
      });
      const change = (user: StoredRecord) => ({ record: append(parseUser(user.json).record, 1) });
      const ended = closing.transform(by, id, undefined, change).catch(() => "failed");
      await raced.promise;
      await node.close();
      expect(await ended).toBe("failed");
      expect(JSON.parse((await other.users.read(id))?.json ?? "{}").marks).toBeUndefined();
    });

    test("check the precondition of the caller, also before they are computed again", async () => {
      const id = await createUser();
      const mark = (user: StoredRecord) => ({ record: append(parseUser(user.json).record, 1) });
      expect(await outcomeOf(users[0].transform(by, id, ifMatch(2), mark))).toBe("version-mismatch");
      const not = { match: undefined, noneMatch: "any" } as const;
      expect(await outcomeOf(users[0].transform(by, id, not, mark))).toBe("precondition-failed");
      expect(await outcomeOf(users[0].transform(by, NEVER, undefined, mark))).toBe("user-not-found");
      const raced = usersOf({
        ...store,
        users: {
          ...store.users,
          async edit(...args) {
            await other.users.edit(id, { merge: { level: 2 } });
            return store.users.edit(...args);
          },
        },
      });
      expect(await outcomeOf(raced.transform(by, id, ifMatch(1), mark))).toBe("version-mismatch");
      expect((await users[1].transform(by, id, ifMatch(2), mark)).version).toBe(3);

      const group = await createGroup();
      const change = () => ({ record: { name: "Never" }, members: { add: [id], remove: [] } });
      for (const [precondition, problem] of [
        [ifMatch(9), "version-mismatch"],
        [not, "precondition-failed"],
      ] as const) {
        expect(await outcomeOf(groups[0].transform(by, group.id, precondition, change))).toBe(problem);
        const replacement = { record: () => ({ name: "Never" }), ids: [id] };
        expect(await outcomeOf(groups[0].replaceMembers(by, group.id, precondition, replacement))).toBe(
          problem,
        );
      }
      expect(await outcomeOf(groups[0].transform(by, NEVER, undefined, change))).toBe("group-not-found");
      expect(await outcomeOf(groups[0].replaceMembers(by, NEVER, undefined, { ids: [id] }))).toBe(
        "group-not-found",
      );
      expect(await other.groups.read(group.id)).toEqual(group);
    });

    test("write nothing if there is nothing to change", async () => {
      const [a = 0] = await createUsers(1);
      const user = await store.users.read(a);
      const group = await createGroup([a]);
      expect(await users[0].transform(by, a, undefined, () => undefined)).toEqual(user ?? group);
      const same = (found: StoredRecord) => ({ record: parseUser(found.json).record });
      expect(await users[0].transform(by, a, undefined, same)).toEqual(user ?? group);
      for (const change of [
        () => undefined,
        () => ({}),
        () => ({ members: { add: [], remove: [] } }),
        () => ({ members: { add: [a], remove: [] } }),
        (found: StoredRecord) => ({ record: parseGroup(found.json).record }),
      ]) {
        expect(await groups[0].transform(by, group.id, undefined, change)).toEqual(group);
      }
      const record = ({ json }: StoredRecord) => parseGroup(json).record;
      expect(await groups[0].replaceMembers(by, group.id, undefined, { ids: [a] })).toEqual(group);
      expect(await groups[0].replaceMembers(by, group.id, undefined, { record, ids: [a] })).toEqual(group);
      expect(await other.groups.read(group.id)).toEqual(group);
    });

    test("check records like other writes", async () => {
      const id = await createUser();
      const invalid = () => ({ record: { name: " " } });
      expect(await outcomeOf(users[0].transform(by, id, undefined, invalid))).toBe("invalid-user");
      const group = await createGroup();
      expect(await outcomeOf(groups[0].transform(by, group.id, undefined, invalid))).toBe("invalid-group");
      expect(await outcomeOf(groups[0].createWithMembers(by, { name: " " }, []))).toBe("invalid-group");
    });

    test("of users are made without an email that another user has", async () => {
      await createUser({ email: "taken@example.com" });
      const withoutEmail = { name: "Ada", emails: ["taken@example.com"] };
      const record = { ...withoutEmail, email: "taken@example.com" };
      const ada = await users[0].createWithFallback(by, { record, withoutEmail });
      const { record: stored } = parseUser(ada.json);
      expect(stored).toEqual(withoutEmail);
      expect(await outcomeOf(users[0].createWithFallback(by, { record }))).toBe("email-taken");
      const named = (fields: UserRecord) => ({ ...fields, name: "Ada Lovelace" });
      const both = () => ({ record: named(record), withoutEmail: named(withoutEmail) });
      const renamed = await users[1].transform(by, ada.id, undefined, both);
      expect(parseUser(renamed.json).record).toEqual(named(withoutEmail));
      expect(
        await outcomeOf(users[1].transform(by, ada.id, undefined, () => ({ record: named(record) }))),
      ).toBe("email-taken");
      const free = { ...record, email: "free@example.com" };
      const freed = await users[1].transform(by, ada.id, undefined, () => ({ record: free, withoutEmail }));
      expect(parseUser(freed.json).record).toEqual(free);
      // Only a taken email has another record.
      await createUser({ userName: "taken" });
      const taken = { record: { ...free, userName: "taken" }, withoutEmail };
      expect(await outcomeOf(users[0].transform(by, ada.id, undefined, () => taken))).toBe("value-taken");
      expect(await other.users.read(ada.id)).toEqual(freed);
    });

    test("give an email that several users want at once to one of them", async () => {
      const withoutEmail = { name: "Wants" };
      const record = { ...withoutEmail, email: "wanted@example.com" };
      const made = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          users[i % 2 ? 1 : 0].createWithFallback(by, { record, withoutEmail }),
        ),
      );
      const withEmail = made.filter(({ json }) => parseUser(json).record.email !== undefined);
      expect([made.length, withEmail.length]).toEqual([10, 1]);
    });

    test("create a group with its members in one transaction", async () => {
      const [a = 0, b = 0, gone = 0] = await createUsers(3);
      await store.users.remove(gone);
      const group = await groups[0].createWithMembers(by, { name: "With members" }, [b, a, gone, b]);
      expect(await readGroup(group.id)).toEqual({
        version: 2,
        record: { name: "With members" },
        memberCount: 2,
      });
      expect(await other.groups.read(group.id)).toEqual(group);
      expect(await membersOf(group.id)).toEqual([a, b]);
      expect(await eventsOf(group.id)).toEqual([
        ["group.created", 1, 0, 0, 0],
        ["group.members_changed", 2, 2, 0, 2],
      ]);
      const taken = groups[1].createWithMembers(by, { name: "WITH members" }, [a]);
      expect(await outcomeOf(taken)).toBe("value-taken");
      const unknown = groups[1].createWithMembers(by, { name: "Unknown" }, [a, NEVER]);
      await expect(unknown).rejects.toMatchObject({
        type: "invalid-group",
        data: { errors: [{ pointer: "/members/1", detail: `There is no user ${NEVER}.` }] },
      });
      expect((await other.groups.findByNames(["unknown"])).size).toBe(0);
      expect(await createGroup([gone])).toMatchObject({ version: 1 });
      const key = { caller: "c", key: "with members", fingerprint: "f" };
      const attempt = { record: { name: "Once" }, members: [a, b] };
      const first = await store.groups.create(attempt, key);
      expect(await other.groups.create(attempt, key)).toEqual({ ...first, replayed: true });
      expect(first.outcome).toMatchObject({ group: { version: 2 } });
    });

    test("change the record and the members of a group in one transaction", async () => {
      const ids = await createUsers(2300);
      const [a = 0, b = 0, ...others] = ids;
      const gone = others.pop() ?? 0;
      await store.users.remove(gone);
      const { id } = await createGroup([a]);
      const rename = (name: string) => (group: StoredRecord) => ({ ...parseGroup(group.json).record, name });
      const changed = await groups[0].transform(by, id, undefined, (group) => ({
        record: rename("Both")(group),
        members: { add: [...others, gone], remove: [a, b] },
      }));
      expect(await other.groups.read(id)).toEqual(changed);
      expect(await readGroup(id)).toMatchObject({ version: 6, record: { name: "Both" }, memberCount: 2297 });
      expect(await membersOf(id)).toEqual(others);
      expect(await eventsOf(id)).toEqual([
        ["group.created", 1, 0, 0, 0],
        ["group.members_changed", 2, 1, 0, 1],
        ["group.updated", 3, 0, 0, 1],
        ["group.members_changed", 4, 1000, 0, 1001],
        ["group.members_changed", 5, 1000, 0, 2001],
        ["group.members_changed", 6, 297, 1, 2297],
      ]);
      const { name } = (await readGroup((await createGroup()).id)).record;
      for (const [members, record, problem] of [
        [{ add: [a], remove: [others[0] ?? 0] }, { name }, "value-taken"],
        [{ add: [a, NEVER], remove: [] }, { name: "Not this" }, "invalid-group"],
        [{ add: [a, NEVER], remove: [] }, undefined, "invalid-group"],
      ] as const) {
        expect(await outcomeOf(groups[1].transform(by, id, undefined, () => ({ record, members })))).toBe(
          problem,
        );
      }
      await expect(
        groups[1].transform(by, id, undefined, () => ({ members: { add: [a, NEVER], remove: [] } })),
      ).rejects.toMatchObject({ data: { errors: [{ pointer: "/add/1" }] } });
      expect(await other.groups.read(id)).toEqual(changed);
      // The same ids are refused if the caller does not ask to skip them.
      expect(await outcomeOf(store.groups.change(id, { members: { add: [gone], remove: [] } }))).toBe(
        "invalid-group",
      );
    });

    test("fail with a version mismatch if the group has another record, whatever its members are", async () => {
      const [a = 0] = await createUsers(1);
      const { id } = await createGroup();
      const { record } = await readGroup(id);
      const change = (level: number, from: GroupRecord) =>
        store.groups.change(id, { edit: { merge: { level } }, from });
      await other.groups.setMember(id, a, true);
      expect((await change(1, record)).group.version).toBe(3);
      expect(await outcomeOf(change(2, record))).toBe("version-mismatch");
      expect((await change(2, { level: 1, ...record })).group.version).toBe(4);
    });

    test("of a record are not computed again because others change the members", async () => {
      const [a = 0] = await createUsers(1);
      const { id } = await createGroup();
      const raced = raceBefore(store.groups, async () => {
        await other.groups.setMember(id, a, true);
        await other.groups.setMember(id, a, false);
      });
      let computed = 0;
      await raced.transform(by, id, undefined, (group) => {
        computed++;
        return { record: append(parseGroup(group.json).record, 1) };
      });
      // Once to see what changes, and once in its turn.
      expect(computed).toBe(2);
      expect(await readGroup(id)).toMatchObject({ version: 4, record: { marks: [1] }, memberCount: 0 });
    });

    test("know the last id that a user was given", async () => {
      const [id = 0] = await createUsers(1);
      expect(await other.groups.lastUserId()).toBe(id);
      await store.users.remove(id, undefined, by, true);
      expect(await other.groups.lastUserId()).toBe(id);
    });

    test("replace the members of a group, up to 1,000 changes with the record in one transaction", async () => {
      const ids = await createUsers(1500);
      const [a = 0, b = 0, c = 0, gone = 0] = ids;
      await store.users.remove(gone);
      const { id } = await createGroup([a, b]);
      const record = (group: StoredRecord) => ({ ...parseGroup(group.json).record, level: 1 });
      await groups[1].replaceMembers(by, id, ifMatch(2), { record, ids: [c, b, c, gone] });
      expect(await membersOf(id)).toEqual([b, c]);
      await groups[0].replaceMembers(by, id, undefined, { ids: ids.slice(4, 1002) });
      expect(await membersOf(id)).toEqual(ids.slice(4, 1002));
      expect(await eventsOf(id)).toEqual([
        ["group.created", 1, 0, 0, 0],
        ["group.members_changed", 2, 2, 0, 2],
        ["group.updated", 3, 0, 0, 2],
        ["group.members_changed", 4, 1, 1, 2],
        ["group.members_changed", 5, 998, 2, 998],
      ]);
      const unknown = groups[0].replaceMembers(by, id, undefined, { ids: [a, NEVER] });
      await expect(unknown).rejects.toMatchObject({
        type: "invalid-group",
        data: { errors: [{ pointer: "/members/1" }] },
      });
    });

    test("replace more members in transactions of 1,000, and continue if they are repeated", async () => {
      const ids = await createUsers(3500);
      const { id } = await createGroup(ids.slice(0, 700));
      const wanted = ids.slice(600);
      const record = (group: StoredRecord) => ({ ...parseGroup(group.json).record, level: 1 });
      let writes = 0;
      const failing = groupsOf({
        ...store.groups,
        async change(...args) {
          if (++writes === 3) throw new ProblemError("unavailable");
          return store.groups.change(...args);
        },
      });
      const replacement = { record, ids: wanted };
      expect(await outcomeOf(failing.replaceMembers(by, id, ifMatch(2), replacement))).toBe("unavailable");
      expect(await readGroup(id)).toMatchObject({ version: 5, record: { level: 1 }, memberCount: 1500 });
      const replaced = await groups[1].replaceMembers(by, id, undefined, replacement);
      expect(await other.groups.read(id)).toEqual(replaced);
      expect(await membersOf(id)).toEqual(wanted);
      expect((await eventsOf(id)).slice(2)).toEqual([
        ["group.updated", 3, 0, 0, 700],
        ["group.members_changed", 4, 400, 600, 500],
        ["group.members_changed", 5, 1000, 0, 1500],
        ["group.members_changed", 6, 1000, 0, 2500],
        ["group.members_changed", 7, 400, 0, 2900],
      ]);
      await groups[0].replaceMembers(by, id, undefined, { ids: [] });
      expect(await readGroup(id)).toMatchObject({ version: 10, memberCount: 0 });
      expect(await membersOf(id)).toEqual([]);
    });

    test("replace members in one transaction if the caller limits how many change", async () => {
      const ids = await createUsers(2200);
      const group = await createGroup(ids.slice(0, 3));
      const replace = (mostChanges: number) =>
        groups[0].replaceMembers(by, group.id, undefined, { ids: ids.slice(1), mostChanges });
      expect(await outcomeOf(replace(2197))).toBe("too-large");
      expect(await other.groups.read(group.id)).toEqual(group);
      expect((await replace(2198)).version).toBe(group.version + 3);
      expect(await membersOf(group.id)).toEqual(ids.slice(1));
    });

    test("that replace the same members on two nodes leave the members of one of them", async () => {
      const ids = await createUsers(20);
      const { id } = await createGroup();
      const choices = Array.from({ length: 10 }, (_, i) => ids.slice(i, i + 10));
      await Promise.all(
        choices.map((choice, i) => groups[i % 2 ? 1 : 0].replaceMembers(by, id, undefined, { ids: choice })),
      );
      expect(choices).toContainEqual(await membersOf(id));
    });

    test("replace members of a group that others change all the time", async () => {
      const [a = 0, b = 0, ...others] = await createUsers(10);
      const { id } = await createGroup([a]);
      const left = [...others];
      const raced = raceBefore(store.groups, async () => {
        await other.groups.setMember(id, left.shift() ?? a, true);
      });
      await raced.replaceMembers(by, id, undefined, { ids: [b] });
      // What was added after the members had been read the last time.
      expect(await membersOf(id)).toHaveLength(2);
      expect(await membersOf(id)).toContain(b);
      expect(left.length).toBeGreaterThan(0);
    });

    test("read the ids of members in pages, from any id", async () => {
      const ids = await createUsers(1300);
      const { id } = await createGroup();
      await groups[0].transform(by, id, undefined, () => ({ members: { add: ids, remove: [] } }));
      const lengths: number[] = [];
      for await (const page of memberIds(other.groups, id, ids[99])) lengths.push(page.length);
      expect(lengths).toEqual([1000, 200]);
      expect(await membersOf(id)).toEqual(ids);
      expect(await membersOf(NEVER)).toEqual([]);
    });
  });
}

function usersOf(store: Store): Users {
  return new Users(store, defaultRecordRules, new RunningKeys(), true);
}

function groupsOf(store: GroupStore): Groups {
  return new Groups(store, defaultRecordRules, new RunningKeys());
}

/** Groups whose writes come after those of others. */
function raceBefore(store: GroupStore, race: () => Promise<void>): Groups {
  return groupsOf({
    ...store,
    async change(id: number, change: GroupChange, ...others) {
      await race();
      return store.change(id, change, ...others);
    },
  });
}

function append<Fields extends UserRecord | GroupRecord>(record: Fields, mark: number): Fields {
  const { marks } = record;
  return { ...record, marks: [...(Array.isArray(marks) ? marks : []), mark] };
}

function sorted(marks: unknown): unknown[] {
  return Array.isArray(marks) ? marks.map(Number).sort((a, b) => a - b) : [];
}
