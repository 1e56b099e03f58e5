import { readFileSync } from "node:fs";
import { SQL } from "bun";
import { parseDatabase } from "../../src/config/database-url.ts";
import { formatFoundPage } from "../../src/domain/lists/listing.ts";
import { defaultRecordRules } from "../../src/domain/users/record-rules.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { BenchPostgres } from "../support/bench-postgres.ts";
import { type BareDialect, markedStart, quote } from "./bare-list.ts";
import type { PlanEngine } from "./measure-plans.ts";

const textValue = (field: string) => `(json::jsonb ->> '${field}') COLLATE "C"`;
/** The custom fields of the sample users, as expressions. */
const indexedFields: Readonly<Record<string, string>> = {
  department: `(${textValue("department")})`,
  level: "((json::jsonb -> 'level')::integer)",
};

const sortColumns: Readonly<Record<string, string>> = {
  name: "name_fold",
  email: "email_fold",
  createdAt: "created_at",
  updatedAt: "updated_at",
};

const from = "roster.users u";
const like = (column: string, word: string) =>
  `u.${column} LIKE ${quote(`%${word.replace(/[\\%_]/g, "\\$&")}%`)}`;

const dialect: BareDialect = {
  json: "u.json",
  countAll: "SELECT sum(users) FROM roster.user_counts",
  from,
  order(field) {
    if (field === "id") return { columns: ["u.id"], from };
    const value = indexedFields[field];
    if (value !== undefined) return { columns: [value, "u.id"], from };
    const column = sortColumns[field];
    return column === undefined
      ? undefined
      : { columns: [`u.${column}`, "u.id"], from, where: `u.${column} IS NOT NULL` };
  },
  compare(field, comparison) {
    const value = indexedFields[field];
    // `coalesce` keeps the planner from the index.
    const test = `coalesce(${value ?? textValue(field)}) ${comparison}`;
    return value === undefined ? { test } : { test, index: { from, test: `${value} ${comparison}` } };
  },
  contains(words) {
    const tests = words.map((word) => {
      const start = markedStart(word);
      if (start !== undefined) return `strpos(u.word_starts, ${quote(start)}) > 0`;
      return `(strpos(u.name_fold, ${quote(word)}) > 0 OR strpos(u.email_fold, ${quote(word)}) > 0)`;
    });
    const test = tests.join(" AND ");
    // Trigrams of control characters are not in the index.
    if (words.some((word) => markedStart(word) !== undefined)) return { test };
    const indexed = words.map((word) => `(${like("name_fold", word)} OR ${like("email_fold", word)})`);
    return { test, index: { from, test: indexed.join(" AND ") } };
  },
};

/** Statements are planned once. Parallel workers end with their statement: their CPU time would not count. */
const bareSettings = {
  plan_cache_mode: "force_generic_plan",
  max_parallel_workers_per_gather: "0",
  jit: "off",
};
/** Leave the planner an index in the order of the list. */
const scanSettings = { enable_seqscan: "off", enable_bitmapscan: "off", enable_sort: "off" };

/** Opens a store, and a connection for bare SQL with an index on each custom field, on the name and on the email. */
export async function openPostgresEngine(postgres: BenchPostgres): Promise<PlanEngine & AsyncDisposable> {
  await postgres.query("CREATE EXTENSION IF NOT EXISTS pg_trgm");
  for (const [field, value] of Object.entries(indexedFields)) {
    await postgres.query(`CREATE INDEX bare_${field} ON roster.users (${value}, id)`);
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
  const store = await openStore(parseDatabase(url), options, { committed: () => {} });
  const connect = (settings: Record<string, string>) =>
    new SQL(url, { max: 1, connection: { ...bareSettings, ...settings } });
  const connections = { scan: connect(scanSettings), index: connect({}) };
  // A parameter makes the driver prepare the statement.
  const rows = (connection: SQL, text: string): Promise<unknown[][]> =>
    connection.unsafe(`SELECT * FROM (${text}) d WHERE $1::text <> ''`, ["now"]).values();
  return {
    dialect,
    list: (query) => store.users.list(query),
    async run({ name, page, count }, limit) {
      const found = await rows(connections[name], page);
      const items = found.slice(0, limit).map(([json]) => Buffer.from(String(json)));
      const total =
        count === undefined
          ? undefined
          : { count: Number((await rows(connections.index, count))[0]?.[0]), capped: false };
      return { ...formatFoundPage({ items, next: undefined }, {}), total };
    },
    cpuMicros() {
      const { user, system } = process.cpuUsage();
      return user + system + readServerMicros(postgres.server.pid);
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      await Promise.all([connections.scan.close(), connections.index.close()]);
    },
  };
}

/** The CPU time of PostgreSQL's living processes, which have one thread each. More precise than /proc/PID/stat. */
function readServerMicros(postmaster: number): number {
  const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, "utf8").trim().split(" ");
  return children.reduce((sum, pid) => {
    const [nanoseconds = ""] = readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ");
    return sum + Number(nanoseconds) / 1000;
  }, 0);
}
