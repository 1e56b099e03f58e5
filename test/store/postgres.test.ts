import { expect, test } from "bun:test";
import { parseDatabase } from "../../src/config/database-url.ts";
import { defaultRecordRules } from "../../src/domain/users/record-rules.ts";
import { Connections } from "../../src/store/postgres/connections.ts";
import { migrate } from "../../src/store/postgres/migrate.ts";
import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { freshDatabase, pooler, startPostgresBeforeTests } from "../support/postgres/fresh-database.ts";
import { storeContract } from "./support/store-contract.ts";

startPostgresBeforeTests();

storeContract("PostgreSQL", async (maxCandidates) => {
  const { url, drop } = await freshDatabase();
  const database = parseDatabase(url);
  if (database.engine !== "postgres") throw new Error(`${url} is not a PostgreSQL URL.`);
  const options = {
    database,
    pool: 6,
    dedicatedSessions: pooler === "none",
    waitMs: 60_000,
    batch: 512,
    queue: 10_000,
    recordRules: defaultRecordRules,
    ...(maxCandidates !== undefined && { maxCandidates }),
  };
  const connections = await Connections.open(options);
  await connections.withSeparateConnection((sql) => migrate(sql, options.database.displayName));
  const store = openPostgresStore(connections, options, { committed() {} });
  return {
    store,
    async destroy() {
      await store.close();
      await drop();
    },
  };
});

test("PostgreSQL: uses the database of the URL, not of PGDATABASE", async () => {
  const { url, drop } = await freshDatabase();
  const database = parseDatabase(url);
  if (database.engine !== "postgres") throw new Error(`${url} is not a PostgreSQL URL.`);
  process.env.PGDATABASE = "another";
  try {
    const options = { database, pool: 3, dedicatedSessions: pooler === "none", waitMs: 60_000 };
    const connections = await Connections.open(options);
    const [row] = await connections.withSeparateConnection((sql) => sql`SELECT current_database() AS name`);
    expect(row).toEqual({ name: database.name });
    await connections.close();
  } finally {
    delete process.env.PGDATABASE;
    await drop();
  }
});

test("PostgreSQL: owners take turns with the connections for lists", async () => {
  const { url, drop } = await freshDatabase();
  const database = parseDatabase(url);
  if (database.engine !== "postgres") throw new Error(`${url} is not a PostgreSQL URL.`);
  // One connection each for reads, lists and writes.
  const options = { database, pool: 3, dedicatedSessions: pooler === "none", waitMs: 60_000 };
  const connections = await Connections.open(options);
  const order: string[] = [];
  const first = Promise.withResolvers<void>();
  const list = (name: string, work: () => Promise<void> = async () => undefined) =>
    connections.withReserved(
      async () => {
        order.push(name);
        await work();
      },
      { owner: name.slice(0, 1) },
    );
  // The first list opens the connection.
  await list("x");
  const lists = [
    list("a1", () => first.promise),
    ...["a2", "a3", "a4", "b1", "c1", "b2"].map((name) => list(name)),
  ];
  first.resolve();
  await Promise.all(lists);
  expect(order).toEqual(["x", "a1", "a2", "b1", "c1", "a3", "b2", "a4"]);
  await connections.close();
  await drop();
});
