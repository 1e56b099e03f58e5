import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { bulkLimits } from "../../src/contract/bulk/bulk.ts";
import { parseBulk } from "../../src/domain/bulk/parse-bulk.ts";
import { ProblemError } from "../../src/domain/problem-error.ts";

const MAX_OTHER_BYTES = 65_536;
const parse = (text: string) => parseBulk(Buffer.from(text), MAX_OTHER_BYTES);
/** Returns the type of the problem, or what was parsed. */
const tryParse = (text: string) =>
  parse(text).catch((error: unknown) => {
    if (error instanceof ProblemError) return error.type;
    throw error;
  });
/** Longer than what is parsed at once. */
const manyIds = Array.from({ length: 5000 }, (_, index) => index + 1);

describe("parseBulk", () => {
  test("returns the same as JSON.parse, for any other members, names and white space", async () => {
    const number = fc.oneof(fc.nat(), fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
    const members = fc.dictionary(fc.string(), fc.jsonValue());
    await fc.assert(
      fc.asyncProperty(
        fc.array(number, { maxLength: 50 }),
        members,
        members,
        fc.constantFrom(undefined, 0, 1, "\t", "\n \r"),
        async (ids, before, after, space) => {
          const body = {
            ...before,
            ids: [...ids, ...manyIds],
            patch: { ...after, ids: [[1], "],"] },
            ...after,
          };
          const text = JSON.stringify(body, null, space);
          expect(await parse(text)).toEqual(JSON.parse(text));
        },
      ),
      { numRuns: 200 },
    );
  });

  test("finds ids after other arrays and strings with brackets and quotes", async () => {
    for (const other of [
      `"list":[[],[1]]`,
      `"text":"\\"ids\\":["`,
      `"patch":{"ids":[1]}`,
      `"text":"\\\\"`,
      `"ids":[3]`,
      `"ids":[${manyIds},7]`,
    ]) {
      const text = `{${other},"ids":[${manyIds}] ,"delete":true}`;
      expect(await parse(text)).toEqual(JSON.parse(text));
    }
  });

  test.each([
    ["no item after a comma", `{"ids":[${manyIds},]}`],
    ["no item between commas", `{"ids":[${manyIds},,1]}`],
    ["no comma between items", `{"ids":[${manyIds} 1]}`],
    ["a number that is not JSON", `{"ids":[${manyIds},01]}`],
    ["no end of ids", `{"ids":[${manyIds}`],
    ["no end of the object", `{"ids":[${manyIds}]`],
    ["something after the object", `{"ids":[${manyIds}]}]`],
    ["an array in place of the object", `["ids":[${manyIds}]]`],
  ])("rejects %s as malformed", async (_, text) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(await tryParse(text)).toBe("malformed-json");
  });

  test("returns a long list of ids with something else than numbers too", async () => {
    for (const item of ['"1"', "null", "true", "[]", "{}", '"],"', '{"ids":[1]}', '"\\\\"']) {
      const text = `{"ids":[${item},${manyIds},${item}],"delete":true}`;
      expect(await parse(text)).toEqual(JSON.parse(text));
    }
  });

  test("returns null for more ids than a bulk change may have", async () => {
    const text = `{"ids":[${"1,".repeat(bulkLimits.ids)}1]}`;
    expect(await parse(text)).toEqual({ ids: null });
  });

  test("limits everything except ids", async () => {
    const fill = (bytes: number) => `{"ids":[${manyIds}],"patch":{"note":"${"é".repeat(bytes / 2)}"}}`;
    expect(await tryParse(fill(MAX_OTHER_BYTES - 100))).toBeObject();
    expect(await tryParse(fill(MAX_OTHER_BYTES))).toBe("too-large");
    expect(await tryParse(`{"ids":["${"x".repeat(2 * MAX_OTHER_BYTES)}",${manyIds}]}`)).toBe("too-large");
    expect(await tryParse(`{"\\u0069ds":[${"1,".repeat(40_000)}1]}`)).toBe("too-large");
  });
});
