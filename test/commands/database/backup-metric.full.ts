import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { type Engine, onEachEngine } from "../../support/engines.ts";
import { type Roster, runRoster, startRoster, temporaryFolder } from "../../support/process/roster.ts";
import { takeWriteLock } from "../../support/process/write-lock.ts";
import { cleanUp, createDatabase, flags } from "../support/commands.ts";

setDefaultTimeout(120_000);
afterEach(cleanUp);

/** The time of the last backup in milliseconds, by the metrics. */
async function lastBackup(roster: Roster): Promise<number | undefined> {
  const text = await (await roster.call("/metrics")).text();
  const seconds = /^roster_last_backup_timestamp_seconds (\S+)$/m.exec(text)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

/** Lets the database be read only, until the returned function is called. */
async function refuseWrites(engine: Engine, url: string): Promise<() => void> {
  if (engine === "sqlite") {
    const db = takeWriteLock(url);
    return () => db.close();
  }
  const sql = new SQL(url, { max: 1 });
  const name = new URL(url).pathname.slice(1);
  await sql.unsafe(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  await sql.close();
  return () => undefined;
}

onEachEngine((engine) => {
  test("/metrics has the time of the last backup, also after a restart, and not in a restored database", async () => {
    const database = await createDatabase(engine);
    const copy = join(temporaryFolder(), "copy.db");
    const roster = await startRoster(database, { flags });
    expect(await lastBackup(roster)).toBeUndefined();
    const begin = Date.now();
    const backup = ["backup", copy, `--database=${database}`, ...flags];
    expect(await runRoster(backup)).toMatchObject({ code: 0, stderr: "" });
    const first = Number(await lastBackup(roster));
    expect(first).toBeGreaterThanOrEqual(begin);
    expect(first).toBeLessThanOrEqual(Date.now());
    // A backup that fails, because the file exists, does not count.
    expect(await runRoster(backup)).toMatchObject({ code: 4 });
    roster.kill("SIGTERM");
    await roster.exited;
    const again = await startRoster(database, { flags });
    expect(await lastBackup(again)).toBe(first);
    again.kill("SIGTERM");
    await again.exited;

    const restore = ["restore", copy, `--database=${database}`, "--force", "--yes", ...flags];
    expect(await runRoster(restore)).toMatchObject({ code: 0 });
    for (const restored of await Promise.all([startRoster(database, { flags }), startRoster(copy)])) {
      expect(await lastBackup(restored)).toBeUndefined();
    }
  });

  test("a backup of a database that accepts no writes succeeds, and says that the metric is unchanged", async () => {
    const database = await createDatabase(engine);
    const copy = join(temporaryFolder(), "copy.db");
    expect(await runRoster(["migrate", `--database=${database}`, ...flags])).toMatchObject({ code: 0 });
    const release = await refuseWrites(engine, database);
    const backup = await runRoster([
      "backup",
      copy,
      `--database=${database}`,
      "--database-wait=500",
      ...flags,
    ]);
    release();
    expect(backup).toMatchObject({ code: 0 });
    expect(backup.stderr).toStartWith("The metric of the last backup is unchanged, because ");
    expect(backup.stderr).toContain(engine === "sqlite" ? "lock" : "is read-only, like a standby");
    expect(existsSync(copy)).toBe(true);
  });
});
