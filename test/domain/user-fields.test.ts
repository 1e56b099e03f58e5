import { describe, expect, test } from "bun:test";
import { isCustomField, userFields } from "../../src/contract/users/user-fields.ts";
import { DeletedUser } from "../../src/contract/users/user-schemas.ts";

describe("the table of user fields", () => {
  test("has the fields of the schema, in the same order and with the same types", () => {
    const types = Object.entries(DeletedUser.properties).map(([name, schema]) => [name, typeOf(schema)]);
    expect(types).toEqual(Object.entries(userFields).map(([name, { type }]) => [name, type]));
  });

  test("has no custom field, and no method of objects", () => {
    expect(["level", "toString", "constructor", "Name"].map(isCustomField)).toEqual([true, true, true, true]);
  });
});

function typeOf(schema: object): string | undefined {
  const { type, format } = { type: undefined, format: undefined, ...schema };
  if (format === "date-time") return "time";
  return type === "string" ? "text" : type === "integer" ? "number" : type;
}
