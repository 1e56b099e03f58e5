import { describe, expect, test } from "bun:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import type { Json } from "../../../src/contract/json.ts";
import type { UserRecord } from "../../../src/contract/users/user.ts";
import { ProblemError } from "../../../src/domain/problem-error.ts";
import { CompiledSchema } from "../../../src/domain/schema/compiled-schema.ts";
import { formatTests } from "../../../src/domain/schema/formats.ts";
import { parseSchema } from "../../../src/domain/schema/parse-schema.ts";
import { fields, schema } from "./support/random-schemas.ts";

const toRecord = (customFields: { [field: string]: Json }): UserRecord => ({ name: "Ada", ...customFields });

function accepts(check: () => void): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof ProblemError && error.type === "invalid-user") return false;
    throw error;
  }
}

/** The errors of a record, as `pointer: detail`. */
function errorsOf(document: object, customFields: { [field: string]: Json }): string[] {
  const compiled = new CompiledSchema(parseSchema(document));
  return compiled.listErrors(toRecord(customFields)).map(({ pointer, detail }) => `${pointer}: ${detail}`);
}

describe("a compiled schema", () => {
  test("accepts the new users that Ajv accepts", () => {
    let accepted = 0;
    const ajv = new Ajv2020({ strict: false, validateSchema: false, formats: formatTests });
    fc.assert(
      fc.property(schema, fc.array(fields, { minLength: 4, maxLength: 8 }), (document, samples) => {
        const compiled = new CompiledSchema(parseSchema(document));
        const validate = ajv.compile(document);
        for (const sample of samples) {
          const expected = validate(sample);
          if (expected) accepted++;
          expect(accepts(() => compiled.check(toRecord(sample)))).toBe(expected);
        }
      }),
      { numRuns: 60 },
    );
    expect(accepted).toBeGreaterThan(30);
  });

  test("checks an edit only for the fields that it changes", () => {
    fc.assert(
      fc.property(schema, fields, fields, (document, before, after) => {
        const compiled = new CompiledSchema(parseSchema(document));
        const changed = new Set(
          [...Object.keys(before), ...Object.keys(after)].filter(
            (field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
          ),
        );
        const errors = compiled.listErrors(toRecord(after));
        const expected = errors.every(({ pointer = "" }) => !changed.has(pointer.split("/")[1] ?? ""));
        const accepted = accepts(() => compiled.checkChanges(toRecord(before), toRecord(after)));
        // More errors than the list holds.
        if (errors.length < 100) expect(accepted).toBe(expected);
      }),
      { numRuns: 400 },
    );
  });

  test("names the place and the rule of each error", () => {
    const document = {
      properties: {
        level: { type: "integer", minimum: 1, maximum: 9 },
        plan: { enum: ["free", "pro"] },
        code: { type: "string", pattern: "^[A-Z]{3}$" },
        born: { format: "date" },
        seats: { multipleOf: 5 },
        tags: { type: "array", maxItems: 2, uniqueItems: true, items: { type: "string", maxLength: 3 } },
        address: {
          type: "object",
          properties: { city: { type: "string", minLength: 2 } },
          required: ["city", "zip"],
          additionalProperties: false,
        },
        gone: false,
      },
      required: ["plan", "level"],
      additionalProperties: false,
    };
    expect(
      errorsOf(document, { level: 1, plan: "pro", tags: ["a"], address: { city: "Oslo", zip: 1 } }),
    ).toEqual(["/address/zip: The schema does not allow this field."]);
    expect(
      errorsOf(document, { level: 0.5, code: "AB", born: "yesterday", seats: 4, gone: 1, other: true }),
    ).toEqual([
      "/level: The value must be of type integer.",
      "/level: Enter a number of at least 1.",
      "/code: The text does not match the pattern of the schema.",
      "/born: Enter a valid date.",
      "/seats: Enter a multiple of 5.",
      "/gone: The schema does not allow this field.",
      "/other: The schema does not allow this field.",
      "/plan: This field is required.",
    ]);
    expect(
      errorsOf(document, {
        level: 10,
        plan: "x",
        tags: ["long", "a", "a"],
        address: { city: "O", zip: null },
      }),
    ).toEqual([
      "/level: Enter a number of at most 9.",
      '/plan: The value must be one of "free", "pro".',
      "/tags/0: Enter at most 3 characters.",
      "/tags: The array can have at most 2 elements.",
      "/tags: The elements must differ from each other.",
      "/address/zip: The schema does not allow this field.",
      "/address/city: Enter at least 2 characters.",
    ]);
  });

  test("ignores the fields that the service defines", () => {
    const compiled = new CompiledSchema(parseSchema({ additionalProperties: false }));
    compiled.check({ name: "Ada", email: "ada@example.com", userName: "ada", active: false, scim: {} });
  });
});
