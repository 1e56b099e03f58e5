import { describe, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import type { Json } from "../../src/contract/json.ts";
import type { JsonScanner } from "../../src/domain/json-scanner.ts";
import { type LongPath, parseLongJson } from "../../src/domain/parse-long-json.ts";
import { ProblemError } from "../../src/domain/problem-error.ts";

setDefaultTimeout(30_000);

const options = {
  isLong: (path: LongPath) => ["list", "items"].includes(String(path.at(-1))),
  maxOtherBytes: 65_536,
  invalid: "invalid-bulk",
} as const;

const tryParse = (text: string | Buffer, more: Partial<Parameters<typeof parseLongJson>[1]> = {}) =>
  parseLongJson(typeof text === "string" ? Buffer.from(text) : text, { ...options, ...more }).catch(
    (error: unknown) => {
      if (error instanceof ProblemError) return error.type;
      throw error;
    },
  );

/** More characters than are parsed at once. */
const many = (item: string, count = 6000) => Array(count).fill(item).join();

describe("parseLongJson", () => {
  test("returns the same as JSON.parse, for long lists in long lists", async () => {
    const value = fc.jsonValue({ maxDepth: 2 });
    const list = fc
      .tuple(fc.array(value, { minLength: 1, maxLength: 8 }), fc.integer({ min: 0, max: 1000 }))
      .map(([items, copies]) => [...items, ...Array(copies).fill(items[0])]);
    const entry = fc.dictionary(fc.constantFrom("list", "items", "other"), fc.oneof(list, value));
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.constantFrom("list", "items", "name"), fc.oneof(list, fc.array(entry), entry)),
        fc.constantFrom(undefined, 1, "\r\n"),
        async (body, space) => {
          const text = JSON.stringify(body, null, space);
          const unlimited = { maxOtherBytes: Number.POSITIVE_INFINITY };
          expect(await tryParse(text, unlimited)).toEqual(JSON.parse(text));
        },
      ),
      { numRuns: 60 },
    );
  });

  test.each([
    ["a name twice, both with long lists", `{"list":[${many("1")}],"list":[${many("2")}]}`],
    ["a name twice, then with a short list", `{"list":[${many("1")}],"list":[2]}`],
    ["a name twice, then with an object", `{"list":[{"items":[${many("1")}]},${many("2")}],"list":{}}`],
    [
      "a name twice, then without the inner list",
      `{"list":[{"items":[${many("1")}]}],"list":[{"a":1},${many("2")}]}`,
    ],
    ["a list in a list that is as long", `{"list":[{"items":[${many("1")}]},{"items":[${many("[]")}]}]}`],
    ["only white space in a list", `{"list":[${" ".repeat(10_000)}]}`],
    ["escapes in texts", `{"list":[${many('"\\\\\\"],["')}]}`],
    ["escapes up to the end of a step", `{"a":"${"\\\\".repeat(20_000)}","list":[${many("1")}]}`],
  ])("returns the same as JSON.parse with %s", async (_, text) => {
    expect(await tryParse(text)).toEqual(JSON.parse(text));
  });

  test("reads lists with a reader that knows the rest of the body", async () => {
    const opened: unknown[] = [];
    const open = (path: LongPath, body: unknown) => {
      opened.push(path, structuredClone(body));
      const value: Json[] = [];
      const read = (json: JsonScanner) => {
        value.push([json.parseValue()]);
      };
      return { read, value };
    };
    const text = `{"list":[${many("7")}],"other":[1],"items":[ {"list":[1]} ,2 ],"list":[ ],"a":{"items":[3]}}`;
    const rest = { list: null, other: [1], items: null, a: { items: null } };
    const items = [[{ list: [1] }], [2]];
    expect(await tryParse(text, { open })).toEqual({ ...rest, list: [], items, a: { items: [[3]] } });
    const before = { ...rest, list: Array(6000).fill([7]) };
    expect(opened).toEqual([
      ...[["list"], rest],
      ...[["items"], before],
      ...[["list"], { ...before, items }],
      ...[["a", "items"], { ...rest, list: [], items }],
    ]);
  });

  test("reads a body with a byte order mark as JSON.parse reads it without", async () => {
    for (const text of [`{"list":[1]}`, `{"list":[${many("1")}]}`]) {
      expect(await tryParse(`\ufeff${text}`)).toEqual(JSON.parse(text));
      expect(await tryParse(`\uff00${text}`)).toBe("malformed-json");
    }
  });

  test.each([
    ["more items than allowed", `{"list":[${many("1")}]}`, { list: null }],
    ["a large item", `{"list":[${many("1")},"${"x".repeat(100_000)}"]}`, "too-large"],
    ["much beside the lists", `{"a":"${"x".repeat(70_000)}","list":[]}`, "too-large"],
    ["a bracket of the other kind", `{"list":[${many("1")}}}`, "malformed-json"],
    ["no end", `{"list":[${many("1")}]`, "malformed-json"],
    ["an end too many", `{"list":[${many("1")}]}}`, "malformed-json"],
    ["nothing between two commas", `{"list":[${many("1", 5000)},,${many("1", 5000)}]}`, "malformed-json"],
    [
      "bytes that are not UTF-8",
      Buffer.concat([Buffer.from(`{"list":[${many("1")}]}`), Buffer.of(0xff)]),
      "malformed-json",
    ],
    ["many levels", `{"list":[${many("1")},${"[".repeat(2000)}${"]".repeat(2000)}]}`, "invalid-bulk"],
  ])("handles %s", async (_, text, result) => {
    expect(await tryParse(text, { maxItems: 5999 })).toEqual(result);
  });
});
