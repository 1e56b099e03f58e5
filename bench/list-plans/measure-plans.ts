import type { Page } from "../../src/domain/lists/listing.ts";
import type { MaybePromise } from "../../src/domain/maybe-promise.ts";
import type { UserListQuery } from "../../src/domain/users/user-list-fields.ts";
import { userQueries } from "../../src/http/query/user-queries.ts";
import { type BareDialect, type BarePlan, barePlans } from "./bare-list.ts";
import { bareKinds, listKinds, withLimit } from "./list-kinds.ts";

/** One engine with the sample users: Roster's lists, and bare SQL on the same database. */
export interface PlanEngine {
  readonly dialect: BareDialect;
  list(query: UserListQuery): MaybePromise<Page>;
  run(plan: BarePlan, limit: number): MaybePromise<Page>;
  /** CPU time so far, of this process and of the database's processes. */
  cpuMicros(): number;
}

/** CPU time per request of one kind, in µs. */
export interface PlanFigures {
  readonly name: string;
  readonly roster: number;
  readonly scan: number | undefined;
  readonly index: number | undefined;
  /** Roster compared with the better of both. */
  readonly ratio: number | undefined;
  /** Roster's page differs from the page of the scan. */
  readonly differs: boolean;
}

export interface PlanOptions {
  /** Batches of each plan. The lowest counts: others on the machine can only add to the time of a batch. */
  readonly rounds: number;
  /** The time of one batch. */
  readonly milliseconds: number;
}

const WARM_UP_MS = 100;
/** A plan that takes this much longer than the best one in the first round is not measured again. */
const HOPELESS = 3;

interface Subject {
  readonly name: "roster" | BarePlan["name"];
  readonly run: () => MaybePromise<Page>;
  readonly costs: number[];
}

/** Measures every kind of list: all plans of a kind in interleaved rounds. */
export async function measurePlans(engine: PlanEngine, options: PlanOptions): Promise<PlanFigures[]> {
  const figures: PlanFigures[] = [];
  // The first requests of a process compile the program.
  for (const kind of Object.values(listKinds)) {
    const query = userQueries.parse(withLimit(kind));
    await measureCost(engine, () => engine.list(query), WARM_UP_MS);
  }
  for (const [name, kind] of Object.entries(listKinds)) {
    figures.push(await measureKind(engine, name, withLimit(kind), options));
    if (process.stderr.isTTY)
      process.stderr.write(`\r${figures.length} of ${Object.keys(listKinds).length} kinds`);
  }
  if (process.stderr.isTTY) process.stderr.write("\n");
  return figures;
}

async function measureKind(
  engine: PlanEngine,
  name: string,
  queryString: string,
  { rounds, milliseconds }: PlanOptions,
): Promise<PlanFigures> {
  const query = userQueries.parse(queryString);
  const plans = barePlans(engine.dialect, queryString, bareKinds[name]) ?? [];
  const roster: Subject = { name: "roster", run: () => engine.list(query), costs: [] };
  const bare = plans.map(
    (plan): Subject => ({ name: plan.name, run: () => engine.run(plan, query.limit), costs: [] }),
  );
  let subjects = [roster, ...bare];
  for (let round = 0; round < rounds; round++) {
    for (let index = 0; index < subjects.length; index++) {
      const subject = subjects[(round + index) % subjects.length];
      subject?.costs.push(await measureCost(engine, subject.run, milliseconds));
    }
    if (round === 0) {
      const best = Math.min(...bare.map(costOf));
      subjects = subjects.filter((subject) => subject === roster || costOf(subject) <= HOPELESS * best);
    }
  }
  const cheapest = (plan: BarePlan["name"]) => {
    const costs = bare.filter((subject) => subject.name === plan).map(costOf);
    return costs.length > 0 ? Math.min(...costs) : undefined;
  };
  const better = Math.min(...bare.map(costOf));
  return {
    name,
    roster: costOf(roster),
    scan: cheapest("scan"),
    index: cheapest("index"),
    ratio: bare.length > 0 ? costOf(roster) / better : undefined,
    differs: bare[0] !== undefined && !isSamePage(await roster.run(), await bare[0].run()),
  };
}

function costOf({ costs }: Subject): number {
  return Math.min(...costs);
}

/** Repeats a list for a while. The first request is not measured: it prepares statements. */
async function measureCost(
  engine: PlanEngine,
  run: () => MaybePromise<Page>,
  milliseconds: number,
): Promise<number> {
  const warmUp = performance.now();
  await run();
  // A slow plan needs no second look.
  const isSlow = performance.now() - warmUp > milliseconds;
  const before = engine.cpuMicros();
  const end = performance.now() + (isSlow ? 0 : milliseconds);
  let requests = 0;
  do {
    const page = run();
    if (page instanceof Promise) await page;
    requests++;
  } while (performance.now() < end);
  return (engine.cpuMicros() - before) / requests;
}

function isSamePage(a: Page, b: Page): boolean {
  const isSameCount = a.total === undefined || a.total.capped || a.total.count === b.total?.count;
  return isSameCount && Buffer.from(a.body).equals(b.body);
}
