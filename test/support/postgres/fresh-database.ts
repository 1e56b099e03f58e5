import { beforeAll } from "bun:test";
import { SQL } from "bun";
import { type Postgres, startPostgres } from "./server.ts";

/**
 * `ROSTER_TEST_POSTGRES=postgres://…` makes the tests use that server. The role must be allowed to create databases.
 * `ROSTER_TEST_POOLER=transaction` means that a connection pooler stands in front of the server.
 */
const externalServer = process.env.ROSTER_TEST_POSTGRES;
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

/** Creates an empty database on the shared server. */
export async function freshDatabase(): Promise<FreshDatabase> {
  const server = await sharedPostgres();
  const name = `roster_${process.pid}_${++databaseCount}`;
  await runAsAdmin(server, `CREATE DATABASE ${name} TEMPLATE template0`);
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
