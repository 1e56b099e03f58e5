/** Builds dist/client, the package that callers install: each module as an ES module and as CommonJS, with types. */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { $ } from "bun";
import packageJson from "../package.json" with { type: "json" };

const root = join(import.meta.dir, "..");
const source = join(root, "src", "client");

/**
 * The modules of the package, and their source. `imports` names the modules that stay separate files, by their path in
 * src/client.
 */
const modules = [
  // index.js imports the next three on first use.
  {
    name: "index",
    from: "index",
    imports: {
      "bulk.ts": "bulk",
      "events/follow-events.ts": "follow-events",
      "transport/request-json.ts": "request-json",
    },
  },
  // They share the error classes of index.js: `instanceof` has to work on errors of each.
  { name: "bulk", from: "bulk", imports: { "errors.ts": "index" } },
  { name: "follow-events", from: "events/follow-events", imports: { "errors.ts": "index" } },
  { name: "request-json", from: "transport/request-json", imports: { "errors.ts": "index" } },
  // The builder of filter expressions works without a client.
  { name: "filter", from: "filter", imports: {} },
  // The verification of webhooks works without a client.
  { name: "webhooks", from: "verify-webhook", imports: {} },
  // The data providers get a client and import nothing.
  { name: "react-admin", from: "admin/react-admin", imports: {} },
  { name: "refine", from: "admin/refine", imports: {} },
] as const;
type Module = (typeof modules)[number];
/** The modules that callers import by name: `roster-client/filter`. */
const subpaths = modules.filter(({ imports }) => Object.keys(imports).length === 0);

/** `extension` is the extension of a module; TypeScript expects the types in a file with `types`. */
const formats = [
  { format: "esm", condition: "import", extension: ".js", types: ".d.ts" },
  { format: "cjs", condition: "require", extension: ".cjs", types: ".d.cts" },
] as const;
type Format = (typeof formats)[number];

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
      ".": listFiles("index", "index"),
      ...Object.fromEntries(subpaths.map(({ name, from }) => [`./${name}`, listFiles(name, from)])),
      "./package.json": "./package.json",
    },
    // For tools that do not read `exports`.
    typesVersions: {
      "*": Object.fromEntries(subpaths.map(({ name, from }) => [name, [`./types/${from}.d.cts`]])),
    },
    main: "./index.cjs",
    module: "./index.js",
    types: "./types/index.d.cts",
    files: ["*.js", "*.cjs", "*.map", "types"],
    engines: { node: ">=20" },
  };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  cpSync(join(root, "docs", "client.md"), join(folder, "README.md"));
  cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  return folder;
}

/** Builds the code, without types and manifest. */
export async function buildModules(folder: string): Promise<void> {
  for (const module of modules) for (const format of formats) await buildModule(folder, module, format);
}

async function buildModule(folder: string, { name, from, imports }: Module, output: Format): Promise<void> {
  const { format, extension } = output;
  const paths = new Map<string, string>(Object.entries(imports));
  await Bun.build({
    entrypoints: [join(source, `${from}.ts`)],
    outdir: folder,
    naming: name + extension,
    target: "browser",
    format,
    minify: true,
    sourcemap: "linked",
    plugins: [
      {
        name: "keep the package's modules separate",
        setup(build) {
          build.onResolve({ filter: /^\.\.?\// }, ({ path, importer }) => {
            const separate = paths.get(relative(source, join(dirname(importer), path)));
            return separate ? { path: `./${separate}${extension}`, external: true } : undefined;
          });
        },
      },
    ],
  });
  const path = join(folder, name + extension);
  // Remove Bun's debug id; the line after it names the source map.
  const code = readFileSync(path, "utf8").replace(/\n\/\/# debugId=.*/, "");
  writeFileSync(path, format === "cjs" ? await listExports(code, from) : code);
}

/** Names the exports of a CommonJS module in the form that Node.js finds without running the module, for `import`. */
async function listExports(code: string, from: string): Promise<string> {
  const exported = Object.keys(await import(join(source, `${from}.ts`)));
  return code.replace(/(?=\n\/\/# sourceMappingURL)/, `\n0&&(module.exports={${exported.join()}});`);
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
  for (const name of new Bun.Glob("**/*.d.ts").scanSync(types)) {
    const path = join(types, name);
    const text = readFileSync(path, "utf8");
    for (const format of formats) {
      // Callers import the built modules.
      const written = text.replace(/(from "\.{1,2}\/[^"]+)\.ts"/g, `$1${format.extension}"`);
      writeFileSync(path.replace(/\.d\.ts$/, format.types), written);
    }
  }
}

/** The files of a module for `import` and `require`. */
function listFiles(name: string, from: string): object {
  return Object.fromEntries(
    formats.map(({ condition, extension, types }) => [
      condition,
      { types: `./types/${from}${types}`, default: `./${name}${extension}` },
    ]),
  );
}

/** The size of each module of a built package, compressed with gzip, in kilobytes. */
export function measureModules(folder: string): Map<string, number> {
  return new Map(
    modules.map(({ name }) => {
      const { length } = Bun.gzipSync(readFileSync(join(folder, `${name}.js`)), { level: 9 });
      return [name, length / 1000];
    }),
  );
}

if (import.meta.main) {
  const sizes = [...measureModules(await buildClient())].map(
    ([name, size]) => `${name}.js ${size.toFixed(1)}`,
  );
  console.log(`dist/client is ready: ${sizes.join(", ")} KB compressed.`);
  console.log("Run npm pack ./dist/client to create a tarball.");
}
