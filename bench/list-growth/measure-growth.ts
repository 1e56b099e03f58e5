import type { Page } from "../../src/domain/lists/listing.ts";
import type { UserListQuery } from "../../src/domain/users/user-list-fields.ts";
import { userQueries } from "../../src/http/query/user-queries.ts";
import { describePlan } from "../list-plans/plan-finder.ts";
import { median, percentile } from "../support/statistics.ts";
import type { GrowthDatabase } from "./growth-database.ts";

/** The longest time for a first page. */
export const TARGET_MS = 300;

export interface GrowthOptions {
  /** Batches of each list on each database, in turn. */
  readonly rounds: number;
  /** The least time of a batch. */
  readonly milliseconds: number;
  /** The least requests of each list among many users. */
  readonly requests: number;
  /** The most time for these requests: a slow list gets fewer. */
  readonly seconds: number;
}

/** What one list costs among few and among many users. */
export interface ListGrowth {
  readonly name: string;
  /** CPU time per request, in µs. */
  readonly base: number;
  readonly large: number;
  readonly ratio: number;
  /** Times on the clock among many users: of the first request of all. */
  readonly coldMs: number;
  /** Of a list that Roster remembers nothing about. */
  readonly firstMs: number;
  /** Of a list whose plan Roster remembers. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly requests: number;
  /** How long the list holds the event loop. */
  readonly heldMs: number;
  readonly size: number;
  /** How many of the requests got a page that is shorter than requested, although more users may follow. */
  readonly short: number;
  readonly verdict: Verdict;
  /** Only of lists that miss the target. */
  readonly miss?: MissedList;
}

/** `unclear`: most requests meet the target, but some do not, which other work on the machine can cause. */
type Verdict = "met" | "unclear" | "MISSED";

/** What it takes to fill the page of a list by following its cursors. */
interface MissedList {
  readonly requests: number;
  readonly ms: number;
  readonly size: number;
  /** Whether the list ended, rather than the page being full or the time over. */
  readonly isEnd: boolean;
  readonly plan: string;
}

/** A batch has at least so many requests, however slow. */
const MIN_REQUESTS = 2;
const FIRST_REQUESTS = 5;
const HOLD_RUNS = 3;
const WARM_UP_MS = 50;
/** The longest time to fill a page by its cursors. */
const FILL_MS = 60_000;

/** Measures lists one after another, each on both databases in turn. */
export async function measureGrowth(
  base: GrowthDatabase,
  large: GrowthDatabase,
  lists: Readonly<Record<string, string>>,
  options: GrowthOptions,
): Promise<ListGrowth[]> {
  const queries = Object.entries(lists).map(([name, query]) => [name, userQueries.parse(query)] as const);
  // The first requests of a process compile the program.
  for (const [, query] of queries)
    await repeat(base, query, { least: 1, requests: 1, milliseconds: WARM_UP_MS, mostMs: WARM_UP_MS });
  const figures: ListGrowth[] = [];
  for (const [name, query] of queries) {
    figures.push(await measureList({ name, query, base, large }, options));
    if (process.stderr.isTTY) process.stderr.write(`\r${figures.length} of ${queries.length} lists`);
  }
  if (process.stderr.isTTY) process.stderr.write("\n");
  return figures;
}

interface Subject {
  readonly name: string;
  readonly query: UserListQuery;
  readonly base: GrowthDatabase;
  readonly large: GrowthDatabase;
}

async function measureList(
  { name, query: named, base, large }: Subject,
  { rounds, milliseconds, requests, seconds }: GrowthOptions,
): Promise<ListGrowth> {
  // Roster keeps the first pages of lists that have a name. Without one, it finds the page each time.
  const query = { ...named, name: undefined };
  const { ms: coldMs } = await time(large, { ...named, name: `${name}, cold` });
  const firstMs: number[] = [];
  for (let request = 0; request < FIRST_REQUESTS; request++)
    firstMs.push((await time(large, { ...named, name: `${name}, ${request}` })).ms);
  const timesMs: number[] = [];
  let [size, short] = [0, 0];
  const micros: { base: number[]; large: number[] } = { base: [], large: [] };
  const batch = {
    ...{ least: MIN_REQUESTS, requests: Math.ceil(requests / rounds) },
    ...{ milliseconds, mostMs: (1000 * seconds) / rounds },
  };
  for (let round = 0; round < rounds; round++) {
    micros.base.push((await repeat(base, query, batch)).micros);
    const measured = await repeat(large, query, batch);
    micros.large.push(measured.micros);
    timesMs.push(...measured.timesMs);
    size = measured.page.size;
    short += measured.short;
  }
  const costs = { base: median(micros.base), large: median(micros.large) };
  const times = {
    ...{ coldMs, firstMs: median(firstMs) },
    ...{ p50Ms: percentile(timesMs, 0.5), p99Ms: percentile(timesMs, 0.99) },
  };
  const verdict = judge(short / timesMs.length, times);
  return {
    ...{ name, ...costs, ratio: costs.large / costs.base, ...times, requests: timesMs.length },
    ...{ heldMs: await measureHold(large, query), size, short, verdict },
    ...(verdict === "MISSED" && { miss: await fillPage(large, query) }),
  };
}

function judge(
  shortShare: number,
  { firstMs, p50Ms, p99Ms }: Pick<ListGrowth, "firstMs" | "p50Ms" | "p99Ms">,
): Verdict {
  if (shortShare > 0.5 || Math.max(firstMs, p50Ms) > TARGET_MS) return "MISSED";
  return shortShare === 0 && p99Ms <= TARGET_MS ? "met" : "unclear";
}

async function time({ store }: GrowthDatabase, query: UserListQuery): Promise<{ page: Page; ms: number }> {
  const start = performance.now();
  const found = store.users.list(query);
  const page = found instanceof Promise ? await found : found;
  return { page, ms: performance.now() - start };
}

interface Batch {
  /** The least requests, however slow. */
  readonly least: number;
  /** The least requests, and the least time, unless `mostMs` have passed. */
  readonly requests: number;
  readonly milliseconds: number;
  readonly mostMs: number;
}

interface Repeated {
  /** CPU time per request. */
  readonly micros: number;
  readonly timesMs: number[];
  /** The last page. */
  readonly page: Page;
  readonly short: number;
}

/** Repeats a list. */
async function repeat(
  database: GrowthDatabase,
  query: UserListQuery,
  { least, requests, milliseconds, mostMs }: Batch,
): Promise<Repeated> {
  const timesMs: number[] = [];
  let short = 0;
  const readMicros = database.startCpuMeter();
  const start = performance.now();
  for (;;) {
    const { page, ms } = await time(database, query);
    timesMs.push(ms);
    if (page.size < query.limit && page.next !== undefined) short++;
    const count = timesMs.length;
    const passed = performance.now() - start;
    if (count >= least && (passed >= mostMs || (count >= requests && passed >= milliseconds)))
      return { micros: readMicros() / count, timesMs, page, short };
  }
}

/** The most CPU time of the main thread between two turns of the event loop: the least of some runs. */
async function measureHold({ store }: GrowthDatabase, query: UserListQuery): Promise<number> {
  const held: number[] = [];
  for (let run = 0; run < HOLD_RUNS; run++) {
    let longest = 0;
    let last = process.threadCpuUsage();
    const look = () => {
      const { user, system } = process.threadCpuUsage(last);
      longest = Math.max(longest, (user + system) / 1000);
      last = process.threadCpuUsage();
    };
    const timer = setInterval(look, 1);
    await store.users.list(query);
    look();
    clearInterval(timer);
    held.push(longest);
  }
  return Math.min(...held);
}

/** Follows the cursors of a list until its page is full. */
async function fillPage(database: GrowthDatabase, query: UserListQuery): Promise<MissedList> {
  const start = performance.now();
  let { page } = await time(database, query);
  let { size } = page;
  let requests = 1;
  while (page.next && size < query.limit && performance.now() < start + FILL_MS) {
    const rest = { from: page.next, offset: 0, limit: query.limit - size, count: false };
    ({ page } = await time(database, { ...query, ...rest }));
    size += page.size;
    requests++;
  }
  const ms = performance.now() - start;
  return { requests, ms, size, isEnd: !page.next, plan: await describePlan(database.finder, query) };
}
