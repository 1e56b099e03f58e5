import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { anonymousOrigin, type Origin } from "../../../src/domain/caller.ts";
import type { StoredEvent } from "../../../src/domain/events/event.ts";
import type { EventQuery } from "../../../src/domain/events/event-store.ts";
import { parseExpression } from "../../../src/domain/filter/parse-expression.ts";
import type {
  Membership,
  MembershipLine,
  MembershipPageQuery,
  MembershipRow,
} from "../../../src/domain/groups/group-store.ts";
import type { IdempotencyKey } from "../../../src/domain/idempotency-key.ts";
import type { MembershipFilter } from "../../../src/domain/lists/listing.ts";
import { ProblemError } from "../../../src/domain/problem-error.ts";
import type { Store } from "../../../src/domain/store.ts";
import type { MembershipChange, MembershipCondition } from "../../../src/domain/users/user-store.ts";
import { findSqliteCorruption } from "../../support/consistency/list-checks.ts";
import { findPostgresCorruption } from "../../support/consistency/postgres-corruption.ts";
import { MembershipModel, type Step, steps } from "./membership-model.ts";
import {
  allGroups,
  allUsers,
  ifMatch,
  type OpenStore,
  outcomeOf,
  rowsOf,
  type StoreUnderTest,
} from "./store-under-test.ts";

/** How long to compare with the model, for each store. Without MEMBERSHIP_SECONDS, a fixed number of histories. */
const SECONDS = Number(process.env.MEMBERSHIP_SECONDS ?? 0);
const amount =
  SECONDS > 0
    ? { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: SECONDS * 1000 }
    : { numRuns: 12 };

/** What every engine must do with the members of groups, between nodes too. */
export function membershipContract(engine: string, open: OpenStore): void {
  describe(`${engine}: members of groups`, () => {
    let opened: StoreUnderTest;
    let store: Store;
    /** Another node. */
    let other: Store;
    beforeAll(async () => {
      opened = await open();
      [store, other] = [opened.store, await opened.openAnother()];
    });
    afterAll(async () => {
      await other.close();
      await opened.destroy();
    });

    const createUsers = async (count: number): Promise<number[]> => {
      const created = await Promise.all(
        Array.from({ length: count }, (_, i) => store.users.create({ record: { name: `Member ${i}` } })),
      );
      return created.map(({ outcome }) => {
        if ("problem" in outcome) throw ProblemError.of(outcome.problem);
        return outcome.user.id;
      });
    };
    /** Indexes and counts match the users and the groups. */
    const expectSound = async () => {
      const { url, engine } = opened;
      const { users } = await store.stats();
      // The simulated database has no URL.
      if (url.startsWith("postgres://simulated")) return;
      const errors =
        engine === "sqlite" ? findSqliteCorruption(url, users) : await findPostgresCorruption(url, users);
      expect(errors).toEqual([]);
    };
    let groups = 0;
    const createGroup = async (members: readonly number[] = [], node = store): Promise<number> => {
      const { outcome } = await node.groups.create({ record: { name: `Group ${groups++}` } });
      if ("problem" in outcome) throw ProblemError.of(outcome.problem);
      const { id } = outcome.group;
      if (members.length > 0) await node.groups.patchMembers(id, { add: members, remove: [] });
      return id;
    };
    const readGroup = async (id: number) => {
      const { version, json } = (await other.groups.read(id)) ?? { version: 0, json: "{}" };
      return { version, memberCount: JSON.parse(json).memberCount };
    };
    const listMembers = async (values: number[]) => {
      const filter: MembershipFilter = { kind: "membership", by: "id", values };
      return rowsOf(await other.users.list({ ...allUsers, limit: 1000, filters: [filter] })).map(
        ({ id }) => id,
      );
    };
    /** Returns in how many steps. */
    const removeLeft = async (nodes: readonly Store[]): Promise<number> => {
      for (let steps = 0; ; steps++) {
        const removed = await nodes[steps % nodes.length]?.groups.removeLeftMemberships();
        if (!removed) return steps;
      }
    };
    const listGroups = async (userId: number) => {
      const filters = [{ kind: "membership", by: "id", values: [userId] }] as const;
      return rowsOf(await other.groups.list({ ...allGroups, filters })).map(({ id }) => id);
    };
    /** The changes of the members of a group: the version after each, and its ids. */
    const memberEvents = async (id: number) => {
      const page = await other.events.read({ limit: 100, subject: { type: "group", id } });
      const events = (page?.events ?? []).map(({ json }) => JSON.parse(json));
      return events
        .filter(({ type }) => type === "group.members_changed")
        .map(({ version, changes: { members }, record, requestId }) => {
          expect(record).toMatchObject({ id, version });
          return { version, ...members, memberCount: record.memberCount, requestId };
        });
    };
    const request = (requestId: string): Origin => ({ ...anonymousOrigin, requestId });

    test("are added and removed by one patch, which is one version and one event", async () => {
      const [a = 0, b = 0, c = 0] = await createUsers(3);
      const id = await createGroup();
      expect(await store.groups.patchMembers(id, { add: [b, a, b], remove: [c] })).toEqual({
        ...{ added: 2, removed: 0, version: 2 },
      });
      const by = request("second patch");
      const second = await other.groups.patchMembers(id, { add: [c, a], remove: [b] }, undefined, by);
      expect(second).toEqual({ added: 1, removed: 1, version: 3 });
      expect(await readGroup(id)).toEqual({ version: 3, memberCount: 2 });
      expect(await listMembers([id])).toEqual([a, c]);
      expect(await memberEvents(id)).toEqual([
        { version: 2, added: [b, a], removed: [], memberCount: 2, requestId: null },
        { version: 3, added: [c], removed: [b], memberCount: 2, requestId: "second patch" },
      ]);
      const none = await store.groups.patchMembers(id, { add: [a], remove: [b] });
      expect(none).toEqual({ added: 0, removed: 0, version: 3 });
      expect(await readGroup(id)).toEqual({ version: 3, memberCount: 2 });
      expect(await memberEvents(id)).toHaveLength(2);
    });

    test("are added and removed one by one, as often as callers like", async () => {
      const [a = 0] = await createUsers(1);
      const id = await createGroup();
      for (const [isMember, version] of [
        [true, 2],
        [true, 2],
        [false, 3],
        [false, 3],
        [true, 4],
      ] as const) {
        await store.groups.setMember(id, a, isMember);
        expect(await readGroup(id)).toEqual({ version, memberCount: isMember ? 1 : 0 });
        expect(await other.groups.isMember(id, a)).toBe(isMember);
        expect(await listGroups(a)).toEqual(isMember ? [id] : []);
      }
      expect(await other.groups.isMember(id, 1e9)).toBe(false);
      expect(await other.groups.isMember(1e9, a)).toBeUndefined();
    });

    test("stay as they are if a write fails", async () => {
      const [a = 0, b = 0, gone = 0] = await createUsers(3);
      const id = await createGroup([a, gone]);
      await store.users.remove(gone);
      const before = { group: await readGroup(id), events: await memberEvents(id) };
      const patch = { add: [b, gone, 1e9], remove: [a] };
      const failing = store.groups.patchMembers(id, patch);
      await expect(failing).rejects.toMatchObject({
        type: "invalid-group",
        data: { errors: [{ pointer: "/add/1" }, { pointer: "/add/2" }] },
      });
      const valid = { add: [b], remove: [a] };
      for (const [work, problem] of [
        [() => store.groups.patchMembers(id, valid, ifMatch(2)), "version-mismatch"],
        [() => store.groups.setMember(id, b, true, ifMatch(9)), "version-mismatch"],
        [() => store.groups.setMember(id, gone, true), "user-not-found"],
        [() => store.groups.setMember(id, gone, false), "user-not-found"],
        [() => store.groups.setMember(id, 1e9, true), "user-not-found"],
        [() => store.groups.setMember(1e9, a, true), "group-not-found"],
        [() => store.groups.patchMembers(1e9, valid), "group-not-found"],
      ] as const)
        expect([problem, await outcomeOf(work())]).toEqual([problem, problem]);
      expect({ group: await readGroup(id), events: await memberEvents(id) }).toEqual(before);
      expect(await listMembers([id])).toEqual([a]);
      const { version } = before.group;
      expect(await store.groups.patchMembers(id, valid, ifMatch(version))).toMatchObject({
        version: version + 1,
      });
    });

    test("are raised in one write to a version and an event for each 1,000 changes", async () => {
      const ids = await createUsers(2300);
      const id = await createGroup();
      const patched = await store.groups.patchMembers(id, { add: ids.slice(0, 2100), remove: [] });
      expect(patched).toEqual({ added: 2100, removed: 0, version: 4 });
      const mixed = { add: ids.slice(2100), remove: ids.slice(0, 1000) };
      expect(await other.groups.patchMembers(id, mixed)).toEqual({ added: 200, removed: 1000, version: 6 });
      expect(await readGroup(id)).toEqual({ version: 6, memberCount: 1300 });
      const events = await memberEvents(id);
      expect(events.map((event) => [event.version, event.added, event.removed, event.memberCount])).toEqual([
        [2, ids.slice(0, 1000), [], 1000],
        [3, ids.slice(1000, 2000), [], 2000],
        [4, ids.slice(2000, 2100), [], 2100],
        [5, ids.slice(2100), ids.slice(0, 800), 1500],
        [6, [], ids.slice(800, 1000), 1300],
      ]);
      expect(await store.users.changeMany(ids.slice(1000, 1500), "remove")).toMatchObject({
        replayed: false,
      });
      expect(await readGroup(id)).toEqual({ version: 7, memberCount: 800 });
      expect((await memberEvents(id)).at(-1)).toMatchObject({ added: [], removed: ids.slice(1000, 1500) });
    }, 60_000);

    test("leave with a deleted user, and come back with it to the groups that still exist", async () => {
      const [a = 0, b = 0] = await createUsers(2);
      const [first, second, removed] = [
        await createGroup([a, b]),
        await createGroup([a]),
        await createGroup([a]),
      ];
      await other.users.remove(a, undefined, request("delete"));
      expect([await readGroup(first), await readGroup(second)]).toEqual([
        { version: 3, memberCount: 1 },
        { version: 3, memberCount: 0 },
      ]);
      expect([await listMembers([first, second]), await listGroups(a)]).toEqual([[b], []]);
      expect((await memberEvents(second)).at(-1)).toMatchObject({ removed: [a], requestId: "delete" });
      await store.groups.remove(removed);
      await store.deletedUsers.restore(a, {}, undefined, request("restore"));
      expect([await listGroups(a), await readGroup(first)]).toEqual([
        [first, second],
        { version: 4, memberCount: 2 },
      ]);
      expect((await memberEvents(second)).at(-1)).toMatchObject({ added: [a], requestId: "restore" });
      // A purged user comes back to nothing.
      await store.users.remove(a);
      await store.deletedUsers.purge(a);
      expect(await outcomeOf(store.deletedUsers.restore(a))).toBe("user-not-found");
      await store.users.remove(b, undefined, undefined, true);
      expect([await readGroup(first), await readGroup(second)]).toEqual([
        { version: 6, memberCount: 0 },
        { version: 5, memberCount: 0 },
      ]);
    });

    test("change once per write, also if it deletes and restores many users", async () => {
      const ids = await createUsers(20);
      const [first, second] = [await createGroup(ids), await createGroup(ids.slice(0, 5))];
      for (const [change, sign] of [
        ["remove", -1],
        ["restore", 1],
        ["remove-and-purge", -1],
      ] as const) {
        const before = await readGroup(first);
        const { users } = await store.users.changeMany(
          [...ids.slice(0, 10), 1e9],
          change,
          undefined,
          request(change),
        );
        expect(users.filter(({ problem }) => problem)).toMatchObject([{ id: 1e9 }]);
        expect(await readGroup(first)).toEqual({
          version: before.version + 1,
          memberCount: before.memberCount + sign * 10,
        });
        const list = sign > 0 ? "added" : "removed";
        expect((await memberEvents(first)).at(-1)).toMatchObject({
          [list]: ids.slice(0, 10),
          requestId: change,
        });
        expect((await memberEvents(second)).at(-1)).toMatchObject({
          [list]: ids.slice(0, 5),
          requestId: change,
        });
      }
      expect(await listMembers([first])).toEqual(ids.slice(10));
    });

    test("are in the history of each user that a change names, between its own events", async () => {
      const [a = 0, b = 0] = await createUsers(2);
      const [first, second] = [await createGroup([a, b]), await createGroup([b])];
      await other.users.edit(a, { merge: { name: "Renamed" } }, undefined, request("rename"));
      await other.groups.patchMembers(second, { add: [a], remove: [b] });
      await store.users.remove(a);
      await store.deletedUsers.restore(a);
      await store.groups.edit(first, { merge: { description: "Not about members" } });
      const read = async (query: Partial<EventQuery>) => {
        const page = await other.events.read({ limit: 100, ...query });
        return page?.events.map(({ type, subjectId }) => `${type} ${subjectId}`);
      };
      const history = [
        `user.created ${a}`,
        `group.members_changed ${first}`,
        `user.updated ${a}`,
        `group.members_changed ${second}`,
        ...[`user.deleted ${a}`, `group.members_changed ${first}`, `group.members_changed ${second}`],
        ...[`user.restored ${a}`, `group.members_changed ${first}`, `group.members_changed ${second}`],
      ];
      expect(await read({ historyOf: a })).toEqual(history);
      expect(await read({ historyOf: a, descending: true })).toEqual(history.toReversed());
      expect(await read({ historyOf: a, types: ["user.updated"] })).toEqual([`user.updated ${a}`]);
      expect(await read({ historyOf: a, requestId: "rename" })).toEqual([`user.updated ${a}`]);
      expect(await read({ historyOf: a, types: ["group.members_changed"], limit: 2 })).toEqual(
        [history[1], history[3]].map(String),
      );
      expect(await read({ historyOf: b })).toEqual([
        `user.created ${b}`,
        `group.members_changed ${first}`,
        ...[`group.members_changed ${second}`, `group.members_changed ${second}`],
      ]);
      expect(await read({ subject: { type: "user", id: b } })).toEqual([`user.created ${b}`]);
      for (const descending of [false, true]) {
        const pages: StoredEvent[] = [];
        let after: number | undefined;
        do {
          const page = await store.events.read({
            ...{ historyOf: a, limit: 1, descending },
            ...(after !== undefined && { after }),
          });
          pages.push(...(page?.events ?? []));
          after = page?.next;
        } while (after !== undefined);
        const lines = await store.events.readLines({ historyOf: a, limit: 1, descending });
        const expected = pages.map(({ json }) => `${json}\n`).join("");
        expect(pages).toHaveLength(history.length);
        expect(new TextDecoder().decode(lines?.body)).toBe(expected);
      }
    });

    test("are imported line by line, as one version and one event of each group", async () => {
      const [a = 0, b = 0, gone = 0] = await createUsers(3);
      const [first, second, removed] = [await createGroup([a]), await createGroup(), await createGroup()];
      await store.users.remove(gone);
      await store.groups.remove(removed);
      const lines: MembershipLine[] = [
        { groupId: first, userId: a },
        { groupId: first, userId: b },
        { groupId: second, userId: b },
        { groupId: second, userId: b },
        { groupId: second, userId: gone },
        { groupId: removed, userId: a },
        "invalid-group",
        "user-not-found",
      ];
      const problems = ["user-not-found", "group-not-found", "invalid-group", "user-not-found"] as const;
      const added = ["unchanged", "changed", "changed", "unchanged", ...problems] as const;
      // Alone, the fourth line would change something.
      const checked = ["unchanged", "changed", "changed", "changed", ...problems] as const;
      expect(await other.groups.checkMembers(lines, false)).toEqual([...checked]);
      const imported = await store.groups.importMembers(lines, false, undefined, request("import"));
      expect(imported).toMatchObject({ results: added, replayed: false });
      expect(imported.bytes).toBeGreaterThan(100);
      expect([await readGroup(first), await readGroup(second)]).toEqual([
        { version: 3, memberCount: 2 },
        { version: 2, memberCount: 1 },
      ]);
      expect(await memberEvents(second)).toMatchObject([{ added: [b], removed: [], requestId: "import" }]);
      expect(await store.groups.importMembers(lines, false)).toMatchObject({ bytes: 0 });
      expect(await readGroup(first)).toEqual({ version: 3, memberCount: 2 });
      const removing = ["changed", "changed", "changed", "unchanged", ...problems] as const;
      expect(await other.groups.importMembers(lines, true)).toMatchObject({ results: removing });
      expect([await readGroup(first), await readGroup(second)]).toEqual([
        { version: 4, memberCount: 0 },
        { version: 3, memberCount: 0 },
      ]);
    });

    test("are imported once for each idempotency key", async () => {
      const [a = 0, b = 0] = await createUsers(2);
      const id = await createGroup([a]);
      const key = { caller: "", key: `members ${id}`, fingerprint: "one" };
      const lines: MembershipLine[] = [
        { groupId: id, userId: a },
        "invalid-group",
        { groupId: id, userId: b },
      ];
      const results = ["unchanged", "invalid-group", "changed"] as const;
      expect(await store.groups.importMembers(lines, false, key)).toMatchObject({ results, replayed: false });
      await store.groups.patchMembers(id, { add: [], remove: [a, b] });
      // The names of the lines may mean other users now.
      const others: MembershipLine[] = ["user-not-found", "invalid-group", "user-not-found"];
      expect(await other.groups.importMembers(others, false, key)).toEqual({
        results,
        bytes: 0,
        replayed: true,
      });
      expect(await listMembers([id])).toEqual([]);
      const mismatch = store.groups.importMembers(lines, true, { ...key, fingerprint: "two" });
      expect(await outcomeOf(mismatch)).toBe("idempotency-mismatch");
    });

    test("have groups and users that are found by their names", async () => {
      const create = async (fields: object) => {
        const { outcome } = await store.users.create({ record: { name: "Named", ...fields } });
        if ("problem" in outcome) throw ProblemError.of(outcome.problem);
        return outcome.user.id;
      };
      const named = await create({ userName: "Shared@example.com" });
      const both = await create({ userName: "Both", email: "shared@example.com" });
      const byEmail = await create({ email: "Only@example.com" });
      const users = ["shared@example.com", "both", "only@example.com", "nobody"];
      const found = await other.users.findByNames(users);
      expect(users.map((name) => found.get(name))).toEqual([named, both, byEmail, undefined]);
      await store.users.remove(named);
      expect((await other.users.findByNames(users)).get("shared@example.com")).toBe(both);
      const id = await createGroup();
      const { name } = JSON.parse((await store.groups.read(id))?.json ?? "{}");
      const names = [name.toLowerCase(), "no such group", 'a"b', "7"];
      expect([...(await other.groups.findByNames(names))]).toEqual([[name.toLowerCase(), id]]);
      expect([...(await other.groups.findByNames([]))]).toEqual([]);
    });

    test("are listed in pages of 1,000, without those of removed groups", async () => {
      const ids = await createUsers(1300);
      const [first, removed, last] = [await createGroup(), await createGroup(), await createGroup()];
      for (const groupId of [first, removed, last]) {
        const members = groupId === last ? ids.slice(0, 3) : ids;
        await store.groups.patchMembers(groupId, { add: members, remove: [] });
      }
      await store.groups.remove(removed);
      const listAll = async (query: Pick<MembershipPageQuery, "groupIds" | "names">) => {
        const rows: MembershipRow[] = [];
        let after: Membership | undefined;
        for (let pages = 1; ; pages++) {
          const page = await other.groups.listMemberships({ ...query, after });
          expect(page.rows.length).toBeLessThanOrEqual(1000);
          rows.push(...page.rows);
          after = page.next;
          if (!after) return { rows, pages };
        }
      };
      const expected = [...ids.map((id) => [first, id]), ...ids.slice(0, 3).map((id) => [last, id])];
      const groupIds = [first, removed, last, 1e9];
      const { rows, pages } = await listAll({ groupIds, names: false });
      expect(rows.map((row) => [...row])).toEqual(expected);
      // The rest of the first group and 700 rows of the removed one are on the second page.
      expect(pages).toBe(3);
      const all = await listAll({ groupIds: undefined, names: false });
      expect(
        all.rows.filter(([group]) => groupIds.some((id) => id === group)).map((row) => [...row]),
      ).toEqual(expected);
      const named = await listAll({ groupIds, names: true });
      const { name } = JSON.parse((await store.groups.read(last))?.json ?? "{}");
      // These users have no user name.
      expect(named.rows.slice(-3).map((row) => [...row])).toEqual(ids.slice(0, 3).map((id) => [name, id]));
    }, 60_000);

    test("change once per bulk change of many users, which is one version and one event", async () => {
      const ids = await createUsers(500);
      const [a = 0, b = 0] = ids;
      const id = await createGroup([b]);
      const key = { caller: "", key: `members ${id}`, fingerprint: "f" };
      const run = (change: MembershipChange, changed: readonly number[], idempotencyKey?: IdempotencyKey) =>
        store.users.changeMany(changed, change, idempotencyKey, request("bulk"));
      const added = await run({ groupId: id, isMember: true }, [1e9, ...ids], key);
      expect(added).toEqual({
        users: [
          { id: 1e9, problem: { type: "user-not-found", detail: "There is no user 1000000000." } },
          ...ids.map((userId) => ({ id: userId })),
        ],
        replayed: false,
      });
      expect(await readGroup(id)).toEqual({ version: 3, memberCount: 500 });
      expect((await memberEvents(id)).slice(1)).toEqual([
        {
          version: 3,
          added: ids.filter((each) => each !== b),
          removed: [],
          memberCount: 500,
          requestId: "bulk",
        },
      ]);
      // A user keeps its version. What is true already is no change.
      expect((await other.users.read(a))?.version).toBe(1);
      expect((await run({ groupId: id, isMember: true }, [b, a])).users).toEqual([{ id: b }, { id: a }]);
      expect((await readGroup(id)).version).toBe(3);
      await run({ groupId: id, isMember: false }, [a, b, a]);
      expect(await readGroup(id)).toEqual({ version: 4, memberCount: 498 });
      expect(await run({ groupId: id, isMember: true }, [], key)).toEqual({ ...added, replayed: true });
      expect(await readGroup(id)).toEqual({ version: 4, memberCount: 498 });
    });

    test("do not change, and no outcome is stored, if the group of a bulk change does not exist", async () => {
      const [a = 0] = await createUsers(1);
      const removed = await createGroup([a]);
      await store.groups.remove(removed);
      const key = { caller: "", key: `removed ${removed}`, fingerprint: "f" };
      for (const groupId of [removed, 1e9])
        for (const ids of [[a], []])
          for (const isMember of [true, false])
            expect(await outcomeOf(store.users.changeMany(ids, { groupId, isMember }, key))).toBe(
              "group-not-found",
            );
      const id = await createGroup();
      const change = store.users.changeMany([a], { groupId: id, isMember: true }, key);
      expect(await change).toEqual({ users: [{ id: a }], replayed: false });
      expect(await listGroups(a)).toEqual([id]);
    });

    test("are tested in the transaction of a bulk change, also of users that have not changed", async () => {
      const ids = await createUsers(5);
      const [a = 0, b = 0, c = 0, d = 0, gone = 0] = ids;
      const [sales, guests, removed] = [
        await createGroup([a, b, d]),
        await createGroup([b]),
        await createGroup([a, c, d]),
      ];
      await store.groups.remove(removed);
      await store.users.edit(d, { merge: { level: 1 } });
      await store.users.remove(gone);
      const kind = "membership";
      const inSales = { kind, by: "id", values: [sales] } as const;
      const inGuests = { kind, by: "id", values: [1e9, guests] } as const;
      const inRemoved = { kind, by: "id", values: [removed] } as const;
      const inAny = { kind, by: "any", values: [] } as const;
      const level = parseExpression("level eq 1");
      const not = (condition: MembershipCondition) => ({ ...condition, negated: true });
      for (const [memberships, expression, expected] of [
        [[inSales], undefined, [a, b, d]],
        [[not(inSales)], undefined, [c]],
        [[inSales, not(inGuests)], undefined, [a, d]],
        [[inRemoved], undefined, []],
        [[not(inRemoved)], undefined, [a, b, c, d]],
        [[inAny], undefined, [a, b, d]],
        [[not(inAny)], undefined, [c]],
        // The version of `a` is the one that was found, `d` has changed and meets the expression.
        [[inSales], level, [a, d]],
        [[not(inGuests)], level, [a, c, d]],
        [[inAny], level, [a, d]],
        [[], level, [a, c, d]],
      ] as const) {
        const condition = { memberships, expression, versions: [1, 9, 1, 1, 1] };
        const target = await createGroup();
        for (const change of [{ merge: {} }, { groupId: target, isMember: true }]) {
          const { users } = await other.users.changeMany(ids, change, undefined, undefined, condition);
          expect(users).toEqual(
            ids.map((id) => (expected.some((each) => each === id) ? { id } : { id, skipped: true })),
          );
        }
        expect(await listMembers([target])).toEqual([...expected]);
        await store.groups.remove(target);
      }
    });

    test("are all counted if several nodes add and remove them at once", async () => {
      const ids = await createUsers(60);
      const id = await createGroup(ids.slice(40));
      const writes = ids.map((userId, i) => (i % 2 ? other : store).groups.setMember(id, userId, i < 40));
      await Promise.all(writes);
      const events = await memberEvents(id);
      const members = await listMembers([id]);
      expect(await readGroup(id)).toEqual({ version: 1 + events.length, memberCount: members.length });
      expect(events.map(({ version }) => version)).toEqual(events.map((_, i) => i + 2));
      expect(members).toEqual(ids.slice(0, 40));
    });

    test("are gone at once with their group, and their rows are removed in steps", async () => {
      await removeLeft([store]);
      const ids = await createUsers(2005);
      const [removed, kept] = [await createGroup(ids), await createGroup(ids.slice(0, 2))];
      await other.groups.remove(removed);
      const [a = 0] = ids;
      expect([await listMembers([removed]), await listGroups(a)]).toEqual([[], [kept]]);
      expect(await listMembers([removed, kept])).toEqual(ids.slice(0, 2));
      expect(await store.groups.isMember(removed, a)).toBeUndefined();
      expect(await outcomeOf(store.groups.setMember(removed, a, true))).toBe("group-not-found");
      // A user whose group is gone leaves and comes back without it.
      await store.users.remove(a);
      await store.deletedUsers.restore(a);
      expect(await listGroups(a)).toEqual([kept]);
      expect(await removeLeft([store, other])).toBe(3);
      expect(await listMembers([kept])).toEqual(ids.slice(0, 2));
    }, 60_000);

    test("are right after several writes of one batch", async () => {
      const [a = 0, b = 0, c = 0] = await createUsers(3);
      const [x, y] = [await createGroup([a]), await createGroup([a, b])];
      const outcomes = await Promise.all(
        [
          store.groups.patchMembers(x, { add: [b, c], remove: [a] }),
          store.groups.edit(x, { merge: { name: "Batch of members" } }),
          store.users.remove(b),
          store.groups.setMember(x, b, true),
          store.deletedUsers.restore(b),
          store.users.changeMany([a, c], "remove"),
          store.groups.remove(y),
          store.users.changeMany([a, c], "restore"),
          store.groups.setMember(y, c, true),
          store.groups.setMember(x, c, false),
          createGroup(),
        ].map(outcomeOf),
      );
      expect(outcomes).toEqual([
        ...["done", "done", "done", "user-not-found", "done", "done"],
        ...["done", "done", "group-not-found", "done", "done"],
      ]);
      // Patched, renamed; b leaves and comes back; c too, and then leaves for good.
      expect(await readGroup(x)).toEqual({ version: 9, memberCount: 1 });
      expect([await listMembers([x]), await listMembers([y])]).toEqual([[b], []]);
      expect((await memberEvents(x)).slice(1).map(({ added, removed }) => [added, removed])).toEqual([
        [[b, c], [a]],
        [[], [b]],
        [[b], []],
        [[], [c]],
        [[c], []],
        [[], [c]],
      ]);
      expect(await readGroup(y)).toEqual({ version: 0, memberCount: undefined });
    });

    test("leave the histories of their users with the oldest events, in steps that a writer can wait for", async () => {
      const ids = await createUsers(1000);
      const id = await createGroup();
      for (let i = 0; i < 20; i++)
        await store.groups.patchMembers(id, i % 2 ? { add: [], remove: ids } : { add: ids, remove: [] });
      await other.events.last();
      const removeAllBut = async (max: number) => {
        const steps: number[] = [];
        while ((steps[0] ?? 1) > 0) steps.unshift(await store.events.removeOldest({ max }));
        return steps.length - 1;
      };
      await removeAllBut(20);
      const [first = 0] = ids;
      const history = async () => (await store.events.read({ historyOf: first, limit: 100 }))?.events.length;
      expect(await history()).toBe(20);
      expect(await removeAllBut(1)).toBe(2);
      expect(await history()).toBe(1);
      expect(await removeAllBut(0)).toBe(1);
      expect(await history()).toBe(0);
      await expectSound();
    }, 60_000);

    test(
      "agree with a model and with the events after random writes of two nodes",
      async () => {
        let histories = 0;
        let writes = 0;
        const compare = async (history: readonly Step[]) => {
          const mark = `m${process.pid} ${histories++}`;
          const model = await MembershipModel.start([store, other], mark);
          for (const step of history) {
            await model.run(step);
            await model.verify();
          }
          await model.removeLeft();
          await model.verify();
          writes += model.writes;
        };
        const history = fc.array(steps, { minLength: 1, maxLength: 8 });
        await fc.assert(fc.asyncProperty(history, compare), amount);
        if (SECONDS > 0) console.log(`${engine}: ${histories} histories, ${writes} writes`);
        await expectSound();
      },
      120_000 + 2000 * SECONDS,
    );
  });
}
