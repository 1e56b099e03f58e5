import { afterAll, beforeAll, expect, test } from "bun:test";
import papaparse from "papaparse";
import type { BulkFormat } from "../../../src/client/index.ts";
import { ExportError } from "../../../src/console/users/export/export-source.ts";
import { joinExports } from "../../../src/console/users/export/join-exports.ts";
import { startService, type TestService } from "../../support/service.ts";

const people = [
  { name: "Ada Lovelace", email: "ada@example.com", plan: "pro", level: 3 },
  { name: '=HYPERLINK("http://x")', note: 'two\r\nlines, one “cell”\nand a "quoted" one', plan: " pro" },
  { name: "Zoë", tags: ["a,b", null], address: { city: "Oslo", "post code": "0150" }, level: "3" },
  { name: "Grace", active: true, empty: "", more: "\tx;=1" },
];

let service: TestService;
beforeAll(async () => {
  service = await startService();
  for (const person of people) await service.roster.users.create(person);
});
afterAll(() => service?.stop());

async function exportText(format: BulkFormat, ids: readonly number[]): Promise<string> {
  return new Response(await service.roster.users.export({ where: { id: ids } }).stream(format)).text();
}

/** Exports each group on its own, and joins the exports. */
async function join(format: BulkFormat, groups: readonly (readonly number[])[]): Promise<string> {
  const joined = await joinExports(format);
  for (const ids of groups) expect(joined.add(await exportText(format, ids))).toBe(ids.length);
  return joined.inOrder(groups.flat()).text();
}

const parse = (csv: string) => papaparse.parse<string[]>(csv, { skipEmptyLines: true }).data;
const namesIn = (csv: string) => parse(csv).map(([, name]) => name);

test("the CSV of several exports has the columns and the cells of one export, and one header", async () => {
  const one = await exportText("csv", [1, 2, 3, 4]);
  expect(parse(one).length).toBe(5);
  expect(
    parse(
      await join("csv", [
        [1, 2],
        [3, 4],
      ]),
    ),
  ).toEqual(parse(one));
  expect(parse(await join("csv", [[1], [2], [3], [4]]))).toEqual(parse(one));
});

test("an import of the joined CSV finds nothing to change", async () => {
  const csv = await join("csv", [
    [1, 3],
    [2, 4],
  ]);
  const before = await service.roster.users.list().all();
  const results = service.roster.users.import(new Blob([csv]).stream(), {
    format: "csv",
    onConflict: "update",
    match: "id",
  });
  expect(await results.summary()).toMatchObject({ existing: 4, failed: 0 });
  expect(await service.roster.users.list().all()).toEqual(before);
});

test("joined exports have the order of the ids, and leave out ids without a user", async () => {
  for (const format of ["csv", "ndjson"] as const) {
    const joined = await joinExports(format);
    joined.add(await exportText(format, [4, 2]));
    joined.add(await exportText(format, [1]));
    const text = await joined.inOrder([4, 99, 1, 2]).text();
    const names =
      format === "csv"
        ? namesIn(text).slice(1)
        : text
            .trimEnd()
            .split("\n")
            .map((line) => JSON.parse(line).name);
    expect(names).toEqual(["Grace", "Ada Lovelace", `${format === "csv" ? "'" : ""}=HYPERLINK("http://x")`]);
  }
});

test("joined NDJSON has the lines of the exports", async () => {
  const [one, two] = [await exportText("ndjson", [1]), await exportText("ndjson", [2])];
  expect(await join("ndjson", [[1], [2]])).toBe(one + two);
});

test("a CSV of several exports has at most the columns of one export", async () => {
  const header = (from: number, to: number) => {
    const fields = Array.from({ length: to - from }, (_, index) => `field${from + index}`);
    return `id,name,email,${fields.join()},version,createdAt,updatedAt\r\n`;
  };
  const joined = await joinExports("csv");
  expect(joined.add(header(0, 600))).toBe(0);
  expect(joined.add(header(400, 1000))).toBe(0);
  expect(() => joined.add(header(500, 1200))).toThrow(ExportError);
});
