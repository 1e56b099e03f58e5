import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const source = join(import.meta.dir, "..", "..", "src", "client", "index.ts");

/** The client as one minified file: a module, or a script that makes it `globalThis.roster`. */
export async function bundleClient(form: "module" | "script"): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "roster-client-"));
  try {
    const entry = join(folder, "entry.ts");
    const from = JSON.stringify(source);
    writeFileSync(
      entry,
      form === "module"
        ? `export * from ${from};`
        : `import * as roster from ${from}; Object.assign(globalThis, { roster });`,
    );
    const { outputs } = await Bun.build({
      entrypoints: [entry],
      target: "browser",
      format: form === "module" ? "esm" : "iife",
      minify: true,
    });
    return (await outputs[0]?.text()) ?? "";
  } finally {
    rmSync(folder, { recursive: true });
  }
}
