import type { SQL } from "bun";
import { type Parts, toParts } from "../parts.ts";

/** Texts that are the same in every version of PostgreSQL that Roster supports. */
const DEFINITIONS = `
  SELECT 'table ' || c.relname, string_agg(
    concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod), 'COLLATE ' || nullif(o.collname, 'default'),
      CASE WHEN a.attnotnull THEN 'NOT NULL' END, 'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid)),
    ', ' ORDER BY a.attnum)
  FROM pg_class c
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  LEFT JOIN pg_collation o ON o.oid = a.attcollation
  LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
  WHERE c.relnamespace = 'roster'::regnamespace AND c.relkind IN ('r', 'p')
  GROUP BY c.relname
  UNION ALL
  SELECT 'index ' || c.relname, pg_get_indexdef(c.oid) FROM pg_class c
  WHERE c.relnamespace = 'roster'::regnamespace AND c.relkind = 'i'
  UNION ALL
  SELECT 'sequence ' || c.relname, s.seqmax::text FROM pg_class c JOIN pg_sequence s ON s.seqrelid = c.oid
  WHERE c.relnamespace = 'roster'::regnamespace
  UNION ALL
  SELECT 'function ' || p.proname, pg_get_function_arguments(p.oid) || p.prosrc FROM pg_proc p
  WHERE p.pronamespace = 'roster'::regnamespace
  UNION ALL
  SELECT 'trigger ' || t.tgname, pg_get_triggerdef(t.oid) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
  WHERE c.relnamespace = 'roster'::regnamespace AND NOT t.tgisinternal`;

/** The tables, indexes, sequences, functions and triggers in the schema of Roster. */
export async function readParts(sql: SQL): Promise<Parts> {
  const rows: unknown[][] = await sql.unsafe(DEFINITIONS).values();
  const parts = rows.map(([part, text]) => [String(part), String(text)] as const);
  const canMove = parts.some(([part]) => part === "table moving");
  return toParts([...parts, ...(canMove ? await droppedIndexes(sql) : [])]);
}

/** The indexes that an unfinished move has dropped, and creates again. */
async function droppedIndexes(sql: SQL): Promise<(readonly [string, string])[]> {
  const [row] = await sql.unsafe("SELECT indexes FROM roster.moving").values();
  const statements: string[] = JSON.parse(String(row?.[0] ?? "[]"));
  return statements.map((text) => [`index ${/INDEX (\w+)/.exec(text)?.[1]}`, text] as const);
}
