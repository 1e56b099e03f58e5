import { followedLists, listKinds, withLimit } from "../list-plans/list-kinds.ts";
import type { ChildServer } from "./child-server.ts";
import type { LoadReport } from "./load-report.ts";
import { runLoad } from "./run-load.ts";
import { knownValues } from "./sample-users.ts";
import { percentile } from "./statistics.ts";
import { print, table } from "./table.ts";

const kinds = listKinds(knownValues);
const SLOW_MS = 200;
const PAGES = 20;

export interface ListOptions {
  readonly users: number;
  /** The number of requests for each list. */
  readonly times: number;
  /** How long each concurrent read lasts. */
  readonly seconds: number;
  /** The number of slowest lists to read next to. */
  readonly slowest: number;
}

function listPath(query: string): string {
  return `/api/users?${withLimit(query)}`;
}

interface Timing {
  readonly name: string;
  readonly query: string;
  readonly firstMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly errors: number;
}

async function timeList({ url }: ChildServer, name: string, query: string, times: number): Promise<Timing> {
  const report = await runLoad({ url, kinds: [listPath(query)], connections: 1, requests: times });
  return { name, query, ...report };
}

/** Times each page while following the Link header. */
async function timePages({ url }: ChildServer, name: string, query: string): Promise<Timing> {
  const timesMs: number[] = [];
  let errors = 0;
  let path: string | undefined = listPath(query);
  while (path !== undefined && timesMs.length < PAGES) {
    const start = performance.now();
    const response: Response = await fetch(url + path);
    await response.text();
    timesMs.push(performance.now() - start);
    if (response.status !== 200) errors++;
    path = /<(?:https?:\/\/[^/>]+)?([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
  }
  const [firstMs = Number.NaN] = timesMs;
  const at = (share: number) => percentile(timesMs, share);
  return { name, query, firstMs, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1), errors };
}

interface ConcurrentRead extends LoadReport {
  readonly caller: string;
  readonly otherList: string;
}

/** Requests that a slow list of another caller must not delay. */
function concurrentRequests(users: number): readonly (readonly [caller: string, kind: string])[] {
  return [
    ["one user", `one:${users}`],
    ["a short list", listPath(kinds["filter: rare"] ?? "")],
  ];
}

/** Repeats a request while another caller repeats the list. */
async function timeConcurrentRead(
  { url }: ChildServer,
  [caller, kind]: readonly [string, string],
  seconds: number,
  otherList: string,
  query?: string,
): Promise<ConcurrentRead> {
  const lists =
    query === undefined
      ? undefined
      : runLoad({ url, kinds: [listPath(query)], connections: 1, seconds: seconds + 1 });
  if (lists) await Bun.sleep(500);
  const report = await runLoad({ url, kinds: [kind], connections: 1, seconds });
  const errors = report.errors + ((await lists)?.errors ?? 0);
  return { caller, otherList, ...report, errors };
}

/** Times each kind of list and concurrent reads, prints both, and sets the exit code. */
export async function measureLists(service: ChildServer, options: ListOptions, json: boolean): Promise<void> {
  const { users, times, seconds, slowest } = options;
  const timings: Timing[] = [];
  for (const [name, query] of Object.entries(kinds))
    timings.push(await timeList(service, name, query, times));
  for (const [name, query] of Object.entries(followedLists(knownValues)))
    timings.push(await timePages(service, name, query));

  const heaviest = timings
    .filter(({ name }) => name in kinds)
    .sort((a, b) => b.p50Ms - a.p50Ms)
    .slice(0, slowest);
  const concurrentReads: ConcurrentRead[] = [];
  for (const caller of concurrentRequests(users)) {
    concurrentReads.push(await timeConcurrentRead(service, caller, seconds, "no other list"));
    for (const { name, query } of heaviest)
      concurrentReads.push(await timeConcurrentRead(service, caller, seconds, name, query));
    concurrentReads.push(await timeConcurrentRead(service, caller, seconds, "no other list, again"));
  }
  printLists(options, timings, concurrentReads, json);
  process.exitCode = [...timings, ...concurrentReads].some(({ errors }) => errors > 0) ? 1 : 0;
}

function printLists(
  { users, times }: ListOptions,
  timings: readonly Timing[],
  concurrentReads: readonly ConcurrentRead[],
  json: boolean,
): void {
  const slow = timings.filter(({ maxMs }) => maxMs > SLOW_MS).map(({ name }) => name);
  print(json, { users, times, timings, concurrentReads, slowMs: SLOW_MS, slow }, [
    ["list", "first ms", "p50 ms", "p99 ms", "max ms", "errors"],
    ...timings.map(({ name, firstMs, p50Ms, p99Ms, maxMs, errors }) => [
      name,
      ...[firstMs, p50Ms, p99Ms, maxMs].map((ms) => ms.toFixed(1)),
      String(errors),
    ]),
  ]);
  if (!json) {
    const rows = concurrentReads.map(({ caller, otherList, requests, p50Ms, p99Ms, maxMs }) => [
      caller,
      otherList,
      String(requests),
      ...[p50Ms, p99Ms, maxMs].map((ms) => ms.toFixed(2)),
    ]);
    const heading = ["caller", "while this runs", "requests", "p50 ms", "p99 ms", "max ms"];
    console.log(`\n${table([heading, ...rows])}`);
    console.log(`\nover ${SLOW_MS} ms: ${slow.join("; ") || "none"}`);
  }
}
