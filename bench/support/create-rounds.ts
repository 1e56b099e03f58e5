import type { MeasuredLoad } from "./run-load.ts";
import { median } from "./statistics.ts";

/** One round of durable creates. */
export interface CreateRound extends MeasuredLoad {
  /** The number of 201 responses. */
  readonly acknowledged: number;
  /** The number of users in the database afterwards. */
  readonly stored: number;
}

/** Medians and sums of the rounds of one subject. */
export function summarizeCreates(rounds: readonly CreateRound[]) {
  const medianOf = (figure: (round: CreateRound) => number) => median(rounds.map(figure));
  const sum = (figure: (round: CreateRound) => number) => rounds.map(figure).reduce((a, b) => a + b, 0);
  return {
    rate: medianOf(({ rate }) => rate),
    lowest: Math.min(...rounds.map(({ rate }) => rate)),
    highest: Math.max(...rounds.map(({ rate }) => rate)),
    cpuMicros: medianOf(({ cpuMicros }) => cpuMicros),
    p50Ms: medianOf(({ p50Ms }) => p50Ms),
    p99Ms: medianOf(({ p99Ms }) => p99Ms),
    errors: sum(({ errors }) => errors),
    acknowledged: sum(({ acknowledged }) => acknowledged),
    stored: sum(({ stored }) => stored),
  };
}
