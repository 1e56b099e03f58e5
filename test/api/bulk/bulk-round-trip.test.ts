import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import type { Json } from "../../../src/contract/json.ts";
import { findNameError } from "../../../src/contract/users/field-name.ts";
import {
  CSV,
  exportText,
  exportUsers,
  type Fields,
  importBody,
  NDJSON,
  toNdjson,
  toRecord,
} from "../../support/bulk-requests.ts";
import { onEachEngine } from "../../support/engines.ts";
import { startService, type TestService } from "../../support/service.ts";

setDefaultTimeout(120_000);

/** Texts with a special meaning in a spreadsheet, JSON or CSV. */
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
    fieldName.filter((each) => !core.has(each) && findNameError(each) === undefined),
    value,
    { maxKeys: 5 },
  ),
});

onEachEngine((engine) => {
  let source: TestService;
  let ndjson: TestService;
  let csv: TestService;
  beforeAll(async () => {
    source = await startService({}, engine);
    ndjson = await startService({}, engine);
    csv = await startService({}, engine);
  }, 120_000);
  afterAll(() => Promise.all([source, ndjson, csv].map((service) => service.stop())));

  const importAll = async (service: TestService, type: string, body: string, users: number) => {
    const { status, lines } = await importBody(service, type, body);
    expect({ status, problems: lines.filter(({ problem }) => problem) }).toEqual({
      status: 200,
      problems: [],
    });
    expect(lines).toHaveLength(users);
  };

  test("exported users are the same after an import elsewhere, as NDJSON and as CSV", async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(user, { minLength: 1, maxLength: 8 }), async (users) => {
        run++;
        const records = users.map(({ name, email, fields }, index): Fields => {
          const address = email === undefined ? {} : { email: `${email}${run}.${index}@example.com` };
          return { name, ...address, ...fields, run };
        });
        await importAll(source, NDJSON, toNdjson(records), users.length);
        const query = `?run=${run}`;
        await importAll(ndjson, NDJSON, await exportText(source, NDJSON, query), users.length);
        await importAll(csv, CSV, await exportText(source, CSV, query), users.length);

        const expected = (await exportUsers(source, query)).map(toRecord);
        const trimmed = records.map((record): Fields => ({ ...record, name: String(record.name).trim() }));
        expect(expected).toEqual(JSON.parse(JSON.stringify(trimmed)));
        // Also compares the order of fields.
        expect(toNdjson((await exportUsers(ndjson, query)).map(toRecord))).toBe(toNdjson(expected));
        expect((await exportUsers(csv, query)).map(toRecord)).toEqual(expected);
      }),
      { numRuns: engine === "sqlite" ? 25 : 12 },
    );
  });

  test("no CSV cell starts like a formula, except numbers", async () => {
    await importAll(source, NDJSON, toNdjson([{ name: "=1+1", x: "@x", run: 0 }]), 1);
    const runs = Array.from({ length: 40 }, (_, index) => `run=${index}`).join("&");
    const cells: string[] = parse(await exportText(source, CSV, `?${runs}`)).flat();
    const suspicious = cells.filter((cell) => /^[=+\-@\t\r]/.test(cell));
    expect(suspicious.filter((cell) => JSON.stringify(Number(cell)) !== cell)).toEqual([]);
    expect(cells).toContain("'=1+1");
  });
});
