import { describe } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  emptyDatabase,
  type FreshDatabase,
  freshDatabase,
  startPostgresBeforeTests,
} from "./postgres/fresh-database.ts";

export type Engine = "sqlite" | "postgres";

const engines: readonly Engine[] = ["sqlite", "postgres"];
const titles = { sqlite: "on SQLite", postgres: "on PostgreSQL" } as const satisfies Record<Engine, string>;

/** Set by `npm run test:slow`. */
const ALL_ENGINES = process.env.ALL_ENGINES === "1";

/** Runs the suite once per engine. */
export function onEachEngine(suite: (engine: Engine) => void): void {
  runOn(engines, suite);
}

/** For code that does not depend on the engine. Runs the suite on SQLite; in `npm run test:slow`, once per engine. */
export function onAnyEngine(suite: (engine: Engine) => void): void {
  runOn(ALL_ENGINES ? engines : ["sqlite"], suite);
}

function runOn(chosen: readonly Engine[], suite: (engine: Engine) => void): void {
  for (const engine of chosen) {
    describe(titles[engine], () => {
      if (engine === "postgres") startPostgresBeforeTests();
      suite(engine);
    });
  }
}

/** Creates a database without users, for a service. */
export function databaseOn(engine: Engine): Promise<FreshDatabase> {
  return engine === "postgres" ? freshDatabase() : emptyDatabaseOn(engine);
}

/** Creates a database without tables. */
export async function emptyDatabaseOn(engine: Engine): Promise<FreshDatabase> {
  if (engine === "postgres") return await emptyDatabase();
  const folder = mkdtempSync(join(tmpdir(), "roster-"));
  return { url: join(folder, "roster.db"), drop: async () => rmSync(folder, { recursive: true }) };
}
