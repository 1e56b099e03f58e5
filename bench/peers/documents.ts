/** What the results of `peers` say: docs/benchmarks.md, its charts, and the figures of the README and of docs/comparison.md. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listSearchedNames } from "../support/sample-users.ts";
import { markdownTable, type Row } from "../support/table.ts";
import { type Panel, renderChart } from "./chart.ts";
import { kindNames, type PeerFigures, type PeerKind, type PeerResult, type PeerResults } from "./results.ts";

const root = join(import.meta.dir, "../..");
const folder = "docs/benchmarks";
/** The part of a page that has figures. */
const markedFigures = /(?<=<!-- benchmarks -->).*?(?=<!-- \/benchmarks -->)/s;

/** The texts of all files that depend on the results, by path. The results themselves are one of them. */
export function renderDocuments(results: PeerResults): Record<string, string> {
  const replaceFigures = (page: string, figures: string) =>
    readFileSync(join(root, page), "utf8").replace(markedFigures, () => figures);
  return {
    [`${folder}/results.json`]: `${JSON.stringify(results, null, 2)}\n`,
    [`${folder}/cpu.svg`]: renderChart(
      "CPU time per request in µs, logarithmic (less is better)",
      kindPanels(results, ({ cpuMicros }) => cpuMicros, formatMicros),
    ),
    [`${folder}/rate.svg`]: renderChart(
      "Requests per second, logarithmic (more is better)",
      kindPanels(results, ({ rate }) => rate, formatNumber),
    ),
    [`${folder}/process.svg`]: renderChart("Memory and start (less is better)", processPanels(results)),
    "docs/benchmarks.md": renderPage(results),
    "docs/comparison.md": replaceFigures("docs/comparison.md", `\n\n${rateTable(results)}\n\n`),
    "README.md": replaceFigures("README.md", renderReadmeFigures(results)),
  };
}

export function writeDocuments(results: PeerResults): void {
  mkdirSync(join(root, folder), { recursive: true });
  for (const [path, text] of Object.entries(renderDocuments(results))) writeFileSync(join(root, path), text);
}

/** The results of the last run; undefined before the first run. */
export function readResults(): PeerResults | undefined {
  const path = join(root, folder, "results.json");
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
}

/** The table that a run prints. */
export function resultsTable({ peers }: PeerResults): Row[] {
  return [
    ["", "kind", "CPU µs/request", "low–high", "requests/s", "p50 ms", "p99 ms"],
    ...measuredKinds(peers).flatMap(([kind, title]) =>
      peers.flatMap(({ name, figures }) => {
        const figure = figures[kind];
        if (!figure) return [];
        const { cpuMicros, lowest, highest, rate, p50Ms, p99Ms } = figure;
        const range = `${formatMicros(lowest)}–${formatMicros(highest)}`;
        return [
          [name, title, formatMicros(cpuMicros), range, rate.toFixed(0), p50Ms.toFixed(2), p99Ms.toFixed(2)],
        ];
      }),
    ),
  ];
}

function kindPanels(
  { peers }: PeerResults,
  figure: (figures: PeerFigures) => number,
  format: (value: number) => string,
): Panel[] {
  return measuredKinds(peers).map(([kind, title]) => ({
    title,
    scale: "logarithmic",
    bars: peers.flatMap(({ name, figures }) => {
      const found = figures[kind];
      if (!found) return [];
      return [{ label: name, value: figure(found), text: format(figure(found)), accent: isRoster(name) }];
    }),
  }));
}

function processPanels({ peers }: PeerResults): Panel[] {
  const panel = (title: string, value: (peer: PeerResult) => number): Panel => ({
    title,
    scale: "linear",
    bars: peers.map((peer) => ({
      label: peer.name,
      value: value(peer),
      text: formatNumber(value(peer)),
      accent: isRoster(peer.name),
    })),
  });
  return [
    panel("resident memory after all requests, MB", ({ loadedMegabytes }) => loadedMegabytes),
    panel("start to first response, ms", ({ startMs }) => startMs),
  ];
}

function renderPage(results: PeerResults): string {
  const { peers, date, cores, memoryGigabytes, versions, rounds, seconds, connections } = results;
  const users = Math.max(...peers.map((peer) => peer.users));
  const smaller = peers.filter((peer) => peer.users > 1 && peer.users < users);
  return `# Benchmarks

Roster beside other ways to serve users, measured in one run. The command writes this page:

\`\`\`sh
npm run bench -- peers                                # about 5 minutes
POCKETBASE=/path/to/pocketbase npm run bench -- peers # with PocketBase
\`\`\`

## CPU time per request

![CPU time per request](benchmarks/cpu.svg)

Median of the rounds, in µs, with the lowest and highest round.

${figureTable(
  results,
  ({ cpuMicros, lowest, highest }) =>
    `${formatMicros(cpuMicros)} (${formatMicros(lowest)}–${formatMicros(highest)})`,
)}

${renderRatios(results)}

## Requests per second and latency

![Requests per second](benchmarks/rate.svg)

Requests per second:

${rateTable(results)}

Latency in ms, p50 / p99. With ${connections} connections that never pause, latency is mostly time in the queue.

${figureTable(results, ({ p50Ms, p99Ms }) => `${p50Ms.toFixed(1)} / ${p99Ms.toFixed(1)}`)}

## Memory and start

![Memory and start](benchmarks/process.svg)

${markdownTable([
  ["", "users", "start to first response, ms", "MB after start", "MB after all requests"],
  ...peers.map(({ name, users, startMs, idleMegabytes, loadedMegabytes }) => [
    name,
    formatNumber(users),
    ...[startMs, idleMegabytes, loadedMegabytes].map(formatNumber),
  ]),
])}

Resident memory includes the mapped pages of the database, which the operating system can take back.

## Method

- **Machine**: ${cores} cores and ${memoryGigabytes} GB of memory, Linux, ${date}. Load average before the run: ${results.loadAverage.toFixed(2)}. Appending 8 kB to a file
  and fsync: ${results.fsyncMicros.toFixed(0)} µs. Server and load generator share the machine.
- **Versions**: ${Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(", ")}.
- **Users**: every service has the same ${formatNumber(users)} sample users with a name, an email and two custom fields${smaller
    .map((peer) => `, except ${peer.name} with ${formatNumber(peer.users)}`)
    .join("")}.
- **Rounds**: ${rounds} rounds of ${seconds} s for each service and kind, interleaved, after a warm-up. Creates come last.
  ${connections} connections send one request at a time each; a slow service gets only as many as it can serve in half a second. Before the first
  round of a kind, the benchmark compares five responses of each service with the sample users. The load generator checks the status
  and length of every response.
- **CPU time** is the user and system time of the server's process, all its threads and child processes, from \`/proc\`, divided by the
  number of requests. The load generator does not count.
- **Constant response** is \`Bun.serve\` with the JSON of one user: the cost of HTTP alone.
- **Lists and searches**: every request asks for something else, except those for the same 20. Lists ask for any page of all users, or for
  one of 100 offsets. Searches ask for one of two parts of emails, one of ${formatNumber(listSearchedNames().length)} names, or the end of one email. A page of the first
  two searches begins after any user of the first half, so it is full. All services search for the same names.
- **What Roster keeps**: the first pages of lists and searches that callers repeat, in memory, until a user changes. The column of the same
  20 shows what that saves; no other kind repeats a first page. Roster also remembers for ten seconds how it found the pages of
  the last 256 lists. This helps all lists and searches, except the search with one match.
- **Any page** is asked for in the fastest way that a service has: after an id in Roster (\`after\`), in the Fastify service (\`WHERE id > ?\`)
  and in PocketBase (\`filter=id>'…'&sort=id\`). json-server skips users (\`_start\`), and compares ids in a search (\`id_gte\`).
- **Roster** runs with its defaults. The key is stored in the database, or set in \`ROSTER_API_KEY\`. Each has a rate limit that no
  request reaches, so every request is counted.
- **Fastify + better-sqlite3** is [a service written by hand](../bench/peers/fastify.mjs): one table, prepared statements, WAL,
  \`synchronous = FULL\`, and \`LIKE\` in the order of ids. It has no keys, custom fields, filters, sort orders or ETags.
- **json-server** keeps all users in memory, reads through all of them for each request, and writes the whole file for each create.
- **PocketBase**, if measured, stores the users in a base collection that anyone may read and write, with a unique index on the
  email. Lists skip the count of all records (\`skipTotal\`). PocketBase commits with \`synchronous = NORMAL\`: a power failure can lose creates.
- **Creates** are durable in Roster and in the Fastify service: the response follows the fsync.

Other measurements, of lists, imports, exports and PostgreSQL, are in [bench/README.md](../bench/README.md).
`;
}

/** The kinds that the run has measured. */
function measuredKinds(peers: PeerResults["peers"]): typeof kindNames {
  return kindNames.filter(([kind]) => peers.some(({ figures }) => figures[kind]));
}

function figureTable({ peers }: PeerResults, format: (figures: PeerFigures) => string): string {
  const kinds = measuredKinds(peers);
  return markdownTable([
    ["", ...kinds.map(([, title]) => title)],
    ...peers.map(({ name, figures }) => [
      name,
      ...kinds.map(([kind]) => {
        const found = figures[kind];
        return found ? format(found) : "";
      }),
    ]),
  ]);
}

function rateTable(results: PeerResults): string {
  return figureTable(results, ({ rate }) => formatNumber(rate));
}

/** How Roster compares with the constant response, and with a key compared to without. */
function renderRatios({ peers }: PeerResults): string {
  const cost = (name: string, kind: PeerKind) =>
    peers.find((peer) => peer.name === name)?.figures[kind]?.cpuMicros ?? Number.NaN;
  const base = cost("constant response", "one");
  const kinds = measuredKinds(peers).filter(([kind]) => ["one", "pages", "same"].includes(kind));
  return markdownTable([
    ["", ...kinds.flatMap(([, title]) => [`${title}, × constant`, "× without a key"])],
    ...peers
      .filter(({ name }) => isRoster(name))
      .map(({ name }) => [
        name,
        ...kinds.flatMap(([kind]) => {
          const own = cost(name, kind);
          return [own / base, own / cost("Roster", kind)].map((ratio) => ratio.toFixed(2));
        }),
      ]),
  ]);
}

/** The sentence of the README. */
function renderReadmeFigures({ peers, cores }: PeerResults): string {
  const roster = peers.find(({ name }) => name === "Roster");
  const users = formatNumber(roster?.users ?? Number.NaN);
  const rate = (kind: PeerKind) => formatNumber(roundTo2(roster?.figures[kind]?.rate ?? Number.NaN));
  // Repeated pages come from memory, so their figure never stands alone.
  const lists = roster?.figures.pages
    ? `, ${rate("pages")} lists of 20 (another page each time; ${rate("same")} of the same 20)`
    : "";
  return ` With ${users} users on ${cores} cores, one process serves
  ${rate("one")} reads of one user${lists} or ${rate("create")} durable creates per second.`;
}

function isRoster(name: string): boolean {
  return name.startsWith("Roster");
}

/** Two significant digits. */
function roundTo2(value: number): number {
  return Number(value.toPrecision(2));
}

function formatMicros(micros: number): string {
  return micros < 100 ? micros.toFixed(1) : formatNumber(micros);
}

function formatNumber(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}
