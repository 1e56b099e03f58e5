import type { Database } from "bun:sqlite";
import { type Parts, toParts } from "../parts.ts";

/** The tables, indexes and triggers of a file. FTS5 creates the tables of a search index itself. */
export function readParts(db: Database): Parts {
  const rows = db
    .query<{ part: string; sql: string }, []>(
      `SELECT type || ' ' || name AS part, sql FROM sqlite_schema
       WHERE sql IS NOT NULL AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '*_search_*'`,
    )
    .all();
  const parts = rows.map(({ part, sql }) => [part, sql] as const);
  return toParts([...parts, ...(rows.some(({ part }) => part === "table moving") ? droppedIndexes(db) : [])]);
}

/** The indexes that an unfinished move has dropped, and creates again. */
function droppedIndexes(db: Database): (readonly [string, string])[] {
  const row = db.query<{ indexes: string }, []>("SELECT indexes FROM moving").get();
  const statements: string[] = JSON.parse(row?.indexes ?? "[]");
  return statements.map((sql) => [`index ${/INDEX (\w+)/.exec(sql)?.[1]}`, sql] as const);
}
