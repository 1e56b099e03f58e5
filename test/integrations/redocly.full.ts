import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeApi } from "../../src/contract/openapi.ts";
import { parseSchema, toDescribedFields } from "../../src/domain/schema/parse-schema.ts";
import { api, briefApi } from "../support/description.ts";

const fields = parseSchema({
  $defs: { city: { type: "string", title: "City", maxLength: 100 } },
  properties: {
    badge: { type: "string", pattern: "^B-\\d{4}$", "x-unique": true, examples: ["B-0001"] },
    level: { type: ["integer", "null"], minimum: 1, maximum: 9 },
    address: { type: "object", properties: { city: { $ref: "#/$defs/city" } }, additionalProperties: false },
    tags: { type: "array", items: { enum: ["vip", "new"] }, uniqueItems: true, maxItems: 5 },
    start: { type: "string", format: "date", deprecated: true },
    anything: true,
  },
  required: ["badge"],
});
const descriptions = { api, brief: briefApi, "with-schema": describeApi("1.2.3", toDescribedFields(fields)) };

test("the OpenAPI description passes Redocly's recommended rules: whole, brief, and with a schema for custom fields", async () => {
  const folder = mkdtempSync(join(tmpdir(), "roster-openapi-"));
  const files = Object.entries(descriptions).map(([name, description]) => {
    const file = join(folder, `${name}.json`);
    writeFileSync(file, JSON.stringify(description));
    return file;
  });
  const redocly = join(import.meta.dir, "node_modules", ".bin", "redocly");
  const linter = Bun.spawn([redocly, "lint", ...files, "--extends=recommended", "--format=json"], {
    env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    stderr: "ignore",
  });
  const output = await new Response(linter.stdout).text();
  rmSync(folder, { recursive: true });
  // One JSON object for each file.
  const reports = output.split(/(?<=^\})\s*(?=\{)/m).map((report) => JSON.parse(report).problems);
  const brief: { ruleId: string }[] = reports.splice(1, 1)[0];
  expect(reports).toEqual([[], []]);
  // It has one response for all problems, with the status `default`.
  expect(new Set(brief.map(({ ruleId }) => ruleId))).toEqual(new Set(["operation-4xx-response"]));
  expect(await linter.exited).toBe(0);
}, 120_000);
