import { expect } from "bun:test";
import { databaseOn, type Engine, emptyDatabaseOn } from "../../support/engines.ts";
import { type FreshDatabase, pooler } from "../../support/postgres/fresh-database.ts";
import { type CommandResult, stopAll } from "../../support/process/roster.ts";

const databases: FreshDatabase[] = [];

/** Flags of every command that opens a database. */
export const flags = [`--database-pooler=${pooler}`];

/** Creates a database that `cleanUp` drops. Returns its URL. */
export async function createDatabase(engine: Engine): Promise<string> {
  const database = await databaseOn(engine);
  databases.push(database);
  return database.url;
}

/** Creates a database without tables that `cleanUp` drops. Returns its URL. */
export async function createEmptyDatabase(engine: Engine): Promise<string> {
  const database = await emptyDatabaseOn(engine);
  databases.push(database);
  return database.url;
}

/** Stops the processes and drops the databases of a test. */
export async function cleanUp(): Promise<void> {
  await stopAll();
  for (const database of databases.splice(0)) await database.drop();
}

/** Expects this exit code and one line on stderr with these texts, without a password, a key or a stack trace. */
export function expectError(result: CommandResult, code: number, ...texts: string[]): void {
  expect(result).toMatchObject({ code, signal: null, stdout: "" });
  expect(result.stderr).toMatch(/^roster: [^\n]+\n$/);
  for (const text of texts) expect(result.stderr).toContain(text);
  // The names of test databases begin with roster_ too, and have a second underscore.
  expect(result.stderr).not.toMatch(/s3cret|roster_(?!\d+_\d|earlier\b)\w{6}|\bat \S+ \(|Error:|undefined/);
}
