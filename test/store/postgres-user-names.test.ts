import { expect, test } from "bun:test";
import { SQL } from "bun";
import { parseDatabase } from "../../src/config/database-url.ts";
import { migrateStore } from "../../src/store/open-store.ts";
import { startPostgresBeforeTests } from "../support/postgres/fresh-database.ts";
import { openEarlyDatabase, UNSETTLED } from "./support/early-database.ts";

startPostgresBeforeTests();

test("a node of the version before, with a role of its own, keeps user names and writes groups and memberships without further privileges", async () => {
  const database = await openEarlyDatabase(UNSETTLED, "postgres");
  const role = `node_${crypto.randomUUID().slice(0, 8)}`;
  const sql = new SQL(database.url, { max: 1 });
  await sql
    .unsafe(
      `CREATE ROLE ${role}; GRANT USAGE ON SCHEMA roster TO ${role};
       GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA roster TO ${role};
       GRANT USAGE, UPDATE ON ALL SEQUENCES IN SCHEMA roster TO ${role}`,
    )
    .simple();
  await migrateStore(parseDatabase(database.url), { waitMs: 60_000, dedicatedSessions: true });
  const names = async () =>
    (await sql.unsafe("SELECT name, user_id::int FROM roster.user_names ORDER BY name").values()).map(String);
  expect(await names()).toEqual([]);
  await sql.unsafe(`SET ROLE ${role}`);
  const columns = "version, json, created_at, updated_at, name_fold, email_fold, word_starts";
  const insert = (id: number, email: string) =>
    sql.unsafe(
      `INSERT INTO roster.users (id, email_key, ${columns})
       SELECT $1::bigint, $2, ${columns} FROM roster.users WHERE id = 1`,
      [String(id), email],
    );
  // The index of emails finds users without a row in user_names.
  await insert(101, "a@example.com");
  expect(await names()).toEqual([]);
  await sql.unsafe("UPDATE roster.users SET email_key = 'b@example.com' WHERE id = 101");
  expect(await names()).toEqual(["b@example.com,101"]);
  await sql.unsafe("UPDATE roster.users SET email_key = 'c@example.com' WHERE id = 101");
  expect(await names()).toEqual(["c@example.com,101"]);
  await sql.unsafe("UPDATE roster.users SET email_key = NULL WHERE id = 101");
  expect(await names()).toEqual([]);
  await sql.unsafe("UPDATE roster.users SET email_key = 'd@example.com' WHERE id = 101");
  await sql.unsafe("DELETE FROM roster.users WHERE id = 101");
  expect(await names()).toEqual([]);
  // A node of this version with the same role writes groups and memberships.
  for (const statement of [
    "SELECT nextval('roster.group_ids')",
    `INSERT INTO roster.groups (id, version, json, created_at, updated_at, member_count, name_fold, unique_name, word_starts)
     VALUES (1, 1, '{}', 0, 0, 0, 'a', 'a', 'a')`,
    "INSERT INTO roster.group_search VALUES (1, '{}')",
    "INSERT INTO roster.group_values VALUES ('a', '2b', 1, '')",
    "UPDATE roster.user_counts SET groups = groups + 1 WHERE part = 0",
    "INSERT INTO roster.memberships VALUES (1, 1)",
    "INSERT INTO roster.removed_groups VALUES (1)",
    "SELECT id FROM roster.removed_groups FOR UPDATE",
    "DELETE FROM roster.memberships",
    "DELETE FROM roster.removed_groups",
    "DELETE FROM roster.group_values",
    "DELETE FROM roster.group_search",
    "DELETE FROM roster.groups",
  ])
    await sql.unsafe(statement);
  await sql.unsafe("RESET ROLE");
  await sql.unsafe(`DROP OWNED BY ${role}; DROP ROLE ${role}`).simple();
  await sql.close();
  await database.drop();
});
