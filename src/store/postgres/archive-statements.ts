import { type Table, tables } from "../archive.ts";
import { columns, insertUsers, userInput } from "./write-statements.ts";

/** From $2 to $1. What else a statement does depends on it, so that it is all of it or nothing. */
const marked = "marked AS (UPDATE roster.moving SET mark = $1 WHERE mark = $2 RETURNING 1)";
const IF_MARKED = "EXISTS (SELECT 1 FROM marked)";

/** Each of these says whether the mark was at $2. */
const SAY = "SELECT count(*) FROM marked";

export const MOVE_MARK = `WITH ${marked} ${SAY}`;

export const REMOVE_MARK = `WITH marked AS (DELETE FROM roster.moving WHERE mark = $1 RETURNING 1) ${SAY}`;

export const COPY_USERS = `
  WITH ${marked}, input AS MATERIALIZED (
    SELECT * FROM ${columns(3, ...userInput, "created_at")} WHERE ${IF_MARKED}
  ), ${insertUsers("created_at::bigint")}, own AS (
    INSERT INTO roster.user_values SELECT field, value, user_id::bigint
    FROM ${columns(15, "field", "value", "user_id")} WHERE ${IF_MARKED}
  ), counted AS (
    UPDATE roster.user_counts SET users = users + (SELECT count(*) FROM input) WHERE part = 0
  ) ${SAY}`;

/** The rows as they are, of any table but users. */
export function copyRows({ name, columns: types }: Table): string {
  const names = Object.keys(types);
  const values = Object.entries(types).map(([column, type]) => cast(column, type));
  return `
    WITH ${marked}, copied AS (
      INSERT INTO roster.${name} (${names.join(", ")})
      SELECT ${values.join(", ")} FROM ${columns(3, ...names)} WHERE ${IF_MARKED}
    ) ${SAY}`;
}

/** Rows in the order of their key; with `after`, those that follow a key. The last parameter is how many. */
export function readRows({ name, columns: types, key }: Table, after: boolean): string {
  const keys = Object.entries(types).slice(0, key);
  const order = keys.map(([column]) => column).join(", ");
  const place = keys.map(([, type], index) => cast(`$${index + 1}`, type)).join(", ");
  const limit = `$${after ? key + 1 : 1}::bigint`;
  return `SELECT ${Object.keys(types).join(", ")} FROM roster.${name}
          ${after ? `WHERE (${order}) > (${place})` : ""} ORDER BY ${order} LIMIT ${limit}`;
}

function cast(value: string, type: "integer" | "text"): string {
  return type === "integer" ? `${value}::bigint` : value;
}

export const LAST_ID = `SELECT last_value - CASE WHEN is_called THEN 0 ELSE 1 END FROM roster.user_ids`;

/** No id up to $1 is given from now on; what has been given stays given. */
export const SKIP_IDS = `SELECT setval('roster.user_ids', $1::bigint) WHERE $1::bigint > (${LAST_ID})`;

/** All indexes but those that a constraint is made of. */
export const INDEXES = `
  SELECT i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid)
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
  WHERE c.relnamespace = 'roster'::regnamespace
  AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = i.indexrelid)
  ORDER BY c.relname`;

/** Every table whose rows a move writes. */
const filled = [...tables.map(({ name }) => name), "user_values", "user_search"]
  .map((name) => `roster.${name}`)
  .join(", ");

/** Nobody stays signed in by a key that may be another's now. */
export const EMPTY = `TRUNCATE ${filled}, roster.sessions`;

/** What the planner knows of the tables is of when they were empty. */
export const ANALYZE = `ANALYZE ${filled}`;

/** Other nodes, as far as one can tell who they are. */
export const OTHER_NODES = `
  SELECT count(*) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()
  AND application_name = current_setting('application_name')`;
