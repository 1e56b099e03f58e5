import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { databaseOn } from "../support/engines.ts";
import { startPostgresBeforeTests } from "../support/postgres/fresh-database.ts";
import { runRoster, startRoster, stopAll, temporaryFolder } from "../support/process/roster.ts";

setDefaultTimeout(120_000);
startPostgresBeforeTests();
afterAll(stopAll);

/** All users of a database, exported by a service. */
async function exportUsers(database: string): Promise<string> {
  const roster = await startRoster(database);
  const { stdout } = await runRoster(["users", "export"], { env: { ROSTER_URL: roster.url } });
  roster.kill("SIGTERM");
  await roster.exited;
  return stdout;
}

test("a backup of a running SQLite service is restored into PostgreSQL with all users", async () => {
  const folder = temporaryFolder();
  const [source, copy] = [join(folder, "source.db"), join(folder, "copy.db")];
  const target = await databaseOn("postgres");
  try {
    expect(await runRoster(["seed", "600", "--database", source])).toMatchObject({ code: 0 });
    const roster = await startRoster(source);
    expect(await runRoster(["backup", copy, "--database", source])).toMatchObject({ code: 0 });
    roster.kill("SIGTERM");
    await roster.exited;
    expect(await runRoster(["restore", copy, "--database", target.url])).toMatchObject({ code: 0 });
    const users = await exportUsers(source);
    expect(users.split("\n")).toHaveLength(601);
    expect(await exportUsers(target.url)).toBe(users);
  } finally {
    await target.drop();
  }
});
