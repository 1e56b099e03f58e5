import { describe, expect, test } from "bun:test";
import {
  controlFor,
  fromLocalTime,
  fromOptionText,
  parseTags,
  toLocalTime,
  toOptionText,
  toTagsInput,
} from "../../../src/console/fields/field-input.ts";
import { toFieldSpec, toSchemaFields } from "../../../src/console/fields/field-spec.ts";
import { toTypedInput } from "../../../src/console/users/typed-input.ts";

const controlOf = (property: unknown) => toFieldSpec("field", property, false).control;

describe("the fields of a schema", () => {
  test("come in its order, required ones first, with what references say", () => {
    const { specs, allowsOthers } = toSchemaFields({
      $defs: {
        "a/b": { type: "string", format: "date", title: "Day" },
        again: { $ref: "#/$defs/a~1b", description: "From the contract" },
      },
      properties: {
        level: { type: "integer" },
        started: { $ref: "#/$defs/again", title: "First day" },
        lost: { $ref: "#/$defs/none" },
      },
      required: ["started", "unlisted"],
      additionalProperties: false,
    });
    expect(specs.map(({ name, required, control }) => [name, required, control])).toEqual([
      ["started", true, "date"],
      ["unlisted", true, "any"],
      ["level", false, "number"],
      ["lost", false, "any"],
    ]);
    expect(specs[0]).toMatchObject({ label: "First day", description: "From the contract" });
    expect(allowsOthers).toBe(false);
    expect(toSchemaFields({})).toEqual({ specs: [], allowsOthers: true });
  });

  test("leave out names that Roster defines or refuses: an older schema may have them", () => {
    const { specs } = toSchemaFields({
      properties: { userName: { type: "string" }, groups: { type: "array" }, plan: {} },
      required: ["scim", "groups", "plan"],
    });
    expect(specs.map(({ name }) => name)).toEqual(["plan"]);
  });

  test("have the control that suits their values", () => {
    expect(controlOf({ enum: ["a", 1, null, true] })).toBe("select");
    expect(controlOf({ const: "a" })).toBe("select");
    expect(controlOf({ enum: [["a"]] })).toBe("any");
    expect(controlOf({ type: "string" })).toBe("text");
    expect(controlOf({ type: ["string", "null"], format: "date-time" })).toBe("date-time");
    expect(controlOf({ type: "string", format: "email" })).toBe("text");
    expect(controlOf({ type: "integer" })).toBe("number");
    expect(controlOf({ type: "boolean" })).toBe("switch");
    expect(controlOf({ type: "array", items: { type: "string" } })).toBe("tags");
    expect(controlOf({ type: "array", items: { enum: ["a", "b"] } })).toBe("tags");
    expect(controlOf({ type: "array", items: { type: "number" } })).toBe("any");
    expect(controlOf({ type: "array" })).toBe("any");
    expect(controlOf({ type: "object" })).toBe("any");
    expect(controlOf({ type: ["string", "number"] })).toBe("any");
    expect(controlOf({})).toBe("any");
    expect(controlOf(true)).toBe("any");
  });

  test("that have a value of another kind show it with a choice of its type", () => {
    const shown = (property: unknown, value: Parameters<typeof toTypedInput>[0]) =>
      controlFor(toFieldSpec("field", property, false), toTypedInput(value));
    expect(shown({ type: "integer" }, "many")).toBe("any");
    expect(shown({ type: "boolean" }, "yes")).toBe("any");
    expect(shown({ type: "string", format: "date" }, "2026-02-31")).toBe("date");
    expect(shown({ type: "string", format: "date" }, "tomorrow")).toBe("any");
    expect(shown({ type: "string", format: "date-time" }, "2026-02-01")).toBe("any");
    expect(shown({ type: "array", items: { type: "string" } }, ["a", 1])).toBe("any");
    expect(shown({ enum: ["a"] }, "b")).toBe("select");
    expect(shown({ enum: ["a"] }, { b: 1 })).toBe("any");
    expect(shown({ type: ["boolean", "null"] }, null)).toBe("switch");
  });
});

describe("the input of a field", () => {
  test("keeps options of different types apart", () => {
    const values = ["1", 1, true, "true", null, "null", ""];
    expect(new Set(values.map(toOptionText)).size).toBe(values.length);
    for (const value of values) expect(fromOptionText(toOptionText(value))).toEqual(toTypedInput(value));
    expect(fromOptionText("")).toBeUndefined();
  });

  test("shows moments in local time, and stores them in UTC", () => {
    const moment = "2026-03-29T01:30:15Z";
    expect(fromLocalTime(toLocalTime(moment))).toBe(moment);
    expect(fromLocalTime(toLocalTime("2026-03-29T03:30:15+02:00"))).toBe(moment);
  });

  test("is no value if a list is empty, unless the field needs one", () => {
    expect(toTagsInput([], false)).toBeUndefined();
    expect(toTagsInput([], true)).toEqual({ type: "json", text: "[]" });
    expect(parseTags(toTagsInput(["a", "b"], false)?.text ?? "")).toEqual(["a", "b"]);
    expect(parseTags("{}")).toBeUndefined();
  });
});
