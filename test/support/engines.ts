import { describe } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FreshDatabase, freshDatabase, needsPostgres } from "./postgres/fresh-database.ts";

export type Engine = "sqlite" | "postgres";

const engines: readonly Engine[] = ["sqlite", "postgres"];
const titles = { sqlite: "on SQLite", postgres: "on PostgreSQL" } as const satisfies Record<Engine, string>;

/** The suite, once for each engine. */
export function onEachEngine(suite: (engine: Engine) => void): void {
  for (const engine of engines) {
    describe(titles[engine], () => {
      if (engine === "postgres") needsPostgres();
      suite(engine);
    });
  }
}

/** A new, empty database, by what `DATABASE_URL` would say. */
export async function databaseOn(engine: Engine): Promise<FreshDatabase> {
  if (engine === "postgres") return await freshDatabase();
  const folder = mkdtempSync(join(tmpdir(), "roster-"));
  return { url: join(folder, "roster.db"), drop: async () => rmSync(folder, { recursive: true }) };
}
