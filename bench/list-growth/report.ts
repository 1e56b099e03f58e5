import { loadavg } from "node:os";
import { formatMicros, formatRatio, writeSection } from "../list-plans/report-sections.ts";
import type { Memory } from "../support/process-usage.ts";
import { markdownTable, type Row, table } from "../support/table.ts";
import { type GrowthOptions, type ListGrowth, TARGET_MS } from "./measure-growth.ts";

export interface GrowthReport extends GrowthOptions {
  readonly engine: "SQLite" | "PostgreSQL";
  readonly base: number;
  readonly users: number;
  readonly figures: readonly ListGrowth[];
  readonly memory: Memory;
  readonly bytes: number;
  /** Whether CPU times include those of the database's processes. */
  readonly countsServer: boolean;
}

/** Prints the figures, and writes them to list-growth.md. */
export function reportGrowth(report: GrowthReport, json: boolean): void {
  const { engine, users } = report;
  if (json) console.log(JSON.stringify({ ...report, targetMs: TARGET_MS }));
  else
    console.log(
      [table(rowsOf(report)), ...missedRows(report).map(table), describeFigures(report)].join("\n\n"),
    );
  const missed = missedRows(report).map(
    (rows) => `Lists without a full first page within ${TARGET_MS} ms:\n\n${markdownTable(rows)}`,
  );
  const body = [describeRun(report), describeFigures(report), markdownTable(rowsOf(report)), ...missed];
  writeSection({ file: "list-growth.md", engine, users, body: body.join("\n\n") });
}

function describeRun(report: GrowthReport): string {
  const { engine, users, base, rounds, requests, seconds } = report;
  const script = engine === "SQLite" ? "list-growth" : "pg-list-growth";
  const server = report.countsServer
    ? ""
    : " CPU times are those of Roster only: the server is on another machine.";
  return `\`npm run bench -- ${script} -- --users ${users} --base ${base}\`: at least ${requests} requests of each list in ${rounds} batches, or as many as fit
into ${seconds} s. Load average at the end: ${loadavg()[0]?.toFixed(1)}.${server}`;
}

function describeFigures({ figures, memory, bytes, users }: GrowthReport): string {
  const count = (verdict: ListGrowth["verdict"]) =>
    figures.filter((figure) => figure.verdict === verdict).length;
  return `A full first page within ${TARGET_MS} ms: ${count("met")} of ${figures.length} kinds. Unclear: ${count("unclear")}. Missed: ${count("MISSED")}. Resident memory of the
process: ${memory.resident.toFixed(0)} MB at the end (${memory.anonymous.toFixed(0)} without mapped files), ${memory.peak.toFixed(0)} MB at most. Size of the database: ${(bytes / 1e9).toFixed(2)} GB, ${(bytes / users).toFixed(0)} bytes
for each user.`;
}

function rowsOf({ figures, base, users }: GrowthReport): Row[] {
  const size = (count: number) => `${count.toLocaleString("en-US")} users, µs`;
  return [
    [
      ...["list", size(base), size(users), "ratio"],
      ...["cold ms", "first ms", "p50 ms", "p99 ms", "requests", "held ms", "page", "verdict"],
    ],
    ...figures.map((figure) => [
      figure.name,
      ...[figure.base, figure.large].map(formatMicros),
      formatRatio(figure.ratio),
      ...[figure.coldMs, figure.firstMs, figure.p50Ms, figure.p99Ms].map(formatMs),
      String(figure.requests),
      formatMs(figure.heldMs),
      formatSize(figure),
      figure.verdict,
    ]),
  ];
}

/** No table if no list misses the target. */
function missedRows({ figures }: GrowthReport): Row[][] {
  const rows = figures.flatMap((figure): Row[] => {
    const { name, large, firstMs, p50Ms, miss } = figure;
    if (!miss) return [];
    const { requests, ms, size, isEnd, plan } = miss;
    const filled = `${size}${isEnd ? ", all" : ""}`;
    return [
      [
        ...[name, plan, formatMicros(large), formatMs(firstMs), formatMs(p50Ms), formatSize(figure)],
        ...[String(requests), formatMs(ms), filled],
      ],
    ];
  });
  const heading = [
    ...["list", "plan", "CPU µs", "first ms", "p50 ms", "page"],
    ...["requests to fill it", "ms", "users then"],
  ];
  return rows.length > 0 ? [[heading, ...rows]] : [];
}

function formatSize({ size, short, requests }: ListGrowth): string {
  if (short === 0) return String(size);
  return `${size}, more follow${short === requests ? "" : ` (${short} of ${requests} requests)`}`;
}

function formatMs(ms: number): string {
  return ms < 10 ? ms.toFixed(2) : ms.toFixed(0);
}
