import { Database } from "bun:sqlite";
import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { SQL } from "bun";
import { exportUsers, toNdjson } from "../support/bulk-requests.ts";
import { findPostgresCorruption } from "../support/consistency/postgres-corruption.ts";
import { freshDatabase, startPostgresBeforeTests } from "../support/postgres/fresh-database.ts";
import { type Postgres, startPostgres } from "../support/postgres/server.ts";
import {
  findImportErrors,
  type ImportResult,
  importLines,
  importWithRetries,
  RunningImport,
} from "../support/process/bulk-import.ts";
import { type Roster, startRoster, stopAll, temporaryFolder } from "../support/process/roster.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(120_000);
startPostgresBeforeTests();
let server: Postgres | undefined;
afterEach(async () => {
  await stopAll();
  await server?.destroy();
  server = undefined;
});

const LINES = 6000;

/** Failed lines have a 503 result and come last. */
function expectReportedFailures({ status, lines, broken }: ImportResult): void {
  expect([status, broken]).toEqual([200, true]);
  const hit = lines.findIndex((line) => line.status !== 201);
  expect(hit).toBeGreaterThan(0);
  expect(hit % 500).toBe(0);
  expect(lines.length).toBe(hit + 500);
  for (const line of lines.slice(hit))
    expect([line.status, line.problem?.type]).toEqual([503, "/problems/unavailable"]);
}

async function expectComplete(
  roster: Roster,
  body: string,
  file: string,
  reported: ImportResult,
): Promise<void> {
  const lines = await importWithRetries(roster, body, file);
  const users = await exportUsers(roster, `?file=${file}`);
  expect(findImportErrors(users, reported.lines)).toEqual([]);
  expect(findImportErrors(users, lines)).toEqual([]);
  expect([lines.length, users.length]).toEqual([LINES, LINES]);
}

test("while another program holds the write lock, an import reports the failed lines, and continues when repeated", async () => {
  const path = join(temporaryFolder(), "roster.db");
  const roster = await startRoster(path, { flags: ["--database-wait=1500"] });
  const other = new Database(path);
  other.run("PRAGMA busy_timeout = 5000");
  const body = toNdjson(importLines("locked", LINES));
  const first = new RunningImport(roster, body, "locked");
  await first.until(1000);
  other.run("BEGIN IMMEDIATE");
  const reported = await first.end;
  expectReportedFailures(reported);
  // Before the first result, the whole import is rejected.
  const begin = performance.now();
  const rejected = await roster.call("/api/users/import", {
    method: "POST",
    body: toNdjson(importLines("rejected", 2000)),
    headers: { "content-type": "application/x-ndjson" },
  });
  expect([rejected.status, rejected.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(await rejected.json()).toMatchObject({ type: "/problems/unavailable" });
  expect(performance.now() - begin).toBeLessThan(6000);
  expect(findImportErrors(await exportUsers(roster, "?file=locked"), reported.lines)).toEqual([]);
  other.run("ROLLBACK");
  other.close();
  expect(await exportUsers(roster, "?file=rejected")).toEqual([]);
  await expectComplete(roster, body, "locked", reported);
});

test("when PostgreSQL is killed during an import, failed lines are reported, and every reported user exists", async () => {
  server = await startPostgres({ durable: true });
  const roster = await startRoster(server.url(), { flags: ["--database-wait=2000"] });
  const body = toNdjson(importLines("killed", LINES));
  const first = new RunningImport(roster, body, "killed");
  await first.until(1000);
  await server.kill9();
  const reported = await first.end;
  expectReportedFailures(reported);
  expect((await new RunningImport(roster, toNdjson(importLines("none", 10))).end).status).toBe(503);
  await server.start();
  await expectComplete(roster, body, "killed", reported);
  expect(await findPostgresCorruption(server.url(), LINES)).toEqual([]);
  // Both failed imports belong to one outage.
  const logged = () => roster.stdout.map((line) => JSON.parse(line)).filter(({ level }) => level !== "debug");
  const back = await until(() => logged().find(({ message }) => message === "database back"));
  expect(back.failedRequests).toBe(2);
  expect(logged().filter(({ level }) => level === "error")).toMatchObject([{ message: "database lost" }]);
  expect(roster.stderr).toEqual([]);
});

test("cutting connections to PostgreSQL repeatedly creates no duplicates and loses nothing", async () => {
  const { url, drop } = await freshDatabase();
  const roster = await startRoster(url, { flags: ["--database-wait=2000"] });
  const sql = new SQL(url, { max: 1 });
  let cutting = true;
  const cuts = (async () => {
    while (cutting) {
      await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()`;
      await Bun.sleep(Math.random() * 150);
    }
  })();
  const results: ImportResult[] = [];
  const body = toNdjson(importLines("cut", LINES));
  for (let tries = 0; tries < 4; tries++) results.push(await new RunningImport(roster, body, "cut").end);
  cutting = false;
  await cuts;
  await sql.close();
  const there = await exportUsers(roster, "?file=cut");
  for (const { lines } of results) expect(findImportErrors(there, lines)).toEqual([]);
  await expectComplete(roster, body, "cut", {
    status: 200,
    broken: false,
    lines: results.flatMap(({ lines }) => lines),
  });
  expect(await findPostgresCorruption(url, LINES)).toEqual([]);
  roster.kill("SIGKILL");
  await roster.exited;
  await drop();
});

test("when PostgreSQL is killed during an export, the response breaks off and is not taken for complete", async () => {
  const postgres = await startPostgres();
  server = postgres;
  const roster = await startRoster(postgres.url(), { flags: ["--database-wait=2000"] });
  const large = importLines("large", 4000).map((line) => ({ ...line, note: "x".repeat(4000) }));
  await importWithRetries(roster, toNdjson(large), "large");
  const response = await roster.call("/api/users/export");
  const decoder = new TextDecoder();
  let text = "";
  let broken = false;
  let killed: Promise<void> | undefined;
  try {
    for await (const bytes of response.body ?? []) {
      text += decoder.decode(bytes, { stream: true });
      killed ??= postgres.kill9();
      await killed;
    }
  } catch {
    broken = true;
  }
  expect(broken).toBe(true);
  const users = text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  expect(new Set(users.map(({ id }) => id)).size).toBe(users.length);
  expect((await roster.call("/healthz")).status).toBe(200);
});
