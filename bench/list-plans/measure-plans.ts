import type { Page } from "../../src/domain/lists/listing.ts";
import type { MaybePromise } from "../../src/domain/maybe-promise.ts";
import type { UserListQuery } from "../../src/domain/users/user-list-fields.ts";
import { userQueries } from "../../src/http/query/user-queries.ts";
import { type BareDialect, type BareKind, type BarePlan, barePlans } from "./bare-list.ts";
import { describePlan, type PlanFinder } from "./plan-finder.ts";

/** One engine with users: Roster's lists, and bare SQL on the same database. */
export interface PlanEngine extends PlanFinder {
  readonly dialect: BareDialect;
  list(query: UserListQuery): MaybePromise<Page>;
  /** Prepares the statements of a bare plan. The returned function runs them. */
  prepare(plan: BarePlan, limit: number): () => MaybePromise<Page>;
  /** Returns a function that returns the CPU time since this call, of this process and of the database's processes. */
  startCpuMeter(): () => number;
}

/** A list to measure. */
export interface MeasuredList {
  readonly name: string;
  readonly query: string;
  /** What the query means in bare SQL, if it has a filter expression. */
  readonly bare?: BareKind | undefined;
}

/** CPU time per request of one list, in µs. */
export interface PlanFigures {
  readonly roster: number;
  /** Of a list whose plan Roster does not remember. Undefined if it was not measured. */
  readonly first: number | undefined;
  readonly scan: number | undefined;
  readonly index: number | undefined;
  /** Roster compared with the better of both. */
  readonly ratio: number | undefined;
  /** The plan that Roster remembers. Undefined if `first` was not measured. */
  readonly plan: string | undefined;
  /** Roster's page differs from the page of the scan. */
  readonly differs: boolean;
}

export interface PlanOptions {
  /** Batches of each plan. The lowest counts: others on the machine can only add to the time of a batch. */
  readonly rounds: number;
  /** The time of one batch. */
  readonly milliseconds: number;
  /** Whether to measure lists whose plan Roster does not remember, too. */
  readonly withFirst?: boolean;
}

const WARM_UP_MS = 100;
/** A plan that takes this much longer than the best one is not measured again. */
const HOPELESS = 3;
/** But one that takes less time than a batch is measured this often: others on the machine can make one batch slow. */
const TRIES = 3;
/** A list gets no more rounds after this many times the time that all its batches should take: its plans take longer than a batch. */
const MAX_OVERRUN = 3;

interface Subject {
  readonly name: "roster" | "first" | BarePlan["name"];
  readonly run: () => MaybePromise<Page>;
  readonly costs: number[];
}

/** Measures lists: all plans of a list in interleaved rounds. */
export async function measurePlans<List extends MeasuredList>(
  engine: PlanEngine,
  lists: readonly List[],
  options: PlanOptions,
): Promise<(List & PlanFigures)[]> {
  const figures: (List & PlanFigures)[] = [];
  // The first requests of a process compile the program.
  for (const list of lists) {
    const query = userQueries.parse(list.query);
    await measureCost(engine, () => engine.list(query), WARM_UP_MS);
  }
  for (const list of lists) {
    figures.push({ ...list, ...(await measureList(engine, list, options)) });
    if (process.stderr.isTTY) process.stderr.write(`\r${figures.length} of ${lists.length} lists`);
  }
  if (process.stderr.isTTY) process.stderr.write("\n");
  return figures;
}

async function measureList(
  engine: PlanEngine,
  list: MeasuredList,
  { rounds, milliseconds, withFirst = false }: PlanOptions,
): Promise<PlanFigures> {
  const query = userQueries.parse(list.query);
  const plans = barePlans(engine.dialect, list.query, list.bare) ?? [];
  const roster: Subject = { name: "roster", run: () => engine.list(query), costs: [] };
  const first: Subject = {
    name: "first",
    run: () => engine.listBy(engine.startFinder(), query),
    costs: [],
  };
  const bare = plans.map(
    (plan): Subject => ({ name: plan.name, run: engine.prepare(plan, query.limit), costs: [] }),
  );
  const own = withFirst ? [roster, first] : [roster];
  let subjects = [...own, ...bare];
  const end = performance.now() + MAX_OVERRUN * rounds * subjects.length * milliseconds;
  for (let round = 0; round < rounds && (round < TRIES || performance.now() < end); round++) {
    for (let index = 0; index < subjects.length; index++) {
      const subject = subjects[(round + index) % subjects.length];
      subject?.costs.push(await measureCost(engine, subject.run, milliseconds));
    }
    if (round < TRIES) {
      const best = Math.min(...bare.map(costOf));
      const isShort = (cost: number) => round + 1 < TRIES && cost < 1000 * milliseconds;
      subjects = subjects.filter(
        (subject) => own.includes(subject) || costOf(subject) <= HOPELESS * best || isShort(costOf(subject)),
      );
    }
  }
  const cheapest = (plan: BarePlan["name"]) => {
    const costs = bare.filter((subject) => subject.name === plan).map(costOf);
    return costs.length > 0 ? Math.min(...costs) : undefined;
  };
  const better = Math.min(...bare.map(costOf));
  return {
    roster: costOf(roster),
    first: withFirst ? costOf(first) : undefined,
    scan: cheapest("scan"),
    index: cheapest("index"),
    ratio: bare.length > 0 ? costOf(roster) / better : undefined,
    plan: withFirst ? await describePlan(engine, query) : undefined,
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
  const readMicros = engine.startCpuMeter();
  const end = performance.now() + (isSlow ? 0 : milliseconds);
  let requests = 0;
  do {
    const page = run();
    if (page instanceof Promise) await page;
    requests++;
  } while (performance.now() < end);
  return readMicros() / requests;
}

function isSamePage(a: Page, b: Page): boolean {
  const isSameCount = a.total === undefined || a.total.capped || a.total.count === b.total?.count;
  return isSameCount && Buffer.from(a.body).equals(b.body);
}
