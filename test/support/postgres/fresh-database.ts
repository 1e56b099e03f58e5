import { beforeAll } from "bun:test";
import { SQL } from "bun";
import { parseDatabase } from "../../../src/config/database-url.ts";
import { migrateStore } from "../../../src/store/open-store.ts";
import { type Postgres, startPostgres } from "./server.ts";

/**
 * `ROSTER_TEST_POSTGRES=postgres://…` makes the tests use that server. The role must be allowed to create databases.
 * `ROSTER_TEST_POOLER=transaction` means that a connection pooler stands in front of the server.
 */
const externalServer = process.env.ROSTER_TEST_POSTGRES;
/** Set by test/run.ts if the server has a template, see `prepareServer`. */
const hasTemplate = process.env.ROSTER_TEST_TEMPLATE === "1";
const TEMPLATE = "roster_template";
export const pooler = process.env.ROSTER_TEST_POOLER === "transaction" ? "transaction" : "none";

type Server = Pick<Postgres, "url">;

let shared: Promise<Server> | undefined;
let databaseCount = 0;

/** The server that all tests of this process share. The first test that needs the server starts it. */
function sharedPostgres(): Promise<Server> {
  shared ??=
    externalServer === undefined
      ? startPostgres()
      : Promise.resolve({ url: (name) => databaseAt(externalServer, name) });
  return shared;
}

function databaseAt(server: string, name: string | undefined): string {
  const url = new URL(server);
  if (name !== undefined) url.pathname = name;
  return url.href;
}

/** Starts the shared server before the tests of this file or `describe` block, with a timeout of its own. */
export function startPostgresBeforeTests(): void {
  beforeAll(() => sharedPostgres(), 90_000);
}

export interface FreshDatabase {
  readonly url: string;
  /** Drops the database and closes its open connections. */
  drop(): Promise<void>;
}

/** Creates a template that databases for tests are copied from: a copy takes less time than migrations. */
export async function prepareServer(server: Server): Promise<void> {
  await runAsAdmin(server, `CREATE DATABASE ${TEMPLATE} TEMPLATE template0`);
  await migrateStore(parseDatabase(server.url(TEMPLATE)), { waitMs: 60_000, dedicatedSessions: true });
}

/** Creates a database without users on the shared server, with the tables of this version if the server has a template. */
export function freshDatabase(): Promise<FreshDatabase> {
  return createDatabase(hasTemplate ? TEMPLATE : "template0");
}

/** Creates a database without tables on the shared server. */
export function emptyDatabase(): Promise<FreshDatabase> {
  return createDatabase("template0");
}

async function createDatabase(template: string): Promise<FreshDatabase> {
  const server = await sharedPostgres();
  const name = `roster_${process.pid}_${++databaseCount}`;
  await runAsAdmin(server, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  return { url: server.url(name), drop: () => runAsAdmin(server, `DROP DATABASE ${name} WITH (FORCE)`) };
}

async function runAsAdmin(server: Server, statement: string): Promise<void> {
  const sql = new SQL(server.url(), { max: 1, prepare: pooler === "none" });
  try {
    await sql.unsafe(statement);
  } finally {
    await sql.close();
  }
}
