import { describe, expect, test } from "bun:test";
import { checkSample } from "../../../src/console/import/check-row.ts";
import type { Target } from "../../../src/console/import/mapping.ts";
import type { Source } from "../../../src/console/import/source.ts";
import { splitIntoChunks } from "../../../src/console/import/upload-chunks.ts";
import { errorFor, guess, open, rowsOf } from "../support/import-file.ts";

test("a table with two columns is detected with every delimiter and line break", async () => {
  for (const delimiter of [",", ";", "\t", "|"]) {
    for (const newline of ["\n", "\r\n"]) {
      for (const end of ["", newline, newline + newline]) {
        const rows = ["name#email", "Ada#ada@example.com"].map((row) => row.replace("#", delimiter));
        const { columns, sample } = await open(rows.join(newline) + end);
        expect(columns.map(({ header }) => header)).toEqual(["name", "email"]);
        expect(sample.map(({ cells }) => cells)).toEqual([["Ada", "ada@example.com"]]);
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
      expect([source.kind, source.format, source.isComplete]).toEqual(["json", "ndjson", true]);
      expect(source.columns.map(({ header }) => header)).toEqual(["name", "note", "tags", "note2", "level"]);
      const rows = await rowsOf(source);
      expect(rows.map(({ number }) => number)).toEqual([1, 2, 3]);
      expect(rows.map(({ cells }) => JSON.parse(cells[0] ?? ""))).toEqual(items);
      expect(source.write(rows, guess(source)).split("\n").length).toBe(3);
      expect(rows.map((row) => source.findRowError(row) === undefined)).toEqual([true, true, false]);
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
    expect(source).toMatchObject({ isComplete: false, sample: { length: 1000 } });
  });

  test("does not read the rest of a file into memory after an unclosed quote", async () => {
    const source = await open(`[${'{"name":"Ada"},\n'.repeat(2000)}"${"x".repeat(1_500_000)}`, "people.json");
    expect(await errorFor(rowsOf(source))).toBe("json");
  });
});

describe("the type of a column", () => {
  const table = [
    "name;code;level;active;tags;address;mixed;size",
    'Ada;007;3;TRUE;["a","b"];{"city":"Köln"};3;null',
    'Bob;1;-1.5;false;[];{};"x";10',
    "Cyd;;;;;;;",
  ].join("\n");
  const typesOf = async (fields: Parameters<Source["chooseType"]>[1][] = []) => {
    const source = await open(table);
    const targets = guess(source).map((target, index): Target => {
      if (target.to !== "custom") return target;
      return {
        ...target,
        type: source.chooseType(
          index,
          fields.find((info) => info?.name === target.field),
        ),
      };
    });
    return { source, targets, types: targets.map((target) => target.to === "custom" && target.type) };
  };

  test("comes from all its values", async () => {
    const { source, targets, types } = await typesOf();
    expect(types).toEqual([false, "text", "number", "boolean", "list", "json", "text", "number"]);
    expect(source.sample.map((row) => Object.fromEntries(source.toRecord(row, targets) ?? []))).toEqual([
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
    expect(source.write(source.sample.slice(1, 2), targets).split("\n")[1]).toBe(
      'Bob,,"""1""",-1.5,false,[],{},x,10',
    );
  });

  test("comes from the schema, or from the users if the values fit", async () => {
    const { types } = await typesOf([
      { name: "code", types: ["number"] },
      { name: "level", types: ["string"] },
      { name: "active", types: ["number"] },
      { name: "mixed", types: [], schemaTypes: ["integer", "null"] },
      { name: "size", types: ["number"], schemaTypes: ["string"] },
    ]);
    expect(types).toEqual([false, "number", "text", "boolean", "list", "json", "number", "text"]);
  });

  test("rejects cells that have another type", async () => {
    const source = await open("name,level,active,tags\nAda,high,yes,a; b\nBob, 02 , True ,\n");
    const custom = (field: string, type: "number" | "boolean" | "list"): Target => ({
      to: "custom",
      field,
      type,
    });
    const targets = [
      { to: "name" } as const,
      custom("level", "number"),
      custom("active", "boolean"),
      custom("tags", "list"),
    ];
    const [ada, bob] = checkSample(source, targets);
    expect([...(ada?.errors.keys() ?? [])]).toEqual(["level", "active"]);
    expect(ada?.record?.get("tags")).toEqual(["a", "b"]);
    expect([bob?.errors.size, bob?.record?.get("level"), bob?.record?.get("active")]).toEqual([0, 2, true]);
    for await (const chunk of splitIntoChunks(source, targets)) {
      expect(chunk.sent.map(({ number }) => number)).toEqual([3]);
      expect(chunk.failed).toMatchObject([{ field: "level", value: "high", reason: "Not a number." }]);
    }
  });
});
