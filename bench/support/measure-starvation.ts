import type { Scope } from "../../src/contract/keys/key.ts";
import { createSecret } from "../../src/contract/keys/key-secret.ts";
import { type BusyReport, startBusyCaller } from "./busy-caller.ts";
import { expensiveRequests, formatRequest } from "./expensive-requests.ts";
import { readTreeCpuSeconds } from "./process-usage.ts";
import { interleave } from "./rounds.ts";
import { ScratchFolder } from "./scratch-folder.ts";
import { median } from "./statistics.ts";
import { type ReadTimes, timeSteadyReads } from "./steady-reader.ts";
import { print, verdict } from "./table.ts";
import { startWatchedService, type WatchedService } from "./watched-service.ts";

/** CPU time of the longest turn of the event loop, and the other caller's p99. */
const TARGETS = { turnMs: 10, p99Ms: 50 } as const;
/** The other caller's reads per second: well below its rate limit. */
const READS_PER_SECOND = 50;
const NOTHING = "nothing";
const scopes: readonly Scope[] = ["users:read", "users:write", "events:read", "schema:manage"];

interface Options {
  readonly users: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
}

interface Round extends ReadTimes {
  readonly longestTurnMs: number;
  /** The CPU time of the service per request of the busy caller, in all threads. */
  readonly cpuMs: number;
  readonly statuses: BusyReport;
}

/** Measures a caller that reads one user at a time, alone and beside a caller that sends each kind of expensive request. */
export async function measureStarvation(database: string, options: Options, json: boolean): Promise<void> {
  const { users, rounds, seconds } = options;
  using folder = new ScratchFolder();
  const manager = createSecret();
  const env = { ROSTER_API_KEY: manager };
  await using service = await startWatchedService(database, folder, [], env);
  const readKey = await createKey(service, manager);
  const subjects = [NOTHING, ...Object.keys(expensiveRequests)];
  const run = async (kind: string): Promise<Round> => {
    // A new key has its whole rate limit.
    const key = await createKey(service, manager);
    const { host } = new URL(service.url);
    const requests = (expensiveRequests[kind] ?? []).map((request) => formatRequest(request, host, key));
    await service.takeLongestTurn();
    const before = readTreeCpuSeconds(service.pid);
    const busy =
      kind === NOTHING ? undefined : await startBusyCaller(service.url, requests, options.connections);
    const times = await timeSteadyReads(service.url, readKey, users, READS_PER_SECOND, seconds);
    const statuses = (await busy?.stop()) ?? {};
    const cpuSeconds = readTreeCpuSeconds(service.pid) - before;
    const served = Object.values(statuses).reduce((sum, count) => sum + count, 0);
    const longestTurnMs = await service.takeLongestTurn();
    return { ...times, longestTurnMs, cpuMs: (cpuSeconds * 1000) / served, statuses };
  };
  // The first requests compile the program.
  for (const kind of subjects) await run(kind);
  const results = await interleave(subjects, rounds, run);
  const figures = [...results].map(([kind, found]) => {
    const medianOf = (figure: (round: Round) => number) => median(found.map(figure));
    const [p50Ms, p99Ms] = [medianOf((round) => round.p50Ms), medianOf((round) => round.p99Ms)];
    // A garbage collection adds to some rounds. A stall comes back in each of them.
    const longestTurnMs = Math.min(...found.map((round) => round.longestTurnMs));
    const medianTurnMs = medianOf((round) => round.longestTurnMs);
    return {
      kind,
      ...{ p50Ms, p99Ms, longestTurnMs, medianTurnMs, cpuMs: medianOf(({ cpuMs }) => cpuMs) },
      errors: found.reduce((sum, { errors }) => sum + errors, 0),
      statuses: found.at(-1)?.statuses ?? {},
      met: longestTurnMs <= TARGETS.turnMs && p99Ms <= TARGETS.p99Ms,
    };
  });
  print(json, { ...options, figures, targets: TARGETS }, [
    [
      "beside",
      "p50 ms",
      "p99 ms",
      "turn ms",
      "median",
      "CPU ms/request",
      "statuses of the last run",
      "",
      "errors",
    ],
    ...figures.map(({ kind, p50Ms, p99Ms, longestTurnMs, medianTurnMs, cpuMs, statuses, met, errors }) => [
      kind,
      ...[p50Ms, p99Ms, longestTurnMs, medianTurnMs].map((ms) => ms.toFixed(1)),
      Number.isFinite(cpuMs) ? cpuMs.toFixed(2) : "",
      Object.entries(statuses)
        .map(([status, count]) => `${count} × ${status}`)
        .join(", "),
      verdict(met),
      String(errors),
    ]),
  ]);
  process.exitCode = figures.some(({ errors }) => errors > 0) ? 1 : 0;
}

async function createKey({ url }: WatchedService, manager: string): Promise<string> {
  const response = await fetch(`${url}/api/keys`, {
    method: "POST",
    headers: { authorization: `Bearer ${manager}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "bench", scopes }),
  });
  if (response.status !== 201) throw new Error(`The service created no key: ${await response.text()}`);
  const created: { key: string } = await response.json();
  return created.key;
}
