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
        expect(cursor).toMatch(/^[\w.-]+$/);
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
    for (const [sort, forged] of [
      ["id", "-1.0.id"],
      ["id", "1.5.0.id"],
      ["id", "01.0.id"],
      ["id", "1.id"],
      ["id", "1.0.x.id"],
      ["id", "1e3.0.id"],
      ["id", "9007199254740993.0.id"],
      ["name", "1.0.name"],
      ["name", `1.0.${Buffer.from("\u0000").toString("base64url")}.name`],
      ["name", `1.0.${Buffer.from([0xff]).toString("base64url")}.name`],
      ["name", "1.0.!!.name"],
      ["createdAt", "1.0.createdAt"],
      ["createdAt", "1.0.eA.createdAt"],
      ["email", "1.0.eA.eA.email"],
    ] as const) {
      expect(decodeCursor({ sort, descending: false }, forged)).toBeUndefined();
    }
  });
});
