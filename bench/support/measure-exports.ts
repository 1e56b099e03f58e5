import type { ChildServer } from "./child-server.ts";
import { exportUsers } from "./export-users.ts";
import { readCpuSeconds, readMemory } from "./process-usage.ts";
import { interleave } from "./rounds.ts";
import { median } from "./statistics.ts";
import { print, verdict } from "./table.ts";

/** Users per second as NDJSON. */
const BAR = 100_000;
const forms = ["application/x-ndjson", "text/csv"] as const;

export interface ExportBench {
  readonly users: number;
  readonly rounds: number;
  readonly json: boolean;
}

/** Exports all users repeatedly, prints the rates, and sets the exit code. */
export async function measureExports(
  { url, pid }: ChildServer,
  { users, rounds, json }: ExportBench,
): Promise<void> {
  const run = async (type: string) => {
    const before = readCpuSeconds(pid);
    const report = await exportUsers(url, type);
    const cpuMicros = ((readCpuSeconds(pid) - before) * 1e6) / users;
    const missing = report.errors + Math.abs(users - report.users);
    return { ...report, errors: missing, cpuMicros, rate: users / report.seconds, ...readMemory(pid) };
  };
  for (const type of forms) await run(type);
  const results = await interleave(forms, rounds, run);
  const figures = [...results].map(([type, all]) => ({
    type,
    rate: median(all.map(({ rate }) => rate)),
    lowest: Math.min(...all.map(({ rate }) => rate)),
    highest: Math.max(...all.map(({ rate }) => rate)),
    cpuMicros: median(all.map(({ cpuMicros }) => cpuMicros)),
    megabytes: (all[0]?.bytes ?? 0) / 1e6,
    peak: Math.max(...all.map(({ peak }) => peak)),
    errors: all.reduce((sum, { errors }) => sum + errors, 0),
  }));
  const rated = figures.map((figure) => ({
    ...figure,
    bar: figure.type === forms[0] ? BAR : undefined,
  }));
  print(json, { users, rounds, figures: rated }, [
    ["", "users/s", "low–high", "target", "", "CPU µs/user", "MB", "peak MB", "errors"],
    ...rated.map(({ type, rate, lowest, highest, bar, cpuMicros, megabytes, peak, errors }) => [
      type,
      rate.toFixed(0),
      `${lowest.toFixed(0)}–${highest.toFixed(0)}`,
      bar === undefined ? "" : `≥ ${bar}`,
      bar === undefined ? "" : verdict(rate >= bar),
      cpuMicros.toFixed(2),
      megabytes.toFixed(0),
      peak.toFixed(0),
      String(errors),
    ]),
  ]);
  process.exitCode = rated.some(({ errors }) => errors > 0) ? 1 : 0;
}
