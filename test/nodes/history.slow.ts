import { afterEach, expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Cluster, impatient } from "../support/consistency/cluster.ts";
import { timeToServe } from "../support/consistency/time-to-serve.ts";
import { Workload } from "../support/consistency/workload.ts";
import { stopAll } from "../support/process/roster.ts";

/** For a long run: `HISTORY_SECONDS=600 npm test -- ./test/nodes/history.slow.ts`. */
const seconds = Number(process.env.HISTORY_SECONDS ?? 20);
/** Generous: nodes are frozen and killed. */
const WITHIN_MS = 45_000;

let cluster: Cluster | undefined;
afterEach(async () => {
  await stopAll();
  await cluster?.stop();
}, 120_000);

test.each([
  ["two processes on one SQLite file", Cluster.onSqlite],
  ["two nodes on one PostgreSQL", Cluster.onPostgres],
] as const)(
  "%s: the history of all requests has no anomaly under kill -9, freezes, cuts and locks",
  async (name, start) => {
    cluster = await start(2, impatient);
    const { ports, nodes, findCorruption } = cluster;
    const load = new Workload({ ports, withinMs: WITHIN_MS, mayBreak: true });
    await load.prepare();
    load.start();
    await cluster.injectFaults(seconds);
    for (const service of nodes) await timeToServe({ service, withinMs: WITHIN_MS });
    await load.stop();
    const anomalies = await load.findErrors(nodes, findCorruption);
    const { history, counts } = load;
    const operations = history.operations.length;
    console.log({
      name,
      seconds,
      operations,
      anomalies: anomalies.length,
      ...counts,
      ...history.counts,
      ...cluster.injected,
    });
    if (anomalies.length > 0) {
      const file = join(tmpdir(), `roster-history-${process.pid}.json`);
      await Bun.write(file, JSON.stringify(history.operations));
      console.log(`The history is in ${file}.`, cluster.errorLines);
    }
    expect(anomalies).toEqual([]);
    expect(counts.acknowledged).toBeGreaterThan(seconds * 5);
  },
  240_000 + seconds * 3000,
);
