import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Json } from "../../src/contract/json.ts";
import { isId } from "../../src/contract/scalars.ts";
import { JsonScanner, OPEN_ARRAY, OPEN_OBJECT } from "../../src/domain/json-scanner.ts";
import { MAX_PARSED_LEVELS } from "../../src/domain/json-text.ts";
import { ProblemError } from "../../src/domain/problem-error.ts";
import { spelledJson } from "../support/spell-json.ts";

function scan(text: string, maxItemBytes = Number.POSITIVE_INFINITY): JsonScanner {
  const bytes = Buffer.from(text);
  return new JsonScanner(bytes, { start: 0, end: bytes.length, maxItemBytes, invalid: "invalid-group" });
}

/** The type of the problem that the work fails with, if it does. */
function problemOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof ProblemError) return error.type;
    throw error;
  }
}

/** Whether the scanner reads the whole text as one value. */
function accepts(text: string): boolean {
  const json = scan(text);
  const problem = problemOf(() => json.skipValue());
  expect(["malformed-json", undefined]).toContain(problem);
  return problem === undefined && json.peek() === undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const values: fc.Arbitrary<Json> = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)));

describe("a scanner of JSON", () => {
  test("accepts what JSON.parse accepts", () => {
    fc.assert(
      fc.property(spelledJson(values), (text) => {
        expect([text, isJson(text), accepts(text)]).toEqual([text, true, true]);
      }),
      { numRuns: 300 },
    );
  });

  test("refuses what JSON.parse refuses", () => {
    const text = (maxLength: number) =>
      fc.string({
        unit: fc.constantFrom(...'{}[]",:\\/utnr0123456789-+.eE falsd\u0000\u001f\t\u00a0é'),
        maxLength,
      });
    const damaged = fc
      .tuple(spelledJson(values), fc.nat(), fc.nat(2), text(2))
      .map(([whole, position, removed, added]) => {
        const at = position % (whole.length + 1);
        return whole.slice(0, at) + added + whole.slice(at + removed);
      });
    fc.assert(
      fc.property(fc.oneof(damaged, text(8)), (each) => {
        expect([each, accepts(each)]).toEqual([each, isJson(each)]);
      }),
      { numRuns: 3000 },
    );
  });

  test.each(["1", "-0", "0.5", "1e5", "1E+05", "-1.25e-3", "true", "false", "null"])("accepts %s", (text) => {
    expect(accepts(text)).toBe(true);
  });

  test.each([
    "",
    "01",
    "-",
    "1.",
    ".5",
    "1e",
    "1e+",
    "+1",
    "tru",
    "nul",
    "True",
    "NaN",
    "[1,]",
    "{,}",
    '{"a"}',
    "[",
    '"',
  ])("refuses %s", (text) => {
    expect(accepts(text)).toBe(false);
  });

  test("makes the values that JSON.parse makes, one after the other", () => {
    fc.assert(
      fc.property(spelledJson(values), spelledJson(values), (first, second) => {
        const json = scan(`${first} ${second}`);
        expect([json.parseValue(), json.parseValue()]).toEqual([JSON.parse(first), JSON.parse(second)]);
      }),
      { numRuns: 300 },
    );
  });

  test("compares words and reads ids and texts, however they are written", () => {
    const digits = fc.string({ unit: fc.constantFrom(..."0123456789"), maxLength: 17 });
    const texts = fc.oneof(fc.mixedCase(fc.constant("value")), fc.constant("values"), digits, fc.string());
    fc.assert(
      fc.property(spelledJson(fc.oneof(texts, fc.nat())), (text) => {
        const value: unknown = JSON.parse(text);
        const json = scan(text);
        const start = json.skipValue();
        const isText = typeof value === "string";
        expect(json.isText(start)).toBe(isText);
        expect(json.textAt(start)).toBe(isText ? value : undefined);
        expect(json.idAt(start)).toBe(isText && isId(value) ? Number(value) : undefined);
        expect(json.isWord(start, "value")).toBe(isText && value.toLowerCase() === "value");
      }),
      { numRuns: 1000 },
    );
  });

  test("reads the members of an object by their names", () => {
    const json = scan(' { "a" : 1 , "b\\u0063" : [ {} ] } ');
    const members: unknown[] = [];
    for (let hasMore = json.enter(OPEN_OBJECT); hasMore; hasMore = json.hasNext(OPEN_OBJECT)) {
      const name = json.textAt(json.skipName());
      members.push([name, json.parseValue()]);
    }
    expect(members).toEqual([
      ["a", 1],
      ["bc", [{}]],
    ]);
    expect(json.peek()).toBeUndefined();
    expect(scan("{ }").enter(OPEN_OBJECT)).toBe(false);
  });

  test("reads as many levels as bodies can have", () => {
    const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
    expect(problemOf(() => scan(nested(MAX_PARSED_LEVELS)).skipValue())).toBeUndefined();
    expect(problemOf(() => scan(nested(MAX_PARSED_LEVELS + 1)).skipValue())).toBe("invalid-group");
  });

  test.each([
    ["text", `"${"x".repeat(30)}"`],
    ["number", "1".repeat(30)],
    ["list", `[${"1,".repeat(15)}1]`],
    ["object", `{"a":${"[".repeat(15)}${"]".repeat(15)}}`],
    ["white space", `${" ".repeat(30)}1`],
    ["name", `{"${"x".repeat(30)}":1}`],
  ])("refuses an item that is too large: %s", (_, text) => {
    const read = (maxItemBytes: number) => {
      const json = scan(`[${text}]`, maxItemBytes);
      json.beginItem();
      json.enter(OPEN_ARRAY);
      json.skipValue();
      json.hasNext(OPEN_ARRAY);
    };
    expect(problemOf(() => read(text.length + 2))).toBeUndefined();
    expect(problemOf(() => read(20))).toBe("too-large");
  });
});
