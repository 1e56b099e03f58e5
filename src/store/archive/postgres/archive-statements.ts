import { cast } from "../../sql/json-statement.ts";
import type { SequenceName, TableShape } from "../archive.ts";

/** Part of a WITH clause: replaces the move state. The rest of the statement must be conditional on `IF_UPDATED`. */
export function updateState(from: string, to: string): string {
  return `updated AS (UPDATE roster.moving SET mark = ${to} WHERE mark = ${from} RETURNING 1)`;
}
export const IF_UPDATED = "EXISTS (SELECT 1 FROM updated)";
/** Returns 1, or 0 if the move state was not `from`. */
export const SELECT_UPDATED = "SELECT count(*) FROM updated";

/** $1: from; $2: to. */
export const UPDATE_STATE = `WITH ${updateState("$1", "$2")} ${SELECT_UPDATED}`;

/** $1: from. */
export const REMOVE_STATE = `
  WITH updated AS (DELETE FROM roster.moving WHERE mark = $1 RETURNING 1) ${SELECT_UPDATED}`;

/** Reads rows by primary key; with `after`, the rows that follow a key. The last parameter is the limit. */
export function readRows({ columns, keyColumns }: TableShape, after: boolean, from: string): string {
  const keys = Object.entries(columns).slice(0, keyColumns);
  const order = keys.map(([column]) => column).join(", ");
  const position = keys
    .map(([, type], index) => cast(`$${index + 1}`, type === "integer" ? "bigint" : "text"))
    .join(", ");
  const limit = `$${after ? keyColumns + 1 : 1}::bigint`;
  return `SELECT ${Object.keys(columns).join(", ")} FROM ${from}
          ${after ? `WHERE (${order}) > (${position})` : ""} ORDER BY ${order} LIMIT ${limit}`;
}

export function lastValue(sequence: SequenceName, schema = "roster"): string {
  return `SELECT last_value - CASE WHEN is_called THEN 0 ELSE 1 END FROM ${schema}.${sequence}`;
}

/** The sequence continues after $1, unless it is already further. */
export function raiseSequence(sequence: SequenceName): string {
  return `SELECT setval('roster.${sequence}', $1::bigint) WHERE $1::bigint > (${lastValue(sequence)})`;
}

/** Every index that does not belong to a constraint. */
export const LIST_INDEXES = `
  SELECT i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid)
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
  WHERE c.relnamespace = 'roster'::regnamespace
  AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = i.indexrelid)
  ORDER BY c.relname`;

/** Counts the connections of other nodes, as far as their application name tells. */
export const COUNT_OTHER_NODES = `
  SELECT count(*) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()
  AND application_name = current_setting('application_name')`;
