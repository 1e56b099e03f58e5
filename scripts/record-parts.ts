/**
 * Writes the parts of databases after each migration into migrations/parts.json of both engines. Run it after you have added a
 * migration: npx bun scripts/record-parts.ts
 */
import { join } from "node:path";
import knownOnPostgres from "../src/store/postgres/migrations/parts.json" with { type: "json" };
import knownOnSqlite from "../src/store/sqlite/migrations/parts.json" with { type: "json" };
import { partsOnPostgres, partsOnSqlite } from "../test/store/support/migrated-parts.ts";

const folder = join(import.meta.dir, "../src/store");
await write("sqlite", { ...knownOnSqlite, ...partsOnSqlite() });
await write("postgres", { ...knownOnPostgres, ...(await partsOnPostgres()) });
process.exit(0);

async function write(engine: string, parts: object): Promise<void> {
  await Bun.write(join(folder, engine, "migrations/parts.json"), `${JSON.stringify(parts, null, 2)}\n`);
}
