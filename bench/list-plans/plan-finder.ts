import type { Database } from "bun:sqlite";
import { userRecordFields } from "../../src/contract/users/user-fields.ts";
import {
  formatFoundPage,
  formatFoundPageInTurns,
  type ListQuery,
  type Page,
} from "../../src/domain/lists/listing.ts";
import type { MaybePromise } from "../../src/domain/maybe-promise.ts";
import type { UserListQuery } from "../../src/domain/users/user-list-fields.ts";
import { listResources } from "../../src/store/list-resources.ts";
import { DEFAULT_MAX_CANDIDATES } from "../../src/store/lists/dialect.ts";
import { fillPage } from "../../src/store/lists/fill-page.ts";
import type { Plan } from "../../src/store/lists/plans/choose-plan.ts";
import { PageFinder, requirePage } from "../../src/store/lists/plans/page-finder.ts";
import type { Connections, ReadOrigin } from "../../src/store/postgres/connections.ts";
import { postgresDialect } from "../../src/store/postgres/dialect.ts";
import { runInSnapshot } from "../../src/store/postgres/snapshot.ts";
import { sqliteDialect } from "../../src/store/sqlite/dialect.ts";
import type { Reader } from "../../src/store/sqlite/reader.ts";

/** Finds pages by page finders whose memory starts empty, and whose plans can be read. */
export interface PlanFinder {
  /** A page finder that knows nothing about lists. */
  startFinder(): PageFinder;
  /** A list without a count, as this finder finds it. Its statements stay prepared. */
  listBy(finder: PageFinder, query: UserListQuery): MaybePromise<Page>;
}

/** Like `ListReader.page`, with any finder. The reader has to use this connection. */
export function sqlitePlanFinder(db: Database, reader: Reader): PlanFinder {
  const dialect = sqliteDialect(DEFAULT_MAX_CANDIDATES);
  const begin = db.prepare("BEGIN");
  const commit = db.prepare("COMMIT");
  const pageBy = (finder: PageFinder, query: ListQuery): Page => {
    begin.run();
    const found = reader.run(finder.find(query));
    commit.run();
    return formatFoundPage(requirePage(found), query, userRecordFields);
  };
  return {
    startFinder: () => new PageFinder(dialect, listResources.users),
    listBy: (finder, query) => fillPage(query, (part) => pageBy(finder, part)),
  };
}

/** Like `PostgresListReads.page`, with any finder. */
export function postgresPlanFinder(connections: Connections): PlanFinder {
  const dialect = postgresDialect(DEFAULT_MAX_CANDIDATES);
  const pageBy = async (finder: PageFinder, query: ListQuery): Promise<Page> => {
    const origin: ReadOrigin = { since: connections.clock.running() };
    const find = () => finder.find(query);
    const found = await connections.withReserved((sql) => runInSnapshot(sql, true, find(), origin), origin);
    return await formatFoundPageInTurns(requirePage(found), query, userRecordFields);
  };
  return {
    startFinder: () => new PageFinder(dialect, listResources.users),
    listBy: (finder, query) => fillPage(query, (part) => pageBy(finder, part)),
  };
}

/** The plan that finds the page, and what it is expected to read. */
export async function describePlan(engine: PlanFinder, query: UserListQuery): Promise<string> {
  const finder = engine.startFinder();
  await engine.listBy(finder, query);
  const work = finder.planOf(query);
  return work ? `${formatPlan(work.plan)} of ${Math.ceil(work.reads)}` : "all";
}

function formatPlan(plan: Plan): string {
  if (plan.kind === "walk") return plan.within ? "walk within an index" : "walk";
  return plan.condition.parts ? `${plan.kind} (intersection)` : plan.kind;
}
