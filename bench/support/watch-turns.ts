/**
 * Preloaded into the service: measures the turns of its event loop. On SIGUSR2, it writes the longest turn since the last signal,
 * in milliseconds of CPU time, into the file `BENCH_TURNS`.
 */
import { renameSync, writeFileSync } from "node:fs";
import { afterThisTurn, watchTurns } from "../../test/support/process/event-loop-turns.ts";

const path = process.env.BENCH_TURNS ?? "";
let longestMs = 0;
watchTurns((cpuMs) => {
  longestMs = Math.max(longestMs, cpuMs);
});
process.on("SIGUSR2", () =>
  afterThisTurn(() => {
    writeFileSync(`${path}.draft`, String(longestMs));
    renameSync(`${path}.draft`, path);
    longestMs = 0;
  }),
);
