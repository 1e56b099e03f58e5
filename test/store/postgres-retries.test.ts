import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { parseDatabase } from "../../src/config/database-url.ts";
import { defaultRecordRules } from "../../src/domain/record-rules.ts";
import type { CreateOutcome, Store } from "../../src/domain/store.ts";
import { openStore } from "../../src/store/open-store.ts";
import {
  type FreshDatabase,
  freshDatabase,
  pooler,
  startPostgresBeforeTests,
} from "../support/postgres/fresh-database.ts";

startPostgresBeforeTests();

let database: FreshDatabase;
let store: Store;
let sql: SQL;

beforeEach(async () => {
  database = await freshDatabase();
  store = await openStore(
    parseDatabase(database.url),
    {
      batch: 512,
      queue: 10_000,
      waitMs: 5000,
      recordRules: defaultRecordRules,
      pool: 3,
      sessions: pooler === "none",
      migrate: true,
    },
    { committed() {} },
  );
  sql = new SQL(database.url, { max: 1 });
});
afterEach(async () => {
  await sql.close({ timeout: 1 });
  await store.close();
  await database.drop();
});

const create = (name: string, email?: string): Promise<CreateOutcome> =>
  store.create({ record: email === undefined ? { name } : { name, email } });
const nameOf = ({ outcome }: CreateOutcome): string =>
  "user" in outcome ? JSON.parse(outcome.user.json).name : outcome.problem.type;

/** Makes PostgreSQL itself raise this error, for the first so many inserts that the condition holds for. */
async function raise(code: string, times: number, condition = "true"): Promise<void> {
  await sql
    .unsafe(
      `CREATE SEQUENCE raised;
       CREATE FUNCTION raise_it() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         IF (${condition}) AND nextval('raised') <= ${times} THEN
           RAISE EXCEPTION 'raised for a test' USING ERRCODE = '${code}';
         END IF;
         RETURN NEW;
       END $$;
       CREATE TRIGGER raise_it BEFORE INSERT ON roster.users FOR EACH ROW EXECUTE FUNCTION raise_it()`,
    )
    .simple();
}

describe("PostgreSQL: what gets in the way of a batch", () => {
  test.each([
    ["a serialization failure", "40001"],
    ["a deadlock", "40P01"],
  ])("%s is tried again, and nobody notices", async (_, code) => {
    await raise(code, 3);
    const outcomes = await Promise.all(["A", "B", "C"].map((name) => create(name)));
    expect(outcomes.map(nameOf)).toEqual(["A", "B", "C"]);
    expect((await store.stats()).users).toBe(3);
  });

  test("one that never ends is answered with unavailable, in time", async () => {
    await raise("40001", 1e9);
    const begin = performance.now();
    const error = await create("A").catch((reason: unknown) => reason);
    expect(error).toMatchObject({ type: "unavailable" });
    expect(performance.now() - begin).toBeLessThan(7000);
  }, 120_000);

  test("a write that fails in a way nobody foresaw does not spoil the others of its batch", async () => {
    await raise("XX001", 1e9, "NEW.name_fold = 'broken'");
    const names = ["A", "B", "Broken", "C", "D", "E"];
    const settled = await Promise.all(names.map((name) => create(name).then(nameOf, () => "failed")));
    expect(settled).toEqual(["A", "B", "failed", "C", "D", "E"]);
    expect((await store.stats()).users).toBe(5);
  });

  test("an email that the unique index alone knows to be taken is refused, and the others are not", async () => {
    // As if another node had been quicker each time: no look beforehand finds anything, the index does.
    await raise("23505", 1e9, "NEW.email_key = 'taken@example.com'");
    const outcomes = await Promise.all([
      create("A", "a@example.com"),
      create("Thief", "taken@example.com"),
      create("B", "b@example.com"),
    ]);
    expect(outcomes.map(nameOf)).toEqual(["A", "email-taken", "B"]);
    expect((await store.stats()).users).toBe(2);
  });

  test("an email that was just set free in the same batch can be taken", async () => {
    const { outcome } = await create("First", "wanted@example.com");
    const id = "user" in outcome ? outcome.user.id : 0;
    const [, second] = await Promise.all([store.remove(id), create("Second", "wanted@example.com")]);
    expect(nameOf(second)).toBe("Second");
    const [, , third] = await Promise.all([
      store.edit(id + 1, { merge: { email: null } }),
      store.edit(id + 1, { merge: { note: "x" } }),
      create("Third", "Wanted@Example.com"),
    ]);
    expect(nameOf(third)).toBe("Third");
    expect((await store.stats()).users).toBe(2);
  });

  test("users who pass an email on within a batch end as if they had come one by one", async () => {
    const ids: number[] = [];
    for (const name of ["A", "B"]) {
      const { outcome } = await create(name, `${name}@example.com`);
      if ("user" in outcome) ids.push(outcome.user.id);
    }
    const [a = 0, b = 0] = ids;
    await Promise.all([
      store.edit(b, { merge: { email: "c@example.com" } }),
      store.edit(a, { merge: { email: "b@example.com" } }),
      store.edit(b, { merge: { email: "a@example.com" } }),
    ]);
    const emails = await Promise.all(
      [a, b].map(async (id) => JSON.parse((await store.read(id))?.json ?? "{}").email),
    );
    expect(emails).toEqual(["b@example.com", "a@example.com"]);
  });
});
