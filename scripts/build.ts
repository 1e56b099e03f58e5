/**
 * Makes what people install: `server` is dist/server, which the npm package runs with its own Bun, and `executable` is
 * dist/roster, one file with everything in it.
 */
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { BuildConfig, BunPlugin } from "bun";
import { bundleConsole, filesPath } from "../src/console/bundle.ts";

const root = join(import.meta.dir, "..");
const dist = join(root, "dist");
/** The program, and its threads, which have to be beside it: src/store/sqlite/thread.ts starts them by name. */
const entrypoints = [
  "cli/main.ts",
  "store/sqlite/writer-thread.ts",
  "store/sqlite/reader-thread.ts",
  "store/sqlite/copy-thread.ts",
].map((path) => join(root, "src", path));
/** Before anything else: a build that another waits for would never begin. */
const consoleFiles = JSON.stringify(await bundleConsole());
const madeBeforehand: BunPlugin = {
  name: "the console is made beforehand",
  setup(build) {
    build.onLoad({ filter: /src\/console\/bundle\.ts$/ }, () => ({
      loader: "js",
      contents: `export const filesPath = ${JSON.stringify(filesPath)};
export const bundleConsole = async () => (${consoleFiles});`,
    }));
  },
};
const common = {
  entrypoints,
  plugins: [madeBeforehand],
  target: "bun",
  // Each command has what it needs in files of its own, so that it starts without the others.
  splitting: true,
  naming: { entry: "[name].[ext]", chunk: "[name]-[hash].[ext]" },
  sourcemap: "linked",
  // Not of names: causes in the log have them.
  minify: { whitespace: true, syntax: true },
} satisfies BuildConfig;

const made = {
  async server(): Promise<string> {
    const folder = join(dist, "server");
    rmSync(folder, { recursive: true, force: true });
    const { outputs } = await Bun.build({ ...common, outdir: folder });
    for (const { path } of outputs.filter(({ kind }) => kind === "sourcemap")) {
      // Bun looks up lines in it for the stacks of errors, and wants no text for that, but a place for each: most of the size.
      const map = JSON.parse(readFileSync(path, "utf8"));
      map.sourcesContent = map.sourcesContent.map(() => null);
      writeFileSync(path, JSON.stringify(map));
    }
    return join(folder, "main.js");
  },

  async executable(): Promise<string> {
    const file = join(dist, "roster");
    mkdirSync(dist, { recursive: true });
    const { outputs } = await Bun.build({
      ...common,
      // Halves the time that it takes to start. Bun would make CommonJS for that, where a module cannot await.
      bytecode: true,
      format: "esm",
      // The .env and bunfig.toml of the folder that it is run in are other programs' (see bin/bunfig.toml).
      compile: { outfile: file, autoloadDotenv: false, autoloadBunfig: false },
    });
    // They are in the executable too.
    for (const { path } of outputs.filter(({ kind }) => kind === "sourcemap")) rmSync(path);
    return file;
  },
};

for (const [name, make] of Object.entries(made)) {
  if (!Bun.argv.slice(2).includes(name)) continue;
  const path = await make();
  console.log(`${relative(root, path)} is ready: ${(statSync(path).size / 2 ** 20).toFixed(1)} MB.`);
}
