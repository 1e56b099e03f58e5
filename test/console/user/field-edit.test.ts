import { describe, expect, test } from "bun:test";
import type { FieldType, Json, User } from "../../../src/client/index.ts";
import { bulk, values as valueTexts } from "../../../src/console/texts/index.ts";
import { applyEdits, type FieldChange, parseEdits } from "../../../src/console/users/bulk/field-edit.ts";
import { specOf } from "../../../src/console/users/field-info.ts";
import { buildUpdate } from "../../../src/console/users/record.ts";
import type { ValueType } from "../../../src/console/users/typed-input.ts";

const errorTexts = { ...bulk.editing.errors, ...valueTexts };

interface Form {
  readonly field?: string;
  readonly action?: FieldChange["action"];
  readonly type?: ValueType;
  readonly text?: string;
}
const toChange = (
  { field = "plan", action = "set", type = "text", text = "" }: Form,
  key = 1,
): FieldChange => ({
  key,
  field,
  action,
  input: { type, text },
});
const read = (form: Form, users = 2) => parseEdits([toChange(form)], users);
const edit = (field: string, value: Json | undefined) => ({ edits: new Map([[field, value]]) });
const errorsOf = (errors: object) => ({ errors: new Map([[1, errors]]) });
const user = (customFields: object): User => ({
  id: 1,
  name: "Ada",
  version: 3,
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
  ...customFields,
});

/** The request that the edit leads to. */
const change = (seen: User, field: string, value: Json | undefined) =>
  buildUpdate(seen, applyEdits(seen, new Map([[field, value]])));

describe("field edit", () => {
  const values: [ValueType, string, Json][] = [
    ["text", "pro", "pro"],
    ["text", "", ""],
    ["text", " 12 ", " 12 "],
    ["text", "null", "null"],
    ["number", "3", 3],
    ["number", " -1.5e3 ", -1500],
    ["boolean", "true", true],
    ["boolean", "false", false],
    ["null", "", null],
    ["json", "null", null],
    ["json", '{"a": [1, null]}', { a: [1, null] }],
    ["json", '"007"', "007"],
  ];
  for (const [type, text, expected] of values) {
    test(`parses ${JSON.stringify(text)} as ${type}`, () => {
      expect(read({ type, text })).toEqual(edit("plan", expected));
    });
  }

  const withErrors: [Form, Record<string, keyof Omit<typeof errorTexts, "types">>][] = [
    [{ field: " " }, { field: "nameless" }],
    [{ field: "2nd" }, { field: "misnamed" }],
    [{ field: "version" }, { field: "managed" }],
    [{ field: "password" }, { field: "credential" }],
    [
      { field: "", type: "number", text: "x" },
      { field: "nameless", value: "number" },
    ],
    [{ field: "name", action: "remove" }, { field: "needed" }],
    [{ field: "name", text: "  " }, { value: "empty" }],
    [{ field: "name", type: "number", text: "3" }, { value: "text" }],
    [{ field: "email", text: "a@b.c" }, { value: "shared" }],
    [{ field: "userName", text: "ada" }, { value: "shared" }],
    [{ field: "userName", text: "" }, { value: "empty" }],
    [{ field: "scim", type: "json", text: "{}" }, { field: "scim" }],
    [{ field: "scim", action: "remove" }, { field: "scim" }],
    [{ field: "groups", text: "a" }, { field: "groups" }],
    [{ type: "number", text: "" }, { value: "number" }],
    [{ type: "number", text: "007" }, { value: "number" }],
    [{ type: "number", text: "0x10" }, { value: "number" }],
    [{ type: "number", text: "Infinity" }, { value: "number" }],
    [{ type: "number", text: "9007199254740993" }, { value: "inexact" }],
  ];
  for (const [change, errors] of withErrors) {
    test(`rejects ${JSON.stringify(change)}`, () => {
      const texts = Object.entries(errors).map(([part, name]) => [part, errorTexts[name]]);
      expect(read(change)).toEqual(errorsOf(Object.fromEntries(texts)));
    });
  }

  test("rejects invalid JSON and numbers that can't be stored exactly", () => {
    for (const text of ["", "{a: 1}", '[{"a": 1e999}]', "9007199254740993", '{"a":1,"a":2}']) {
      expect(read({ type: "json", text })).toEqual(errorsOf({ value: expect.any(String) }));
    }
  });

  test("can set one user's email or user name, and remove those of many", () => {
    for (const field of ["email", "userName"]) {
      expect(read({ field, text: "a@b.c" }, 1)).toEqual(edit(field, "a@b.c"));
      expect(read({ field: ` ${field} `, action: "remove" })).toEqual(edit(field, undefined));
    }
  });

  test("sends a merge patch if it can express the change", () => {
    for (const value of ["pro", 3, false, [null, { a: null }]]) {
      expect(change(user({ plan: { a: 1 } }), "plan", value)).toEqual({
        patch: { plan: value },
      });
    }
    expect(change(user({ plan: 1 }), "plan", undefined)).toEqual({ patch: { plan: null } });
  });

  test("replaces the record if a merge patch can't express the change", () => {
    const seen = user({ plan: { a: 1 }, level: 2 });
    for (const value of [null, {}, { b: null }]) {
      expect(change(seen, "plan", value)).toEqual({
        replacement: { name: "Ada", plan: value, level: 2 },
      });
    }
  });

  test("can change several fields, but each only once", () => {
    const both = [toChange({ text: "pro" }), toChange({ field: "level", type: "number", text: "3" }, 2)];
    expect(parseEdits(both, 2)).toEqual({
      edits: new Map<string, Json>([
        ["plan", "pro"],
        ["level", 3],
      ]),
    });
    expect(parseEdits([...both, toChange({ field: " plan", text: "free" }, 3)], 2)).toEqual({
      errors: new Map([[3, { field: errorTexts.repeated }]]),
    });
  });

  test("needs a value", () => {
    const change = { key: 1, field: "plan", action: "set", input: undefined } as const;
    expect(parseEdits([change], 2)).toEqual(errorsOf({ value: errorTexts.empty }));
  });

  test("shows a field that Roster defines by its type", () => {
    const specs = ["userName", "active", "scim"].map((field) => specOf(field));
    expect(specs.map(({ label, control, types }) => [label, control, ...types])).toEqual([
      ["User name", "text", "string"],
      ["Active", "switch", "boolean"],
      ["SCIM", "any", "object"],
    ]);
  });

  test("shows a field like the values that users have", () => {
    const controlOf = (types: readonly FieldType[], samples: readonly Json[] = []) =>
      specOf("field", { name: "field", types }, samples).control;
    expect(controlOf(["string", "number"], [1, null])).toBe("number");
    expect(controlOf(["number", "null"])).toBe("number");
    expect(controlOf(["boolean"])).toBe("switch");
    expect(controlOf(["string"], ["pro", "2026-01-31"])).toBe("text");
    expect(controlOf(["string"], ["2026-01-31"])).toBe("date");
    expect(controlOf(["array"], [["a"], []])).toBe("tags");
    expect(controlOf(["array"], [["a", 1]])).toBe("any");
    expect(controlOf(["string", "number"])).toBe("any");
    expect(specOf("other").control).toBe("any");
    expect(specOf("active")).toMatchObject({ control: "switch", label: "Active" });
    expect(specOf("email").control).toBe("text");
  });
});
