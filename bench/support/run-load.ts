import type { LoadReport } from "./load-report.ts";
import { readTreeCpuSeconds } from "./process-usage.ts";

export interface Load {
  readonly url: string;
  /** Kinds of requests, in the syntax of `request-mix.ts`. */
  readonly kinds: readonly string[];
  readonly connections: number;
  readonly seconds?: number;
  readonly requests?: number;
  /** Ends the load, if it comes first. */
  readonly until?: Promise<unknown>;
  /** Sent with each request. */
  readonly headers?: readonly string[];
}

/** Runs `load.ts` in its own process: its CPU time does not count as the server's. */
export async function runLoad({
  url,
  kinds,
  connections,
  seconds,
  requests,
  until,
  headers = [],
}: Load): Promise<LoadReport> {
  const flags = [
    ...(seconds === undefined ? [] : [`--seconds=${seconds}`]),
    ...(requests === undefined ? [] : [`--requests=${requests}`]),
    ...headers.map((header) => `--header=${header}`),
    `--url=${url}`,
    `--connections=${connections}`,
    "--json",
  ];
  const script = new URL("../load.ts", import.meta.url).pathname;
  const child = Bun.spawn([process.execPath, script, ...flags, ...kinds], { stderr: "inherit" });
  until?.finally(() => child.kill("SIGTERM")).catch(() => undefined);
  const output = await new Response(child.stdout).text();
  await child.exited;
  if (output === "") throw new Error("The load generator printed no report.");
  const report: LoadReport = JSON.parse(output);
  return report;
}

export interface MeasuredLoad extends LoadReport {
  /** The server's CPU time per request, in all its threads. */
  readonly cpuMicros: number;
}

/** Loads a server and measures the CPU time of its process and the processes it started. */
export async function measureLoad(pid: number, load: Load): Promise<MeasuredLoad> {
  const before = readTreeCpuSeconds(pid);
  const report = await runLoad(load);
  return { ...report, cpuMicros: ((readTreeCpuSeconds(pid) - before) * 1e6) / report.requests };
}
