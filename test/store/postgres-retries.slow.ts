import { expect, test } from "bun:test";
import { SQL } from "bun";
import { parseDatabase } from "../../src/config/database-url.ts";
import { defaultRecordRules } from "../../src/domain/users/record-rules.ts";
import { openStore } from "../../src/store/open-store.ts";
import { freshDatabase, pooler, startPostgresBeforeTests } from "../support/postgres/fresh-database.ts";

startPostgresBeforeTests();

test("PostgreSQL: a batch fails within two seconds after its time, if conflicts do not end", async () => {
  const database = await freshDatabase();
  const waitMs = 5000;
  const options = { batch: 512, queue: 10_000, waitMs, recordRules: defaultRecordRules };
  const store = await openStore(
    parseDatabase(database.url),
    { ...options, pool: 3, dedicatedSessions: pooler === "none", migrate: true },
    { committed() {} },
  );
  const sql = new SQL(database.url, { max: 1 });
  await sql
    .unsafe(
      `CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         RAISE EXCEPTION 'raised for a test' USING ERRCODE = '40001';
       END $$;
       CREATE TRIGGER conflict BEFORE INSERT ON roster.users FOR EACH ROW EXECUTE FUNCTION conflict()`,
    )
    .simple();
  await sql.close();
  const begin = performance.now();
  const error = await store.users.create({ record: { name: "A" } }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ type: "unavailable" });
  expect(performance.now() - begin).toBeLessThan(waitMs + 2000);
  await store.close();
  await database.drop();
});
