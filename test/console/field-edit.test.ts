import { describe, expect, test } from "bun:test";
import type { User } from "../../src/client/index.ts";
import { bulk } from "../../src/console/texts/index.ts";
import {
  changeOf,
  type EditForm,
  readEdit,
  typeOfField,
  type ValueType,
} from "../../src/console/users/field-edit.ts";

const form = (change: Partial<EditForm>): EditForm => ({
  field: "plan",
  action: "set",
  type: "text",
  value: "",
  ...change,
});
const read = (change: Partial<EditForm>, users = 2) => readEdit(form(change), users);
const user = (own: object): User => ({
  id: 1,
  name: "Ada",
  version: 3,
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
  ...own,
});

describe("an edit of many", () => {
  const values: [ValueType, string, unknown][] = [
    ["text", "pro", "pro"],
    ["text", "", ""],
    ["text", " 12 ", " 12 "],
    ["text", "null", "null"],
    ["number", "3", 3],
    ["number", " -1.5e3 ", -1500],
    ["boolean", "yes", true],
    ["boolean", "no", false],
    ["json", "null", null],
    ["json", '{"a": [1, null]}', { a: [1, null] }],
    ["json", '"007"', "007"],
  ];
  for (const [type, value, expected] of values) {
    test(`takes ${JSON.stringify(value)} as ${type} for what it is`, () => {
      expect(read({ type, value })).toEqual({ edit: { field: "plan", value: expected } } as never);
    });
  }

  const faulty: [Partial<EditForm>, Record<string, keyof typeof bulk.editing.faults>][] = [
    [{ field: " " }, { field: "nameless" }],
    [{ field: "2nd" }, { field: "misnamed" }],
    [{ field: "version" }, { field: "managed" }],
    [{ field: "password" }, { field: "credential" }],
    [
      { field: "", type: "number", value: "x" },
      { field: "nameless", value: "number" },
    ],
    [{ field: "name", action: "remove" }, { field: "needed" }],
    [{ field: "name", value: "  " }, { value: "empty" }],
    [{ field: "name", type: "number", value: "3" }, { value: "text" }],
    [{ field: "email", value: "a@b.c" }, { value: "shared" }],
    [{ type: "number", value: "" }, { value: "number" }],
    [{ type: "number", value: "007" }, { value: "number" }],
    [{ type: "number", value: "0x10" }, { value: "number" }],
    [{ type: "number", value: "Infinity" }, { value: "number" }],
    [{ type: "number", value: "9007199254740993" }, { value: "large" }],
  ];
  for (const [change, faults] of faulty) {
    test(`does not take ${JSON.stringify(change)}`, () => {
      const texts = Object.entries(faults).map(([part, name]) => [part, bulk.editing.faults[name]]);
      expect(read(change)).toEqual({ faults: Object.fromEntries(texts) });
    });
  }

  test("does not take what is no JSON, or holds a number that would not be kept", () => {
    for (const value of ["", "{a: 1}", '[{"a": 1e999}]', "9007199254740993", '{"a":1,"a":2}']) {
      expect(read({ type: "json", value })).toEqual({ faults: { value: expect.any(String) } });
    }
  });

  test("can set the email of one user, and take it from many", () => {
    expect(read({ field: "email", value: "a@b.c" }, 1)).toEqual({ edit: { field: "email", value: "a@b.c" } });
    expect(read({ field: " email ", action: "remove" })).toEqual({
      edit: { field: "email", value: undefined },
    });
  });

  test("patches what a merge patch stores as it is", () => {
    for (const value of ["pro", 3, false, [null, { a: null }]]) {
      expect(changeOf(user({ plan: { a: 1 } }), { field: "plan", value })).toEqual({
        patch: { plan: value },
      });
    }
    expect(changeOf(user({}), { field: "plan", value: undefined })).toEqual({ patch: { plan: null } });
  });

  test("replaces the record where a merge patch would store something else", () => {
    const seen = user({ plan: { a: 1 }, level: 2 });
    for (const value of [null, {}, { b: null }]) {
      expect(changeOf(seen, { field: "plan", value })).toEqual({ replacement: { ...seen, plan: value } });
    }
  });

  test("guesses the type by what the users have", () => {
    const users = [user({}), user({ level: 3, active: false, tags: ["a"], note: null, plan: "pro" })];
    const types = ["level", "active", "tags", "note", "plan", "other", "toString"].map((field) =>
      typeOfField(users, field),
    );
    expect(types).toEqual(["number", "boolean", "json", "json", "text", "text", "text"]);
  });
});
