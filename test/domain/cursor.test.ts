import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { sortFields } from "../../src/contract/listing.ts";
import { decodeCursor, encodeCursor, type Position, type SortField } from "../../src/domain/listing.ts";

const order = fc.record({ sort: fc.constantFrom(...sortFields), descending: fc.boolean() });
const whole = fc.nat({ max: Number.MAX_SAFE_INTEGER });

function keyOf(sort: SortField): fc.Arbitrary<Position["key"]> {
  const words = fc
    .string({ unit: "grapheme" })
    .filter((text) => !text.includes("\u0000") && text.isWellFormed());
  switch (sort) {
    case "id":
      return fc.constant(null);
    case "name":
      return words;
    case "email":
      return fc.option(words);
    default:
      return whole;
  }
}

describe("cursors", () => {
  test("stand for the position that they were made from, and can stand in a URL as they are", () => {
    const cases = order.chain((list) =>
      fc.record({ list: fc.constant(list), key: keyOf(list.sort), id: whole, skip: fc.nat(10_000) }),
    );
    fc.assert(
      fc.property(cases, ({ list, ...position }) => {
        const cursor = encodeCursor(list, position);
        expect(cursor).toMatch(/^[\w-]+$/);
        expect(decodeCursor(list, cursor)).toEqual(position);
      }),
    );
  });

  test("belong to one order", () => {
    const cursor = encodeCursor({ sort: "name", descending: false }, { key: "ada", id: 1, skip: 0 });
    expect(decodeCursor({ sort: "name", descending: true }, cursor)).toBeUndefined();
    expect(decodeCursor({ sort: "email", descending: false }, cursor)).toBeUndefined();
  });

  test("that nobody was given stand for nothing, whatever they hold", () => {
    fc.assert(
      fc.property(order, fc.oneof(fc.string(), fc.base64String()), (list, wild) => {
        expect(decodeCursor(list, wild)).toBeUndefined();
      }),
    );
    const forged = (data: unknown) => Buffer.from(JSON.stringify(data)).toString("base64url");
    const id = { sort: "id", descending: false } as const;
    for (const data of [
      ["id", "x", 1, 0],
      ["id", null, -1, 0],
      ["id", null, 1.5, 0],
      ["id", null, 1],
      ["id", null, 1, "0"],
      null,
      {},
    ]) {
      expect(decodeCursor(id, forged(data))).toBeUndefined();
    }
    expect(
      decodeCursor({ sort: "name", descending: false }, forged(["name", "\u0000", 1, 0])),
    ).toBeUndefined();
    expect(
      decodeCursor({ sort: "createdAt", descending: false }, forged(["createdAt", "x", 1, 0])),
    ).toBeUndefined();
  });
});
