import { limits } from "../../src/contract/user.ts";
import { parseDatabase } from "../../src/database-url.ts";
import { Connections } from "../../src/store/postgres/connections.ts";
import { migrate } from "../../src/store/postgres/migrate.ts";
import { PostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { freshDatabase, needsPostgres } from "../postgres.ts";
import { storeContract } from "../store-contract.ts";

needsPostgres();

storeContract("PostgreSQL", async (candidates) => {
  const { url, drop } = await freshDatabase();
  const database = parseDatabase(url);
  if (database.engine !== "postgres") throw new Error(`${url} is no PostgreSQL.`);
  const options = {
    database,
    pool: 6,
    sessions: true,
    waitMs: 5000,
    batch: 512,
    queue: 10_000,
    recordBytes: limits.recordBytes,
    ...(candidates !== undefined && { candidates }),
  };
  const connections = await Connections.open(options);
  await connections.alone(migrate);
  const store = new PostgresStore(connections, options, { committed() {} });
  return {
    store,
    async destroy() {
      await store.close();
      await drop();
    },
  };
});
