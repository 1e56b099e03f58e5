import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Document, Ruleset, Spectral } from "@stoplight/spectral-core";
import { Json } from "@stoplight/spectral-parsers";
import { oas } from "@stoplight/spectral-rulesets";
import Ajv2020, { type ValidateFunction } from "ajv/dist/2020.js";
import { describeApi } from "../../src/contract/openapi.ts";
import { problems } from "../../src/contract/problems.ts";

const api = describeApi("1.2.3");
const text = JSON.stringify(api, null, 2);

/** The parts of the OpenAPI description that have examples. */
interface Description {
  paths: Record<
    string,
    Record<string, { operationId: string; requestBody?: Body; responses: Record<string, Body> }>
  >;
}
interface Body {
  content?: Record<string, { schema: object; examples: Record<string, { value: unknown }> }>;
}

describe("the OpenAPI description", () => {
  test("passes Redocly's recommended rules", async () => {
    const folder = mkdtempSync(join(tmpdir(), "roster-openapi-"));
    const file = join(folder, "openapi.json");
    writeFileSync(file, text);
    const redocly = join(import.meta.dir, "..", "..", "node_modules", ".bin", "redocly");
    const linter = Bun.spawn([redocly, "lint", file, "--extends=recommended", "--format=json"], {
      env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
      stderr: "ignore",
    });
    const report = JSON.parse(await new Response(linter.stdout).text());
    rmSync(folder, { recursive: true });
    expect(report.problems).toEqual([]);
    expect(await linter.exited).toBe(0);
  }, 120_000);

  test("passes Spectral's rules for OpenAPI", async () => {
    const spectral = new Spectral();
    spectral.setRuleset(new Ruleset(oas));
    const found = await spectral.run(new Document(text, Json));
    expect(found.map(({ code, message, path }) => ({ code, message, path: path.join(".") }))).toEqual([]);
  }, 60_000);

  test("has examples that are valid by their own schemas", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ ...JSON.parse(text), $id: "api" });
    const { paths }: Description = JSON.parse(text.replaceAll('"#/', '"api#/'));
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

  test("is the same each time", () => {
    expect(JSON.stringify(describeApi("1.2.3"), null, 2)).toBe(text);
  });
});
