import { describe, expect, test } from "bun:test";
import type { Json } from "../../../src/contract/json.ts";
import { compileExpression } from "../../../src/domain/filter/compile-expression.ts";
import type { Expression } from "../../../src/domain/filter/expression.ts";
import { parseExpression } from "../../../src/domain/filter/parse-expression.ts";
import { countReads, countStringCalls } from "../../support/counted-work.ts";
import { matchesNaively } from "../../support/filter/naive-filter.ts";

type User = { [field: string]: Json };
type Row = readonly [filter: string, matching: readonly User[], others: readonly User[]];

/** Each filter matches the users of the first list and none of the second. */
function defineMeaning(title: string, rows: readonly Row[]): void {
  describe(title, () => {
    test.each(rows.map((row) => [...row] as const))("%s", (filter, matching, others) => {
      const expression = parseExpression(filter);
      const matches = compileExpression(expression);
      const users = [...matching, ...others];
      expect(users.filter((user) => matches(user))).toEqual([...matching]);
      expect(users.filter((user) => matchesNaively(expression, user))).toEqual([...matching]);
    });
  });
}

/** Users that have these values in the field `a`. */
const a = (...values: Json[]): User[] => values.map((value) => ({ a: value }));
const absent: User = { name: "Ada" };
const everyKind = a("1", 1, true, null, {}, [], "2024-01-31");

defineMeaning("text compares without regard to case", [
  ['a eq "Sales"', a("sales", "Sales", "SALES"), [...a("sale", "sales ", "", ["x"]), absent]],
  ['a eq "straße"', a("STRASSE", "Straße", "STRAẞE"), a("Strase")],
  // Accents count, but not how they are composed.
  ['a eq "josé"', a("JOSÉ", "Jose\u0301"), a("jose", "josè")],
  ['a co "LES"', a("sales", "les", "Lesson"), [...a("", "le s", 1), absent]],
  ['a sw "Sa"', a("sales", "SA"), [...a("a sales", "s"), absent]],
  ['a ew "ES"', a("sales", "es"), [...a("es ", "s"), absent]],
  // Every text contains the empty text.
  ['a co ""', a("", "x"), [...a(1, null, {}), absent]],
  ['a eq ""', a(""), [...a(null, [], " "), absent]],
  ['a eq "1"', a("1"), a(1, "1.0", true)],
]);

defineMeaning("emails compare like the emails of users", [
  ['email eq "ADA@x.org"', [{ email: "ada@X.org" }], [{ email: "eda@x.org" }, absent]],
  // In emails ß is not ss. In every other field, also one called email, it is.
  ['email eq "STRASSE@x.org"', [{ email: "strasse@x.org" }], [{ email: "straße@x.org" }]],
  ['email co "ẞE@"', [{ email: "straße@x.org" }], [{ email: "strasse@x.org" }]],
  ['a.email eq "STRASSE@x.org"', a({ email: "straße@x.org" }), a({ email: "a@x.org" })],
  ['a[email eq "STRASSE@x.org"]', a([{ email: "straße@x.org" }]), a([{ email: "a@x.org" }])],
]);

defineMeaning("numbers compare as numbers", [
  ["a eq 10", a(10), [...a("10", 1, true), absent]],
  ["a eq 1.0", a(1), a(1.1)],
  ["a eq -0", a(0, -0), a(1)],
  ["a gt 9", a(10, 9.5), [...a(9, -10, "99", true, null, {}), absent]],
  ["a ge 9", a(9, 10), a(8.99, "9")],
  ["a lt 9", a(8.99, -10), [...a(9, "1", null, false), absent]],
  ["a le 9", a(9, 0), a(9.01)],
]);

defineMeaning("text is in the order of its characters, after folding", [
  ['a gt "b"', a("C", "ba", "é", "😀"), [...a("B", "A", 9, null, true, {}), absent]],
  ['a ge "b"', a("B", "b", "c"), a("A")],
  ['a lt "b"', a("A", "", "10"), [...a("b", "B", 1, null), absent]],
  ['a le "b"', a("B", "a"), a("ba")],
  // U+1F600 comes after U+FFFF, although its UTF-16 units come before.
  ['a gt "\uffff"', a("😀", "\uffffa"), a("\uffff", "\ue000", "z")],
  ['a lt "a😀b"', a("a\uffff", "a😀", "a😀a"), a("a😀b", "a😁", "a😀c")],
]);

defineMeaning("dates and date-times compare as times", [
  [
    'a eq "2024-01-31"',
    a("2024-01-31", "2024-01-31T00:00:00Z", "2024-01-31t01:30:00.000+01:30", "2024-01-31T00:00:00.0009z"),
    [
      ...a("2024-01-31T00:00:00.001Z", "2024-01-31 00:00:00Z", "2024-01-31T00:00:00", 1_706_659_200_000),
      absent,
    ],
  ],
  [
    'a gt "2024-01-31T12:00:00+02:00"',
    a("2024-01-31T10:00:00.001Z", "2024-02-01", "2024-01-31T08:00:00-08:00"),
    [
      ...a("2024-01-31T10:00:00Z", "2024-01-31", "2024-01-31T13:00:00+04:00", "zebra", "2024-02-30", 9e15),
      absent,
    ],
  ],
  ['a ge "2024-01-31"', a("2024-01-31", "9999-12-31"), a("2024-01-30T23:59:59Z", "x")],
  ['a lt "2024-01-31"', a("2024-01-31T00:00:00+00:01", "0000-01-01"), a("2024-01-31", "2", "")],
  ['a le "2024-01-31"', a("2024-01-31", "2024-01-31T00:00:00Z"), a("2024-01-31T00:00:01Z", "2024")],
  ['a ne "2024-01-31"', [...a("2024-02-01", "text", 1, null), absent], a("2024-01-31T01:00:00+01:00")],
  // With any other literal, dates compare as text.
  ['a gt "2024"', a("2024-01-31", "x"), a("2023-12-31", "2024")],
  ['a eq "2024-02-30"', a("2024-02-30"), a("2024-03-01")],
  ['a eq "2024-01-31T00:00:00"', a("2024-01-31T00:00:00", "2024-01-31t00:00:00"), a("2024-01-31")],
  // Parts of a text are always text.
  ['a sw "2024-01-31"', a("2024-01-31T05:00:00Z", "2024-01-31x"), a("2024-01-30T23:00:00-05:00")],
  [
    'createdAt lt "2024-01-31T00:00:00Z"',
    [{ createdAt: "2024-01-30T23:59:59.999Z" }],
    [{ createdAt: "2024-01-31T00:00:00.000Z" }],
  ],
]);

defineMeaning("booleans and null are equal or not, and have no order", [
  ["a eq true", a(true), [...a(false, "true", 1, null), absent]],
  ["a eq false", a(false), [...a(true, 0, "", null), absent]],
  ["a ge true", [], a(true, false, 1)],
  ["a co true", [], a("true", true)],
  ["a eq null", [...a(null), absent], a("", 0, false, {}, [], "null")],
  ["a ne null", a("", 0, false, {}, []), [...a(null), absent]],
  ["a le null", [], [...a(null, 0), absent]],
  ["a sw null", [], [...a(null, "null"), absent]],
]);

defineMeaning("ne is the opposite of eq", [
  ['a ne "x"', [...everyKind, absent], a("x", "X", ["y", "x"])],
  ["a ne 1", [...a("1", 2, null, [2, 3], []), absent], a(1, [1, 2])],
  ['a.b ne "x"', [...a({ b: "y" }, {}, [], "x"), absent], a({ b: "x" }, [{ b: "y" }, { b: "x" }])],
  ['a[b pr].c ne "x"', [...a({ c: "x" }, { b: 1, c: "y" }, []), absent], a([{ c: "y" }, { b: 1, c: "x" }])],
  ['not (a ne "x")', a("x", ["y", "x"]), [...everyKind, absent]],
]);

defineMeaning("pr is false for absent, null, empty text and empty arrays", [
  [
    "a pr",
    a("x", " ", 0, false, {}, ["x"], [null, 0], [[], [false]], [{}]),
    [...a(null, "", [], [null], [""], [[], [""]]), absent],
  ],
  ["a.b pr", a({ b: 0 }, [{}, { b: 1 }]), [...a({}, { b: null }, "b", [], [{ b: "" }]), absent]],
  ["not (a pr)", [...a(null, "", []), absent], a(0)],
]);

defineMeaning("a path that meets an array matches if any element does", [
  [
    'tags eq "vip"',
    [{ tags: ["a", "VIP"] }, { tags: "vip" }, { tags: [["vip"]] }],
    [{ tags: ["vips"] }, { tags: [] }],
  ],
  ["a gt 2", a([1, 3], [[0], [5]]), a([1, 2], [], ["3"])],
  ["a eq null", a([null], [1, [null]]), a([], [1], [[]])],
  [
    "a.b eq 1",
    a({ b: 1 }, [{ b: 2 }, { b: 1 }], { b: [2, 1] }, [[{ b: [[1]] }]]),
    a({ b: 2 }, [1], { c: 1 }),
  ],
  [
    "a.b eq null",
    [...a({}, { b: null }, "text", 1, [{ b: 1 }, {}], { b: [null] }), absent],
    a({ b: 1 }, [], { b: [] }),
  ],
  ["a.b.c eq null", [...a({ b: {} }, { b: 1 }, {}), absent], a({ b: { c: 1 } }, { b: [] })],
  ["a gt 1 and a lt 1", a([0, 2]), a(0, 2, [2, 3])],
]);

const phones = [
  { type: "work", value: "+4711" },
  { type: "home", value: "+4622" },
];
defineMeaning("a condition in brackets selects elements", [
  [
    'a[type eq "work"].value sw "+47"',
    a(phones),
    a(
      [
        { type: "home", value: "+4711" },
        { type: "work", value: "+46" },
      ],
      [],
    ),
  ],
  [
    'a[type eq "work"]',
    a(phones, { type: "Work" }, [[{ type: "work" }]]),
    [...a([{ type: "home" }], "work", []), absent],
  ],
  ['a[type eq "work" and value sw "+46"]', [], a(phones)],
  ['a[type eq "home" and value sw "+46"]', a(phones), a([])],
  ['a[type eq "work"] pr', a(phones), [...a([{ type: "home" }]), absent]],
  ['a[type eq "work"].value pr', a(phones), a([{ type: "work" }, { type: "home", value: 1 }])],
  ['a[type eq "work"].value eq null', a([{ type: "work" }]), [...a(phones, []), absent]],
  ['not (a[type eq "work"])', [...a([], [{ type: "home" }]), absent], a(phones)],
  // Null is not an element, and an absent value has none.
  ["a[b eq null]", a({}, "text", 0, [1, null]), [...a(null, [null], [], { b: 1 }), absent]],
  ["a[not (b pr)].c eq null", a({}, [{ b: 1 }, {}]), [...a(null, [null], { b: 1 }, [], { c: 1 }), absent]],
  ["x.a[b eq null]", [{ x: { a: {} } }, { x: [{ a: [1] }] }], [{ x: {} }, { x: 1 }, absent]],
  // The path in brackets starts at the element.
  ["a[b[c eq 1].d eq 2].e eq 3", a({ b: [{ c: 1, d: 2 }], e: [3] }), a({ b: [{ c: 1 }, { d: 2 }], e: 3 })],
  ["a[b pr] eq null", [], a({ b: 1 }, null)],
]);

defineMeaning("field names are exact, and only own fields count", [
  ["A pr", [{ A: 1 }], a(1)],
  ['"a.b" pr', [{ "a.b": 1 }], a({ b: 1 })],
  ['a."b c" eq 1', a({ "b c": 1 }), a({ b: { c: 1 } })],
  ['a."0" pr', a({ "0": 1 }), a(["x"], "x")],
  ["a.length pr", a({ length: 1 }), a(["x"], "x")],
  ["toString pr", [{ toString: 1 }], [absent]],
  ["__proto__ eq null", [absent], [JSON.parse('{"__proto__":1}')]],
  ["constructor.name pr", [{ constructor: { name: "x" } }], [absent]],
]);

defineMeaning("and binds tighter than or, and not tighter than both", [
  ["a pr or b pr and c pr", [{ a: 1 }, { b: 1, c: 1 }], [{ b: 1 }, { c: 1 }]],
  ["(a pr or b pr) and c pr", [{ a: 1, c: 1 }], [{ a: 1 }, { c: 1 }]],
  ["not (a pr) and b pr", [{ b: 1 }], [{ a: 1, b: 1 }, {}]],
  ["not (a pr and b pr)", [{ a: 1 }, {}], [{ a: 1, b: 1 }]],
  [
    'department eq "sales" and (level ge 3 or not (plan pr))',
    [{ department: "Sales", level: 3, plan: "pro" }, { department: "sales" }],
    [{ department: "sales", level: 2, plan: "pro" }, { level: 3 }, { department: "sales", plan: "pro" }],
  ],
]);

const path = (...names: string[]) => names.map((name) => ({ name }));
const mail = { value: "x", type: "work" };
/** Each expression matches the users of the first list and none of the second. */
describe("what no text says", () => {
  test.each<[string, Expression, readonly User[], readonly User[]]>([
    [
      "exact texts have the same characters",
      { kind: "compare", path: path("a"), operator: "eq", value: "Straße", exact: true },
      [...a("Straße"), { a: ["x", "Straße"] }],
      [...a("straße", "STRASSE", 1), absent],
    ],
    [
      "exact dates are texts",
      { kind: "compare", path: path("a"), operator: "eq", value: "2024-01-31", exact: true },
      a("2024-01-31"),
      a("2024-01-31T00:00:00Z"),
    ],
    [
      "exact texts begin alike only in the same spelling",
      { kind: "compare", path: path("a"), operator: "sw", value: "É", exact: true },
      a("Éa"),
      a("éa", "E\u0301a"),
    ],
    [
      "other values have one spelling",
      { kind: "compare", path: path("a"), operator: "ge", value: 3, exact: true },
      a(3, 4),
      a(2, "3"),
    ],
    [
      "a direct path does not enter arrays",
      { kind: "compare", path: path("a", "b"), operator: "eq", value: "x", direct: true },
      a({ b: "X" }),
      [...a([{ b: "x" }], { b: ["x"] }, "x"), absent],
    ],
    [
      "to a direct path, an array is absent",
      { kind: "compare", path: path("a"), operator: "eq", value: null, direct: true },
      [...a([], ["x"], null), absent],
      a("", 0, {}),
    ],
    [
      "ne is the opposite of eq",
      { kind: "compare", path: path("a"), operator: "ne", value: "x", direct: true, exact: true },
      [...a("X", ["x"], 1), absent],
      a("x"),
    ],
    [
      "a condition compares a field of the record",
      {
        kind: "element",
        path: [
          {
            name: "a",
            where: {
              kind: "compare",
              path: path("email"),
              operator: "eq",
              value: "ADA@x.org",
              ofRecord: true,
            },
          },
        ],
      },
      [{ a: [1], email: "ada@x.org" }],
      [{ a: [], email: "ada@x.org" }, { a: [{ email: "ada@x.org" }] }],
    ],
    [
      "a condition compares a member with a field of the record",
      {
        kind: "element",
        path: [{ name: "a", where: { kind: "same", member: "value", field: "email" } }],
      },
      [{ a: [{ value: "ADA@x.org" }], email: "ada@X.org" }],
      [{ a: [{ value: "b" }], email: "ada@x.org" }, { a: [{ value: "ada@x.org" }] }, { a: [{}] }],
    ],
    [
      "a number is compared as text after a prefix",
      { kind: "compare", path: path("a"), operator: "sw", value: "USER-4", prefix: "user-" },
      a(4, 42, "user-4x"),
      [...a(14, "4", null), absent],
    ],
    [
      "an object has members of these types",
      { kind: "fits", field: "a", shape: { members: { value: "string", on: "boolean" } } },
      a({}, { value: "x", on: false, other: 1 }, { value: null, on: {} }),
      [...a({ value: 1 }, { on: "x" }, { Value: "x" }, [{}], "x", null), absent],
    ],
    [
      "an array has elements of this shape, of which one may differ",
      {
        kind: "fits",
        field: "a",
        shape: {
          each: { members: { value: "string" }, required: "value" },
          once: { members: { type: "string" }, isClosed: true },
          uniquelyTrue: "main",
        },
      },
      a(
        [mail],
        [mail, null, { type: "home" }],
        [{}],
        [
          { ...mail, main: true },
          { ...mail, main: false },
        ],
      ),
      [
        ...a([], [null], [{}, {}], [{ type: "home" }, {}], [{ value: "" }], [{ value: 1 }], [{ other: 1 }]),
        ...a(
          [
            { ...mail, main: true },
            { ...mail, main: true },
          ],
          mail,
          ["x"],
        ),
        absent,
      ],
    ],
  ])("%s", (_, expression, matching, others) => {
    const matches = compileExpression(expression);
    const users = [...matching, ...others];
    expect(users.filter((user) => matches(user))).toEqual([...matching]);
    expect(users.filter((user) => matchesNaively(expression, user))).toEqual([...matching]);
  });
});

describe("a hostile expression", () => {
  const fifty = (comparison: (i: number) => string) =>
    parseExpression(Array.from({ length: 50 }, (_, i) => comparison(i)).join(" or "));
  /** Folding a text that is not ASCII normalizes it twice. */
  const FOLD = 2;

  test.each([
    ["a path of 2000 steps", parseExpression(`${"a.".repeat(2000)}a eq 1`), { a: { a: { a: 1 } } }, 3, 0],
    [
      "two long texts, 25 times each",
      fifty((i) => `${"ab"[i % 2]} co "${i}"`),
      { a: "Éạ".repeat(2000), b: "ạÉ".repeat(2000) },
      50,
      2,
    ],
    [
      "3000 short texts, 50 times",
      fifty((i) => `a eq "${i}"`),
      { a: Array<Json>(3000).fill("é") },
      50 * 3001,
      1,
    ],
    [
      "1200 dates, 50 times",
      fifty(() => 'a eq "2024-01-31"'),
      { a: Array<Json>(1200).fill("2024-01-30") },
      50 * 1201,
      0,
    ],
  ])(
    "reads each value once for each comparison, and folds each text once: %s",
    (_, expression, user, values, folded) => {
      const { value, reads } = countReads(user);
      const { calls } = countStringCalls("normalize", () =>
        expect(compileExpression(expression)(value)).toBe(false),
      );
      expect({ reads: reads(), calls }).toEqual({ reads: values, calls: FOLD * folded });
    },
  );
});
