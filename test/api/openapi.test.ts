import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Document, Ruleset, Spectral } from "@stoplight/spectral-core";
import { Json } from "@stoplight/spectral-parsers";
import { oas } from "@stoplight/spectral-rulesets";
import Ajv2020 from "ajv/dist/2020.js";
import { describeApi } from "../../src/contract/openapi.ts";
import type { Operation } from "../../src/contract/operation.ts";
import { operations } from "../../src/contract/operations.ts";
import { ProblemDocument } from "../../src/contract/problem-schemas.ts";
import { problems } from "../../src/contract/problems.ts";
import { root } from "../support/paths.ts";

const api = describeApi("1.2.3");
const text = JSON.stringify(api, null, 2);

describe("the API's description", () => {
  test("passes Redocly's recommended rules", async () => {
    const folder = mkdtempSync(join(tmpdir(), "roster-openapi-"));
    const file = join(folder, "openapi.json");
    writeFileSync(file, text);
    const redocly = join(root, "node_modules", ".bin", "redocly");
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
  });

  test("has examples that are valid by its own schemas", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    for (const { id, request, responses: answers } of Object.values<Operation>(operations)) {
      const bodies = [request, ...Object.values(answers).map(({ body }) => body)].filter(
        (body) => body !== undefined,
      );
      for (const { schema, examples } of bodies) {
        for (const [name, example] of Object.entries(examples)) {
          const valid = ajv.validate(schema, example);
          expect({ id, name, errors: valid ? null : ajv.errorsText() }).toEqual({ id, name, errors: null });
        }
      }
    }
    for (const match of text.matchAll(/"value": (\{\s+"type": "\/problems\/[^}]+\})/g)) {
      expect(ajv.validate(ProblemDocument, JSON.parse(match[1] ?? ""))).toBe(true);
    }
  });

  test("says of every operation which problems it can give", () => {
    for (const type of Object.keys(problems)) {
      if (type === "method-not-allowed") continue; // that is no operation's
      expect(text).toContain(`"/problems/${type}"`);
    }
  });

  test("is made anew from the same parts: nothing in it depends on the day", () => {
    expect(JSON.stringify(describeApi("1.2.3"), null, 2)).toBe(text);
  });
});
