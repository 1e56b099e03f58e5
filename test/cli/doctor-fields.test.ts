import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { checkDatabase } from "../../src/cli/doctor/database.ts";
import { readConfig } from "../../src/config/config.ts";
import { openEarlyDatabase, UNSETTLED } from "../store/support/early-database.ts";

async function fieldFindings(path: string): Promise<string[]> {
  const { findings } = await checkDatabase(readConfig([], { DATABASE_URL: path }), false);
  return findings.filter(({ check }) => check === "fields").map(({ level, says }) => `${level}: ${says}`);
}

test("doctor says whose custom fields the next start moves, without their values", async () => {
  const database = await openEarlyDatabase(UNSETTLED, "sqlite");
  expect(await fieldFindings(database.url)).toEqual([
    "warning: The field userName of 5 users (ids 3, 5, 7, 8, 11) is not a valid user name, or another user has this user name: the next start of the service moves it to previousUserName.",
    "warning: The field groups of 1 user (id 9) has a name that custom fields cannot have any more: the next start of the service moves it to previousGroups2.",
    "warning: The field scim of 1 user (id 9) is not an object: the next start of the service moves it to previousScim.",
  ]);
  const db = new Database(database.url);
  db.run('UPDATE users SET json = replace(json, \'"name"\', \'"groups":1,"name"\') WHERE id <> 9');
  expect((await fieldFindings(database.url)).join("\n")).toContain("(ids 1, 2, 3, 4, 5, 6, 7, 8, 11, 12, …)");
  db.run(
    "UPDATE users SET json = replace(replace(replace(json, 'userName', 'a'), 'groups', 'b'), 'scim', 'c')",
  );
  db.close();
  expect(await fieldFindings(database.url)).toEqual([
    "ok: The next start of the service moves no custom fields of users to other names.",
  ]);
  await database.drop();
});
