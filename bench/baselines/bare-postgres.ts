/**
 * Baseline for imports: inserts users into Roster's empty tables with multi-row INSERTs, 500 users per transaction:
 * `bun bare-postgres.ts URL WARM-UP USERS`. Prints a `BareReport`.
 */
import { SQL } from "bun";
import type { IndexedUser } from "../../src/store/apply-write.ts";
import { searchKeysArray, userColumns, userValueRows } from "../../src/store/postgres/json-columns.ts";
import { measureInserts } from "./bare-inserts.ts";

const BATCH = 500;

const [url = "", warmUp = "", users = ""] = process.argv.slice(2);
const sql = new SQL(url, { max: 1 });
const connection = await sql.reserve();

type Cells = readonly (string | number | null)[];

/** One statement for all rows, with a parameter per cell. */
function buildInsert(table: string, types: readonly string[], rows: number): string {
  const row = (index: number) =>
    types.map((type, column) => `$${index * types.length + column + 1}::${type}`);
  return `INSERT INTO ${table} VALUES ${Array.from({ length: rows }, (_, index) => `(${row(index)})`).join()}`;
}

const columns =
  "id, version, json, updated_at, changed_by, name_fold, name_key, email_fold, email_key, word_starts, created_at";
const userTypes = [
  "bigint",
  "bigint",
  "text",
  "bigint",
  "bigint",
  "text",
  "text",
  "text",
  "text",
  "text",
  "bigint",
];
const texts = new Map<string, string>();
const cachedStatement = (table: string, types: readonly string[], rows: number) => {
  const name = `${table} ${rows}`;
  const text = texts.get(name) ?? buildInsert(table, types, rows);
  texts.set(name, text);
  return text;
};

function prepare(all: readonly IndexedUser[]) {
  const userRows = all.map((user): Cells => [...userColumns(user), user.row.updatedAt]);
  const keys = all.map((user): Cells => [user.row.id, searchKeysArray(user)]);
  const customValues = all.flatMap(({ row, terms }): Cells[] => userValueRows(row.id, terms.values));
  const insertRows = (table: string, types: readonly string[], rows: readonly Cells[]) => ({
    text: cachedStatement(table, types, rows.length),
    values: rows.flat(),
  });
  return [
    insertRows(`roster.users (${columns})`, userTypes, userRows),
    insertRows("roster.user_search", ["bigint", "integer[]"], keys),
    insertRows("roster.user_values", ["text", "text", "bigint"], customValues),
    { text: `UPDATE roster.user_counts SET users = users + ${all.length} WHERE part = 0`, values: [] },
  ];
}

const insert = (first: number, last: number) =>
  measureInserts(first, last, BATCH, prepare, async (statements) => {
    await Promise.all([
      connection`BEGIN`,
      ...statements.map(({ text, values }) => connection.unsafe(text, [...values])),
      connection`COMMIT`,
    ]);
  });

await insert(1, Number(warmUp));
// The parent starts to measure the server here.
process.send?.("warm");
const report = await insert(Number(warmUp) + 1, Number(warmUp) + Number(users));
process.send?.(report);
console.log(JSON.stringify(report));
process.exit();
