import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { shortenChange } from "../../../src/console/activity/change-text.ts";

const texts = (from: unknown, to: unknown) => shortenChange(from, to).map(({ text }) => text);

describe("a change in a sentence", () => {
  for (const [name, from, to, shown] of [
    ["shows numbers and texts as they are", 3, 4, ["3", "4"]],
    ["says that a value is missing or empty", undefined, "", ["not set", "empty"]],
    ["tells a text from a number", "3", 3, ['"3"', "3"]],
    ["tells a text from a missing value", "not set", undefined, ['"not set"', "not set"]],
    ["shows other values as JSON", null, [1, { a: true }], ["null", '[1,{"a":true}]']],
    ["stays on one line", "a\n\nb", "c", ["a b", "c"]],
  ] as const) {
    test(name, () => expect(texts(from, to)).toEqual([...shown]));
  }

  test("cuts long texts where they begin to differ", () => {
    const long = "The quick brown fox jumps over the lazy dog, and then over the ";
    expect(texts(`${long}cat.`, `${long}cow.`)).toEqual(["…er the cat.", "…er the cow."]);
    expect(texts("x", "y".repeat(100))).toEqual(["x", `${"y".repeat(40)}…`]);
  });

  test("is short, and splits no character", () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 120, unit: "grapheme" }),
        fc.string({ maxLength: 120 }),
        (from, to) => {
          const shown = texts(from, to);
          for (const text of shown) expect([...text].length).toBeLessThanOrEqual(42);
          for (const text of shown) expect(text.isWellFormed()).toBe(true);
        },
      ),
    );
  });
});
