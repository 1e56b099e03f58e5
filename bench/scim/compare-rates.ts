import { median } from "../support/statistics.ts";
import { type Row, verdict } from "../support/table.ts";
import type { Result } from "./bench.ts";

/** What SCIM and the API take for the same, in each round. */
interface Costs {
  readonly name: string;
  readonly scim: readonly number[];
  readonly api: readonly number[];
  /** The lowest ratio of rates that is allowed. */
  readonly target: number;
}

/** Compares CPU times in µs as rates: how many requests of SCIM take as much as one of the API. */
export function compareRates({ name, scim, api, target }: Costs): Result {
  const ratio = median(scim.map((cost, round) => (api[round] ?? Number.NaN) / cost));
  const figures = { name, micros: median(scim), baseMicros: median(api), rate: ratio, target };
  const row: Row = [
    ...[name, figures.micros.toFixed(0), figures.baseMicros.toFixed(0)],
    ...[ratio.toFixed(2), `≥ ${target}`, verdict(ratio >= target)],
  ];
  return { figures, rows: [row] };
}
