import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { Stats } from "../../../src/client/index.ts";
import { emptyDatabaseOn } from "../../support/engines.ts";
import { startPostgresBeforeTests } from "../../support/postgres/fresh-database.ts";
import {
  type Roster,
  runRoster,
  startRoster,
  stopAll,
  temporaryFolder,
} from "../../support/process/roster.ts";
import { describeResponse } from "../../support/responses.ts";

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
  const target = await emptyDatabaseOn("postgres");
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

test("a backup and a move keep every version of the schema, unique values and the statistics", async () => {
  const folder = temporaryFolder();
  const [source, copy, last] = [join(folder, "source.db"), join(folder, "copy.db"), join(folder, "last.db")];
  const target = await emptyDatabaseOn("postgres");
  const unique = { properties: { badge: { type: "string", "x-unique": true } }, required: ["badge"] };
  const expectSchema = async (roster: Roster) => {
    expect(await (await roster.call("/api/schema")).json()).toEqual(unique);
    const versions: { version: number }[] = await (await roster.call("/api/schema/versions")).json();
    expect(versions.map(({ version }) => version)).toEqual([2, 1]);
    const create = async (badge?: string) =>
      describeResponse(await roster.call("/api/users", { method: "POST", json: { name: "Bob", badge } }));
    expect(await create("b-1")).toBe("409 value-taken");
    expect(await create()).toBe("422 invalid-user");
    const { days }: Stats = await (await roster.call("/api/stats?days=2")).json();
    const sum = (count: "created" | "deleted") => days.reduce((total, day) => total + day[count], 0);
    expect([sum("created"), sum("deleted"), days.at(-1)?.total]).toEqual([3, 1, 2]);
    const restored = await roster.call("/api/deleted-users/2/restore", { method: "POST" });
    expect(await describeResponse(restored)).toBe("409 value-taken");
    roster.kill("SIGTERM");
    await roster.exited;
  };
  try {
    const roster = await startRoster(source);
    for (const schema of [{ title: "Staff" }, unique]) {
      expect((await roster.call("/api/schema", { method: "PUT", json: schema })).status).toBe(200);
    }
    // The second user is deleted, and the third one has its badge.
    for (const [name, badge] of [
      ["Ada", "B-1"],
      ["Bea", "B-2"],
      ["Cem", "B-2"],
    ]) {
      expect((await roster.call("/api/users", { method: "POST", json: { name, badge } })).status).toBe(201);
      if (name === "Bea") await roster.call("/api/users/2", { method: "DELETE" });
    }
    expect(await runRoster(["backup", copy, "--database", source])).toMatchObject({ code: 0 });
    await expectSchema(roster);
    expect(await runRoster(["restore", copy, "--database", target.url])).toMatchObject({ code: 0 });
    await expectSchema(await startRoster(target.url));
    expect(await runRoster(["move", "--from", target.url, "--to", last])).toMatchObject({ code: 0 });
    await expectSchema(await startRoster(last));
  } finally {
    await target.drop();
  }
});
