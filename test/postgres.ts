import { beforeAll } from "bun:test";
import { SQL } from "bun";
import { type Postgres, startPostgres } from "./postgres/server.ts";

let shared: Promise<Postgres> | undefined;
let made = 0;

/** The server that all tests of a run share, started when the first of them needs it; preload.ts ends it. */
function sharedPostgres(): Promise<Postgres> {
  shared ??= startPostgres();
  return shared;
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
  const name = `roster_${++made}`;
  await administer(server, `CREATE DATABASE ${name} TEMPLATE template0`);
  return { url: server.url(name), drop: () => administer(server, `DROP DATABASE ${name} WITH (FORCE)`) };
}

async function administer(server: Postgres, statement: string): Promise<void> {
  const sql = new SQL(server.url(), { max: 1 });
  try {
    await sql.unsafe(statement);
  } finally {
    await sql.close();
  }
}
