/** Writes the sizes of the client's modules into docs/client.md. A test fails if the page is out of date. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildClient, measureModules } from "./build-client.ts";

const path = join(import.meta.dir, "..", "docs", "client.md");
const ROW = /^\| `([\w-]+)\.js` \|(.*)\| ([\d.]+) KB \|$/gm;

/** The sizes that docs/client.md states. */
export function documentedSizes(): Map<string, number> {
  return new Map(
    [...readFileSync(path, "utf8").matchAll(ROW)].map(([, name = "", , size]) => [name, Number(size)]),
  );
}

if (import.meta.main) {
  const folder = mkdtempSync(join(tmpdir(), "roster-client-"));
  const sizes = measureModules(await buildClient(folder));
  rmSync(folder, { recursive: true });
  const page = readFileSync(path, "utf8");
  writeFileSync(
    path,
    page.replace(ROW, (_row, name, use) => `| \`${name}.js\` |${use}| ${sizes.get(name)?.toFixed(1)} KB |`),
  );
}
