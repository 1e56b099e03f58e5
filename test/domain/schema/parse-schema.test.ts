import { describe, expect, test } from "bun:test";
import { ProblemError } from "../../../src/domain/problem-error.ts";
import { parseSchema, parseStoredSchema } from "../../../src/domain/schema/parse-schema.ts";

function pointersOf(document: unknown): (string | undefined)[] {
  try {
    parseSchema(document);
    return [];
  } catch (error) {
    if (!(error instanceof ProblemError) || error.type !== "invalid-schema") throw error;
    return (error.errors ?? []).map(({ pointer }) => pointer);
  }
}

const ofField = (schema: unknown) => ({ properties: { field: schema } });
const nest = (levels: number): unknown => (levels === 0 ? {} : { items: nest(levels - 1) });

describe("a schema for custom fields", () => {
  test("lists unique fields and replaces references", () => {
    const parsed = parseSchema({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      title: "Employees",
      type: "object",
      $defs: { "a/b": { type: "string", maxLength: 10 } },
      properties: {
        badge: { type: ["string", "null"], "x-unique": true },
        code: { $ref: "#/$defs/a~1b", title: "Code" },
        list: { type: "array", items: { $ref: "#/$defs/a~1b" } },
      },
      required: ["badge"],
    });
    expect(parsed.uniqueFields).toEqual(["badge"]);
    expect(parsed.required).toEqual(["badge"]);
    expect(parsed.properties.get("code")).toEqual({ type: "string", maxLength: 10, title: "Code" });
    expect(parsed.properties.get("list")).toEqual({
      type: "array",
      items: { type: "string", maxLength: 10 },
    });
  });

  test.each<[name: string, document: unknown, pointer: string]>([
    ["an array", [], ""],
    ["null", null, ""],
    ["another dialect", { $schema: "http://json-schema.org/draft-07/schema#" }, "/$schema"],
    ["another type", { type: "string" }, "/type"],
    ["an unsupported keyword", { anyOf: [] }, "/anyOf"],
    ["an unsupported keyword of a field", ofField({ not: {} }), "/properties/field/not"],
    ["a remote reference", ofField({ $ref: "https://example.com/a.json" }), "/properties/field/$ref"],
    ["a reference to an unknown definition", ofField({ $ref: "#/$defs/x" }), "/properties/field/$ref"],
    ["a reference to itself", { $defs: { x: { items: { $ref: "#/$defs/x" } } } }, "/$defs/x/items/$ref"],
    [
      "a keyword beside a reference",
      { $defs: { x: {} }, ...ofField({ $ref: "#/$defs/x", type: "string" }) },
      "/properties/field/type",
    ],
    ["a known field", { properties: { email: {} } }, "/properties/email"],
    ["a user name", { properties: { userName: {} } }, "/properties/userName"],
    ["a required user name", { required: ["userName"] }, "/required/0"],
    ["what SCIM sends", { properties: { scim: { type: "object" } } }, "/properties/scim"],
    ["groups", { properties: { groups: { type: "array" } } }, "/properties/groups"],
    ["required groups", { required: ["groups"] }, "/required/0"],
    ["a managed field", { required: ["version"] }, "/required/0"],
    ["a name that no field can have", { properties: { "a-b": {} } }, "/properties/a-b"],
    ["a credential", { properties: { password: {} } }, "/properties/password"],
    ["a prototype", ofField({ properties: { constructor: {} } }), "/properties/field/properties/constructor"],
    ["an unknown type", ofField({ type: "text" }), "/properties/field/type"],
    ["an unknown format", ofField({ format: "phone" }), "/properties/field/format"],
    ["a pattern with a lookahead", ofField({ pattern: "(?=a)" }), "/properties/field/pattern"],
    ["a long pattern", ofField({ pattern: "a".repeat(513) }), "/properties/field/pattern"],
    ["a negative length", ofField({ minLength: -1 }), "/properties/field/minLength"],
    ["a fraction to be a multiple of", ofField({ multipleOf: 0.1 }), "/properties/field/multipleOf"],
    ["an empty enum", ofField({ enum: [] }), "/properties/field/enum"],
    ["required names twice", ofField({ required: ["a", "a"] }), "/properties/field/required"],
    ["properties that are not an object", ofField({ properties: [] }), "/properties/field/properties"],
    ["a schema that is a text", ofField("string"), "/properties/field"],
    ["a unique object", ofField({ type: "object", "x-unique": true }), "/properties/field"],
    ["a unique field without a type", ofField({ "x-unique": true }), "/properties/field"],
    [
      "a unique value in an object",
      ofField({ properties: { a: { type: "string", "x-unique": true } } }),
      "/properties/field/properties/a/x-unique",
    ],
    [
      "a default of a value in a field",
      ofField({ items: { default: 1 } }),
      "/properties/field/items/default",
    ],
    [
      "a default of a unique field",
      ofField({ type: "string", "x-unique": true, default: "a" }),
      "/properties/field/default",
    ],
    ["many levels", ofField(nest(20)), `/properties/field${"/items".repeat(16)}`],
    ["very many levels", ofField({ const: JSON.parse(`${"[".repeat(5000)}${"]".repeat(5000)}`) }), ""],
  ])("rejects %s", (_, document, pointer) => {
    expect(pointersOf(document)).toEqual([pointer]);
  });

  test("that is stored says nothing about fields that were custom fields when it was stored", () => {
    const former = {
      properties: {
        userName: { type: "string", "x-unique": true },
        scim: { type: "string", default: "none" },
        groups: { type: "array" },
        badge: { type: "string", "x-unique": true },
      },
      required: ["userName", "badge", "groups"],
      additionalProperties: false,
    };
    const { properties, required, uniqueFields } = parseStoredSchema(JSON.stringify(former));
    expect([[...properties.keys()], required, uniqueFields]).toEqual([["badge"], ["badge"], ["badge"]]);
    expect(pointersOf(former)).toEqual([
      "/properties/userName",
      "/properties/scim",
      "/properties/groups",
      "/required/0",
      "/required/2",
    ]);
  });

  test("allows at most 8 unique fields", () => {
    const unique = { type: "string", "x-unique": true };
    const withFields = (count: number) => ({
      properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`field${index}`, unique])),
    });
    expect(pointersOf(withFields(8))).toEqual([]);
    expect(pointersOf(withFields(9))).toEqual(["/properties"]);
  });

  test("limits the schemas after references have been replaced", () => {
    const wide = (name: string) => ({
      properties: Object.fromEntries(
        Array.from({ length: 10 }, (_, index) => [`p${index}`, { $ref: `#/$defs/${name}` }]),
      ),
    });
    const document = {
      $defs: { a: {}, b: wide("a"), c: wide("b"), d: wide("c"), e: wide("d"), f: wide("e") },
    };
    expect(pointersOf(document)).toHaveLength(1);
  });
});
