import { describe, expect, test } from "bun:test";
import type { User } from "../../../src/client/index.ts";
import { bulk, values as valueTexts } from "../../../src/console/texts/index.ts";
import {
  applyEdit,
  type EditForm,
  type FieldEdit,
  inferValueType,
  parseEdit,
} from "../../../src/console/users/bulk/field-edit.ts";
import { buildUpdate } from "../../../src/console/users/record.ts";
import type { ValueType } from "../../../src/console/users/typed-input.ts";

const errorTexts = { ...bulk.editing.errors, ...valueTexts };

const form = (change: Partial<EditForm>): EditForm => ({
  field: "plan",
  action: "set",
  type: "text",
  text: "",
  ...change,
});
const read = (change: Partial<EditForm>, users = 2) => parseEdit(form(change), users);
const user = (customFields: object): User => ({
  id: 1,
  name: "Ada",
  version: 3,
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
  ...customFields,
});

/** The request that the edit leads to. */
const change = (seen: User, edit: FieldEdit) => buildUpdate(seen, applyEdit(seen, edit));

describe("field edit", () => {
  const values: [ValueType, string, unknown][] = [
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
      expect(read({ type, text })).toEqual({ edit: { field: "plan", value: expected } } as never);
    });
  }

  const withErrors: [Partial<EditForm>, Record<string, keyof Omit<typeof errorTexts, "types">>][] = [
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
    [{ type: "number", text: "" }, { value: "number" }],
    [{ type: "number", text: "007" }, { value: "number" }],
    [{ type: "number", text: "0x10" }, { value: "number" }],
    [{ type: "number", text: "Infinity" }, { value: "number" }],
    [{ type: "number", text: "9007199254740993" }, { value: "inexact" }],
  ];
  for (const [change, errors] of withErrors) {
    test(`rejects ${JSON.stringify(change)}`, () => {
      const texts = Object.entries(errors).map(([part, name]) => [part, errorTexts[name]]);
      expect(read(change)).toEqual({ errors: Object.fromEntries(texts) });
    });
  }

  test("rejects invalid JSON and numbers that can't be stored exactly", () => {
    for (const text of ["", "{a: 1}", '[{"a": 1e999}]', "9007199254740993", '{"a":1,"a":2}']) {
      expect(read({ type: "json", text })).toEqual({ errors: { value: expect.any(String) } });
    }
  });

  test("can set one user's email, and remove the email of many", () => {
    expect(read({ field: "email", text: "a@b.c" }, 1)).toEqual({ edit: { field: "email", value: "a@b.c" } });
    expect(read({ field: " email ", action: "remove" })).toEqual({
      edit: { field: "email", value: undefined },
    });
  });

  test("sends a merge patch if it can express the change", () => {
    for (const value of ["pro", 3, false, [null, { a: null }]]) {
      expect(change(user({ plan: { a: 1 } }), { field: "plan", value })).toEqual({
        patch: { plan: value },
      });
    }
    expect(change(user({ plan: 1 }), { field: "plan", value: undefined })).toEqual({ patch: { plan: null } });
  });

  test("replaces the record if a merge patch can't express the change", () => {
    const seen = user({ plan: { a: 1 }, level: 2 });
    for (const value of [null, {}, { b: null }]) {
      expect(change(seen, { field: "plan", value })).toEqual({
        replacement: { name: "Ada", plan: value, level: 2 },
      });
    }
  });

  test("infers the type from existing values", () => {
    const users = [user({}), user({ level: 3, active: false, tags: ["a"], note: null, plan: "pro" })];
    const types = ["level", "active", "tags", "note", "plan", "other", "toString"].map((field) =>
      inferValueType(users, field),
    );
    expect(types).toEqual(["number", "boolean", "json", "null", "text", "text", "text"]);
  });
});
