import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { columnFields } from "../../src/contract/users/user-fields.ts";
import { decodeCursor, encodeCursor } from "../../src/domain/lists/cursor.ts";
import type { Position } from "../../src/domain/lists/listing.ts";
import { type UserListQuery, userListFields } from "../../src/domain/users/user-list-fields.ts";

const text = fc.string({ unit: "grapheme" }).filter((key) => !key.includes("\u0000") && key.isWellFormed());
const order = fc.record({
  sort: fc.oneof(fc.constantFrom(...columnFields), fc.record({ custom: text })),
  descending: fc.boolean(),
});
const integer = fc.nat({ max: Number.MAX_SAFE_INTEGER });

function sortKey(sort: UserListQuery["sort"]): fc.Arbitrary<Position["key"]> {
  switch (typeof sort === "string" ? sort : "custom") {
    case "id":
      return fc.constant(null);
    case "name":
      return text;
    case "email":
    case "custom":
      return fc.option(text);
    default:
      return integer;
  }
}

describe("cursors", () => {
  test("decode to the encoded position and need no escaping in a URL", () => {
    const cases = order.chain((list) =>
      fc.record({ list: fc.constant(list), key: sortKey(list.sort), id: integer, skip: fc.nat(10_000) }),
    );
    fc.assert(
      fc.property(cases, ({ list, ...position }) => {
        const cursor = encodeCursor(list, position);
        expect(cursor).toMatch(/^[\w.-]+$/);
        expect(decodeCursor(userListFields, list, cursor)).toEqual(position);
      }),
    );
  });

  test("are invalid in another sort order", () => {
    const cursor = encodeCursor({ sort: "name", descending: false }, { key: "ada", id: 1, skip: 0 });
    expect(decodeCursor(userListFields, { sort: "name", descending: true }, cursor)).toBeUndefined();
    expect(decodeCursor(userListFields, { sort: "email", descending: false }, cursor)).toBeUndefined();
    expect(
      decodeCursor(userListFields, { sort: { custom: "name" }, descending: false }, cursor),
    ).toBeUndefined();
  });

  test("that the service never returned are invalid", () => {
    fc.assert(
      fc.property(order, fc.oneof(fc.string(), fc.base64String()), (list, random) => {
        expect(decodeCursor(userListFields, list, random)).toBeUndefined();
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
      expect(decodeCursor(userListFields, { sort, descending: false }, forged)).toBeUndefined();
    }
  });
});
