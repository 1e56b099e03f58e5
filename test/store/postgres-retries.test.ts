import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import type { Store } from "../../src/domain/store.ts";
import type { CreateOutcome } from "../../src/domain/users/user-store.ts";
import { openTestStore } from "../support/open-test-store.ts";
import {
  type FreshDatabase,
  freshDatabase,
  startPostgresBeforeTests,
} from "../support/postgres/fresh-database.ts";
import { until } from "../support/until.ts";
import { allUsers, rowsOf } from "./support/store-under-test.ts";

startPostgresBeforeTests();

let database: FreshDatabase;
let store: Store;
let sql: SQL;

const open = (waitMs: number) => openTestStore(database.url, { waitMs, pool: 3 });

beforeAll(async () => {
  database = await freshDatabase();
  store = await open(60_000);
  sql = new SQL(database.url, { max: 1 });
});
afterEach(async () => {
  await sql.unsafe("DROP FUNCTION IF EXISTS raise_it CASCADE; DROP SEQUENCE IF EXISTS raised").simple();
  await Promise.all(rowsOf(await store.users.list(allUsers)).map(({ id }) => store.users.remove(id)));
});
afterAll(async () => {
  await sql.close({ timeout: 1 });
  await store.close();
  await database.drop();
});

const create = (name: string, email?: string): Promise<CreateOutcome> =>
  store.users.create({ record: email === undefined ? { name } : { name, email } });
const nameOf = ({ outcome }: CreateOutcome): string =>
  "user" in outcome ? JSON.parse(outcome.user.json).name : outcome.problem.type;

/** Makes PostgreSQL raise this error for the first inserts, this many, that match the condition. */
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

describe("PostgreSQL: a batch that fails", () => {
  test.each([
    ["a serialization failure", "40001"],
    ["a deadlock", "40P01"],
  ])("is retried after %s", async (_, code) => {
    await raise(code, 3);
    const outcomes = await Promise.all(["A", "B", "C"].map((name) => create(name)));
    expect(outcomes.map(nameOf)).toEqual(["A", "B", "C"]);
    expect((await store.stats()).users).toBe(3);
  });

  test("fails with unavailable if conflicts do not end", async () => {
    // On a busy machine, the first connection may take longer than a second.
    const impatient = await until(() => open(1000).catch(() => undefined));
    await raise("40001", 1e9);
    const failed = impatient.users.create({ record: { name: "A" } }).catch((reason: unknown) => reason);
    expect(await failed).toMatchObject({ type: "unavailable" });
    const [{ last_value: conflicts }] = await sql`SELECT last_value FROM raised`;
    expect(Number(conflicts)).toBeGreaterThan(1);
    await impatient.close();
  });

  test("applies its other writes if one fails unexpectedly", async () => {
    await raise("XX001", 1e9, "NEW.name_fold = 'broken'");
    const names = ["A", "B", "Broken", "C", "D", "E"];
    const settled = await Promise.all(names.map((name) => create(name).then(nameOf, () => "failed")));
    expect(settled).toEqual(["A", "B", "failed", "C", "D", "E"]);
    expect((await store.stats()).users).toBe(5);
  });

  test("rejects an email that only the unique index knows to be in use, and applies the other writes", async () => {
    // Simulates another node that inserts the email first each time: lookups do not find it, the index does.
    await raise("23505", 1e9, "NEW.email_key = 'taken@example.com'");
    const outcomes = await Promise.all([
      create("A", "a@example.com"),
      create("Thief", "taken@example.com"),
      create("B", "b@example.com"),
    ]);
    expect(outcomes.map(nameOf)).toEqual(["A", "email-taken", "B"]);
    expect((await store.stats()).users).toBe(2);
  });

  test("lets a create use an email that the same batch frees", async () => {
    const { outcome } = await create("First", "wanted@example.com");
    const id = "user" in outcome ? outcome.user.id : 0;
    const [, second] = await Promise.all([store.users.remove(id), create("Second", "wanted@example.com")]);
    expect(nameOf(second)).toBe("Second");
    const [, , third] = await Promise.all([
      store.users.edit(id + 1, { merge: { email: null } }),
      store.users.edit(id + 1, { merge: { note: "x" } }),
      create("Third", "Wanted@Example.com"),
    ]);
    expect(nameOf(third)).toBe("Third");
    expect((await store.stats()).users).toBe(2);
  });

  test("swaps emails between users as if the edits came one by one", async () => {
    const ids: number[] = [];
    for (const name of ["A", "B"]) {
      const { outcome } = await create(name, `${name}@example.com`);
      if ("user" in outcome) ids.push(outcome.user.id);
    }
    const [a = 0, b = 0] = ids;
    await Promise.all([
      store.users.edit(b, { merge: { email: "c@example.com" } }),
      store.users.edit(a, { merge: { email: "b@example.com" } }),
      store.users.edit(b, { merge: { email: "a@example.com" } }),
    ]);
    const emails = await Promise.all(
      [a, b].map(async (id) => JSON.parse((await store.users.read(id))?.json ?? "{}").email),
    );
    expect(emails).toEqual(["b@example.com", "a@example.com"]);
  });
});
