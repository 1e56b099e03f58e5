import type { ChildServer } from "./child-server.ts";
import { exportUsers } from "./export-users.ts";
import { readCpuSeconds, readMemory } from "./process-usage.ts";
import { interleave } from "./rounds.ts";
import { median } from "./statistics.ts";
import { print, verdict } from "./table.ts";

/** Users per second as NDJSON. */
const TARGET = 100_000;
const types = ["application/x-ndjson", "text/csv"] as const;

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
  for (const type of types) await run(type);
  const results = await interleave(types, rounds, run);
  const figures = [...results].map(([type, reports]) => ({
    type,
    rate: median(reports.map(({ rate }) => rate)),
    lowest: Math.min(...reports.map(({ rate }) => rate)),
    highest: Math.max(...reports.map(({ rate }) => rate)),
    cpuMicros: median(reports.map(({ cpuMicros }) => cpuMicros)),
    megabytes: (reports[0]?.bytes ?? 0) / 1e6,
    peak: Math.max(...reports.map(({ peak }) => peak)),
    errors: reports.reduce((sum, { errors }) => sum + errors, 0),
  }));
  const rated = figures.map((figure) => ({
    ...figure,
    target: figure.type === types[0] ? TARGET : undefined,
  }));
  print(json, { users, rounds, figures: rated }, [
    ["", "users/s", "low–high", "target", "", "CPU µs/user", "MB", "peak MB", "errors"],
    ...rated.map(({ type, rate, lowest, highest, target, cpuMicros, megabytes, peak, errors }) => [
      type,
      rate.toFixed(0),
      `${lowest.toFixed(0)}–${highest.toFixed(0)}`,
      target === undefined ? "" : `≥ ${target}`,
      target === undefined ? "" : verdict(rate >= target),
      cpuMicros.toFixed(2),
      megabytes.toFixed(0),
      peak.toFixed(0),
      String(errors),
    ]),
  ]);
  process.exitCode = rated.some(({ errors }) => errors > 0) ? 1 : 0;
}
