import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../../support/paths.ts";

const source = join(root, "src/client/index.ts");

/** The client as one minified script that sets `globalThis.roster`, like a bundler's output. */
export async function bundleClient(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "roster-client-"));
  try {
    const entry = join(folder, "entry.ts");
    const from = JSON.stringify(source);
    writeFileSync(entry, `import * as roster from ${from}; Object.assign(globalThis, { roster });`);
    const { outputs } = await Bun.build({
      entrypoints: [entry],
      target: "browser",
      format: "iife",
      minify: true,
    });
    return (await outputs[0]?.text()) ?? "";
  } finally {
    rmSync(folder, { recursive: true });
  }
}
