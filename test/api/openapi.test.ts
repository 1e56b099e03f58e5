import { describe, expect, test } from "bun:test";
import Ajv2020, { type ValidateFunction } from "ajv/dist/2020.js";
import { describeApi } from "../../src/contract/openapi.ts";
import { problems } from "../../src/contract/problems.ts";
import { api, paths } from "../support/description.ts";

const text = JSON.stringify(api, null, 2);

describe("the OpenAPI description", () => {
  test("has examples that are valid by their own schemas", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ ...Object(api), $id: "api" });
    const compiled = new Map<string, ValidateFunction>();
    let count = 0;
    for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
      const { operationId, requestBody = {}, responses } = operation;
      for (const { content = {} } of [requestBody, ...Object.values(responses)]) {
        for (const [type, { schema, examples }] of Object.entries(content)) {
          const validate = compiled.get(JSON.stringify(schema)) ?? ajv.compile(schema);
          compiled.set(JSON.stringify(schema), validate);
          for (const [name, { value }] of Object.entries(examples)) {
            const errors = validate(value) ? null : ajv.errorsText(validate.errors);
            expect({ operationId, type, name, errors }).toEqual({ operationId, type, name, errors: null });
            count++;
          }
        }
      }
    }
    expect(count).toBeGreaterThan(100);
  });

  test("names every problem type", () => {
    for (const type of Object.keys(problems)) {
      if (type === "method-not-allowed") continue; // Only undescribed methods get this problem.
      expect(text).toContain(`"/problems/${type}"`);
    }
  });

  test("is smaller than 225 KB", () => {
    expect(JSON.stringify(api).length).toBeLessThan(225_000);
  });

  test("has each object, each list of choices and each shared parameter once, under a name", () => {
    const inline = new Map<string, number>();
    visit(api, [], (value, path) => {
      const [part, kind] = path;
      const named = part === "components" && path.length === 3 && kind !== "examples";
      const worthAName = "properties" in value || "enum" in value || ("in" in value && "schema" in value);
      const isRule = path.some((name) => name === "not" || name === "if" || name === "else");
      const isExample = path.includes("examples") || path.at(-1) === "properties";
      if (named || !worthAName || isRule || isExample) return;
      const text = JSON.stringify(value);
      inline.set(text, (inline.get(text) ?? 0) + 1);
      // Objects and lists of choices need a name even if only one place uses them.
      if (!("in" in value)) throw new Error(`${path.join(".")} has no name.`);
    });
    expect([...inline].filter(([, count]) => count > 1)).toEqual([]);
  });

  test("has a 64-bit format and limits on every integer", () => {
    let count = 0;
    visit(api, [], (value, path) => {
      if (!("type" in value) || ![value.type].flat().includes("integer")) return;
      count++;
      expect({ path: path.join("."), ...value }).toMatchObject({
        path: path.join("."),
        format: "int64",
        minimum: expect.any(Number),
        maximum: expect.any(Number),
      });
    });
    expect(count).toBeGreaterThan(10);
  });

  test("has names that are types of their own in every language", () => {
    const { schemas, responses, parameters } = Object(api).components;
    const names = [schemas, responses, parameters].flatMap((parts) => Object.keys(parts));
    // Generators for Go put all three into one package, beside a constructor `NewX` for each schema X.
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^(?!New)[A-Z][A-Za-z]+$/);
    // They also make a constant of each choice, in the same package.
    const choices = Object.values(schemas).flatMap((schema) => Object(schema).enum ?? []);
    expect(new Set(choices.map((choice) => choice.toLowerCase())).size).toBe(choices.length);
  });

  test("has only parameters with a fixed name and one type", () => {
    for (const { parameters } of Object.values(paths).flatMap((path) => Object.values(path))) {
      for (const { name, schema } of parameters) {
        expect({ name, choices: "anyOf" in schema }).toEqual({ name, choices: false });
        expect({ name, object: "additionalProperties" in schema }).toEqual({ name, object: false });
      }
    }
  });

  test("is the same each time", () => {
    expect(JSON.stringify(describeApi("1.2.3"), null, 2)).toBe(text);
  });
});

/** Calls back for each object of a JSON document. */
function visit(value: unknown, path: string[], found: (object: object, path: string[]) => void): void {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) found(value, path);
  for (const [name, member] of Object.entries(value)) visit(member, [...path, name], found);
}
