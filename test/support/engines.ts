import { describe } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FreshDatabase, freshDatabase, startPostgresBeforeTests } from "./postgres/fresh-database.ts";

export type Engine = "sqlite" | "postgres";

const engines: readonly Engine[] = ["sqlite", "postgres"];
const titles = { sqlite: "on SQLite", postgres: "on PostgreSQL" } as const satisfies Record<Engine, string>;

/** Runs the suite once per engine. */
export function onEachEngine(suite: (engine: Engine) => void): void {
  for (const engine of engines) {
    describe(titles[engine], () => {
      if (engine === "postgres") startPostgresBeforeTests();
      suite(engine);
    });
  }
}

/** Creates an empty database and returns its `DATABASE_URL`. */
export async function databaseOn(engine: Engine): Promise<FreshDatabase> {
  if (engine === "postgres") return await freshDatabase();
  const folder = mkdtempSync(join(tmpdir(), "roster-"));
  return { url: join(folder, "roster.db"), drop: async () => rmSync(folder, { recursive: true }) };
}
