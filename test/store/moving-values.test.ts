import { expect, test } from "bun:test";
import { parseDatabase } from "../../src/config/database-url.ts";
import { inspectDatabase } from "../../src/store/inspect-database.ts";
import { migrateStore } from "../../src/store/open-store.ts";
import { databaseOn, onEachEngine } from "../support/engines.ts";
import { pooler } from "../support/postgres/fresh-database.ts";
import { startServiceOn } from "../support/service.ts";
import { openEarlyDatabase, UNSETTLED } from "./support/early-database.ts";

const options = { waitMs: 60_000, dedicatedSessions: pooler === "none", thorough: false };

/** The values that the next start moves, as doctor finds them. */
async function movingOf(url: string) {
  return (await inspectDatabase(parseDatabase(url), options)).moving;
}

/** The ids of the users with a field. */
async function idsWith(url: string, field: string): Promise<number[]> {
  const service = await startServiceOn(url, { auth: "off" });
  const response = await service.call("/api/users?sort=id&limit=1000");
  const users: Readonly<Record<string, unknown>>[] = await response.json();
  await service.stop();
  return users.filter((user) => user[field] !== undefined).map(({ id }) => Number(id));
}

onEachEngine((engine) => {
  test("the values that a start will move are those that it moves, also before the migration", async () => {
    const database = await openEarlyDatabase(UNSETTLED, engine);
    const before = await movingOf(database.url);
    await migrateStore(parseDatabase(database.url), options);
    expect(await movingOf(database.url)).toEqual(before);
    expect(before?.stoppedAt).toBeUndefined();
    const fields = before?.fields ?? [];
    expect(fields.map(({ field, to }) => `${field} to ${to}`)).toEqual([
      "userName to previousUserName",
      "groups to previousGroups2",
      "scim to previousScim",
    ]);
    for (const { to, ids, users } of fields) {
      expect(await idsWith(database.url, to)).toEqual([...ids]);
      expect(users).toBe(ids.length);
    }
    expect(await movingOf(database.url)).toBeUndefined();
    await database.drop();
  });

  test("a start of an early database moves values of its users too", async () => {
    const database = await openEarlyDatabase("2b3f424", engine);
    const fields = (await movingOf(database.url))?.fields ?? [];
    expect(fields.map(({ field, to, users }) => `${field} of ${users} user to ${to}`)).toEqual([
      "groups of 1 user to previousGroups",
    ]);
    expect(await idsWith(database.url, "previousGroups")).toEqual([...(fields[0]?.ids ?? [])]);
    await database.drop();
  });

  test("nothing is to be moved in a database without users", async () => {
    const database = await databaseOn(engine);
    await migrateStore(parseDatabase(database.url), options);
    expect(await movingOf(database.url)).toBeUndefined();
    await database.drop();
  });
});
