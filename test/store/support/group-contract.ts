import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { GroupRecord } from "../../../src/contract/groups/group.ts";
import type { GroupListQuery } from "../../../src/domain/groups/group-list-fields.ts";
import { ProblemError } from "../../../src/domain/problem-error.ts";
import type { StoredRecord } from "../../../src/domain/records/record.ts";
import type { Store } from "../../../src/domain/store.ts";
import {
  allGroups,
  ifMatch,
  type OpenStore,
  outcomeOf,
  rowsOf,
  type StoreUnderTest,
} from "./store-under-test.ts";

/** What every engine must do with groups, between nodes too. */
export function groupContract(engine: string, open: OpenStore): void {
  describe(`${engine}: groups`, () => {
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

    const create = async (record: GroupRecord, node = store): Promise<StoredRecord> => {
      const { outcome } = await node.groups.create({ record });
      if ("problem" in outcome) throw ProblemError.of(outcome.problem);
      return outcome.group;
    };
    const idsOf = async (query: Partial<GroupListQuery>, node = store) =>
      rowsOf(await node.groups.list({ ...allGroups, ...query })).map(({ id }) => id);
    const count = async () => (await store.groups.list({ ...allGroups, limit: 1, count: true })).total?.count;

    test("are read exactly as they were created and changed, by every node", async () => {
      const group = await create({ name: "Sales", owner: "ada", regions: ["EMEA", { lead: null }] });
      expect(await other.groups.read(group.id)).toEqual(group);
      expect(JSON.parse(group.json)).toMatchObject({
        id: group.id,
        name: "Sales",
        regions: ["EMEA", { lead: null }],
        memberCount: 0,
        version: 1,
      });
      const edited = await other.groups.edit(group.id, { merge: { owner: null, level: 3 } });
      expect(await store.groups.read(group.id)).toEqual(edited);
      const { owner, ...fields } = JSON.parse(edited.json);
      expect({ owner, ...fields }).toMatchObject({ name: "Sales", level: 3, memberCount: 0, version: 2 });
      expect(Object.keys(fields)).not.toContain("owner");
      expect(await store.groups.edit(group.id, { merge: { level: 3 } })).toEqual(edited);
      const replaced = await store.groups.edit(group.id, { replace: { name: "Marketing" } });
      expect(await other.groups.read(group.id)).toEqual(replaced);
      expect(replaced.version).toBe(3);
      expect(await store.groups.read(group.id + 1000)).toBeUndefined();
      // A user with the id of a group is another record.
      expect(await store.users.read(group.id)).toBeUndefined();
    });

    test("have names that no two groups share, in another case or normal form, on any node", async () => {
      const angela = await create({ name: "Ange\u0301la's team" });
      const others = await create({ name: "Others" });
      expect(await outcomeOf(create({ name: "ANG\u00c9LA'S Team" }, other))).toBe("value-taken");
      expect(await outcomeOf(other.groups.edit(others.id, { merge: { name: "ang\u00e9la's TEAM" } }))).toBe(
        "value-taken",
      );
      expect(await store.groups.read(others.id)).toEqual(others);
      // Accents and the two spellings of ß are differences.
      await create({ name: "Angela's team" });
      await create({ name: "Straße" });
      await create({ name: "STRASSE" });
      expect(await outcomeOf(create({ name: "STRAßE" }))).toBe("value-taken");
      const renamed = await other.groups.edit(angela.id, { merge: { name: "ANG\u00c9LA'S TEAM" } });
      expect(renamed.version).toBe(2);
      // Users and groups do not share names.
      const { outcome } = await store.users.create({ record: { name: "U", userName: "Others" } });
      expect(outcome).toHaveProperty("user");
    });

    test("free their name when they are renamed or removed, and never reuse an id", async () => {
      const first = await create({ name: "Free" });
      await store.groups.edit(first.id, { merge: { name: "Renamed" } });
      const second = await create({ name: "FREE" }, other);
      expect(second.id).toBeGreaterThan(first.id);
      await other.groups.remove(second.id);
      expect(await store.groups.read(second.id)).toBeUndefined();
      const third = await create({ name: "free" });
      expect(third.id).toBeGreaterThan(second.id);
      // The last group is gone when another process starts.
      await store.groups.remove(third.id);
      const restarted = await opened.openAnother();
      expect((await create({ name: "Free" }, restarted)).id).toBeGreaterThan(third.id);
      await restarted.close();
    });

    test("lose no change if their version is named, and fail without a change if there is no such group", async () => {
      const { id, version } = await create({ name: "Versioned" });
      const edits = Array.from({ length: 20 }, (_, i) =>
        outcomeOf([store, other][i % 2]?.groups.edit(id, { merge: { level: i } }, ifMatch(version)) ?? none),
      );
      const outcomes = await Promise.all(edits);
      expect(outcomes.filter((outcome) => outcome === "done")).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome === "version-mismatch")).toHaveLength(19);
      expect(await outcomeOf(store.groups.remove(id, ifMatch(version)))).toBe("version-mismatch");
      await store.groups.remove(id, ifMatch(2));
      for (const work of [
        () => store.groups.remove(id),
        () => store.groups.edit(id, { merge: { level: 1 } }),
        () => store.groups.edit(1e9, { replace: { name: "Nobody" } }, ifMatch(1)),
      ])
        expect(await outcomeOf(work())).toBe("group-not-found");
    });

    test("apply the changes of one batch in order, and one of two creates of the same name", async () => {
      const nodes = [store, other];
      const creates = await Promise.all(
        Array.from({ length: 40 }, (_, i) =>
          (nodes[i % 2] ?? store).groups.create({ record: { name: i % 3 ? "Race" : "RACE", i } }),
        ),
      );
      const problems = creates.flatMap(({ outcome }) => ("problem" in outcome ? [outcome.problem] : []));
      expect(problems).toHaveLength(39);
      expect(problems[0]).toMatchObject({ type: "value-taken", errors: [{ pointer: "/name" }] });

      const { id } = await create({ name: "Batch" });
      const before = await count();
      const [renamed, created, removed, again] = await Promise.all([
        store.groups.edit(id, { merge: { name: "Batch 2" } }),
        create({ name: "batch" }),
        store.groups.remove(id),
        create({ name: "Batch 2" }),
      ]);
      expect(renamed.version).toBe(2);
      expect(removed).toBeUndefined();
      expect(new Set([id, created.id, again.id]).size).toBe(3);
      expect(await store.groups.read(id)).toBeUndefined();
      expect(await idsOf({ search: ["batch"], sort: "id" })).toEqual(
        [created.id, again.id].sort((a, b) => a - b),
      );
      expect(await count()).toBe((before ?? 0) + 1);

      const users = Promise.all([1, 2, 3].map((i) => store.users.create({ record: { name: `User ${i}` } })));
      const groups = Promise.all([1, 2, 3].map((i) => create({ name: `Group ${i}` })));
      expect((await users).every(({ outcome }) => "user" in outcome)).toBe(true);
      expect(new Set((await groups).map((group) => group.id)).size).toBe(3);
    });

    test("swap names on two nodes at once without a deadlock, and each name has one group", async () => {
      const names = Array.from({ length: 10 }, (_, i) => `Swap ${i}`);
      const groups = await Promise.all(names.map((name) => create({ name })));
      const rounds = Array.from({ length: 4 }, (_, round) =>
        groups.map(({ id }, i) => {
          const name = names[(i + round + 1) % names.length] ?? "";
          return outcomeOf(([store, other][(i + round) % 2] ?? store).groups.edit(id, { merge: { name } }));
        }),
      );
      const outcomes = await Promise.all(rounds.flat());
      expect(["done", "value-taken"]).toEqual(expect.arrayContaining([...new Set(outcomes)]));
      const found = await Promise.all(groups.map(({ id }) => store.groups.read(id)));
      const used = found.map((group) => String(JSON.parse(group?.json ?? "{}").name));
      expect(new Set(used).size).toBe(names.length);
    });

    test("are created once for an idempotency key, which also repeats a problem", async () => {
      const key = (name: string) => ({ caller: "c", key: `groups ${name}`, fingerprint: "f" });
      const attempt = { record: { name: "Idempotent" } };
      const first = await store.groups.create(attempt, key("1"));
      expect(first.replayed).toBe(false);
      expect(await other.groups.create(attempt, key("1"))).toEqual({ ...first, replayed: true });
      const taken = await other.groups.create(attempt, key("2"));
      expect(taken.outcome).toMatchObject({ problem: { type: "value-taken" } });
      expect(await store.groups.create(attempt, key("2"))).toEqual({ ...taken, replayed: true });
      expect(await outcomeOf(store.groups.create(attempt, { ...key("1"), fingerprint: "g" }))).toBe(
        "idempotency-mismatch",
      );
      const problem = { type: "invalid-group", detail: "d" } as const;
      const refused = await store.groups.create({ problem }, key("3"));
      expect(await store.groups.create({ problem }, key("3"))).toEqual({ ...refused, replayed: true });
      const race = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          ([store, other][i % 2] ?? store).groups.create({ record: { name: "Keyed race" } }, key("4")),
        ),
      );
      expect(race.filter(({ replayed }) => !replayed)).toHaveLength(1);
      expect(new Set(race.map(({ outcome }) => JSON.stringify(outcome))).size).toBe(1);
    });

    test("are found by their new values only, until they are removed", async () => {
      const { id } = await create({ name: "Olivier Before", mood: "old" });
      await store.groups.edit(id, { replace: { name: "Après Moi", mood: "new" } });
      const byMood = (mood: string) =>
        idsOf({ filters: [{ kind: "custom", field: "mood", values: [mood] }] });
      expect([await idsOf({ search: ["olivier"] }), await byMood("old")]).toEqual([[], []]);
      expect([await idsOf({ search: ["apres m"] }), await byMood("new")]).toEqual([[id], [id]]);
      expect(await idsOf({ search: ["ap"] })).toEqual([id]);
      await store.groups.remove(id);
      expect([await idsOf({ search: ["apres m"] }), await byMood("new")]).toEqual([[], []]);
    });

    test("can have a long text in a field that users have for emails", async () => {
      // PostgreSQL compresses a text that repeats itself.
      const long = Array.from({ length: 300 }, () => crypto.randomUUID()).join("");
      for (const field of ["email", "userName"]) {
        const a = await create({ name: `Long ${field} a`, [field]: `${long}A` });
        const b = await create({ name: `Long ${field} b`, [field]: `${long}b` });
        const find = (text: string) => idsOf({ filters: [{ kind: "custom", field, values: [text] }] });
        expect([await find(`${long}a`), await find(`${long}B`), await find(long)]).toEqual([
          [a.id],
          [b.id],
          [],
        ]);
      }
    });
  });
}

const none = Promise.resolve();
