/**
 * Load generator: sends requests over many connections, one at a time on each, and reports rates and latencies. SIGTERM
 * ends the load early.
 */
import { parseArgs } from "node:util";
import { HttpConnection } from "./support/http-connection.ts";
import type { LoadReport } from "./support/load-report.ts";
import { parseRequestMix, requestSyntax } from "./support/request-mix.ts";
import { percentile } from "./support/statistics.ts";
import { print } from "./support/table.ts";

/** How long to wait for the last responses. */
const RESPONSE_TIMEOUT_MS = 15_000;

const usage = `bun load.ts --url URL [--connections 64] [--seconds 2 | --requests N] [--header TEXT]… [--json] KIND…
${requestSyntax}`;

interface LoadLimits {
  readonly connections: number;
  readonly seconds: number;
  readonly requests: number;
  readonly headers: readonly string[];
}

async function load(url: URL, kinds: readonly string[], limits: LoadLimits): Promise<LoadReport> {
  const nextRequest = parseRequestMix(kinds, [`Host: ${url.host}`, ...limits.headers].join("\r\n"));
  const latencies: number[] = [];
  const problems = new Map<string, number>();
  const pending = new Map<HttpConnection, { since: number; expected: number }>();
  let sent = 0;
  let deadline = Number.POSITIVE_INFINITY;
  const done = Promise.withResolvers<void>();

  const countProblem = (problem: string) => problems.set(problem, (problems.get(problem) ?? 0) + 1);
  const next = (connection: HttpConnection, now: number) => {
    if (now < deadline && sent < limits.requests) {
      const { request, expected } = nextRequest();
      sent++;
      pending.set(connection, { since: now, expected });
      connection.send(request);
    } else {
      pending.delete(connection);
      if (pending.size === 0) done.resolve();
    }
  };
  const events = {
    responded(connection: HttpConnection, status: number) {
      const sentRequest = pending.get(connection);
      const now = performance.now();
      latencies.push(now - (sentRequest?.since ?? now));
      if (status !== sentRequest?.expected) countProblem(`status ${status}`);
      next(connection, now);
    },
    failed(connection: HttpConnection, reason: string) {
      countProblem(reason);
      pending.delete(connection);
      if (pending.size === 0) done.resolve();
    },
  };

  process.once("SIGTERM", () => {
    deadline = 0;
  });
  const opening = Array.from({ length: limits.connections }, () => HttpConnection.open(url, events));
  const connections = await Promise.all(opening);
  const start = performance.now();
  deadline = start + limits.seconds * 1000;
  for (const connection of connections) next(connection, start);
  const timer = Number.isFinite(limits.seconds)
    ? setTimeout(() => done.resolve(), limits.seconds * 1000 + RESPONSE_TIMEOUT_MS)
    : undefined;
  await done.promise;
  clearTimeout(timer);
  const seconds = (performance.now() - start) / 1000;
  for (const _ of pending) countProblem("no response");
  for (const connection of connections) connection.close();

  return {
    requests: latencies.length,
    errors: [...problems.values()].reduce((sum, count) => sum + count, 0),
    problems: Object.fromEntries(problems),
    seconds,
    rate: latencies.length / seconds,
    firstMs: latencies[0] ?? Number.NaN,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    maxMs: percentile(latencies, 1),
  };
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    url: { type: "string" },
    connections: { type: "string", default: "64" },
    seconds: { type: "string" },
    requests: { type: "string" },
    header: { type: "string", multiple: true, default: [] },
    json: { type: "boolean", default: false },
  },
});
if (values.url === undefined) {
  console.error(usage);
  process.exit(2);
}
const report = await load(new URL(values.url), positionals, {
  connections: Number(values.connections),
  seconds: Number(values.seconds ?? (values.requests ? "Infinity" : "2")),
  requests: Number(values.requests ?? "Infinity"),
  headers: values.header,
});
print(values.json, report, [
  ["requests", "errors", "seconds", "rate/s", "p50 ms", "p99 ms", "max ms"],
  [
    String(report.requests),
    `${report.errors} ${Object.keys(report.problems).join(", ")}`.trim(),
    ...[report.seconds, report.rate, report.p50Ms, report.p99Ms, report.maxMs].map((n) => n.toFixed(2)),
  ],
]);
process.exit(report.errors > 0 ? 1 : 0);
