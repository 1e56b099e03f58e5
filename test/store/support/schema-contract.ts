import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { anonymousOrigin, environmentActor, type Origin } from "../../../src/domain/caller.ts";
import type { Precondition } from "../../../src/domain/precondition.ts";
import {
  type Duplicate,
  noSchema,
  type SchemaStore,
  type ValuePosition,
  type ValueStep,
} from "../../../src/domain/schema/schema-store.ts";
import type { Store } from "../../../src/domain/store.ts";
import { allUsers, type OpenStore, outcomeOf, rowsOf, type StoreUnderTest } from "./store-under-test.ts";

const by: Origin = { actor: environmentActor, requestId: "r" };
const unique = JSON.stringify({ properties: { badge: { type: "string", "x-unique": true } } });
const titled = (title: string) => JSON.stringify({ title });

/** What every engine must do with the schema for custom fields. */
export function schemaContract(engine: string, open: OpenStore): void {
  describe(`${engine}: the schema`, () => {
    let opened: StoreUnderTest;
    let store: Store;
    /** Another node. */
    let other: Store;
    let schema: SchemaStore;
    beforeAll(async () => {
      opened = await open();
      [store, other] = [opened.store, await opened.openAnother()];
      schema = store.schema;
    });
    afterEach(async () => {
      await schema.put("{}", by, undefined);
      while ((await schema.removeValues()) > 0);
      for (;;) {
        const users = rowsOf(await store.users.list(allUsers));
        if (users.length === 0) break;
        await store.users.changeMany(
          users.map(({ id }) => id),
          "remove-and-purge",
        );
      }
    });
    afterAll(async () => {
      await other.close();
      await opened.destroy();
    });

    const put = async (json: string) => schema.put(json, by, undefined);
    /** Returns the id, or the type of the problem. */
    const create = async (node: Store, fields: { [field: string]: string | number } = {}) => {
      const { outcome } = await node.users.create({ record: { name: "Ada", ...fields } });
      return "problem" in outcome ? outcome.problem.type : outcome.user.id;
    };
    const createdId = async (fields: { [field: string]: string | number } = {}): Promise<number> => {
      const created = await create(store, fields);
      if (typeof created === "string") throw new Error(created);
      return created;
    };
    const importBadges = async (count: number) => {
      for (let from = 0; from < count; from += 500) {
        const lines = Array.from({ length: Math.min(500, count - from) }, (_, i) => ({
          json: JSON.stringify({ name: "Ada", badge: `badge ${from + i}` }),
        }));
        await store.users.import(lines);
      }
    };
    /** Takes all steps, and returns the duplicates and the number of steps. */
    const takeSteps = async (step: (after: ValuePosition | undefined) => Promise<ValueStep>) => {
      const duplicates: Duplicate[] = [];
      let steps = 0;
      let after: ValuePosition | undefined;
      do {
        const taken = await step(after);
        duplicates.push(...taken.duplicates);
        after = taken.next;
        steps++;
      } while (after);
      return { duplicates, steps };
    };
    /** Makes `badge` unique. */
    const makeUnique = async (token: string) => {
      await schema.beginUnique(token, ["badge"]);
      const { duplicates } = await takeSteps((after) => schema.collectValues(token, "badge", after));
      expect(duplicates).toEqual([]);
      await schema.put(unique, by, undefined, token);
    };

    test("is version 0 until one is stored", async () => {
      const fresh = await open();
      expect(await fresh.store.schema.current()).toEqual(noSchema);
      expect(await fresh.store.schema.versions(Number.MAX_SAFE_INTEGER, 10)).toEqual([]);
      await fresh.destroy();
    });

    test("has a version for each change, with its author, on every node", async () => {
      const before = await schema.current();
      const begin = Date.now();
      const first = await put(titled("one"));
      expect(first).toMatchObject({ version: before.version + 1, json: titled("one") });
      expect(first.createdAt).toBeWithin(begin, Date.now() + 1);
      expect(await other.schema.current()).toEqual(first);
      // The same schema, with other spaces, is no new version.
      expect(await put('{ "title": "one" }')).toEqual(first);
      const second = await other.schema.put(titled("two"), anonymousOrigin, undefined);
      expect(second).toMatchObject({ version: first.version + 1 });
      expect(await schema.versions(second.version + 1, 2)).toEqual([second, first]);
      expect(await schema.versions(second.version, 1)).toEqual([first]);
    });

    test("gets consecutive versions from concurrent changes on two nodes", async () => {
      const { version } = await schema.current();
      const stored = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          (i % 2 ? store : other).schema.put(titled(`change ${i}`), by, undefined),
        ),
      );
      expect(stored.map((each) => each.version).sort((a, b) => a - b)).toEqual(
        stored.map((_, i) => version + 1 + i),
      );
    });

    test("changes only if the precondition holds", async () => {
      const { version } = await put(titled("one"));
      const match = (...versions: number[]): Precondition => ({ match: versions, noneMatch: undefined });
      const excluded: Precondition = { match: undefined, noneMatch: [version] };
      expect(await outcomeOf(schema.put(titled("two"), by, match(version + 1)))).toBe("version-mismatch");
      expect(await outcomeOf(schema.put(titled("two"), by, excluded))).toBe("precondition-failed");
      expect(await schema.current()).toMatchObject({ version, json: titled("one") });
      expect(await schema.put(titled("two"), by, match(version))).toMatchObject({ version: version + 1 });
    });

    test("appends one event for each version", async () => {
      await put("{}");
      const after = await store.events.last();
      const { version } = await put(titled("one"));
      await put(titled("one"));
      await outcomeOf(schema.put("{}", by, { match: [], noneMatch: undefined }));
      const events = (await store.events.read({ after, limit: 10 }))?.events ?? [];
      expect(events.map(({ json }) => JSON.parse(json))).toMatchObject([
        {
          type: "schema.updated",
          subject: { type: "schema", id: 1 },
          requestId: "r",
          version,
          changes: { title: { to: "one" } },
          record: { title: "one" },
        },
      ]);
    });

    test("applies to every write after its change, on every node", async () => {
      for (const [changer, writer] of [
        [store, other],
        [other, store],
      ] as const) {
        await changer.schema.put('{"properties":{"level":{"maximum":9}}}', by, undefined);
        expect(await create(writer, { level: 10 })).toBe("invalid-user");
        const id = await create(writer, { level: 9 });
        if (typeof id === "string") throw new Error(id);
        expect(await outcomeOf(writer.users.edit(id, { merge: { level: 10 } }))).toBe("invalid-user");
        const line = { json: '{"name":"Ada","level":10}' };
        const { results } = await writer.users.import([line]);
        expect(results).toMatchObject([{ problem: { type: "invalid-user" } }]);
        await changer.schema.put("{}", by, undefined);
        expect(await create(writer, { level: 10 })).toBeNumber();
      }
    });

    test("can be checked against all users in steps, before it is stored", async () => {
      const ids = [
        await createdId({ level: 1 }),
        await createdId({ level: 20 }),
        await createdId(),
        await createdId({ level: 30 }),
      ];
      const json = '{"properties":{"level":{"maximum":9}}}';
      const before = (ids[0] ?? 0) - 1;
      const first = await schema.checkUsers(json, before, 3);
      expect(first).toMatchObject({ checked: 3, next: ids[2], violations: [{ id: ids[1] }] });
      expect(first.violations[0]?.errors).toMatchObject([{ pointer: "/level" }]);
      const second = await schema.checkUsers(json, first.next ?? 0, 3);
      expect(second).toMatchObject({ checked: 1, violations: [{ id: ids[3] }] });
      expect(second.next).toBeUndefined();
      expect((await schema.checkUsers("{}", before, 10)).violations).toEqual([]);
    });

    test("finds users that have the same value of a field", async () => {
      const ids = [
        await createdId({ badge: "B-1" }),
        await createdId({ badge: "b-1" }),
        await createdId({ badge: "B-2" }),
        await createdId(),
      ];
      const { duplicates } = await takeSteps((after) => schema.compareValues("badge", after));
      expect(duplicates).toEqual([{ field: "badge", ids: [ids[0] ?? 0, ids[1] ?? 0] }]);
      expect((await takeSteps((after) => schema.compareValues("level", after))).duplicates).toEqual([]);
    });

    describe("with a unique field", () => {
      test("rejects repeated values on every node, and frees the value of a removed user", async () => {
        const id = await createdId({ badge: "B-1" });
        await makeUnique("first");
        expect(await create(other, { badge: "b-1" })).toBe("value-taken");
        const second = await createdId({ badge: "B-2" });
        expect(await outcomeOf(other.users.edit(second, { merge: { badge: "B-1" } }))).toBe("value-taken");
        const { results } = await store.users.import([
          { json: '{"name":"Ada","badge":"B-1"}' },
          { json: '{"name":"Ada","badge":"B-3"}' },
          { json: '{"name":"Ada","badge":"B-3"}' },
        ]);
        expect(results.map((user) => ("problem" in user ? user.problem.type : "created"))).toEqual([
          "value-taken",
          "created",
          "value-taken",
        ]);
        await other.users.remove(id);
        expect(await create(store, { badge: "B-1" })).toBeNumber();
        expect(await outcomeOf(store.deletedUsers.restore(id))).toBe("value-taken");
      });

      test("gives a value to one of many concurrent creates on two nodes", async () => {
        await makeUnique("race");
        const created = await Promise.all(
          Array.from({ length: 20 }, (_, i) => create(i % 2 ? store : other, { badge: i % 3 ? "X" : "x" })),
        );
        expect(created.filter((outcome) => typeof outcome === "number")).toHaveLength(1);
        expect(created.filter((outcome) => outcome === "value-taken")).toHaveLength(19);
      });

      test("collects values in steps, while writes already repeat none of those collected", async () => {
        await importBadges(700);
        await schema.beginUnique("steps", ["badge"]);
        const first = await schema.collectValues("steps", "badge", undefined);
        expect(first.duplicates).toEqual([]);
        expect(await create(other, { badge: "badge 0" })).toBe("value-taken");
        expect(await create(other, { badge: "new" })).toBeNumber();
        expect(await create(store, { badge: "new" })).toBe("value-taken");
        const rest = await takeSteps((after) => schema.collectValues("steps", "badge", after ?? first.next));
        expect(rest).toEqual({ duplicates: [], steps: 1 });
        await schema.put(unique, by, undefined, "steps");
        expect(await create(other, { badge: "badge 699" })).toBe("value-taken");
      });

      test("names two users that have the same value, and is not stored", async () => {
        const ids = [await createdId({ badge: "B-1" }), await createdId({ badge: "b-1" })];
        await schema.beginUnique("same", ["badge"]);
        const { duplicates } = await schema.collectValues("same", "badge", undefined);
        expect(duplicates).toEqual([{ field: "badge", ids: [ids[0] ?? 0, ids[1] ?? 0] }]);
        await schema.cancelUnique("same");
        expect(await create(other, { badge: "B-1" })).toBeNumber();
      });

      test("needs values that its own request has collected", async () => {
        expect(await outcomeOf(put(unique))).toBe("unavailable");
        await schema.beginUnique("one", ["badge"]);
        expect(await outcomeOf(other.schema.beginUnique("two", ["badge"]))).toBe("unavailable");
        expect(await outcomeOf(other.schema.collectValues("two", "badge", undefined))).toBe("unavailable");
        expect(await outcomeOf(other.schema.put(unique, by, undefined, "two"))).toBe("unavailable");
        // Only the request that collects can cancel.
        await other.schema.cancelUnique("two");
        expect(await outcomeOf(other.schema.beginUnique("two", ["badge"]))).toBe("unavailable");
        await other.schema.cancelUnique("one");
        expect(await outcomeOf(schema.put(unique, by, undefined, "one"))).toBe("unavailable");
        expect(await outcomeOf(other.schema.beginUnique("two", ["badge"]))).toBe("done");
        await other.schema.put(unique, by, undefined, "two");
      });

      test("removes the values of a field that is no longer unique, in steps", async () => {
        await importBadges(700);
        await makeUnique("removed");
        expect(await schema.removeValues()).toBe(0);
        await put("{}");
        expect([await schema.removeValues(), await other.schema.removeValues()]).toEqual([500, 200]);
        expect(await schema.removeValues()).toBe(0);
        expect(await create(store, { badge: "badge 0" })).toBeNumber();
      });
    });
  });
}
