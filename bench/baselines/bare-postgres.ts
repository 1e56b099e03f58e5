/**
 * Baseline for imports: inserts users into Roster's empty tables with multi-row INSERTs, 500 users per transaction:
 * `bun bare-postgres.ts URL WARM-UP USERS`. Prints a `BareReport`.
 */
import { SQL } from "bun";
import {
  searchColumns,
  toUserValues,
  userColumns as userTable,
  userValueColumns,
} from "../../src/store/postgres/write-statements.ts";
import { Columns } from "../../src/store/sql/json-statement.ts";
import type { IndexedUser } from "../../src/store/writes/write-transaction.ts";
import { measureInserts } from "./bare-inserts.ts";

const BATCH = 500;

const [url = "", warmUp = "", users = ""] = process.argv.slice(2);
const sql = new SQL(url, { max: 1 });
const connection = await sql.reserve();

/** One statement for all rows, with a parameter for each cell. */
function buildInsert<Row>(table: string, { columns, names }: Columns<Row>, rows: number): string {
  const row = (index: number) =>
    columns.map(({ type }, column) => `$${index * columns.length + column + 1}::${type}`);
  const tuples = Array.from({ length: rows }, (_, index) => `(${row(index)})`);
  return `INSERT INTO ${table} (${names}) VALUES ${tuples.join()}`;
}

const userColumns = new Columns<IndexedUser>([
  ...userTable.columns,
  { name: "created_at", type: "bigint", value: ({ row }) => row.updatedAt },
]);

const texts = new Map<string, string>();
function insertInto<Row>(table: string, columns: Columns<Row>, rows: readonly Row[]) {
  const name = `${table} ${rows.length}`;
  const text = texts.get(name) ?? buildInsert(table, columns, rows.length);
  texts.set(name, text);
  return {
    text,
    values: rows.flatMap((row, index) => columns.columns.map(({ value }) => value(row, index))),
  };
}

function prepare(batch: readonly IndexedUser[]) {
  return [
    insertInto("roster.users", userColumns, batch),
    insertInto("roster.user_search", searchColumns, batch),
    insertInto(
      "roster.user_values",
      userValueColumns,
      batch.flatMap(({ row, terms }) => toUserValues(row.id, terms.values)),
    ),
    { text: `UPDATE roster.user_counts SET users = users + ${batch.length} WHERE part = 0`, values: [] },
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
