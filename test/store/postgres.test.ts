import { expect, test } from "bun:test";
import { parseDatabase } from "../../src/config/database-url.ts";
import { Connections } from "../../src/store/postgres/connections.ts";
import { freshDatabase, pooler, startPostgresBeforeTests } from "../support/postgres/fresh-database.ts";
import { storeContract } from "./support/store-contract.ts";

startPostgresBeforeTests();

storeContract("postgres");

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
