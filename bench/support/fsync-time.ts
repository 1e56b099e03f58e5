import { closeSync, fsyncSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { median, percentile } from "./statistics.ts";

const PAGE = Buffer.alloc(8192, 1);

/** How long the disk under a folder takes to keep 8 kB more of a file, in microseconds. */
export function timeFsync(folder: string, times = 300): { medianMicros: number; p99Micros: number } {
  const path = join(folder, `fsync-${process.pid}`);
  const file = openSync(path, "w");
  const taken: number[] = [];
  try {
    while (taken.length < times) {
      const start = performance.now();
      writeSync(file, PAGE);
      fsyncSync(file);
      taken.push((performance.now() - start) * 1000);
    }
  } finally {
    closeSync(file);
    rmSync(path);
  }
  return { medianMicros: median(taken), p99Micros: percentile(taken, 0.99) };
}
