import { expect, test } from "bun:test";
import { parseJsonText } from "../../src/domain/json-text.ts";

const nest = (levels: number, open: string, close: string) =>
  `${open.repeat(levels)}1${close.repeat(levels)}`;

test.each([
  ["arrays", "[", "]"],
  ["objects", '{"a":', "}"],
])("parses %s of 1,024 levels, and rejects more before it parses them", (_, open, close) => {
  expect(JSON.stringify(parseJsonText(nest(1024, open, close), "body"))).toBe(nest(1024, open, close));
  for (const levels of [1025, 100_000])
    expect(() => parseJsonText(nest(levels, open, close), "body")).toThrow("The body is nested too deeply.");
  expect(() => parseJsonText(open.repeat(30_000), "body")).toThrow("nested too deeply");
});

test.each([
  ["brackets in strings", { text: "[{".repeat(5000), quoted: '\\"[{'.repeat(3000) }],
  ["many short arrays", Array.from({ length: 5000 }, () => [{}])],
])("parses %s", (_, value) => {
  expect(parseJsonText(JSON.stringify(value), "body")).toEqual(value);
});

test("rejects text that is not JSON", () => {
  for (const text of ["", "{", "]".repeat(3000)])
    expect(() => parseJsonText(text, "line")).toThrow("The line is not one complete JSON document.");
});
