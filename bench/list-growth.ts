/**
 * CPU time of each kind of list among few and among many users of SQLite, whether its first page is full, and how long it holds
 * the event loop. `BENCH_DATABASE` is the path of a database of sample users to read instead of a seeded one.
 */

import type { Store } from "../src/domain/store.ts";
import { defaultRecordRules } from "../src/domain/users/record-rules.ts";
import type { UserListQuery } from "../src/domain/users/user-list-fields.ts";
import { userQueries } from "../src/http/query/user-queries.ts";
import { openSqliteStore } from "../src/store/sqlite/sqlite-store.ts";
import { listKinds, withLimit } from "./list-plans/list-kinds.ts";
import { readOptions } from "./support/options.ts";
import { knownValues } from "./support/sample-users.ts";
import { seededDatabase } from "./support/seeded-database.ts";
import { median } from "./support/statistics.ts";
import { print, verdict } from "./support/table.ts";

const TARGETS = { ratio: 3, pageMs: 300, heldMs: 5 } as const;
const HOLD_RUNS = 3;

const { numbers, json } = readOptions({ users: 10_000_000, base: 10_000, rounds: 5, milliseconds: 20 });
const { rounds, milliseconds } = numbers;

interface Growth {
  readonly name: string;
  /** CPU time per request of all threads, in µs. */
  readonly base: number;
  readonly large: number;
  readonly ratio: number;
  /** Time of the first request among many users, and the median of the others. */
  readonly firstMs: number;
  readonly pageMs: number;
  readonly heldMs: number;
  readonly size: number;
  /** The page is shorter than requested, although more users may follow. */
  readonly short: boolean;
}

const few = open(await seededDatabase(numbers.base));
const many = open(process.env.BENCH_DATABASE ?? (await seededDatabase(numbers.users)));
const { users } = await many.stats();
const kinds = Object.entries(listKinds(knownValues)).filter(([, query]) => !query.includes("count=true"));
// The first requests compile the program and start the threads.
for (const [, query] of kinds) await measureCpu(few, userQueries.parse(withLimit(query)));
const figures: Growth[] = [];
for (const [name, query] of kinds) figures.push(await measure(name, userQueries.parse(withLimit(query))));
await few.close();
await many.close();

print(json, { base: numbers.base, users, figures, targets: TARGETS }, [
  ["list", `${numbers.base} µs`, `${users} µs`, "ratio", "first ms", "page ms", "held ms", "users", ""],
  ...figures.map(({ name, base, large, ratio, firstMs, pageMs, heldMs, size, short }) => [
    name,
    ...[base, large].map((micros) => micros.toFixed(0)),
    ...[ratio, firstMs, pageMs, heldMs].map((value) => value.toFixed(1)),
    `${size}${short ? ", more follow" : ""}`,
    verdict(ratio <= TARGETS.ratio && pageMs <= TARGETS.pageMs && heldMs <= TARGETS.heldMs && !short),
  ]),
]);

function open(path: string): Store {
  const options = { path, batch: 1, queue: 1, waitMs: 60_000, recordRules: defaultRecordRules };
  return openSqliteStore(options, { committed: () => {} });
}

async function measure(name: string, query: UserListQuery): Promise<Growth> {
  const start = performance.now();
  const { size, next } = await many.users.list(query);
  const firstMs = performance.now() - start;
  const costs: { base: number[]; large: number[]; pageMs: number[] } = { base: [], large: [], pageMs: [] };
  for (let round = 0; round < rounds; round++) {
    costs.base.push((await measureCpu(few, query)).micros);
    const { micros, pageMs } = await measureCpu(many, query);
    costs.large.push(micros);
    costs.pageMs.push(pageMs);
  }
  const [base, large] = [median(costs.base), median(costs.large)];
  return {
    ...{ name, base, large, ratio: large / base, firstMs, pageMs: median(costs.pageMs), size },
    heldMs: await measureHold(query),
    short: size < query.limit && next !== undefined,
  };
}

/** Repeats a list for some time. */
async function measureCpu(store: Store, query: UserListQuery): Promise<{ micros: number; pageMs: number }> {
  const before = process.cpuUsage();
  const start = performance.now();
  let requests = 0;
  do {
    await store.users.list(query);
    requests++;
  } while (performance.now() < start + milliseconds);
  const { user, system } = process.cpuUsage(before);
  return { micros: (user + system) / requests, pageMs: (performance.now() - start) / requests };
}

/** The most CPU time of the main thread between two turns of the event loop: the least of some runs. */
async function measureHold(query: UserListQuery): Promise<number> {
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
    await many.users.list(query);
    look();
    clearInterval(timer);
    held.push(longest);
  }
  return Math.min(...held);
}
