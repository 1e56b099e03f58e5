import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import type { Json } from "../../src/contract/user.ts";
import { onEachEngine } from "../support/engines.ts";
import { startService, type TestService } from "../support/service.ts";
import {
  CSV,
  exportText,
  exportUsers,
  type Fields,
  importBody,
  NDJSON,
  toNdjson,
  toRecord,
} from "./bulk-requests.ts";

setDefaultTimeout(120_000);

/** Texts that mean something else to a spreadsheet, to JSON or to CSV. */
const tricky = [
  "=1+1",
  "'=1",
  "+49 30",
  "-5",
  "@x",
  "\tx",
  "\rx",
  "true",
  "null",
  "007",
  "1e3",
  '"x"',
  "{",
  "[1]",
  "",
  " ",
  ",",
  ";",
];
const text = fc.oneof(
  fc.constantFrom(...tricky),
  fc.string({ unit: "grapheme", maxLength: 12 }),
  fc.string({
    unit: fc.constantFrom(..."=+-@'\t\r\n\"{}[]01.eE truefalsnl,;é\u2028\ufeff😀"),
    maxLength: 12,
  }),
);
const number = fc.oneof(
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, min: -1e6, max: 1e6 }),
  fc.constantFrom(5e-324, 1e-7, 0.1 + 0.2, -0),
);
const { value } = fc.letrec<{ value: Json; scalar: Json }>((tie) => ({
  scalar: fc.oneof(text, number, fc.boolean(), fc.constant(null)),
  value: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    tie("scalar"),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(
      text.filter((key) => key !== "__proto__"),
      tie("value"),
      { maxKeys: 3 },
    ),
  ),
}));
const fieldName = fc.oneof(
  fc.constantFrom("Name", "EMAIL", "ID", "Version", "note", "toString", "hasOwnProperty", "length", "x"),
  fc.stringMatching(/^[A-Za-z][A-Za-z0-9_]{0,8}$/),
);
const core = new Set(["id", "name", "email", "version", "createdAt", "updatedAt", "run"]);
const never = new Set(["password", "passwd", "secret", "token", "apiKey", "constructor", "prototype"]);
const name = fc
  .oneof(
    fc.constantFrom("=cmd|' /C calc'!A0", "@SUM(A1)", 'O\'Neil, "Pat"', "-", "'"),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }),
  )
  .filter((each) => each.trim() !== "" && !/\p{Cc}/u.test(each));
const user = fc.record({
  name,
  email: fc.option(fc.constantFrom("o'neil", "+plus", "a.b-c", "=x", "-x"), { nil: undefined }),
  fields: fc.dictionary(
    fieldName.filter((each) => !core.has(each) && !never.has(each)),
    value,
    { maxKeys: 5 },
  ),
});

onEachEngine((engine) => {
  let from: TestService;
  let ndjson: TestService;
  let csv: TestService;
  beforeAll(async () => {
    from = await startService({}, engine);
    ndjson = await startService({}, engine);
    csv = await startService({}, engine);
  }, 120_000);
  afterAll(() => Promise.all([from, ndjson, csv].map((service) => service.stop())));

  const take = async (service: TestService, type: string, body: string, users: number) => {
    const { status, lines } = await importBody(service, type, body);
    expect({ status, faults: lines.filter(({ problem }) => problem) }).toEqual({ status: 200, faults: [] });
    expect(lines).toHaveLength(users);
  };

  test("any users that are exported and imported elsewhere are the same users there, by NDJSON and by CSV", async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(user, { minLength: 1, maxLength: 8 }), async (users) => {
        run++;
        const records = users.map(({ name, email, fields }, index): Fields => {
          const address = email === undefined ? {} : { email: `${email}${run}.${index}@example.com` };
          return { name, ...address, ...fields, run };
        });
        await take(from, NDJSON, toNdjson(records), users.length);
        const query = `?run=${run}`;
        await take(ndjson, NDJSON, await exportText(from, NDJSON, query), users.length);
        await take(csv, CSV, await exportText(from, CSV, query), users.length);

        const there = (await exportUsers(from, query)).map(toRecord);
        const trimmed = records.map((record): Fields => ({ ...record, name: String(record.name).trim() }));
        expect(there).toEqual(JSON.parse(JSON.stringify(trimmed)));
        // Not only as much, but in the same order of fields.
        expect(toNdjson((await exportUsers(ndjson, query)).map(toRecord))).toBe(toNdjson(there));
        expect((await exportUsers(csv, query)).map(toRecord)).toEqual(there);
      }),
      { numRuns: engine === "sqlite" ? 60 : 30 },
    );
  });

  test("no cell of a table begins as a formula does, but for numbers", async () => {
    await take(from, NDJSON, toNdjson([{ name: "=1+1", x: "@x", run: 0 }]), 1);
    const runs = Array.from({ length: 40 }, (_, index) => `run=${index}`).join("&");
    const cells: string[] = parse(await exportText(from, CSV, `?${runs}`)).flat();
    const suspicious = cells.filter((cell) => /^[=+\-@\t\r]/.test(cell));
    expect(suspicious.filter((cell) => JSON.stringify(Number(cell)) !== cell)).toEqual([]);
    expect(cells).toContain("'=1+1");
  });
});
