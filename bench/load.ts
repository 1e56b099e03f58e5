/** Asks a server over many connections, one request at a time on each, and says how it was answered. */
import { parseArgs } from "node:util";
import { HttpConnection } from "./support/http-connection.ts";
import { parseRequestMix, requestSyntax } from "./support/request-mix.ts";
import type { LoadReport } from "./support/run-load.ts";
import { percentile } from "./support/statistics.ts";
import { print } from "./support/table.ts";

/** How long answers are waited for when no more is asked. */
const PATIENCE_MS = 15_000;

const usage = `bun load.ts --url URL [--connections 64] [--seconds 2 | --requests N] [--header TEXT]… [--json] KIND…
${requestSyntax}`;

interface Bounds {
  readonly connections: number;
  readonly seconds: number;
  readonly requests: number;
  readonly headers: readonly string[];
}

async function load(url: URL, kinds: readonly string[], bounds: Bounds): Promise<LoadReport> {
  const ask = parseRequestMix(kinds, [`Host: ${url.host}`, ...bounds.headers].join("\r\n"));
  const latencies: number[] = [];
  const problems = new Map<string, number>();
  const underWay = new Map<HttpConnection, { since: number; expected: number }>();
  let sent = 0;
  let deadline = Number.POSITIVE_INFINITY;
  const done = Promise.withResolvers<void>();

  const fail = (what: string) => problems.set(what, (problems.get(what) ?? 0) + 1);
  const next = (connection: HttpConnection, now: number) => {
    if (now < deadline && sent < bounds.requests) {
      const { request, expected } = ask();
      sent++;
      underWay.set(connection, { since: now, expected });
      connection.send(request);
    } else {
      underWay.delete(connection);
      if (underWay.size === 0) done.resolve();
    }
  };
  const events = {
    answered(connection: HttpConnection, status: number) {
      const asked = underWay.get(connection);
      const now = performance.now();
      latencies.push(now - (asked?.since ?? now));
      if (status !== asked?.expected) fail(`status ${status}`);
      next(connection, now);
    },
    broken(connection: HttpConnection, reason: string) {
      fail(reason);
      underWay.delete(connection);
      if (underWay.size === 0) done.resolve();
    },
  };

  const opening = Array.from({ length: bounds.connections }, () => HttpConnection.open(url, events));
  const connections = await Promise.all(opening);
  const start = performance.now();
  deadline = start + bounds.seconds * 1000;
  for (const connection of connections) next(connection, start);
  const patience = Number.isFinite(bounds.seconds)
    ? setTimeout(() => done.resolve(), bounds.seconds * 1000 + PATIENCE_MS)
    : undefined;
  await done.promise;
  clearTimeout(patience);
  const seconds = (performance.now() - start) / 1000;
  for (const _ of underWay) fail("no answer");
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
