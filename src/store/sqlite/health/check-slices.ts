import type { Database } from "bun:sqlite";

type KeyPart = number | string | Uint8Array;
type Key = readonly KeyPart[];

/** Rows per slice: a few milliseconds of work. */
const SLICE_ROWS = 500;

/** The file contradicts itself, although SQLite could read it. */
class DamageError extends Error {
  readonly code = "SQLITE_CORRUPT";
}

/**
 * Reads every page of every table and index, a slice at a time. Each slice is its own snapshot: a long one would let the
 * log grow. Throws SQLite's error for a damaged page.
 */
export function* checkInSlices(db: Database): Generator<void> {
  // SQLite then also checks where the cells of a page are.
  db.run("PRAGMA cell_size_check = ON");
  const tables = db
    .query<{ name: string; wr: number }, []>(
      "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow')",
    )
    .all();
  for (const { name, wr } of tables) {
    yield* checkTable(db, name, wr === 1);
    for (const query of indexQueries(db, name)) {
      runOnce(db, query);
      yield;
    }
  }
}

function* checkTable(db: Database, table: string, withoutRowId: boolean): Generator<void> {
  const columns = db
    .query<{ name: string; pk: number }, [string]>("SELECT name, pk FROM pragma_table_info(?)")
    .all(table);
  const keys = withoutRowId
    ? columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk)
    : [{ name: "rowid" }];
  const keyNames = keys.map(({ name }) => quote(name)).join(", ");
  // Plain parameters: with an expression, SQLite would use the first column of the key only.
  const parameters = keys.map(() => "?").join(", ");
  // The length of text requires its content, and so reads overflow pages.
  const content = columns.map(({ name }) => `length(CAST(${quote(name)} AS TEXT))`).join(" + ");
  const select = `SELECT ${keyNames}, ${content} FROM ${quote(table)} NOT INDEXED`;
  const order = `ORDER BY ${keyNames} LIMIT ${SLICE_ROWS}`;
  let after: Key | undefined;
  for (;;) {
    const where = after ? `WHERE (${keyNames}) > (${parameters})` : "";
    const rows = runOnce(db, `${select} ${where} ${order}`, after);
    const last = rows.at(-1)?.slice(0, keys.length).map(toKeyPart);
    if (last && after && compareKeys(last, after) <= 0) {
      throw new DamageError(`The rows of table ${table} are not in order.`);
    }
    yield;
    if (!last || rows.length < SLICE_ROWS) return;
    after = last;
  }
}

/** Statements that read a whole index each. An index is small compared to its table. */
function indexQueries(db: Database, table: string): string[] {
  const indexes = db
    .query<{ name: string; sql: string }, [string]>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL",
    )
    .all(table);
  return indexes.map(({ name, sql }) => {
    const columns = db.query<{ name: string }, [string]>("SELECT name FROM pragma_index_info(?)").all(name);
    const counts = columns.map((column) => `count(${quote(column.name)})`).join(", ");
    const condition = /\bWHERE\b.*$/is.exec(sql)?.[0] ?? "";
    return `SELECT ${counts} FROM ${quote(table)} INDEXED BY ${quote(name)} ${condition}`;
  });
}

function runOnce(db: Database, text: string, values: Key = []): unknown[][] {
  const statement = db.prepare<unknown, KeyPart[]>(text);
  try {
    return statement.values(...values);
  } finally {
    statement.finalize();
  }
}

function toKeyPart(value: unknown): KeyPart {
  return typeof value === "number" || value instanceof Uint8Array ? value : String(value);
}

function compareKeys(a: Key, b: Key): number {
  for (const [index, part] of a.entries()) {
    const other = b[index] ?? 0;
    const order =
      typeof part === "number" && typeof other === "number"
        ? part - other
        : Buffer.compare(toBytes(part), toBytes(other));
    if (order !== 0) return order;
  }
  return 0;
}

function toBytes(part: KeyPart): Uint8Array {
  return part instanceof Uint8Array ? part : Buffer.from(String(part));
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
