import fc from "fast-check";
import type { Json } from "../../../../src/contract/json.ts";

type Schema = { [keyword: string]: Json };

const names = ["a", "b", "c", "d"] as const;

/** Random values, of few kinds: random schemas then often accept them. */
const value: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<Json>("", "a", "ab", "b", "2026-01-31", "ada@example.com", "é😀", "A1"),
    fc.integer({ min: -3, max: 12 }),
    fc.constantFrom<Json>(1.5, -0.5, true, false, null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names), tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

export const fields: fc.Arbitrary<Schema> = fc.dictionary(fc.constantFrom(...names), value, {
  maxKeys: 4,
  noNullPrototype: true,
});

const types = fc.constantFrom("string", "number", "integer", "boolean", "object", "array", "null");
const count = fc.integer({ min: 0, max: 3 });
const bound = fc.integer({ min: -2, max: 8 });

const keywords: Readonly<Record<string, fc.Arbitrary<Json>>> = {
  type: fc.oneof(types, fc.uniqueArray(types, { minLength: 1, maxLength: 3 })),
  enum: fc.array(value, { minLength: 1, maxLength: 3 }),
  const: value,
  format: fc.constantFrom("date", "email"),
  pattern: fc.constantFrom("^a", "b$", "^[a-z]*$", "\\d", "^.{0,2}$", "^(a|b)+$"),
  minLength: count,
  maxLength: count,
  minimum: bound,
  maximum: bound,
  exclusiveMinimum: bound,
  exclusiveMaximum: bound,
  multipleOf: fc.integer({ min: 1, max: 3 }),
  minItems: count,
  maxItems: count,
  uniqueItems: fc.boolean(),
  minProperties: count,
  maxProperties: count,
  required: fc.uniqueArray(fc.constantFrom(...names), { maxLength: 2 }),
  title: fc.constant("Title"),
};

/** A schema with a few of the supported keywords, one of which may contain schemas. */
const subschema = fc.letrec<{ schema: Json }>((tie) => ({
  schema: fc.oneof(
    { depthSize: "small" },
    fc.boolean(),
    fc.uniqueArray(fc.constantFrom(...Object.keys(keywords)), { maxLength: 3 }).chain((chosen) =>
      fc.record(Object.fromEntries(chosen.map((name) => [name, keywords[name] ?? value])), {
        noNullPrototype: true,
      }),
    ),
    fc.record({ type: fc.constantFrom("string", "number", "integer", "boolean") }),
    fc.record({ items: tie("schema") }),
    fc.record({ additionalProperties: tie("schema") }),
    fc.record({
      properties: fc.dictionary(fc.constantFrom(...names), tie("schema"), {
        maxKeys: 3,
        noNullPrototype: true,
      }),
      required: keywords.required ?? value,
    }),
  ),
})).schema;

/** A schema for custom fields, which may use a definition. */
export const schema: fc.Arbitrary<Schema> = fc
  .record(
    {
      properties: fc.dictionary(fc.constantFrom(...names), subschema, { maxKeys: 4, noNullPrototype: true }),
      required: fc.uniqueArray(fc.constantFrom(...names), { maxLength: 2 }),
      additionalProperties: subschema,
      shared: subschema,
    },
    { requiredKeys: ["properties"] },
  )
  .map(({ shared, properties, ...others }) =>
    shared === undefined
      ? { ...others, properties }
      : { ...others, $defs: { shared }, properties: { ...properties, d: { $ref: "#/$defs/shared" } } },
  );
