/** Roster beside other ways to serve users. Writes docs/benchmarks.md, its charts, and the figures of the README. */
import { readFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import { version } from "../src/config/version.ts";
import { installPackages } from "../test/support/install-packages.ts";
import { checkResponses } from "./peers/check-responses.ts";
import { resultsTable, writeDocuments } from "./peers/documents.ts";
import { fetchJson } from "./peers/fetch-json.ts";
import { kindNames, type PeerFigures, type PeerKind, type PeerResults } from "./peers/results.ts";
import { type PeerSubject, prepareSubjects } from "./peers/subjects.ts";
import type { ChildServer } from "./support/child-server.ts";
import { timeFsync } from "./support/fsync-time.ts";
import { readOptionsWithTexts } from "./support/options.ts";
import { parseTemplate } from "./support/path-template.ts";
import { readMemory } from "./support/process-usage.ts";
import { interleave } from "./support/rounds.ts";
import { type Load, type MeasuredLoad, measureLoad } from "./support/run-load.ts";
import { ScratchFolder } from "./support/scratch-folder.ts";
import { median } from "./support/statistics.ts";
import { print } from "./support/table.ts";

const WARM_UP_SECONDS = 0.5;
/** A slow service gets fewer connections: as many as it can serve in this time. */
const LONGEST_QUEUE_MS = 500;
const BUSY_LOAD = 0.5;

const { numbers, texts, json } = readOptionsWithTexts(
  {
    ...{ users: 100_000, jsonUsers: 10_000 },
    ...{ rounds: 5, seconds: 0.8, connections: 64, starts: 3 },
  },
  { only: "" },
);
const { users, jsonUsers, rounds, seconds, connections, starts } = numbers;
const chosenKinds = chooseKinds(texts.only);

/** One kind of request to one service. */
interface Cell {
  readonly subject: PeerSubject;
  readonly kind: PeerKind;
  readonly request: string;
}

installPackages(import.meta.dir);
const packages = packageVersions();
const [loadAverage = Number.NaN] = loadavg();
if (loadAverage > BUSY_LOAD)
  console.error(`The machine is busy (load average ${loadAverage}): do not trust the figures.`);
using folder = new ScratchFolder();
const subjects = await prepareSubjects(folder, users, jsonUsers);
const startTimes = await interleave(subjects, starts, timeStart);

await using running = new AsyncDisposableStack();
const servers = new Map<PeerSubject, ChildServer>();
for (const subject of subjects) servers.set(subject, running.use(await subject.start()));
const idle = new Map(subjects.map((subject) => [subject, readMemory(serverOf(subject).pid).resident]));
const cells = chosenKinds.flatMap((kind) =>
  subjects.flatMap((subject): Cell[] => {
    const request = subject.requests[kind];
    return request === undefined ? [] : [{ subject, kind, request }];
  }),
);
const reads = await measure(cells.filter(({ kind }) => kind !== "create"));
// Creates come last: the reads of all rounds see the same users.
const creates = await measure(cells.filter(({ kind }) => kind === "create"));
const measured = [...reads, ...creates];

const results: PeerResults = {
  date: new Date().toISOString().slice(0, 10),
  cores: cpus().length,
  memoryGigabytes: Math.round(totalmem() / 2 ** 30),
  loadAverage,
  fsyncMicros: timeFsync(folder.path).medianMicros,
  versions: {
    Roster: version,
    Bun: Bun.version,
    "Node.js": commandVersion("node"),
    ...packages,
    ...pocketBaseVersion(),
  },
  ...{ rounds, seconds, connections },
  peers: subjects.map((subject) => ({
    name: subject.name,
    users: subject.users,
    startMs: median(startTimes.get(subject) ?? []),
    idleMegabytes: idle.get(subject) ?? Number.NaN,
    loadedMegabytes: readMemory(serverOf(subject).pid).resident,
    figures: Object.fromEntries(
      measured.flatMap(([cell, loads]) => (cell.subject === subject ? [[cell.kind, summarize(loads)]] : [])),
    ),
  })),
};
if (texts.only === "") writeDocuments(results);
print(json, results, resultsTable(results));

const errors = measured.flatMap(([{ subject, kind }, loads]) =>
  loads
    .filter(({ errors }) => errors > 0)
    .map(({ problems }) => `${subject.name}, ${kind}: ${JSON.stringify(problems)}`),
);
for (const error of errors) console.error(error);
process.exitCode = errors.length > 0 ? 1 : 0;

async function measure(cells: readonly Cell[]): Promise<Map<Cell, MeasuredLoad[]>> {
  const chosen = new Map<Cell, number>();
  for (const cell of cells) {
    await checkResponses(cell.subject, cell.kind, serverOf(cell.subject).url);
    const { p50Ms } = await load(cell, { connections: 1, requests: 2 });
    const fitting = Math.floor(LONGEST_QUEUE_MS / p50Ms);
    chosen.set(cell, Math.min(connections, Math.max(1, fitting)));
    await load(cell, { connections: chosen.get(cell) ?? 1, seconds: WARM_UP_SECONDS });
  }
  return interleave(cells, rounds, (cell) => load(cell, { connections: chosen.get(cell) ?? 1, seconds }));
}

function load(
  { subject, request }: Cell,
  bounds: Pick<Load, "connections" | "seconds" | "requests">,
): Promise<MeasuredLoad> {
  const { url, pid } = serverOf(subject);
  return measureLoad(pid, { url, kinds: [request], headers: subject.headers ?? [], ...bounds });
}

function summarize(loads: readonly MeasuredLoad[]): PeerFigures {
  const medianOf = (figure: (load: MeasuredLoad) => number) => median(loads.map(figure));
  const costs = loads.map(({ cpuMicros }) => cpuMicros);
  return {
    cpuMicros: median(costs),
    lowest: Math.min(...costs),
    highest: Math.max(...costs),
    rate: medianOf(({ rate }) => rate),
    p50Ms: medianOf(({ p50Ms }) => p50Ms),
    p99Ms: medianOf(({ p99Ms }) => p99Ms),
  };
}

/** The time from the start of the process to its first response. */
async function timeStart(subject: PeerSubject): Promise<number> {
  const before = performance.now();
  await using server = await subject.start();
  await fetchJson(subject, server.url + parseTemplate(subject.requests.one ?? "/")(() => 0));
  return performance.now() - before;
}

/** The kinds of these names, separated by commas; all kinds without a name. */
function chooseKinds(only: string): PeerKind[] {
  const all = kindNames.map(([kind]) => kind);
  const names = only === "" ? all : only.split(",");
  const unknown = names.find((name) => !all.some((kind) => kind === name));
  if (unknown !== undefined) throw new RangeError(`${unknown} is not a kind. Use ${all.join(", ")}.`);
  return all.filter((kind) => names.includes(kind));
}

function serverOf(subject: PeerSubject): ChildServer {
  const server = servers.get(subject);
  if (!server) throw new Error(`${subject.name} is not running.`);
  return server;
}

/** The versions of the packages of this folder. */
function packageVersions(): Record<string, string> {
  const names = ["fastify", "better-sqlite3", "json-server"];
  const manifest = (name: string) => join(import.meta.dir, "node_modules", name, "package.json");
  const version = (name: string): string => JSON.parse(readFileSync(manifest(name), "utf8")).version;
  return Object.fromEntries(names.map((name) => [name, version(name)]));
}

function pocketBaseVersion(): Record<string, string> {
  const { POCKETBASE } = process.env;
  return POCKETBASE ? { PocketBase: commandVersion(POCKETBASE) } : {};
}

function commandVersion(command: string): string {
  const output = Bun.spawnSync([command, "--version"]).stdout.toString();
  return /\d[\w.-]*/.exec(output)?.[0] ?? "of unknown version";
}
