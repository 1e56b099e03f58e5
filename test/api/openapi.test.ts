import { describe, expect, test } from "bun:test";
import Ajv2020, { type ValidateFunction } from "ajv/dist/2020.js";
import { describeApi } from "../../src/contract/openapi.ts";
import { problems } from "../../src/contract/problems.ts";
import { api, briefApi, briefPaths, paths } from "../support/description.ts";

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
      // Only undescribed methods, and paths of SCIM, get these problems.
      if (type === "method-not-allowed" || type === "not-implemented") continue;
      expect(text).toContain(`"/problems/${type}"`);
    }
  });

  test("is smaller than 300 KB", () => {
    expect(JSON.stringify(api).length).toBeLessThan(300_000);
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
    const constants = choices.map((choice) => choice.toLowerCase().replace(/[^a-z0-9]+/g, "_"));
    expect(new Set(constants).size).toBe(choices.length);
  });

  test("has only parameters with a fixed name and one type", () => {
    for (const { parameters } of Object.values(paths).flatMap((path) => Object.values(path))) {
      for (const { name, schema } of parameters) {
        expect({ name, choices: "anyOf" in schema }).toEqual({ name, choices: false });
        expect({ name, object: "additionalProperties" in schema }).toEqual({ name, object: false });
      }
    }
  });

  test("describes each header once, under a name", () => {
    const responses = [
      ...Object.values(Object(api).components.responses),
      ...Object.values<object>(Object(api).paths).flatMap((path) =>
        Object.values(path).flatMap((operation) => Object.values(Object(operation).responses)),
      ),
    ];
    const headers = responses.flatMap((response) => Object.values(Object(response).headers ?? {}));
    expect(headers.length).toBeGreaterThan(100);
    expect(headers.filter((header) => !Object(header).$ref)).toEqual([]);
  });

  test("is the same each time", () => {
    expect(JSON.stringify(describeApi("1.2.3"), null, 2)).toBe(text);
  });
});

describe("the brief OpenAPI description", () => {
  /** The headers that every response of some kind has, whatever the operation does. */
  const commonHeaders = [
    "Cache-Control",
    "Cross-Origin-Resource-Policy",
    "RateLimit",
    "RateLimit-Policy",
    "X-Content-Type-Options",
    "X-Request-Id",
  ];
  const listOperations = (described: typeof paths) =>
    Object.entries(described).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    );

  test("has the same operations, requests, bodies and schemas, and all headers that only some responses have", () => {
    const whole = listOperations(paths);
    const brief = listOperations(briefPaths);
    expect(brief.map(({ path, method }) => [path, method])).toEqual(
      whole.map(({ path, method }) => [path, method]),
    );
    for (const [index, { operation }] of brief.entries()) {
      const { responses: expected, ...rest }: Partial<typeof operation> = whole[index]?.operation ?? {};
      const { responses, ...briefRest } = operation;
      expect(briefRest).toEqual(Object(rest));
      const statuses = Object.keys(expected ?? {}).filter((status) => Number(status) < 400);
      expect(Object.keys(responses)).toEqual([...statuses, "default"]);
      for (const status of statuses) {
        const { headers: all = {}, ...parts } = Object(expected?.[status]);
        const { headers: own = {}, ...briefParts } = Object(responses[status]);
        expect(briefParts).toEqual(parts);
        const left = Object.entries(all).filter(([name]) => name in own || !commonHeaders.includes(name));
        expect(own).toEqual(Object.fromEntries(left));
      }
    }
    const { Problem: problem, ...schemas } = Object(api).components.schemas;
    const { Problem: briefProblem, ...briefSchemas } = Object(briefApi).components.schemas;
    expect(briefSchemas).toEqual(schemas);
    // Only the whole description has examples of problems.
    expect({ ...briefProblem, examples: problem.examples }).toEqual(problem);
  });

  test("has one response for all problems, which every problem of the whole description agrees with", () => {
    const problemBodies = listOperations(paths).flatMap(({ operation }) =>
      Object.entries(operation.responses).flatMap(([status, { content }]) =>
        Number(status) < 400 ? [] : JSON.stringify(Object.keys(content ?? {})),
      ),
    );
    const expected = { $ref: "#/components/responses/AnyProblem" };
    for (const path of Object.values<object>(Object(briefApi).paths)) {
      for (const { responses } of Object.values(path)) expect(responses.default).toEqual(expected);
    }
    const { content } = Object(briefApi).components.responses.AnyProblem;
    expect(new Set(problemBodies)).toEqual(new Set([JSON.stringify(Object.keys(content))]));
    expect(content["application/problem+json"].schema).toEqual({ $ref: "#/components/schemas/Problem" });
  });

  test("has less than a twentieth of the headers", () => {
    const count = (described: typeof paths) =>
      listOperations(described)
        .flatMap(({ operation }) => Object.values(operation.responses))
        .reduce((sum, { headers }) => sum + Object.keys(headers).length, 0);
    expect(count(briefPaths) * 20).toBeLessThan(count(paths));
  });
});

/** Calls back for each object of a JSON document. */
function visit(value: unknown, path: string[], found: (object: object, path: string[]) => void): void {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) found(value, path);
  for (const [name, member] of Object.entries(value)) visit(member, [...path, name], found);
}
