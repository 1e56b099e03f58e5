import { afterAll, beforeAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { parseDatabase } from "../../src/config/database-url.ts";
import { defaultRecordRules } from "../../src/domain/users/record-rules.ts";
import { userQueries } from "../../src/http/query/user-queries.ts";
import { countFieldValues, findFields, findFieldValues } from "../../src/store/lists/field-values.ts";
import { PageFinder, requirePage } from "../../src/store/lists/plans/page-finder.ts";
import { openStore } from "../../src/store/open-store.ts";
import { listPlanSettings } from "../../src/store/postgres/connection-pools.ts";
import { postgresDialect } from "../../src/store/postgres/dialect.ts";
import { postgresTables } from "../../src/store/postgres/table-dialect.ts";
import { runStepsAsync, type SqlSteps } from "../../src/store/sql/sql-steps.ts";
import { userList } from "../../src/store/users/user-list.ts";
import {
  type FreshDatabase,
  freshDatabase,
  startPostgresBeforeTests,
} from "../support/postgres/fresh-database.ts";
import { eventQueries } from "./support/event-queries.ts";
import { planExpressions } from "./support/plan-expressions.ts";

startPostgresBeforeTests();

interface PlanNode {
  readonly Filter?: string;
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Index Cond"?: string;
  readonly Strategy?: string;
  readonly Plans?: readonly PlanNode[];
}

let database: FreshDatabase;
let sql: SQL;
/** Every statement of every list of events. */
const eventStatements = new Set<string>();
/** Every statement of every list. Which ones a list needs depends on the users, not on the statistics of the planner. */
const statements = new Set<string>();

beforeAll(async () => {
  database = await freshDatabase();
  const options = { batch: 500, queue: 10_000, waitMs: 60_000, recordRules: defaultRecordRules };
  const store = await openStore(
    parseDatabase(database.url),
    { ...options, pool: 3, dedicatedSessions: true, migrate: true },
    { committed() {} },
  );
  const records = Array.from({ length: 3000 }, (_, i) => ({
    name: `Ada Lovelace ${i % 50}`,
    ...(i % 3 > 0 && { email: `ada${i}@example.com` }),
    team: i % 2,
    site: i % 7 === 0 ? "a" : "b",
    ...(i % 5 === 0 && { tags: ["a", "b", i] }),
    // Too many elements for the index.
    ...(i === 7 && { tags: Array.from({ length: 300 }, (_, element) => element) }),
  }));
  await Promise.all(records.map((record) => store.users.create({ record })));
  for (const [name, size] of [["Many", 1000] as const, ["Few", 10] as const]) {
    const { outcome } = await store.groups.create({ record: { name } });
    const id = "group" in outcome ? outcome.group.id : 0;
    await store.groups.patchMembers(id, { add: Array.from({ length: size }, (_, i) => i + 1), remove: [] });
  }
  await store.close();
  sql = new SQL(database.url, { max: 1, connection: { ...listPlanSettings } });
});
afterAll(async () => {
  await sql.close({ timeout: 1 });
  await database.drop();
});

const filters = [
  "",
  "team=1",
  "team=1&site=a",
  "team=0&team=1",
  "tags=a",
  "tags=a&tags=7&site=a",
  "q=love",
  "q=lo",
  "q=love+ada",
  "q=ada&team=1",
  "id=1&id=9",
].concat([
  "email=ada7@example.com",
  "name=ada+lovelace+7",
  "name=a&name=b",
  "version=1&site=b",
  "version=1&version=2",
  "group=1",
  "group=2&group=1",
  "group=1&team=1",
  "group=1&q=love",
  "group=1&q=love&site=a",
  `group=1&filter=${encodeURIComponent("not (groups eq 2) and team ge 1")}`,
]);
const expressions = planExpressions.map((expression) => `filter=${encodeURIComponent(expression)}`);
/** Each filter in each order, and expressions in fewer orders. */
const lists = [
  ...["id", "-name", "email", "-email", "-updatedAt"].flatMap((sort) =>
    filters.map((filter) => ({ sort, filter })),
  ),
  { sort: "-id", filter: "group=1" },
  ...["id", "-name", "team"].flatMap((sort) => expressions.map((filter) => ({ sort, filter }))),
];

/** Runs steps, and keeps their statements. */
function run<T>(steps: SqlSteps<T>, kept = statements): Promise<T> {
  return runStepsAsync(steps, ({ text, values }) => {
    let count = 0;
    const numbered = text.replace(/\?/g, () => `$${++count}`);
    kept.add(numbered);
    return sql
      .unsafe(
        numbered,
        values.map((value) => (value === null ? null : String(value))),
      )
      .values();
  });
}

beforeAll(async () => {
  for (const { sort, filter } of lists) {
    for (const maxCandidates of [50, 10_000]) {
      const finder = new PageFinder(postgresDialect(maxCandidates), userList);
      const query = userQueries.parse(`sort=${sort}&limit=5&${filter}`);
      const { next } = requirePage(await run(finder.find(query)));
      await run(finder.findAtOnce(query));
      for (const offset of [40, 300]) await run(finder.find({ ...query, offset }));
      if (next) {
        await run(finder.find({ ...query, from: next }));
        await run(finder.findAtOnce({ ...query, from: next }));
      }
      if (filter) await run(finder.countRound(query, undefined));
      await run(finder.explain(query));
    }
  }
  for (const query of eventQueries) {
    await run(postgresTables.events.read(query), eventStatements);
    await run(postgresTables.events.readLines(query), eventStatements);
  }
  await run(findFields(postgresDialect(50), userList.customValues));
  for (const prefix of ["", "a"]) {
    await run(findFieldValues(postgresDialect(50), userList.customValues, "site", prefix));
    await run(countFieldValues(postgresDialect(50), userList.customValues, "site", prefix));
  }
}, 120_000);

for (const analyzed of [false, true]) {
  test(`every list uses indexes, ${analyzed ? "with" : "without"} planner statistics`, async () => {
    if (analyzed) await sql.unsafe("ANALYZE");
    expect(statements.size).toBeGreaterThan(150);
    for (const text of statements) {
      const unbounded = findUnbounded(await genericPlan(text));
      expect({ text, unbounded }).toEqual({ text, unbounded: [] });
    }
  }, 120_000);
}

test("every list of events reads them by an index, with planner statistics", async () => {
  await sql.unsafe("ANALYZE");
  expect(eventStatements.size).toBeGreaterThan(eventQueries.length);
  for (const text of eventStatements) {
    const nodes = allNodes(await genericPlan(text));
    const ofEvents = nodes.filter((node) => node["Relation Name"] === "events");
    const kinds = ofEvents.map((node) => node["Node Type"]);
    expect({ text, kinds }).toEqual({ text, kinds: expect.not.arrayContaining(["Seq Scan"]) });
    // The events of one subject are few.
    const sorts = text.includes("subject_id =") ? [] : nodes.filter((node) => /Sort/.test(node["Node Type"]));
    expect({ text, sorts }).toEqual({ text, sorts: [] });
  }
}, 60_000);

function allNodes(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(allNodes)];
}

/** The plan that a prepared statement reuses for all values. PostgreSQL 15 has no EXPLAIN (GENERIC_PLAN). */
async function genericPlan(text: string): Promise<PlanNode> {
  const values = Array.from(new Set(text.match(/\$\d+/g)), () => "NULL").join(", ");
  await sql.unsafe(`SET plan_cache_mode = force_generic_plan; PREPARE listed AS ${text}`).simple();
  const [row] = await sql.unsafe(`EXPLAIN (FORMAT JSON) EXECUTE listed${values && `(${values})`}`).values();
  await sql.unsafe("DEALLOCATE listed; RESET plan_cache_mode").simple();
  return parsePlan(row?.[0]);
}

function parsePlan(explained: unknown): PlanNode {
  const [{ Plan }] = typeof explained === "string" ? JSON.parse(explained) : explained;
  return Plan;
}

/** The nodes of a plan that could read or sort an unbounded number of rows. */
function findUnbounded(node: PlanNode): string[] {
  const kind = node["Node Type"];
  const index = node["Index Name"] ?? "";
  const below = (node.Plans ?? []).flatMap((child) => findUnbounded(child));
  const isUnbounded =
    (kind === "Seq Scan" && node["Relation Name"] !== undefined) ||
    /Hash|Merge Join|Gather/.test(kind) ||
    // Each row is fetched once: to keep them all takes time and memory.
    kind === "Memoize" ||
    // Reads all rows of the subquery to test one.
    /hashed SubPlan/.test(node.Filter ?? "") ||
    (kind === "Bitmap Index Scan" &&
      index !== "user_search_keys" &&
      !isEqualityLookup(node) &&
      !isIdRange(node)) ||
    (kind === "Aggregate" && node.Strategy === "Hashed" && !readsFirstRows(node) && !readsCandidates(node)) ||
    (kind === "Sort" && !isBoundedSort(node));
  return isUnbounded ? [`${kind} ${index || (node["Relation Name"] ?? "")}`, ...below] : below;
}

/** The index condition has no range. */
function isEqualityLookup(node: PlanNode): boolean {
  return !/[<>]/.test(node["Index Cond"] ?? "");
}

/** A range of ids has at most as many rows, and a group at most as many members. */
function isIdRange(node: PlanNode): boolean {
  return (
    ["users_pkey", "memberships_pkey"].includes(node["Index Name"] ?? "") &&
    /id >/.test(node["Index Cond"] ?? "") &&
    /id <=/.test(node["Index Cond"] ?? "")
  );
}

/** The ids of candidates from several lists, each once: a list has counted them before. */
function readsCandidates(node: PlanNode): boolean {
  return node.Plans?.[0]?.["Node Type"] === "Append";
}

/** A LIMIT bounds the rows of the node. */
function readsFirstRows(node: PlanNode): boolean {
  const [child] = node.Plans ?? [];
  return (
    child?.["Node Type"] === "Limit" || (child?.["Node Type"] === "Subquery Scan" && readsFirstRows(child))
  );
}

/** Sorts one block of a search, users found by id or email, the candidates from one index, the steps of a skip scan, the first rows, or one of these again. */
function isBoundedSort(node: PlanNode): boolean {
  // The plan of a CTE comes before the node that reads it.
  const child = node.Plans?.at(-1);
  if (!child) return false;
  const kind = child["Node Type"];
  return (
    kind === "Bitmap Heap Scan" ||
    kind === "Nested Loop" ||
    kind === "CTE Scan" ||
    readsFirstRows(node) ||
    (kind === "Sort" && isBoundedSort(child)) ||
    (kind === "Subquery Scan" && isBoundedSort(child)) ||
    (/Index/.test(kind) && ["users_email", "users_pkey"].includes(child["Index Name"] ?? ""))
  );
}
