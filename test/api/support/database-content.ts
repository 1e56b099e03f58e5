import { Database } from "bun:sqlite";
import { SQL } from "bun";
import type { Engine } from "../../support/engines.ts";
import { pooler } from "../../support/postgres/fresh-database.ts";

type Tables = Record<string, unknown[]>;

/** Reads every row of every table. */
export async function readTables(engine: Engine, url: string): Promise<Tables> {
  return engine === "sqlite" ? readSqliteTables(url) : await readPostgresTables(url);
}

/** Runs a statement without the service. */
export async function runSql(engine: Engine, url: string, statement: string): Promise<void> {
  if (engine === "sqlite") {
    const db = new Database(url);
    db.run("PRAGMA busy_timeout = 5000");
    db.run(statement);
    db.close();
    return;
  }
  const sql = new SQL(url, { max: 1, prepare: pooler === "none" });
  await sql.begin(async (transaction) => {
    await transaction.unsafe("SET LOCAL search_path = roster");
    await transaction.unsafe(statement);
  });
  await sql.close();
}

function readSqliteTables(path: string): Tables {
  const db = new Database(path, { readonly: true });
  try {
    const names = db.query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    return Object.fromEntries(names.map(({ name }) => [name, db.query(`SELECT * FROM "${name}"`).all()]));
  } finally {
    db.close();
  }
}

async function readPostgresTables(url: string): Promise<Tables> {
  const sql = new SQL(url, { max: 1, prepare: pooler === "none" });
  try {
    const tables: Tables = {};
    const names: { name: string }[] =
      await sql`SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'roster'`;
    for (const { name } of names) tables[name] = await sql.unsafe(`SELECT * FROM roster."${name}"`);
    return tables;
  } finally {
    await sql.close();
  }
}
