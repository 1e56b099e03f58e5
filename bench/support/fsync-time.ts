import { closeSync, fsyncSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { median, percentile } from "./statistics.ts";

const PAGE = Buffer.alloc(8192, 1);

/** The time to append 8 kB to a file and fsync it, in microseconds. */
export function timeFsync(folder: string, times = 300): { medianMicros: number; p99Micros: number } {
  const path = join(folder, `fsync-${process.pid}`);
  const file = openSync(path, "w");
  const timesMicros: number[] = [];
  try {
    while (timesMicros.length < times) {
      const start = performance.now();
      writeSync(file, PAGE);
      fsyncSync(file);
      timesMicros.push((performance.now() - start) * 1000);
    }
  } finally {
    closeSync(file);
    rmSync(path);
  }
  return { medianMicros: median(timesMicros), p99Micros: percentile(timesMicros, 0.99) };
}
