/** Makes dist/client, the package that callers install: one ES module, its types, source maps. */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { $ } from "bun";
import packageJson from "../package.json" with { type: "json" };

const root = join(import.meta.dir, "..");
const source = join(root, "src", "client");

/** Builds the package into a folder, `dist/client` unless told otherwise. */
export async function buildClient(folder = join(root, "dist", "client")): Promise<string> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await Bun.build({
    entrypoints: [join(source, "index.ts")],
    outdir: folder,
    target: "browser",
    format: "esm",
    minify: true,
    sourcemap: "linked",
  });
  await writeTypes(folder);
  const { version, license } = packageJson;
  const manifest = {
    name: "roster-client",
    version,
    description: "The typed client of Roster, the users service.",
    license,
    type: "module",
    sideEffects: false,
    exports: {
      ".": { types: "./types/index.d.ts", default: "./index.js" },
      "./package.json": "./package.json",
    },
    types: "./types/index.d.ts",
    files: ["index.js", "index.js.map", "types"],
    engines: { node: ">=20" },
  };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  cpSync(join(root, "docs", "client.md"), join(folder, "README.md"));
  cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  return folder;
}

async function writeTypes(folder: string): Promise<void> {
  const types = join(folder, "types");
  const flags = [
    "--declaration",
    "--emitDeclarationOnly",
    "--noEmit",
    "false",
    "--outDir",
    types,
    "--rootDir",
    source,
  ];
  const tsc = join(root, "node_modules", ".bin", "tsc");
  await $`${tsc} --project ${join(root, "tsconfig.client.json")} ${flags}`.quiet();
  for (const name of readdirSync(types)) {
    const path = join(types, name);
    // Callers have .d.ts files for modules that they see as .js.
    writeFileSync(path, readFileSync(path, "utf8").replace(/(from "\.\/[^"]+)\.ts"/g, '$1.js"'));
  }
}

if (import.meta.main) {
  const folder = await buildClient();
  const size = Bun.gzipSync(readFileSync(join(folder, "index.js")), { level: 9 }).length;
  console.log(`dist/client is ready: ${size} bytes gzipped. npm pack ./dist/client makes a tarball of it.`);
}
