import { readCpuSeconds } from "./process-usage.ts";

/** How a load was answered. An error is an answer of another status than expected, or none. */
export interface LoadReport {
  readonly requests: number;
  readonly errors: number;
  /** What the errors were, each with its number. */
  readonly problems: Readonly<Record<string, number>>;
  readonly seconds: number;
  readonly rate: number;
  readonly firstMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export interface Load {
  readonly url: string;
  /** Kinds of requests, as `asks.ts` writes them. */
  readonly kinds: readonly string[];
  readonly connections: number;
  readonly seconds?: number;
  readonly requests?: number;
  /** Sent with each request. */
  readonly headers?: readonly string[];
}

/** Loads a server from a process of its own, so that what that costs is not counted as the server's. */
export async function runLoad({
  url,
  kinds,
  connections,
  seconds,
  requests,
  headers = [],
}: Load): Promise<LoadReport> {
  const bounds = [
    ...(seconds === undefined ? [] : [`--seconds=${seconds}`]),
    ...(requests === undefined ? [] : [`--requests=${requests}`]),
    ...headers.map((header) => `--header=${header}`),
  ];
  const script = new URL("../load.ts", import.meta.url).pathname;
  const flags = [`--url=${url}`, `--connections=${connections}`, ...bounds, "--json"];
  const child = Bun.spawn([process.execPath, script, ...flags, ...kinds], { stderr: "inherit" });
  const output = await new Response(child.stdout).text();
  await child.exited;
  if (output === "") throw new Error("The load generator said nothing.");
  const report: LoadReport = JSON.parse(output);
  return report;
}

export interface MeasuredLoad extends LoadReport {
  /** CPU time of the server, all its threads, a request. */
  readonly cpuMicros: number;
}

/** Loads a server, and says what that cost it. */
export async function measureLoad(pid: number, load: Load): Promise<MeasuredLoad> {
  const before = readCpuSeconds(pid);
  const report = await runLoad(load);
  return { ...report, cpuMicros: ((readCpuSeconds(pid) - before) * 1e6) / report.requests };
}
