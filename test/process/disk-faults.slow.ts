import { afterEach, expect } from "bun:test";
import { join } from "node:path";
import { findSqliteCorruption } from "../support/consistency/list-checks.ts";
import { type Operation, outcomeOf } from "../support/consistency/operation.ts";
import { timeToServe } from "../support/consistency/time-to-serve.ts";
import { Workload } from "../support/consistency/workload.ts";
import { DiskFaults, diskFaults, requireDiskFaults } from "../support/disk-faults/disk-faults.ts";
import { startRoster, stopAll, temporaryFolder } from "../support/process/roster.ts";
import { until } from "../support/until.ts";

afterEach(stopAll, 60_000);

const seconds = Number(process.env.DISK_FAULT_SECONDS ?? 2);
const WITHIN_MS = 20_000;

for (const percent of [100, 10]) {
  for (const fault of diskFaults) {
    requireDiskFaults.test(
      `${fault} (${percent} % of calls): nothing acknowledged is lost, failed writes get 503, and the service recovers`,
      async () => {
        const { database, faults, roster, load } = await startUnderLoad();
        faults.begin(fault, percent);
        const began = performance.now();
        await Bun.sleep(seconds * 1000);
        await until(
          () => faults.failed > 0 && (fault === "short writes" || load.history.counts.unavailable > 0),
        );
        expect((await roster.call("/healthz")).status).toBe(200);
        const { unavailable } = load.history.counts;
        const ended = performance.now();
        faults.end();
        const backMs = await timeToServe({ service: roster, withinMs: WITHIN_MS });
        await load.stop();
        const { operations, counts } = load.history;
        expect(counts.broken).toBe(0);
        if (fault === "short writes") expect(unavailable).toBe(0);
        else expect(unavailable).toBeGreaterThan(0);
        if (fault !== "short writes" && percent === 100)
          expect(
            operations.filter((each) => isNewWrite(each) && each.invoked > began && each.completed < ended),
          ).toEqual([]);

        roster.kill("SIGKILL");
        await roster.exited;
        const anomalies = await findErrorsAfterRestart(load, database);
        const failedCalls = faults.failed;
        console.log({
          fault,
          percent,
          operations: operations.length,
          anomalies: anomalies.length,
          failedCalls,
          unavailable,
          backMs,
        });
        expect(anomalies).toEqual([]);
        faults.close();
      },
      120_000 + seconds * 2000,
    );
  }
}

for (const fault of diskFaults) {
  requireDiskFaults.test(
    `${fault}, then kill -9: nothing acknowledged is lost`,
    async () => {
      const { database, faults, roster, load } = await startUnderLoad();
      faults.begin(fault, 20);
      await until(() => faults.failed > 20);
      roster.kill("SIGKILL");
      await roster.exited;
      await load.stop();
      const anomalies = await findErrorsAfterRestart(load, database);
      console.log({
        fault,
        killed: true,
        operations: load.history.operations.length,
        anomalies: anomalies.length,
      });
      expect(anomalies).toEqual([]);
      faults.close();
    },
    120_000,
  );
}

async function startUnderLoad() {
  const folder = temporaryFolder();
  const database = join(folder, "roster.db");
  const faults = new DiskFaults(folder, database);
  const roster = await startRoster(database, { env: faults.env });
  const load = new Workload({
    ports: () => [roster.port],
    withinMs: WITHIN_MS,
    mayBreak: true,
    repeated: 0.2,
  });
  await load.prepare();
  load.start();
  await until(() => load.counts.acknowledged > 50);
  return { database, faults, roster, load };
}

/** Starts the service without faults, and checks that it has everything that was acknowledged. */
async function findErrorsAfterRestart(load: Workload, database: string): Promise<string[]> {
  const roster = await startRoster(database);
  return await load.findErrors([roster], (users) => findSqliteCorruption(database, users));
}

/** Whether a write succeeded, and was not the replay of an earlier one. */
function isNewWrite(operation: Operation): boolean {
  const { request, response } = operation;
  return request.method !== "GET" && outcomeOf(operation) === "done" && !response?.replayed;
}
