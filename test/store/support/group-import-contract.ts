import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { conflictActions, groupMatchFields, type ImportOptions } from "../../../src/contract/bulk/bulk.ts";
import type { ImportedRecord, ImportTarget, LineResult } from "../../../src/domain/import-row.ts";
import type { Store } from "../../../src/domain/store.ts";
import { allGroups, type OpenStore, rowsOf, type StoreUnderTest } from "./store-under-test.ts";

type Line = Record<string, unknown>;
type Target = ImportTarget<ImportOptions, ImportedRecord>;

/** Names that are the same, and others. */
const names = [
  "Café",
  "CAFE\u0301",
  " cafe\u0301 ",
  "Cafe",
  "Sales",
  "SALES",
  "Straße",
  "STRASSE",
  "a",
  "b",
  "c",
];
const options = fc.record({
  onConflict: fc.constantFrom(...conflictActions),
  match: fc.constantFrom(...groupMatchFields),
});
const line = fc.record(
  {
    name: fc.constantFrom<unknown>(...names, ...names, "", null, 7),
    /** Of the groups that exist, or of none. */
    place: fc.nat({ max: 6 }),
    level: fc.constantFrom<unknown>(1, null, "x"),
    members: fc.constant([1]),
  },
  { requiredKeys: [] },
);
/** Files of one chunk, and of several: the rows come in chunks of 3. */
const file = fc.array(
  fc.oneof({ weight: 12, arbitrary: line }, { weight: 1, arbitrary: fc.constant(undefined) }),
  { maxLength: 12 },
);

/** What every engine must do with imports of groups, and with their dry runs. */
export function groupImportContract(engine: string, open: OpenStore): void {
  describe(`${engine}: imports of groups`, () => {
    let opened: StoreUnderTest;
    let store: Store;
    beforeAll(async () => {
      opened = await open();
      ({ store } = opened);
    });
    afterAll(() => opened.destroy());

    const toLine = (fields: Line | undefined) =>
      fields === undefined
        ? { problem: { type: "too-large" as const, detail: "The line is too long." } }
        : { json: JSON.stringify(fields) };
    const describeResult = (result: LineResult<ImportedRecord>) =>
      "problem" in result
        ? `${result.problem.type} ${result.problem.errors?.map(({ pointer, detail }) => `${pointer} ${detail}`) ?? ""}`
        : result;
    const runLines = async (
      target: Target,
      lines: readonly (Line | undefined)[],
      chosen: ImportOptions,
      size = 3,
    ) => {
      const results: LineResult<ImportedRecord>[] = [];
      for (let first = 0; first < lines.length; first += size) {
        const chunk = lines.slice(first, first + size).map(toLine);
        results.push(...(await target.import(chunk, undefined, undefined, chosen)).results);
      }
      return results.map(describeResult);
    };
    const list = async () => rowsOf(await store.groups.list({ ...allGroups, limit: 1000 }));
    const removeAll = async () => {
      for (const { id } of await list()) await store.groups.remove(Number(id));
    };

    test("create, change or skip the groups that their lines match", async () => {
      const update = { onConflict: "update", match: "name" } as const;
      expect(
        await runLines(store.groups, [{ name: "First", level: 1 }, { name: "FIRST" }, { name: "Second" }], {
          onConflict: "fail",
          match: "name",
        }),
      ).toEqual([
        { created: true, id: expect.any(Number) },
        'value-taken /name Another group has the name "FIRST".',
        { created: true, id: expect.any(Number) },
      ]);
      const [first, second] = (await list()).map(({ id }) => Number(id));
      expect(
        await runLines(
          store.groups,
          [{ name: " first ", level: 2 }, { name: "Third" }, { level: 1 }],
          update,
        ),
      ).toEqual([
        { created: false, id: first },
        { created: true, id: expect.any(Number) },
        "invalid-group /name A name is required.",
      ]);
      expect((await list())[0]).toMatchObject({ name: "first", level: 2, version: 2 });
      const byId = { onConflict: "update", match: "id" } as const;
      const changes = [
        { id: first, name: "SECOND" },
        { id: second, name: "Free" },
        { id: first, name: "SECOND" },
      ];
      expect(await runLines(store.groups, [...changes, { id: 999_999 }], byId)).toEqual([
        'value-taken /name Another group has the name "SECOND".',
        { created: false, id: second },
        { created: false, id: first },
        "group-not-found ",
      ]);
      await removeAll();
    });

    test("match the groups that other nodes have created, also at the same time", async () => {
      const other = await opened.openAnother();
      const lines = Array.from({ length: 40 }, (_, n) => ({ name: `Shared ${n}` }));
      const nodes = [store, other, store, other];
      const all = await Promise.all(
        nodes.map((node, index) => {
          const ordered = index % 2 === 0 ? lines : lines.toReversed();
          const marked = ordered.map((fields) => ({ ...fields, [`file${index}`]: true }));
          return runLines(node.groups, marked, { onConflict: "update", match: "name" }, 10);
        }),
      );
      const results = all.flat();
      expect(results.filter((result) => typeof result === "object" && result.created)).toHaveLength(40);
      expect(results.filter((result) => typeof result === "object")).toHaveLength(160);
      for (const group of await list()) {
        expect(group).toMatchObject({ file0: true, file1: true, file2: true, file3: true, version: 4 });
      }
      await other.close();
      await removeAll();
    });

    test("are stored under their idempotency keys, with the problems of their lines", async () => {
      const [group] = (await store.groups.import([{ json: '{"name":"Kept"}' }])).results;
      const id = group && "id" in group ? group.id : undefined;
      const lines = [{ name: "New" }, { id, name: "Taken" }, { id: 999_999 }, { name: "Taken" }, undefined];
      const chosen = { onConflict: "update", match: "id" } as const;
      const send = () =>
        store.groups.import(
          [{ json: '{"name":"taken"}' }, ...lines.map(toLine)],
          { caller: "", key: "groups", fingerprint: "f" },
          undefined,
          chosen,
        );
      const first = await send();
      expect(first.results.map(describeResult).slice(2)).toEqual([
        'value-taken /name Another group has the name "Taken".',
        "group-not-found ",
        'value-taken /name Another group has the name "Taken".',
        "too-large ",
      ]);
      expect(await send()).toEqual({ ...first, replayed: true });
      expect((await list()).map(({ name }) => name)).toEqual(["Kept", "taken", "New"]);
      await removeAll();
    });

    test("have the outcomes that a dry run told, whatever the file and the options are", async () => {
      const existing = ["Café", "Sales", "a", "b"];
      await fc.assert(
        fc.asyncProperty(file, options, async (lines, chosen) => {
          const created = await runLines(
            store.groups,
            existing.map((name) => ({ name, level: 0 })),
            { onConflict: "fail", match: "name" },
          );
          const ids = created.map((result) => (typeof result === "object" ? result.id : undefined));
          const located = lines.map((fields) => {
            if (fields?.place === undefined) return fields;
            const { place, ...rest } = fields;
            return { ...rest, id: place < ids.length ? ids[place] : place === 6 ? "x" : 999_999 };
          });
          const before = await list();
          using dryRun = store.groups.startDryRun();
          const told = await runLines(dryRun, located, chosen);
          expect(await list()).toEqual(before);
          const done = await runLines(store.groups, located, chosen);
          const known = new Set(ids);
          expect(told).toEqual(
            done.map((result) =>
              typeof result === "object" && !known.has(result.id) ? { ...result, id: undefined } : result,
            ),
          );
          await removeAll();
        }),
        { numRuns: engine === "PostgreSQL" ? 60 : 150 },
      );
    }, 120_000);
  });
}
