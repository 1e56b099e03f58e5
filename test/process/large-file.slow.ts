import { Database } from "bun:sqlite";
import { afterEach, expect, setDefaultTimeout } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Roster, runRoster, startRoster, stopAll, temporaryFolder } from "../support/process/roster.ts";
import { requirement } from "../support/requirements.ts";

/** For a large file: `LARGE_FILE_GB=6 npm test -- ./test/process/large-file.slow.ts`. */
const gigabytes = Number(process.env.LARGE_FILE_GB ?? 0.3);
const ROW_BYTES = 15_000;
const ROWS_PER_INSERT = 2000;

setDefaultTimeout(180_000 + gigabytes * 600_000);
afterEach(stopAll, 120_000);

/** Fills the file with users. They are in no search index: the size is what counts. */
function fill(path: string): void {
  const db = new Database(path, { readwrite: true });
  db.run("PRAGMA synchronous = OFF");
  const insert = db.prepare(`
    WITH RECURSIVE numbers (id) AS (SELECT ?1 UNION ALL SELECT id + 1 FROM numbers WHERE id < ?1 + ${ROWS_PER_INSERT - 1})
    INSERT INTO users (id, version, json, created_at, updated_at, name_fold, word_starts)
    SELECT id, 1, '{"id":' || id || ',"name":"User","version":1,"note":"' || hex(zeroblob(${ROW_BYTES / 2})) || '"}', 0, 0, 'user', ''
    FROM numbers`);
  const rows = Math.ceil((gigabytes * 1e9) / ROW_BYTES / ROWS_PER_INSERT) * ROWS_PER_INSERT;
  for (let first = 1; first <= rows; first += ROWS_PER_INSERT) insert.run(first);
  db.query("UPDATE directory SET last_id = ?1, users = ?1").run(rows);
  db.run("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
}

/** Bytes that the process has read from files. */
function bytesRead({ pid }: Roster): number {
  return Number(/^rchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1]);
}

function threads({ pid }: Roster): number {
  return Number(/^Threads:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}

requirement(process.platform === "linux", "bytes read are counted in /proc").test(
  "the check of a large file delays neither the start nor requests, and reads the whole file",
  async () => {
    const path = join(temporaryFolder(), "roster.db");
    expect(await runRoster(["migrate", `--database=${path}`])).toMatchObject({ code: 0 });
    fill(path);
    const { size } = statSync(path);
    const roster = await startRoster(path);
    const before = threads(roster);
    const times: number[] = [];
    const begin = performance.now();
    let isChecking = true;
    let hasStarted = false;
    while (isChecking) {
      const sentAt = performance.now();
      expect((await roster.call("/api/users/1")).status).toBe(200);
      expect((await roster.call("/api/users", { method: "POST", json: { name: "New" } })).status).toBe(201);
      times.push(performance.now() - sentAt);
      hasStarted ||= bytesRead(roster) > size / 100;
      // The thread of the check ends with it.
      isChecking = !hasStarted || bytesRead(roster) < size * 0.99 || threads(roster) > before + 2;
      await Bun.sleep(20);
    }
    times.sort((a, b) => a - b);
    const at = (share: number) => Math.round(times[Math.floor(times.length * share)] ?? 0);
    console.log({
      gigabytes: size / 1e9,
      startMs: Math.round(roster.startMs),
      checkSeconds: Math.round((performance.now() - begin) / 1000),
      readGigabytes: bytesRead(roster) / 1e9,
      requests: times.length * 2,
      medianMs: at(0.5),
      p99Ms: at(0.99),
      slowestMs: at(0.9999),
    });
    expect(roster.startMs).toBeLessThan(3000);
    expect(at(0.99)).toBeLessThan(250);
    expect((await roster.call("/readyz")).status).toBe(200);
  },
);
