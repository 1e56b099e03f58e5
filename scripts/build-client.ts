/** Builds dist/client, the package that callers install: two ES modules, their types and source maps. */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { $ } from "bun";
import packageJson from "../package.json" with { type: "json" };

const root = join(import.meta.dir, "..");
const source = join(root, "src", "client");
const modules = ["index", "bulk"];

/** Builds the package into a folder, `dist/client` by default. */
export async function buildClient(folder = join(root, "dist", "client")): Promise<string> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await buildModules(folder);
  await writeTypes(folder);
  const { version, license } = packageJson;
  const manifest = {
    name: "roster-client",
    version,
    description: "Typed client library for the Roster users service.",
    license,
    type: "module",
    sideEffects: false,
    exports: {
      ".": { types: "./types/index.d.ts", default: "./index.js" },
      "./package.json": "./package.json",
    },
    types: "./types/index.d.ts",
    files: [...modules.flatMap((name) => [`${name}.js`, `${name}.js.map`]), "types"],
    engines: { node: ">=20" },
  };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  cpSync(join(root, "docs", "client.md"), join(folder, "README.md"));
  cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  return folder;
}

/** Only the code: `index.js`, and `bulk.js`, which `index.js` imports on the first import or export. */
export async function buildModules(folder: string): Promise<void> {
  await buildModule(folder, "index", "bulk");
  // Both modules share the error classes of index.js: `instanceof` has to work on errors of either.
  await buildModule(folder, "bulk", "errors", "index");
}

/** Bundles one module of the package. `imported` is not bundled: it is imported from the module `from` of the package. */
async function buildModule(folder: string, name: string, imported: string, from = imported): Promise<void> {
  await Bun.build({
    entrypoints: [join(source, `${name}.ts`)],
    outdir: folder,
    target: "browser",
    format: "esm",
    minify: true,
    sourcemap: "linked",
    plugins: [
      {
        name: "keep the package's modules separate",
        setup(build) {
          build.onResolve({ filter: new RegExp(`^\\./${imported}\\.ts$`) }, () => ({
            path: `./${from}.js`,
            external: true,
          }));
        },
      },
    ],
  });
  const path = join(folder, `${name}.js`);
  // Remove Bun's debug id; the line after it names the source map.
  writeFileSync(path, readFileSync(path, "utf8").replace(/\n\/\/# debugId=.*/, ""));
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
    // Callers import the modules as .js.
    writeFileSync(path, readFileSync(path, "utf8").replace(/(from "\.\/[^"]+)\.ts"/g, '$1.js"'));
  }
}

if (import.meta.main) {
  const folder = await buildClient();
  const sizes = modules.map((name) => {
    const { length } = Bun.gzipSync(readFileSync(join(folder, `${name}.js`)), { level: 9 });
    return `${name}.js ${length}`;
  });
  console.log(`dist/client is ready: ${sizes.join(", ")} bytes gzipped.`);
  console.log("Run npm pack ./dist/client to create a tarball.");
}
