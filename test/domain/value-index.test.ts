import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { foldCase } from "../../src/domain/fold.ts";
import {
  booleanKey,
  exactKey,
  fieldPath,
  indexRows,
  instantKey,
  isCut,
  numberKey,
  OVERFLOW_ROW,
  textKey,
} from "../../src/domain/lists/value-index.ts";

const COLUMNS = ["name", "email"];
const text = fc.string({ unit: "grapheme", maxLength: 12 });
const longText = fc
  .tuple(fc.string({ unit: "grapheme", minLength: 1, maxLength: 3 }), text)
  .map(([start, end]) => start.repeat(130) + end);
const number = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer());

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function rowsOf(customFields: Parameters<typeof indexRows>[0] | object): string[] {
  return indexRows({ name: "Ada", email: "ada@example.com", ...customFields }, COLUMNS).map(
    ({ field, value, exact }) => `${field} ${value}${exact === "" ? "" : ` ${exact}`}`,
  );
}

describe("the key of a value", () => {
  test("sorts like numbers", () => {
    fc.assert(
      fc.property(number, number, (a, b) => {
        expect(compareBytes(numberKey(a), numberKey(b))).toBe(
          Math.sign(a - b) || Number(a > b) - Number(a < b),
        );
      }),
      { numRuns: 1000 },
    );
    const sorted = [-1e300, -2, -1.5, -1, -5e-324, 0, 5e-324, 0.1, 1, 2, 3, 10, 255, 256, 2 ** 53 - 1, 1e300];
    expect([...sorted].sort((a, b) => compareBytes(numberKey(a), numberKey(b)))).toEqual(sorted);
    expect(numberKey(-0)).toBe(numberKey(0));
  });

  test("is short for short numbers", () => {
    expect([0, 1, 2, 3, -1].map(numberKey)).toEqual(["18", "1bff", "1c", "1c008", "1400fffffffffffff"]);
  });

  test("of a user name is compared like an email, and has its spelling beside it", () => {
    const place = { path: "userName" };
    expect(textKey("STRAßE", place)).toBe(textKey("straße", place));
    expect(textKey("STRASSE", place)).not.toBe(textKey("straße", place));
    expect(textKey("STRASSE")).toBe(textKey("straße"));
    // Unlike other texts, a user name has no end that is cut off.
    const long = "😀".repeat(256);
    expect(textKey(long, place)).toBe(`2${long}`);
    // Groups can have longer texts there: their keys have a bounded size, and are equal for equal texts only.
    const keys = ["A", "a", "b"].map((end) => textKey("x".repeat(5000) + end, place));
    expect(keys.map(({ length }) => length < 400)).toEqual([true, true, true]);
    expect([keys[0] === keys[1], keys[1] === keys[2]]).toEqual([true, false]);
    expect(rowsOf({ userName: "STRAßE", scim: { userName: "STRAßE" } })).toEqual([
      "userName 2straße STRAßE",
      "scim 6",
      "scim.userName 2strasse STRAßE",
    ]);
  });

  test("sorts like times, after the other kinds that compare", () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer(), (a, b) => {
        expect(compareBytes(instantKey(a), instantKey(b))).toBe(Math.sign(a - b));
      }),
    );
    const kinds = [numberKey(1e300), textKey(""), textKey("\u{10ffff}"), booleanKey(false), booleanKey(true)];
    expect([...kinds].sort(compareBytes)).toEqual(kinds);
  });

  test("sorts like folded texts, and is equal for texts that differ only in case", () => {
    fc.assert(
      fc.property(fc.oneof(text, longText), fc.oneof(text, longText), (a, b) => {
        const expected = compareBytes(foldCase(a), foldCase(b));
        const order = compareBytes(textKey(a), textKey(b));
        const isUncertain = order === 0 && isCut(foldCase(a)) && isCut(foldCase(b));
        expect(isUncertain || order === expected).toBe(true);
        expect(textKey(a.toUpperCase())).toBe(textKey(a));
        expect(textKey(a).isWellFormed()).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test("determines a text together with the exact spelling", () => {
    const spelling = fc
      .oneof(text, longText)
      .chain((value) =>
        fc.tuple(
          fc.constant(value),
          fc.oneof(
            fc.constant(value),
            fc.constant(value.toUpperCase()),
            fc.constant(value.toLowerCase()),
            fc.constant(`${value}!`),
            text,
          ),
        ),
      );
    fc.assert(
      fc.property(spelling, ([a, b]) => {
        const isSame = textKey(a) === textKey(b) && exactKey(a) === exactKey(b);
        expect(isSame).toBe(a === b);
      }),
      { numRuns: 1000 },
    );
  });

  test("has no exact spelling if the text is folded, and a digest if it is long", () => {
    expect(exactKey("oslo")).toBe("");
    expect(exactKey("Oslo")).toBe("Oslo");
    expect(exactKey("x".repeat(256))).toBe("");
    expect(exactKey("x".repeat(257))).toHaveLength(65);
    expect(textKey("X".repeat(300))).toBe(`2${"x".repeat(256)}`);
    expect(textKey(`${"x".repeat(255)}😀`)).toBe(`2${"x".repeat(255)}`);
  });
});

describe("the path of a value", () => {
  test("joins names with dots", () => {
    expect(fieldPath(["address", "city"])).toBe("address.city");
    expect(fieldPath(["a", "b.c~d", "\u0001"])).toBe("a.b~2ec~7ed.~01");
  });

  test("differs for different names", () => {
    const part = fc.oneof(
      fc.constantFrom("", "a", "b", ".", "~", "~2e", "2e", "\u0001", "\u0002", "\n"),
      text,
    );
    const names = fc
      .tuple(fc.constantFrom("a", "b"), fc.array(part, { maxLength: 4 }))
      .map(([first, rest]) => [first, ...rest.flatMap((name) => [name, `${name}.`]).slice(0, 4)]);
    const joined = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(""));
    const paths = fc.oneof(
      names,
      fc.array(joined, { maxLength: 3 }).map((rest) => ["a", ...rest]),
    );
    fc.assert(
      fc.property(paths, paths, (a, b) => {
        expect(fieldPath(a) === fieldPath(b)).toBe(JSON.stringify(a) === JSON.stringify(b));
        expect(fieldPath(a)).not.toMatch(/\p{Cc}/u);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("the rows of a record", () => {
  test("has a row for each scalar, with its kind and its spelling", () => {
    const record = { plan: "pro", City: "Oslo", level: 3, admin: true, left: false, note: null };
    expect(rowsOf(record)).toEqual([
      "plan 2pro",
      "City 2oslo Oslo",
      "level 1c008",
      "admin 3t",
      "left 3f",
      "note 4",
    ]);
  });

  test("has the time of a text that is a date, besides the text", () => {
    const record = { day: "1970-01-01", at: "1970-01-01T01:00:00.001+01:00", days: ["1970-01-01"] };
    expect(rowsOf(record)).toEqual([
      "day 21970-01-01",
      "day 58",
      "at 21970-01-01t01:00:00.001+01:00 1970-01-01T01:00:00.001+01:00",
      "at 5bff",
      "days\u0001 21970-01-01",
      "days\u0001 58",
    ]);
    expect(rowsOf({ day: "1970-02-30" })).toEqual(["day 21970-02-30"]);
  });

  test("has the path of values in objects, and a row for the object", () => {
    expect(rowsOf({ address: { city: "oslo", "post.code": 1, geo: {} }, empty: {} })).toEqual([
      "address 6",
      "empty 6",
      "address.city 2oslo",
      "address.post~2ecode 1bff",
      "address.geo 6",
    ]);
  });

  test("marks values in arrays, and has each of them once", () => {
    expect(rowsOf({ tags: ["vip", "vip", "VIP", 3, null, [4, [true]]], none: [] })).toEqual([
      "tags\u0001 2vip",
      "tags\u0001 2vip VIP",
      "tags\u0001 1c008",
      "tags\u0001 4",
      "tags\u0001 1c01",
      "tags\u0001 3t",
    ]);
    expect(rowsOf({ phones: [{ type: "work" }, { type: "home", codes: { area: [1] } }] })).toEqual([
      "phones\u0001 6",
      "phones.type\u0001 2work",
      "phones.type\u0001 2home",
      "phones.codes\u0001 6",
      "phones.codes.area\u0001 1bff",
    ]);
  });

  test("has all top-level values but no others if there are more than 256 rows", () => {
    const numbers = Array.from({ length: 300 }, (_, index) => index);
    const scalars = Object.fromEntries(numbers.map((index) => [`field${index}`, index]));
    expect(indexRows({ name: "Ada", ...scalars }, COLUMNS)).toHaveLength(300);
    expect(indexRows({ name: "Ada", list: numbers.slice(0, 255), plan: "pro" }, COLUMNS)).toHaveLength(256);
    expect(
      indexRows({ name: "Ada", list: numbers.slice(0, 256), plan: "pro", address: { a: [1] } }, COLUMNS),
    ).toEqual([
      { field: "plan", value: "2pro", exact: "" },
      { field: "address", value: "6", exact: "" },
      OVERFLOW_ROW,
    ]);
    // Repeated elements need no further rows.
    expect(indexRows({ name: "Ada", list: Array.from({ length: 5000 }, () => 7) }, COLUMNS)).toHaveLength(1);
  });

  test("has no nested values if a path is longer than 200 characters", () => {
    const deep = { a: "x", ["b".repeat(199)]: 1 };
    expect(rowsOf({ o: deep, plan: "pro" })).toEqual(["o 6", "plan 2pro", "\u0002 "]);
    expect(rowsOf({ o: { ["b".repeat(198)]: 1 } })).toHaveLength(2);
  });
});
