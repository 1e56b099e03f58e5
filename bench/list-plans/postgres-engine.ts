import { SQL } from "bun";
import { parseDatabase } from "../../src/config/database-url.ts";
import { userRecordFields } from "../../src/contract/users/user-fields.ts";
import { formatFoundPage } from "../../src/domain/lists/listing.ts";
import { defaultRecordRules } from "../../src/domain/users/record-rules.ts";
import { openStore } from "../../src/store/open-store.ts";
import { Connections } from "../../src/store/postgres/connections.ts";
import { allOf, type Sql, sql } from "../../src/store/sql/sql.ts";
import type { BenchPostgres } from "../support/bench-postgres.ts";
import { startCpuMeter, startOwnCpuMeter } from "../support/cpu-meter.ts";
import { type BareDialect, type IndexedFields, markedStart, memberTest } from "./bare-list.ts";
import type { PlanEngine } from "./measure-plans.ts";
import { postgresPlanFinder } from "./plan-finder.ts";

const sortColumns: Readonly<Record<string, string>> = {
  name: "name_fold",
  email: "email_fold",
  createdAt: "created_at",
  updatedAt: "updated_at",
};

const from = "roster.users u";
/** Only the indexes of bare SQL have this id: the planner cannot read another index in order of id instead. */
const indexedId = "u.id + 0";
const like = (column: string, word: string) =>
  sql(`u.${column} LIKE ?`, `%${word.replace(/[\\%_]/g, "\\$&")}%`);
const anyOf = (a: Sql, b: Sql): Sql => ({
  text: `(${a.text} OR ${b.text})`,
  values: [...a.values, ...b.values],
});
/** Keeps the planner from an index on the expression. */
const unindexed = (expression: string) => `coalesce(${expression})`;

/** A custom field as an expression. */
function fieldValue(field: string, type: IndexedFields[string] | undefined): string {
  return type === "integer"
    ? `((json::jsonb -> '${field}')::integer)`
    : `((json::jsonb ->> '${field}') COLLATE "C")`;
}

function bareDialect(fields: IndexedFields): BareDialect {
  return {
    json: "u.json",
    countAll: "SELECT sum(users) FROM roster.user_counts",
    order(field) {
      if (field === "id") return { id: "u.id", from };
      if (field in fields) return { key: fieldValue(field, fields[field]), id: indexedId, from };
      const column = sortColumns[field];
      return column === undefined
        ? undefined
        : { key: `u.${column}`, id: "u.id", from, where: `u.${column} IS NOT NULL` };
    },
    unindexed,
    compare(field, comparison, ...values) {
      const value = fieldValue(field, fields[field]);
      const test = sql(`${unindexed(value)} ${comparison}`, ...values);
      const index = { from, test: sql(`${value} ${comparison}`, ...values), id: indexedId };
      return { test, indexes: field in fields ? [index] : [] };
    },
    contains(words) {
      const tests = words.map((word) => {
        const start = markedStart(word);
        if (start !== undefined) return sql("strpos(u.word_starts, ?) > 0", start);
        return sql("(strpos(u.name_fold, ?) > 0 OR strpos(u.email_fold, ?) > 0)", word, word);
      });
      const test = allOf(tests);
      // Trigrams of control characters are not in the index.
      if (words.some((word) => markedStart(word) !== undefined)) return { test, indexes: [] };
      const indexed = words.map((word) => anyOf(like("name_fold", word), like("email_fold", word)));
      // The planner does not know which word is rare.
      const byWord = words.length > 1 ? indexed.map((found, word) => tests.with(word, found)) : [];
      const indexes = [indexed, ...byWord].map((conditions) => ({
        from,
        test: allOf(conditions),
        id: indexedId,
        isBitmap: true,
      }));
      return { test, indexes };
    },
    belongsTo: (group) =>
      memberTest(
        {
          memberships: "roster.memberships",
          from: "roster.memberships m JOIN roster.users u ON u.id = m.user_id",
        },
        group,
      ),
  };
}

/** Statements are planned once. Parallel workers end with their statement: their CPU time would not count. */
const bareSettings = {
  plan_cache_mode: "force_generic_plan",
  max_parallel_workers_per_gather: "0",
  jit: "off",
};
/** Leave the planner an index in the order of the list. */
const scanSettings = { enable_seqscan: "off", enable_bitmapscan: "off", enable_sort: "off" };
/** Leave the planner the index of the condition. Rows in the cache are found sooner without a bitmap, if the index has another way. */
const bitmapSettings = { enable_seqscan: "off" };
const indexSettings = { ...bitmapSettings, enable_bitmapscan: "off" };

/** Opens a store, and connections for bare SQL, with an index on each of these custom fields, and one on the name and the email. */
export async function openPostgresEngine(
  postgres: BenchPostgres,
  fields: IndexedFields,
): Promise<PlanEngine & AsyncDisposable> {
  await postgres.query("CREATE EXTENSION IF NOT EXISTS pg_trgm");
  for (const [field, type] of Object.entries(fields)) {
    await postgres.query(`CREATE INDEX bare_${field} ON roster.users (${fieldValue(field, type)}, (id + 0))`);
  }
  await postgres.query(
    "CREATE INDEX bare_search ON roster.users USING gin (name_fold gin_trgm_ops, email_fold gin_trgm_ops)",
  );
  await postgres.query("VACUUM (ANALYZE)");
  const url = postgres.url();
  const options = {
    ...{ batch: 100, queue: 100, waitMs: 60_000, recordRules: defaultRecordRules },
    ...{ pool: 3, dedicatedSessions: true, migrate: true },
  };
  const database = parseDatabase(url);
  if (database.engine !== "postgres") throw new Error("The database is not in PostgreSQL.");
  const store = await openStore(database, options, { committed: () => {} });
  const connections = await Connections.open({ ...options, database });
  const connect = (settings: Record<string, string>) =>
    new SQL(url, { max: 1, connection: { ...bareSettings, ...settings } });
  const bare = {
    scan: connect(scanSettings),
    index: connect(indexSettings),
    bitmap: connect(bitmapSettings),
    count: connect({}),
  };
  return {
    dialect: bareDialect(fields),
    list: (query) => store.users.list(query),
    ...postgresPlanFinder(connections),
    prepare({ name, isBitmap, page, count }, limit) {
      const selectPage = prepare(bare[isBitmap ? "bitmap" : name], page);
      const selectCount = count && prepare(bare.count, count);
      return async () => {
        const items = (await selectPage()).slice(0, limit).map(([json]) => Buffer.from(String(json)));
        const found = formatFoundPage({ items, next: undefined }, {}, userRecordFields);
        return selectCount
          ? { ...found, total: { count: Number((await selectCount())[0]?.[0]), capped: false } }
          : found;
      };
    },
    startCpuMeter() {
      const readServer = startCpuMeter(postgres.server.pid);
      const readOwn = startOwnCpuMeter();
      // This process first: to read the times of the server's processes takes time.
      return () => readOwn() + readServer();
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      await connections.close();
      await Promise.all(Object.values(bare).map((connection) => connection.close()));
    },
  };
}

/** The driver keeps a statement with parameters prepared. A statement without parameters gets one. */
function prepare(connection: SQL, { text, values }: Sql): () => Promise<unknown[][]> {
  const [statement, parameters] =
    values.length > 0 ? [text, values] : [`SELECT * FROM (${text}) d WHERE ?::text <> ''`, ["now"]];
  let count = 0;
  const numbered = statement.replace(/\?/g, () => `$${++count}`);
  const texts = parameters.map(String);
  return () => connection.unsafe(numbered, texts).values();
}
