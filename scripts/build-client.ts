/** Makes dist/client, the package that callers install: two ES modules, their types, source maps. */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { $ } from "bun";
import packageJson from "../package.json" with { type: "json" };

const root = join(import.meta.dir, "..");
const source = join(root, "src", "client");
const modules = ["index", "bulk"];

/** Builds the package into a folder, `dist/client` unless told otherwise. */
export async function buildClient(folder = join(root, "dist", "client")): Promise<string> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await buildModules(folder);
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
    files: [...modules.flatMap((name) => [`${name}.js`, `${name}.js.map`]), "types"],
    engines: { node: ">=20" },
  };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  cpSync(join(root, "docs", "client.md"), join(folder, "README.md"));
  cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  return folder;
}

/** Only what runs: `index.js`, and `bulk.js`, which it imports when it is first needed. */
export async function buildModules(folder: string): Promise<void> {
  await Bun.build({
    entrypoints: modules.map((name) => join(source, `${name}.ts`)),
    outdir: folder,
    target: "browser",
    format: "esm",
    minify: true,
    sourcemap: "linked",
    plugins: [
      {
        name: "modules of the package stay modules",
        setup(build) {
          build.onResolve({ filter: new RegExp(`^\\./(${modules.join("|")})\\.ts$`) }, ({ path }) => ({
            path: path.replace(/ts$/, "js"),
            external: true,
          }));
        },
      },
    ],
  });
  for (const name of modules) {
    const path = join(folder, `${name}.js`);
    // Bun's own mark for finding the source map, which the line after it names.
    writeFileSync(path, readFileSync(path, "utf8").replace(/\n\/\/# debugId=.*/, ""));
  }
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
  const sizes = modules.map((name) => {
    const { length } = Bun.gzipSync(readFileSync(join(folder, `${name}.js`)), { level: 9 });
    return `${name}.js ${length}`;
  });
  console.log(`dist/client is ready: ${sizes.join(", ")} bytes gzipped.`);
  console.log("npm pack ./dist/client makes a tarball of it.");
}
