import { expect, test } from "bun:test";
import { parseDatabase } from "../../src/config/database-url.ts";
import { inspectDatabase } from "../../src/store/inspect-database.ts";
import { migrateStore } from "../../src/store/open-store.ts";
import { runSteps } from "../../src/store/sql/sql-steps.ts";
import { sqliteTableDialect } from "../../src/store/sqlite/table-dialect.ts";
import { findMovingValues } from "../../src/store/users/moving-values.ts";
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

test("the search for values to move stops when it remembers too many user names", () => {
  const migration = { version: 1, latest: 1, isRecorded: true, isEarlier: false };
  const usersAfter = (id: number, count: number) =>
    Array.from({ length: count }, (_, index) => {
      const user = { name: "Ada", userName: `user-${id + index + 1}`, groups: 1 };
      return [id + index + 1, JSON.stringify(user)];
    });
  const found = runSteps(findMovingValues(sqliteTableDialect, migration, [], 900), ({ text, values }) =>
    text.includes("email_key") ? [] : usersAfter(...toPage(values)),
  );
  const ids = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
  expect(found).toEqual({
    fields: [{ field: "groups", to: "previousGroups", users: 1000, ids }],
    stoppedAt: 1000,
  });
});

/** The last two values of the statement that reads users: the id before them, and their number. */
function toPage(values: readonly unknown[]): [number, number] {
  return [Number(values.at(-2)), Number(values.at(-1))];
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
