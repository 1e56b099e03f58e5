/**
 * Builds what users install: `server` builds dist/server, which the npm package runs with its own Bun; `executable` builds
 * dist/roster, a single file. `--to=FOLDER` replaces dist.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { decode, encode, type SourceMapSegment } from "@jridgewell/sourcemap-codec";
import type { BuildConfig, BunPlugin } from "bun";
import packageJson from "../package.json" with { type: "json" };
import * as consoleBundle from "../src/console/bundle.ts";
import * as pageAssets from "../src/pages/assets.ts";

const root = join(import.meta.dir, "..");
const { values, positionals } = parseArgs({
  options: { to: { type: "string", default: join(root, "dist") } },
  allowPositionals: true,
});
const dist = values.to;
/** The program and its threads. src/store/sqlite/thread.ts starts the threads by file name. */
const entrypoints = [
  "cli/main.ts",
  "store/sqlite/writer-thread.ts",
  "store/sqlite/reader-thread.ts",
  "store/sqlite/copy-thread.ts",
  "store/sqlite/check-thread.ts",
].map((path) => join(root, "src", path));
/** Modules that bundle files for browsers when Roster runs from source. A build contains their results instead. */
const prebuilt = new Map([
  [join(root, "src/console/bundle.ts"), await evaluateExports(consoleBundle)],
  [join(root, "src/pages/assets.ts"), await evaluateExports(pageAssets)],
]);
const usePrebuilt: BunPlugin = {
  name: "prebuilt browser files",
  setup(build) {
    build.onLoad({ filter: /[/\\](bundle|assets)\.ts$/ }, ({ path }) => {
      const contents = prebuilt.get(path);
      return contents === undefined ? undefined : { loader: "js", contents };
    });
  },
};

/** A module with the same exports: functions that return their present result, and constants. */
async function evaluateExports(module: object): Promise<string> {
  const lines = Object.entries(module).map(async ([name, value]) =>
    typeof value === "function"
      ? `export const ${name} = async () => (${JSON.stringify(await value())});`
      : `export const ${name} = ${JSON.stringify(value)};`,
  );
  return (await Promise.all(lines)).join("\n");
}

const common = {
  entrypoints,
  plugins: [usePrebuilt],
  target: "bun",
  // Each command loads only the code that it needs.
  splitting: true,
  naming: { entry: "[name].[ext]", chunk: "[name]-[hash].[ext]" },
  sourcemap: "linked",
  // Keep names: stack traces in the log contain them.
  minify: { whitespace: true, syntax: true },
} satisfies BuildConfig;

/** Keeps where each line of a source file begins: stack traces name lines. The columns would take twice as much again, compressed. */
function keepLines(segments: SourceMapSegment[]): SourceMapSegment[] {
  return segments.filter((segment, index) => {
    const before = segments[index - 1];
    return segment[1] !== before?.[1] || segment[2] !== before?.[2];
  });
}

/** The size of a file, or of all files in a folder. */
function countBytes(path: string): number {
  if (!statSync(path).isDirectory()) return statSync(path).size;
  return readdirSync(path).reduce((sum, name) => sum + countBytes(join(path, name)), 0);
}

const builds = {
  async server(): Promise<string> {
    const folder = join(dist, "server");
    rmSync(folder, { recursive: true, force: true });
    // An optional package: `roster mcp` says how to install it.
    const external = Object.keys(packageJson.peerDependencies).flatMap((name) => [name, `${name}/*`]);
    const { outputs } = await Bun.build({ ...common, external, outdir: folder });
    for (const { path } of outputs.filter(({ kind }) => kind === "sourcemap")) {
      // Remove the source text, most of the size. Bun needs only the positions for stack traces.
      const map = JSON.parse(readFileSync(path, "utf8"));
      map.sourcesContent = map.sourcesContent.map(() => null);
      map.mappings = encode(decode(map.mappings).map(keepLines));
      writeFileSync(path, JSON.stringify(map));
    }
    return folder;
  },

  async executable(): Promise<string> {
    const file = join(dist, process.platform === "win32" ? "roster.exe" : "roster");
    mkdirSync(dist, { recursive: true });
    const { outputs } = await Bun.build({
      ...common,
      // Bytecode halves the startup time. By default Bun would emit CommonJS, which has no top-level await.
      bytecode: true,
      format: "esm",
      // Ignore .env and bunfig.toml of the current folder: they belong to other programs (see bin/bunfig.toml).
      compile: { outfile: file, autoloadDotenv: false, autoloadBunfig: false },
    });
    // The executable contains the source maps.
    for (const { path } of outputs.filter(({ kind }) => kind === "sourcemap")) rmSync(path);
    return file;
  },
};

for (const [name, build] of Object.entries(builds)) {
  if (!positionals.includes(name)) continue;
  const path = await build();
  console.log(`${relative(root, path)} is ready: ${(countBytes(path) / 1e6).toFixed(1)} MB.`);
}
