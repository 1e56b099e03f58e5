import { expect, test } from "bun:test";
import fc from "fast-check";
import { decodeValue, textAfterPrefix } from "../../src/domain/lists/indexed-value.ts";
import { indexRows } from "../../src/domain/lists/value-index.ts";

const decodeFirst = (value: string | number | boolean) => {
  const [row] = indexRows({ value }, []);
  return row && decodeValue(row);
};

test("reads every number, boolean and short text back from its index row", () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer(), fc.boolean()),
      (value) => expect(decodeFirst(value)).toBe(Object.is(value, -0) ? 0 : value),
    ),
  );
  const text = fc.string({ unit: "binary", maxLength: 60 }).filter((value) => !/[\0\p{Cs}]/u.test(value));
  fc.assert(fc.property(text, (value) => expect(decodeFirst(value)).toBe(value)));
});

test("reads no long text, and the folded form of a text whose spelling is long", () => {
  expect(decodeFirst("x".repeat(250))).toBe("x".repeat(250));
  expect(decodeFirst("x".repeat(251))).toBeUndefined();
  expect(decodeFirst("e\u0301".repeat(200))).toBe("é".repeat(200));
  const digestLike = `\u0001${"0".repeat(64)}`;
  expect(decodeFirst(digestLike)).toBe(digestLike);
});

test("finds the text after all texts with a prefix", () => {
  expect(textAfterPrefix("2a")).toBe("2b");
  expect(textAfterPrefix("2\ud7ff")).toBe("2\ue000");
  expect(textAfterPrefix("2\u{10ffff}\u{10ffff}")).toBe("3");
  const text = fc.string({ unit: fc.constantFrom("a", "b", "\ud7ff", "\ue000", "\u{10ffff}"), maxLength: 4 });
  fc.assert(
    fc.property(text, text, (prefix, other) => {
      const order = (one: string, two: string) => Buffer.compare(Buffer.from(one), Buffer.from(two));
      const isInRange = order(`2${prefix}`, other) <= 0 && order(other, textAfterPrefix(`2${prefix}`)) < 0;
      expect(isInRange).toBe(other.startsWith(`2${prefix}`));
      const inside = `2${prefix}${other}`;
      expect(order(inside, textAfterPrefix(`2${prefix}`))).toBe(-1);
    }),
  );
});
