/**
 * Tests docs/high-availability.md with the real programs: three PostgreSQL servers with Patroni, three machines with etcd, each
 * in a network of its own, and two nodes under load. Breaks servers and networks, and prints the tables of the page. Requires Linux, and what
 * the script says if it is missing. Everything runs in namespaces that disappear with it.
 *
 * Run `npx bun scripts/try-patroni.ts [hosts] [haproxy] [pgbouncer] [pgpool] [asynchronous]`. FAULTS=switchover,etcd plays only faults
 * with these words. KEEP=1 keeps the data and the logs of the servers.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startWith, stopAll } from "../test/support/process/roster.ts";
import { Cluster } from "./trial/patroni/cluster.ts";
import { type Fault, faults } from "./trial/patroni/faults.ts";
import { type FrontEnd, frontEnds } from "./trial/patroni/front-ends.ts";
import { Load, type Window } from "./trial/patroni/load.ts";
import { createNetwork, isolated } from "./trial/patroni/network.ts";
import { describeVersions, findParts, isUnsafeEtcd, type Parts } from "./trial/patroni/parts.ts";
import { PrimaryWatch } from "./trial/patroni/primary-watch.ts";

const FOLDER = "ROSTER_TRIAL_FOLDER";
const STEADY_MS = 3000;

const selected = Bun.argv.slice(2);
const folder = process.env[FOLDER];
if (folder === undefined) await runIsolated();
else {
  await run(folder);
  // A follower that missed the end of the feed still waits for it.
  process.exit();
}

/** Runs this script again, in namespaces of its own. */
async function runIsolated(): Promise<void> {
  try {
    findParts();
  } catch (error) {
    console.log(`Skipped. ${error instanceof Error ? error.message : error}`);
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "roster-patroni-"));
  try {
    const child = Bun.spawn(isolated([process.execPath, import.meta.path, ...selected]), {
      stdio: ["ignore", "inherit", "inherit"],
      // Programs of the trial create their temporary folders in this one.
      env: { ...process.env, [FOLDER]: folder, TMPDIR: folder },
    });
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill("SIGKILL"));
    process.exitCode = await child.exited;
  } finally {
    if (process.env.KEEP === undefined) rmSync(folder, { recursive: true, force: true });
    else console.log(`The data and the logs of the servers are in ${folder}.`);
  }
}

async function run(folder: string): Promise<void> {
  const parts = findParts();
  console.log(describeVersions(parts));
  if (isUnsafeEtcd(parts))
    console.log("This version of etcd can lose writes: see docs/high-availability.md.");
  createNetwork(folder);
  const cluster = new Cluster(parts, folder);
  try {
    progress("the servers start");
    await cluster.start();
    for (const name of selected.length > 0 ? selected : Object.keys(frontEnds)) {
      const frontEnd = frontEnds[name];
      if (!frontEnd)
        throw new Error(`There is no front end ${name}. Use ${Object.keys(frontEnds).join(", ")}.`);
      await tryFrontEnd(cluster, parts, frontEnd);
    }
  } finally {
    await stopAll();
    await cluster.end();
  }
}

interface Row extends Window {
  readonly fault: Fault;
  /** When callers began, before the fault. */
  readonly begin: number;
  /** When Patroni had a new primary; undefined if the old one stayed. */
  readonly leaderAt: number | undefined;
}

async function tryFrontEnd(cluster: Cluster, parts: Parts, frontEnd: FrontEnd): Promise<void> {
  const programs = await frontEnd.start(parts);
  if (!programs) return progress(`Skipped: ${frontEnd.name} is not installed.`);
  await cluster.configure({ synchronous_mode: !frontEnd.asynchronous });
  await untilHealthy(cluster, frontEnd);
  await createDatabase(cluster);
  const flags = ["serve", "--port=0", "--slow-ms=60000", "--webhook-private=allow", ...frontEnd.flags];
  const nodes = [await startWith(flags), await startWith(flags)];
  const load = await Load.prepare(nodes);
  const watch = new PrimaryWatch();
  const rows: Row[] = [];
  for (const fault of chosenFaults(frontEnd))
    rows.push(await play(fault, { cluster, load, watch, frontEnd }));
  await watch.stop();
  progress("waits for followers and webhooks, and checks everything");
  const findings = await load.check(await cluster.superuserUrl("roster"));
  const logged = nodes.flatMap(({ stdout }) => stdout.filter((line) => line.includes('"level":"error"')));
  await stopAll();
  for (const program of programs) await program.end();

  console.log(`\n${frontEnd.name}: ${load.requests} requests, ${findings.feed.length} events`);
  console.log(
    "| | writes | in doubt | lost | duplicated | late | without writes | without reads | leader to write |",
  );
  console.log("|---|---|---|---|---|---|---|---|---|");
  for (const row of rows) {
    const { acknowledged, inDoubt, lost, duplicated, late } = load.countWrites(findings.feed, {
      from: row.begin,
      to: row.to,
    });
    const seconds = [load.secondsWithout("writes", row), load.secondsWithout("reads", row)];
    const back = row.leaderAt === undefined ? "–" : `${load.secondsToWrite(row.leaderAt).toFixed(1)} s`;
    const cells = [
      acknowledged,
      inDoubt,
      lost,
      duplicated,
      late,
      ...seconds.map((value) => `${value.toFixed(1)} s`),
    ];
    console.log(`| ${[row.fault.name, ...cells, back].join(" | ")} |`);
  }
  const { missedEvents, missedDeliveries, clientCreates, clientFailures, errors } = findings;
  console.log(`Missed by followers: ${missedEvents}; not delivered to the webhook: ${missedDeliveries}.`);
  console.log(`Creates with the client library: ${clientCreates}, failed: ${clientFailures}.`);
  console.log(`Contradictions in the history, the events and the database: ${errors.length}.`);
  for (const [kind, [first = "", ...more]] of [...groupErrors(errors)].slice(0, 10))
    console.log(`  ${more.length + 1} × ${kind}, the first: ${first.slice(0, 1000)}`);
  console.log(`Errors in the logs of the nodes: ${logged.length}.`);
  for (const line of logged.slice(0, 5)) console.log(`  ${line.slice(0, 1000)}`);
}

/** Errors that differ only in numbers and ids of events. */
function groupErrors(errors: readonly string[]): Map<string, string[]> {
  return Map.groupBy(errors, (error) => error.slice(0, 100).replace(/\b(?=\w*\d)\w+/g, "…"));
}

async function createDatabase(cluster: Cluster): Promise<void> {
  await cluster.tell(
    "postgres",
    "DROP DATABASE IF EXISTS roster WITH (FORCE)",
    "DROP ROLE IF EXISTS roster",
    "CREATE ROLE roster LOGIN PASSWORD 'roster-secret'",
    "CREATE DATABASE roster OWNER roster",
  );
}

interface Trial {
  readonly cluster: Cluster;
  readonly load: Load;
  readonly watch: PrimaryWatch;
  readonly frontEnd: FrontEnd;
}

async function play(fault: Fault, { cluster, load, watch, frontEnd }: Trial): Promise<Row> {
  await untilHealthy(cluster, frontEnd);
  const primary = await cluster.requirePrimary();
  progress(`${frontEnd.name}: ${fault.name} (${primary} is the primary)`);
  const begin = performance.now();
  load.start();
  await Bun.sleep(STEADY_MS);
  const from = performance.now();
  await fault.play(cluster, primary);
  await untilHealthy(cluster, frontEnd);
  await load.untilWritten(50);
  await Bun.sleep(STEADY_MS);
  const to = performance.now();
  await load.stop();
  const change = watch.changeAfter(from, primary);
  const window = { from, to };
  const without = (["writes", "reads"] as const).map((kind) => load.secondsWithout(kind, window).toFixed(1));
  const leader = change
    ? `${change.name} is the primary after ${((change.at - from) / 1000).toFixed(1)} s, the first write ${load.secondsToWrite(change.at).toFixed(1)} s later`
    : `${primary} stays the primary`;
  progress(`  ${without[0]} s without writes, ${without[1]} s without reads; ${leader}`);
  return { fault, begin, leaderAt: change?.at, ...window };
}

function untilHealthy(cluster: Cluster, { asynchronous = false }: FrontEnd): Promise<void> {
  return cluster.untilHealthy({ synchronous: !asynchronous });
}

function chosenFaults(frontEnd: FrontEnd): readonly Fault[] {
  const named = process.env.FAULTS?.split(",");
  const words = named ?? frontEnd.faults ?? [""];
  return faults.filter(
    ({ name, isUnsafe }) => words.some((word) => name.includes(word)) && (named !== undefined || !isUnsafe),
  );
}

function progress(text: string): void {
  console.log(`${new Date().toTimeString().slice(0, 8)} ${text}`);
}
