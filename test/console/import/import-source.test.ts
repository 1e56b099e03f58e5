import { describe, expect, test } from "bun:test";
import { toFieldSpec } from "../../../src/console/fields/field-spec.ts";
import type { ReaderLanguage } from "../../../src/console/import/column-profile.ts";
import { Failures } from "../../../src/console/import/failures.ts";
import type { Target } from "../../../src/console/import/mapping.ts";
import { splitIntoChunks } from "../../../src/console/import/upload-chunks.ts";
import { specOf } from "../../../src/console/users/field-info.ts";
import { errorFor, guess, open, rowsOf } from "../support/import-file.ts";

test("a table with two columns is detected with every delimiter and line break", async () => {
  for (const delimiter of [",", ";", "\t", "|"]) {
    for (const newline of ["\n", "\r\n"]) {
      for (const end of ["", newline, newline + newline]) {
        const rows = ["name#email", "Ada#ada@example.com"].map((row) => row.replace("#", delimiter));
        const { columns, firstRows } = await open(rows.join(newline) + end);
        expect(columns.map(({ header }) => header)).toEqual(["name", "email"]);
        expect(firstRows.map(({ cells }) => cells)).toEqual([["Ada", "ada@example.com"]]);
      }
    }
  }
});

test("a file with too many columns is rejected", async () => {
  const wide = `${Array.from({ length: 20_000 }, (_, index) => index).join()}\nAda`;
  const lines = Array.from({ length: 900 }, (_, index) => JSON.stringify({ name: "Ada", [`f${index}`]: 1 }));
  for (const opening of [open(wide), open(lines.join("\n"), "people.ndjson")]) {
    expect(await errorFor(opening)).toBe("wide");
  }
});

describe("JSON source", () => {
  test("reads the items of an array, and one object", async () => {
    const ada = { name: 'A "],}', note: "b\\", tags: [{ a: 1 }], note2: "two\nlines" };
    const items = [ada, { name: "Bob", level: 3 }, 7];
    for (const text of [JSON.stringify(items), ` ${JSON.stringify(items, null, 2)}\n`]) {
      const source = await open(text, "people.json");
      expect([source.kind, source.format, source.rowCount]).toEqual(["json", "ndjson", 3]);
      expect(source.columns.map(({ header }) => header)).toEqual(["name", "note", "tags", "note2", "level"]);
      const rows = await rowsOf(source);
      expect(rows.map(({ number }) => number)).toEqual([1, 2, 3]);
      expect(rows.map(({ cells }) => JSON.parse(cells[0] ?? ""))).toEqual(items);
      expect(source.write(rows, guess(source)).split("\n").length).toBe(3);
      expect(rows.map((row) => source.findErrors(row, []).length)).toEqual([0, 0, 1]);
    }
    const one = await open(JSON.stringify(ada, null, 2), "ada.json");
    expect((await rowsOf(one)).map(({ cells }) => JSON.parse(cells[0] ?? ""))).toEqual([ada]);
  });

  test("reads a large array piece by piece", async () => {
    const items = Array.from({ length: 9000 }, (_, i) => ({
      name: `Zoë "${i}" 🦊`,
      note: "[".repeat(i % 9),
    }));
    const source = await open(JSON.stringify(items, null, 1), "people.json");
    const rows = await rowsOf(source);
    expect(rows.map(({ cells }) => JSON.parse(cells[0] ?? ""))).toEqual(items);
    expect(source).toMatchObject({ rowCount: 9000, firstRows: { length: 20 } });
  });

  test("does not read the rest of a file into memory after an unclosed quote", async () => {
    const text = `[${'{"name":"Ada"},\n'.repeat(2000)}"${"x".repeat(1_500_000)}`;
    expect(await errorFor(open(text, "people.json"))).toBe("json");
  });
});

describe("values of JSON", () => {
  const lines = [
    '{"name":"Ada","level":"3","tags":["a"],"born":"1815-12-10"}',
    '{"name":"Bob","level":"n/a","tags":null,"born":""}',
    '{"name":"Cyd","level":"","tags":[]}',
    '{"name":"Dan","level":5}',
  ];
  const read = async (type: "number" | undefined, omitsMisfits = false) => {
    const source = await open(lines.join("\n"), "people.ndjson");
    const targets = guess(source).map(
      (target): Target =>
        target.to === "custom" && target.field === "level" ? { ...target, type, omitsMisfits } : target,
    );
    const errors = source.firstRows.flatMap((row) => source.findErrors(row, targets));
    return { errors, lines: source.write(source.firstRows, targets).split("\n") };
  };

  test("keep their types, unless users have another type in the field", async () => {
    const source = await open(lines.join("\n"), "people.ndjson");
    const typeOf = (header: string, property: object) => {
      const { profile, types = new Set<string>() } =
        source.columns.find((column) => column.header === header) ?? {};
      return profile?.chooseOtherType(toFieldSpec("field", property, false), types, english);
    };
    expect(typeOf("level", {})).toBeUndefined();
    expect(typeOf("level", { type: "integer" })).toBe("number");
    expect(typeOf("level", { type: "string" })).toBe("text");
    expect(typeOf("tags", { type: "array" })).toBeUndefined();
    expect(typeOf("born", { type: "string", format: "date" })).toBeUndefined();
    expect(await read(undefined)).toEqual({ errors: [], lines });
  });

  test("get the type of their column, without empty texts", async () => {
    const { errors, lines } = await read("number");
    expect(errors).toMatchObject([{ field: "level", value: "n/a", reason: "Not a number." }]);
    expect(lines).toEqual([
      '{"name":"Ada","level":3,"tags":["a"],"born":"1815-12-10"}',
      '{"name":"Bob","level":"n/a","tags":null,"born":""}',
      '{"name":"Cyd","tags":[]}',
      '{"name":"Dan","level":5}',
    ]);
    const omitting = await read("number", true);
    expect([omitting.errors, omitting.lines[1]]).toEqual([[], '{"name":"Bob","tags":null,"born":""}']);
  });
});

const english: ReaderLanguage = { hasDecimalComma: false, hasDayFirst: false };
const german: ReaderLanguage = { hasDecimalComma: true, hasDayFirst: true };
const anyField = toFieldSpec("field", {}, false);

describe("the type of a column", () => {
  const table = [
    "name;code;level;active;tags;address;mixed;size",
    'Ada;007;3;TRUE;["a","b"];{"city":"Köln"};3;null',
    'Bob;1;-1.5;nein;[];{};"x";10',
    "Cyd;   ;;;;;;",
  ].join("\n");

  /** The type that is chosen for a column with these cells, and the values that it gives. */
  async function read(cells: readonly string[], { language = english, spec = anyField } = {}) {
    const source = await open(`name;field\n${cells.map((cell) => `Ada;${cell}`).join("\n")}\n`);
    const profile = source.columns[1]?.profile;
    const type = profile?.chooseType(spec, language);
    const targets: Target[] = [{ to: "name" }, { to: "custom", field: "field", type }];
    const values = source.firstRows.map((row) => source.toRecord(row, targets)?.get("field"));
    return { type, values, misfits: type && [...(profile?.misfits(type).examples ?? [])] };
  }

  test("comes from all its values", async () => {
    const source = await open(table);
    const targets = guess(source).map((target, index): Target => {
      if (target.to !== "custom") return target;
      return { ...target, type: source.columns[index]?.profile?.chooseType(anyField, english) };
    });
    const types = targets.map((target) => target.to === "custom" && target.type);
    expect(types).toEqual([false, "text", "number", "boolean", "list", "json", "text", "number"]);
    expect(source.firstRows.map((row) => Object.fromEntries(source.toRecord(row, targets) ?? []))).toEqual([
      {
        name: "Ada",
        code: "007",
        level: 3,
        active: true,
        tags: ["a", "b"],
        address: { city: "Köln" },
        mixed: "3",
        size: null,
      },
      { name: "Bob", code: "1", level: -1.5, active: false, tags: [], address: {}, mixed: "x", size: 10 },
      { name: "Cyd" },
    ]);
    // The service reads JSON in cells: text that looks like a number is sent as a JSON string.
    expect(source.write(source.firstRows.slice(1, 2), targets).split("\n")[1]).toBe(
      'Bob,,"""1""",-1.5,false,[],{},x,10',
    );
    expect(source.write(source.firstRows.slice(1, 2), targets, false)).toBe(
      'Bob,,"""1""",-1.5,false,[],{},x,10',
    );
  });

  test("is that of most cells, and says which cells do not have it", async () => {
    expect(await read(["3", "n/a", "5"])).toEqual({
      type: "number",
      values: [3, "n/a", 5],
      misfits: ["n/a"],
    });
    expect(await read(["3", "n/a", "-", "5"])).toMatchObject({ type: "text", misfits: [] });
    expect(await read(["yes", "NO", "maybe"])).toMatchObject({ type: "boolean", misfits: ["maybe"] });
    // A postal code or a phone number is not a number, although others look like numbers.
    expect(await read(["12345", "01234", "54321"])).toMatchObject({ type: "text" });
    expect(await read(["+31612345678"])).toMatchObject({ type: "text" });
  });

  test("can be a number with a decimal comma, and the reader's language decides if both are possible", async () => {
    expect(await read(["1.234,5", "-7", "2"])).toMatchObject({
      type: "commaNumber",
      values: [1234.5, -7, 2],
    });
    expect(await read(["1,234.5", "1'234.5", "7"])).toMatchObject({
      type: "number",
      values: [1234.5, 1234.5, 7],
    });
    expect(await read(["1,234"])).toMatchObject({ type: "number", values: [1234] });
    expect(await read(["1,234"], { language: german })).toMatchObject({
      type: "commaNumber",
      values: [1.234],
    });
    expect(await read(["1.234"])).toMatchObject({ type: "number", values: [1.234] });
    expect(await read(["1.234"], { language: german })).toMatchObject({
      type: "commaNumber",
      values: [1234],
    });
    expect(await read(["12", "34"], { language: german })).toMatchObject({
      type: "number",
      values: [12, 34],
    });
  });

  test("can be a date, and becomes a date as the schema has them", async () => {
    const iso = ["2026-12-31", "2026-01-02"];
    expect(await read(iso)).toMatchObject({ type: "date", values: iso });
    expect(await read(["31.12.2026", "2.1.2026"])).toMatchObject({ type: "dayFirst", values: iso });
    expect(await read(["12/31/2026", "1/2/2026"])).toMatchObject({ type: "monthFirst", values: iso });
    expect(await read(["31/12/2026", "2/1/2026"])).toMatchObject({ type: "dayFirst", values: iso });
    expect(await read(["2026-12-31 00:00:00"])).toMatchObject({ type: "date", values: ["2026-12-31"] });
    expect(await read(["1/2/2026"])).toMatchObject({ values: ["2026-01-02"] });
    expect(await read(["1/2/2026"], { language: german })).toMatchObject({ values: ["2026-02-01"] });
    expect(await read(["31.12.2026", "1.1.2026", "30.2.2026"])).toMatchObject({ misfits: ["30.2.2026"] });
  });

  test("reads yes and no in many languages", async () => {
    const words = ["yes", "Ja", "OUI", "sí", "WAHR", "はい"];
    expect((await read(words)).values).toEqual(words.map(() => true));
    const negations = ["no", "Nein", "non", "NÃO", "FALSCH", "いいえ"];
    expect((await read(negations)).values).toEqual(negations.map(() => false));
  });

  test("comes from the schema, or from the users that have the field", async () => {
    const typed = (property: object) => ({ spec: toFieldSpec("field", property, false) });
    expect(await read(["3", "4"], typed({ type: "string" }))).toMatchObject({
      type: "text",
      values: ["3", "4"],
    });
    expect(await read(["x", "3,5"], typed({ type: ["integer", "null"] }))).toMatchObject({
      type: "commaNumber",
      misfits: ["x"],
    });
    expect(await read(["1", "0"], typed({ type: "boolean" }))).toMatchObject({ values: [true, false] });
    expect(await read(["a, b"], typed({ type: "array" }))).toMatchObject({ values: [["a", "b"]] });
    expect(await read(["31.12.2026"], typed({ type: "string", format: "date" }))).toMatchObject({
      values: ["2026-12-31"],
    });
    const samples = specOf("field", { name: "field", types: ["string"] }, ["2020-01-01"]);
    expect(await read(["31.12.2026"], { spec: samples })).toMatchObject({ values: ["2026-12-31"] });
  });

  test("rejects cells of another type, or leaves them out", async () => {
    const source = await open("name,level,tags\nAda,high,a; b\nBob, 02 ,\n");
    const level = { to: "custom", field: "level", type: "number" } as const;
    const tags = { to: "custom", field: "tags", type: "list" } as const;
    const rejecting: Target[] = [{ to: "name" }, level, tags];
    const omitting: Target[] = [{ to: "name" }, { ...level, omitsMisfits: true }, tags];
    const read = async (targets: readonly Target[]) => {
      for await (const { sent, failed } of splitIntoChunks(source, targets)) {
        const records = sent.map((row) => Object.fromEntries(source.toRecord(row, targets) ?? []));
        return { records, failed };
      }
    };
    const bob = { name: "Bob", level: 2 };
    const error = { field: "level", value: "high", reason: "Not a number.", kind: "Not a number." };
    expect(await read(rejecting)).toMatchObject({
      records: [bob],
      failed: [{ row: { number: 2 }, errors: [error] }],
    });
    expect(await read(omitting)).toEqual({ records: [{ name: "Ada", tags: ["a", "b"] }, bob], failed: [] });
  });
});

describe("the failures of a file", () => {
  const row = (number: number) => ({ number, cells: [`cell ${number}`] });

  test("are counted by kind, with the first values of each", () => {
    const failures = new Failures();
    for (let number = 2; number < 40; number++) {
      const value = `value ${number % 12}`;
      failures.add({
        row: row(number),
        errors: [{ kind: "Bad.", reason: `${value} is bad.`, field: "a", value }],
      });
    }
    const both = [
      { kind: "Bad.", reason: "Bad.", field: "a", value: "value 2" },
      { kind: "Worse.", reason: "Worse." },
    ];
    failures.add({ row: row(40), errors: both });
    expect(failures.count).toBe(39);
    const [bad, worse] = failures.kinds;
    expect(bad).toMatchObject({ field: "a", text: "Bad.", count: 39 });
    expect(bad?.values.size).toBe(10);
    expect(bad?.values.get("value 2")).toEqual({ row: 2, count: 5 });
    expect(worse).toMatchObject({ field: undefined, text: "Worse.", count: 1 });
  });

  test("keep 10,000 rows, and count 100 kinds and the others together", () => {
    const failures = new Failures();
    for (let number = 0; number < 10_050; number++) {
      const kind = `Kind ${number % 150}.`;
      failures.add({ row: row(number), errors: [{ kind, reason: kind }] });
    }
    expect([failures.count, failures.rows.length, failures.kinds.length]).toEqual([10_050, 10_000, 101]);
    expect(failures.kinds[0]).toMatchObject({ text: "Other errors", count: 10_050 - 100 * 67 });
  });
});
