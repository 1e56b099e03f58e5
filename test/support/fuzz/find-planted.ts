import { existsSync, readFileSync } from "node:fs";
import { readTables } from "../../api/support/database-content.ts";
import type { Engine } from "../engines.ts";
import { PLANTED_SECRET } from "./planted-secret.ts";

/** The parts of a database with a password of a request: files, also what they keep of deleted rows, or tables. */
export async function findPlanted(engine: Engine, url: string): Promise<string[]> {
  if (engine === "sqlite")
    return [url, `${url}-wal`].filter(
      (path) => existsSync(path) && readFileSync(path).includes(PLANTED_SECRET),
    );
  const tables = Object.entries(await readTables(engine, url));
  return tables.filter(([, rows]) => holdsPlanted(rows)).map(([name]) => name);
}

function holdsPlanted(value: unknown): boolean {
  if (typeof value === "string") return value.includes(PLANTED_SECRET);
  if (value instanceof Uint8Array) return Buffer.from(value).includes(PLANTED_SECRET);
  return typeof value === "object" && value !== null && Object.values(value).some(holdsPlanted);
}
