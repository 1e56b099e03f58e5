import { interleave } from "../support/rounds.ts";
import { median } from "../support/statistics.ts";
import { type Row, verdict } from "../support/table.ts";

/** Requests whose CPU time is measured. */
export interface Subject {
  readonly name: string;
  /** Requests of one round, in order. What they change, they change back. Returns the CPU time if only a part of them counts. */
  readonly run: () => Promise<number | undefined>;
  /** What the CPU time of a round is divided by. */
  readonly count: number;
}

/** Two subjects, and the highest ratio of their CPU times that is allowed. */
export interface Comparison {
  readonly name: string;
  readonly subject: Subject;
  readonly base: Subject;
  readonly target: number;
}

interface ComparisonFigures {
  readonly name: string;
  readonly micros: number;
  readonly baseMicros: number;
  readonly ratio: number;
  readonly target: number;
  readonly verdict: string;
}

/** Measures all subjects in interleaved rounds. `startMeter` returns a function that returns the CPU time since then, in µs. */
export async function measureComparisons(
  comparisons: readonly Comparison[],
  rounds: number,
  startMeter: () => () => number,
): Promise<ComparisonFigures[]> {
  const subjects = [...new Set(comparisons.flatMap(({ subject, base }) => [subject, base]))];
  const run = async (subject: Subject) => {
    const stop = startMeter();
    return ((await subject.run()) ?? stop()) / subject.count;
  };
  for (const subject of subjects) await run(subject);
  const times = await interleave(subjects, rounds, run);
  return comparisons.map(({ name, subject, base, target }) => {
    const ratios = (times.get(subject) ?? []).map(
      (time, round) => time / (times.get(base)?.[round] ?? Number.NaN),
    );
    const ratio = median(ratios);
    return {
      name,
      micros: median(times.get(subject) ?? []),
      baseMicros: median(times.get(base) ?? []),
      ratio,
      target,
      verdict: verdict(ratio <= target),
    };
  });
}

export const comparisonHeading: Row = ["", "CPU µs", "base CPU µs", "ratio", "target", ""];

export function comparisonRows(figures: readonly ComparisonFigures[]): Row[] {
  return figures.map(({ name, micros, baseMicros, ratio, target, verdict }) => [
    ...[name, micros.toFixed(0), baseMicros.toFixed(0), ratio.toFixed(2), `≤ ${target}`, verdict],
  ]);
}
