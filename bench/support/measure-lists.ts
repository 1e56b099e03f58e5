import { followed, listKinds } from "../list-kinds.ts";
import type { ChildServer } from "./child-server.ts";
import { type LoadReport, runLoad } from "./run-load.ts";
import { percentile } from "./statistics.ts";
import { print, table } from "./table.ts";

const SLOW_MS = 200;
const PAGES = 20;

export interface ListOptions {
  readonly users: number;
  /** How often each list is asked for. */
  readonly times: number;
  /** How long each caller asks who is not to wait. */
  readonly seconds: number;
  /** Beside how many of the slowest lists. */
  readonly slowest: number;
}

/** A page of 20, unless the query says otherwise. */
function pathOf(query: string): string {
  return `/api/users?${/(^|&)limit=/.test(query) ? "" : "limit=20&"}${query}`.replace(/[?&]$/, "");
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
  const report = await runLoad({ url, kinds: [pathOf(query)], connections: 1, requests: times });
  return { name, query, ...report };
}

/** Each page's time, following the Link header from the first. */
async function timePages({ url }: ChildServer, name: string, query: string): Promise<Timing> {
  const taken: number[] = [];
  let errors = 0;
  let path: string | undefined = pathOf(query);
  while (path !== undefined && taken.length < PAGES) {
    const start = performance.now();
    const response: Response = await fetch(url + path);
    await response.text();
    taken.push(performance.now() - start);
    if (response.status !== 200) errors++;
    path = /<([^>]*)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
  }
  const [firstMs = Number.NaN] = taken;
  const at = (share: number) => percentile(taken, share);
  return { name, query, firstMs, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1), errors };
}

interface Company extends LoadReport {
  readonly caller: string;
  readonly meanwhile: string;
}

/** What callers ask who are not to wait for another's list. */
function callersAmong(users: number): readonly (readonly [caller: string, kind: string])[] {
  return [
    ["one user", `one:${users}`],
    ["a short list", pathOf(listKinds["filter: rare"] ?? "")],
  ];
}

/** One caller asks again and again, while another does the same with the list. */
async function timeCompany(
  { url }: ChildServer,
  [caller, kind]: readonly [string, string],
  seconds: number,
  meanwhile: string,
  query?: string,
): Promise<Company> {
  const lists =
    query === undefined
      ? undefined
      : runLoad({ url, kinds: [pathOf(query)], connections: 1, seconds: seconds + 1 });
  if (lists) await Bun.sleep(500);
  const report = await runLoad({ url, kinds: [kind], connections: 1, seconds });
  const errors = report.errors + ((await lists)?.errors ?? 0);
  return { caller, meanwhile, ...report, errors };
}

/** How long each kind of list takes, and whether anybody else waits for it: printed, with the status to end with. */
export async function measureLists(service: ChildServer, options: ListOptions, json: boolean): Promise<void> {
  const { users, times, seconds, slowest } = options;
  const timings: Timing[] = [];
  for (const [name, query] of Object.entries(listKinds))
    timings.push(await timeList(service, name, query, times));
  for (const [name, query] of Object.entries(followed)) timings.push(await timePages(service, name, query));

  const heaviest = timings
    .filter(({ name }) => name in listKinds)
    .sort((a, b) => b.p50Ms - a.p50Ms)
    .slice(0, slowest);
  const company: Company[] = [];
  for (const caller of callersAmong(users)) {
    company.push(await timeCompany(service, caller, seconds, "nothing else"));
    for (const { name, query } of heaviest)
      company.push(await timeCompany(service, caller, seconds, name, query));
    company.push(await timeCompany(service, caller, seconds, "nothing else, again"));
  }
  printLists(options, timings, company, json);
  process.exitCode = [...timings, ...company].some(({ errors }) => errors > 0) ? 1 : 0;
}

function printLists(
  { users, times }: ListOptions,
  timings: readonly Timing[],
  company: readonly Company[],
  json: boolean,
): void {
  const slow = timings.filter(({ maxMs }) => maxMs > SLOW_MS).map(({ name }) => name);
  print(json, { users, times, timings, company, slowMs: SLOW_MS, slow }, [
    ["list", "first ms", "p50 ms", "p99 ms", "max ms", "errors"],
    ...timings.map(({ name, firstMs, p50Ms, p99Ms, maxMs, errors }) => [
      name,
      ...[firstMs, p50Ms, p99Ms, maxMs].map((ms) => ms.toFixed(1)),
      String(errors),
    ]),
  ]);
  if (!json) {
    const rows = company.map(({ caller, meanwhile, requests, p50Ms, p99Ms, maxMs }) => [
      caller,
      meanwhile,
      String(requests),
      ...[p50Ms, p99Ms, maxMs].map((ms) => ms.toFixed(2)),
    ]);
    const heading = ["caller", "while this runs", "requests", "p50 ms", "p99 ms", "max ms"];
    console.log(`\n${table([heading, ...rows])}`);
    console.log(`\nover ${SLOW_MS} ms: ${slow.join("; ") || "none"}`);
  }
}
