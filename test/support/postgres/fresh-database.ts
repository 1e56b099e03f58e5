import { beforeAll } from "bun:test";
import { SQL } from "bun";
import { type Postgres, startPostgres } from "./server.ts";

/**
 * `ROSTER_TEST_POSTGRES=postgres://…` has the tests use that server, as somebody who may make databases, and not one of
 * their own; `ROSTER_TEST_POOLER=transaction` says that a pooler is in between.
 */
const given = process.env.ROSTER_TEST_POSTGRES;
export const pooler = process.env.ROSTER_TEST_POOLER === "transaction" ? "transaction" : "none";

/** What the tests want of a server. */
type Server = Pick<Postgres, "url">;

let shared: Promise<Server> | undefined;
let made = 0;

/** The server that all tests of a process share, started when the first of them needs it; its keeper ends it with the process. */
function sharedPostgres(): Promise<Server> {
  shared ??=
    given === undefined ? startPostgres() : Promise.resolve({ url: (name) => databaseAt(given, name) });
  return shared;
}

function databaseAt(server: string, name: string | undefined): string {
  const url = new URL(server);
  if (name !== undefined) url.pathname = name;
  return url.href;
}

/** Has the shared server started before the tests of this describe, or file: that takes longer than a test may. */
export function needsPostgres(): void {
  beforeAll(() => sharedPostgres(), 90_000);
}

export interface FreshDatabase {
  readonly url: string;
  /** Removes it; connections that are still open are cut. */
  drop(): Promise<void>;
}

/** A new, empty database on the shared server. */
export async function freshDatabase(): Promise<FreshDatabase> {
  const server = await sharedPostgres();
  const name = `roster_${process.pid}_${++made}`;
  await administer(server, `CREATE DATABASE ${name} TEMPLATE template0`);
  return { url: server.url(name), drop: () => administer(server, `DROP DATABASE ${name} WITH (FORCE)`) };
}

async function administer(server: Server, statement: string): Promise<void> {
  const sql = new SQL(server.url(), { max: 1, prepare: pooler === "none" });
  try {
    await sql.unsafe(statement);
  } finally {
    await sql.close();
  }
}
