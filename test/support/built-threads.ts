/**
 * SQLite threads that start from bundles, which test/run.ts builds once and preloads this module for. A thread that starts
 * from source compiles all its modules, which takes seven times the CPU time.
 */
import { join } from "node:path";
import { root } from "./paths.ts";

/** Bundles the threads into a folder. */
export async function buildThreads(outdir: string): Promise<void> {
  const entrypoints = [...new Bun.Glob("src/store/sqlite/*-thread.ts").scanSync(root)];
  await Bun.build({
    entrypoints: entrypoints.map((path) => join(root, path)),
    outdir,
    target: "bun",
    bytecode: true,
    minify: { whitespace: true, syntax: true },
  });
}

const folder = process.env.ROSTER_TEST_THREADS;
if (folder !== undefined) useThreadsOf(folder);

function useThreadsOf(folder: string): void {
  globalThis.Worker = class extends Worker {
    constructor(script: string | URL, options?: WorkerOptions) {
      const [, name] = /\/src\/store\/sqlite\/([a-z]+-thread)\.ts$/.exec(String(script)) ?? [];
      super(name === undefined ? script : join(folder, `${name}.js`), options);
    }
  };
}
