/**
 * Preloaded into a service by BUN_OPTIONS. On SIGUSR2, collects garbage and writes the number of live objects of each type
 * to the file that MEMORY_PROBE names.
 */
import { heapStats } from "bun:jsc";
import { renameSync, writeFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

const file = process.env.MEMORY_PROBE;

if (isMainThread && file !== undefined) {
  process.on("SIGUSR2", () => {
    Bun.gc(true);
    const { heapSize, objectTypeCounts } = heapStats();
    writeFileSync(`${file}.new`, JSON.stringify({ heapSize, objects: objectTypeCounts }));
    renameSync(`${file}.new`, file);
  });
}
