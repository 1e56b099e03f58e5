import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  findRowErrors,
  fromJsonRow,
  keptKeywords,
  newRow,
  toJsonRow,
  toProperty,
  toRow,
} from "../../../src/console/schema/field-row.ts";
import { draftFromFields, parseDraft } from "../../../src/console/schema/schema-draft.ts";
import { schemaFormats } from "../../../src/contract/schema/schema.ts";
import { parseSchema } from "../../../src/domain/schema/parse-schema.ts";

const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const anyValue = fc.constantFrom(1, "a, b", null, true, [1, { a: null }]);
const count = some(fc.nat(1000));
const number = some(fc.double({ noNaN: true, min: -1e15, max: 1e15 }));
const text = some(fc.string({ minLength: 1 }).filter((value) => value.trim() === value));
const texts = some(fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 4 }));
const numbers = some(fc.uniqueArray(fc.integer(), { minLength: 1, maxLength: 4 }));
const annotations = {
  title: text,
  description: text,
  $comment: text,
  deprecated: some(fc.boolean()),
  examples: some(fc.array(anyValue)),
};
const limits = {
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  multipleOf: some(fc.integer({ min: 1 })),
};
const typed = (type: string) => fc.constantFrom(type, [type, "null"], ["null", type]);

/** Schemas of fields as people write them, with and without what the form shows. */
const property = fc.oneof(
  fc.boolean(),
  fc.record({ ...annotations, enum: some(fc.array(anyValue, { minLength: 1 })) }),
  fc.record({ ...annotations, $ref: fc.constant("#/$defs/a") }),
  fc.record({
    ...annotations,
    type: typed("string"),
    enum: texts,
    format: some(fc.constantFrom(...schemaFormats)),
    pattern: some(fc.constant("^a")),
    minLength: count,
    maxLength: count,
    default: text,
  }),
  fc.record({
    ...annotations,
    ...limits,
    type: fc.oneof(typed("integer"), typed("number")),
    enum: numbers,
    default: some(fc.integer()),
  }),
  fc.record({ ...annotations, type: typed("boolean"), default: some(fc.boolean()) }),
  fc.record({
    ...annotations,
    type: typed("array"),
    items: some(
      fc.oneof(
        fc.boolean(),
        fc.record({ type: some(fc.constantFrom("string", "number", "object")), enum: texts, title: text }),
      ),
    ),
    minItems: count,
    maxItems: count,
    uniqueItems: some(fc.boolean()),
    default: some(fc.array(fc.string())),
  }),
  fc.record({
    ...annotations,
    type: fc.constant("object"),
    properties: some(fc.constant({ city: { type: "string" } })),
    required: some(fc.constant(["city"])),
  }),
  fc.record({ type: fc.constantFrom(["string", "number"], []) }),
);
const withoutAbsent = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
/** `["null", "string"]` and `["string", "null"]` are the same. */
const inOneOrder = (value: unknown) =>
  JSON.parse(JSON.stringify(value), (key, part) =>
    key === "type" && Array.isArray(part) ? part.toSorted() : part,
  );

describe("a field of the schema's form", () => {
  test("keeps everything that a schema says, shown or not", () => {
    fc.assert(
      fc.property(property, fc.boolean(), (generated, required) => {
        const original = withoutAbsent(generated);
        const row = toRow("field", original, required);
        expect(inOneOrder(toProperty(row))).toEqual(inOneOrder(original));
        expect(inOneOrder(toProperty(toJsonRow(row)))).toEqual(inOneOrder(original));
        const back = fromJsonRow(toJsonRow(row));
        expect(back && inOneOrder(toProperty(back))).toEqual(inOneOrder(original));
      }),
    );
  });

  test("says what it keeps without showing it", () => {
    const kept = (original: unknown) => keptKeywords(toRow("field", original, false));
    expect(kept({ type: "string", maxLength: 5, format: "date", default: "a", examples: [] })).toEqual([
      "examples",
    ]);
    expect(kept({ type: "string", enum: ["a, b"] })).toEqual(["enum"]);
    expect(kept({ type: "array", items: { type: "string", maxLength: 3 } })).toEqual(["items"]);
    expect(kept({ type: ["string", "number"], title: "A" })).toEqual(["type", "title"]);
    // After another type has been chosen, the keywords of the first one are gone.
    const row = toRow("field", { type: "string", pattern: "a", examples: [] }, false);
    expect(keptKeywords({ ...row, type: "boolean" })).toEqual(["examples"]);
  });

  test("has the type of its allowed values if the schema names none", () => {
    const row = toRow("field", { enum: ["free", "pro"] }, false);
    expect(row).toMatchObject({ type: "string", allowed: ["free", "pro"] });
    expect(toProperty({ ...row, allowed: ["free"] })).toEqual({ enum: ["free"] });
    expect(toProperty({ ...row, allowed: [] })).toEqual({ type: "string" });
    expect(toProperty({ ...row, nullable: true })).toMatchObject({ type: ["string", "null"] });
    expect(toRow("field", { enum: [1, 2.5] }, false)).toMatchObject({
      type: "number",
      allowed: ["1", "2.5"],
    });
    for (const values of [["a", 1], ["a", null], ["a", "a"], [true]]) {
      expect(toRow("field", { enum: values }, false).type).toBe("any");
    }
  });

  test("keeps a limit beyond the exact numbers, and rejects one with too many digits", () => {
    const row = { ...toRow("field", { type: "number", maximum: 1e21 }, false) };
    expect(findRowErrors(row, [])).toEqual([]);
    expect(toProperty(row)).toEqual({ type: "number", maximum: 1e21 });
    const inexact = { ...row, limits: { maximum: "9007199254740993" } };
    expect(findRowErrors(inexact, []).map(({ part }) => part)).toEqual(["maximum"]);
  });

  test("loses the keywords of another type", () => {
    const row = toRow(
      "field",
      { type: "string", maxLength: 3, pattern: "a", enum: ["a"], description: "x" },
      false,
    );
    expect(toProperty({ ...row, type: "boolean", default: undefined })).toEqual({
      type: "boolean",
      description: "x",
    });
    expect(toProperty({ ...row, type: "integer", allowed: ["1", "2"], limits: { minimum: "1" } })).toEqual({
      type: "integer",
      minimum: 1,
      enum: [1, 2],
      description: "x",
    });
  });

  test("has errors at its parts", () => {
    const partsOf = (part: object) =>
      findRowErrors({ ...newRow(), name: "field", ...part }, []).map((error) => error.part);
    expect(partsOf({})).toEqual([]);
    expect(partsOf({ name: " " })).toEqual(["name"]);
    for (const name of ["active", "userName", "scim", "groups"]) expect(partsOf({ name })).toEqual(["name"]);
    expect(partsOf({ name: "2nd" })).toEqual(["name"]);
    expect(partsOf({ type: "integer", limits: { minimum: "x", maximum: "" } })).toEqual(["minimum"]);
    expect(partsOf({ type: "integer", allowed: ["1", "1.5"] })).toEqual(["enum"]);
    expect(partsOf({ type: "number", default: { type: "number", text: "many" } })).toEqual(["default"]);
    expect(partsOf({ json: "{" })).toEqual(["json"]);
  });
});

test("a schema that starts from the users' fields is valid, and leaves out what Roster defines", () => {
  const { schema } = parseDraft(
    draftFromFields([
      { name: "active", types: ["boolean"], samples: [] },
      { name: "userName", types: ["string"], samples: [] },
      { name: "scim", types: ["object"], samples: [] },
      { name: "plan", types: ["string", "null"], samples: [] },
      { name: "level", types: ["number"], samples: [] },
      { name: "mixed", types: ["number", "string"], samples: [] },
      { name: "nothing", types: ["null"], samples: [] },
    ]),
  );
  expect(schema).toEqual({
    properties: { plan: { type: ["string", "null"] }, level: { type: "number" }, mixed: {}, nothing: {} },
  });
  expect([...parseSchema(schema).properties.keys()]).toEqual(["plan", "level", "mixed", "nothing"]);
});

test("a schema that starts from the users' fields knows dates, times and lists of texts, and guesses nothing else", () => {
  const { schema } = parseDraft(
    draftFromFields([
      { name: "started", types: ["string", "null"], samples: ["2026-01-31", "2025-12-01"] },
      { name: "seen", types: ["string"], samples: ["2026-01-31T08:00:00Z", "2025-12-01T23:59:59.5+02:00"] },
      { name: "note", types: ["string"], samples: ["2026-01-31", "soon"] },
      { name: "plan", types: ["string"], samples: ["pro", "pro", "free"] },
      { name: "skills", types: ["array"], samples: [["maths"], []] },
      { name: "mixed", types: ["array"], samples: [["maths"], [1]] },
    ]),
  );
  expect(schema?.properties).toEqual({
    started: { type: ["string", "null"], format: "date" },
    seen: { type: "string", format: "date-time" },
    note: { type: "string" },
    plan: { type: "string" },
    skills: { type: "array", items: { type: "string" } },
    mixed: { type: "array" },
  });
});
