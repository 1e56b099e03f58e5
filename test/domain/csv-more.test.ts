import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Json } from "../../src/contract/json.ts";
import { mostFrequent } from "../../src/domain/csv/field-counts.ts";
import { formatCsvHeader, formatCsvRows } from "../../src/domain/csv/write.ts";
import { readUserCsv } from "./support/read-user-csv.ts";

const text = fc.string({ unit: fc.constantFrom(..."=+-@'\t\r\n\"{}[]1.e truefalsnl,;|\\") });
const value: fc.Arbitrary<Json> = fc.oneof(text, fc.integer(), fc.constantFrom(null, true), fc.array(text));
const customFields = fc.dictionary(fc.constantFrom("a", "b", "c", "d", "e", "f"), value);
const managed = { version: 1, createdAt: "2026-11-15T09:30:00.000Z", updatedAt: "2026-11-15T09:30:00.000Z" };

test("any custom fields come back from an export, in columns or in _more", async () => {
  const columns = { customFields: ["a", "c"], hasMore: true };
  await fc.assert(
    fc.asyncProperty(fc.array(customFields, { minLength: 1, maxLength: 4 }), async (records) => {
      const users = records.map((record, id) => ({ ...record, id, name: "Ada", ...managed }));
      const table = formatCsvHeader(columns) + formatCsvRows(users, columns);
      const body = new Blob([table]).stream();
      const read: unknown[] = [];
      for await (const rows of readUserCsv(body, 65_536)) {
        for (const row of rows) read.push("json" in row ? JSON.parse(row.json) : row.problem);
      }
      expect(read).toEqual(records.map((record) => ({ name: "Ada", ...record })));
    }),
    { numRuns: 300 },
  );
}, 60_000);

test("the most frequent fields get the columns, in their order", () => {
  const counts = new Map([
    ["rare", 1],
    ["often", 9],
    ["first", 2],
    ["second", 2],
    ["always", 10],
  ]);
  expect([...mostFrequent(counts, 3).keys()]).toEqual(["often", "first", "always"]);
  expect(mostFrequent(counts, 5)).toBe(counts);
});
