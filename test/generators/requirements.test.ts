import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../support/paths.ts";
import { requirements } from "./generators.ts";

test("docs/api.md says what each generator needs, as npm run test:generators checks it", () => {
  const docs = readFileSync(join(root, "docs", "api.md"), "utf8");
  const table = /\| generator \| needs at least \|\n\|---\|---\|\n((?:\|.+\n)+)/.exec(docs)?.[1] ?? "";
  const rows = Object.entries(requirements).map(([name, { needs }]) => `| \`${name}\` | ${needs} |\n`);
  expect(table).toBe(rows.join(""));
});
