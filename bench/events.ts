/** Events per second of reading the whole feed, and the delay and memory of many followers. */
import { startService } from "./support/child-server.ts";
import { exportUsers } from "./support/export-users.ts";
import { followEvents } from "./support/follow-events.ts";
import { readOptions } from "./support/options.ts";
import { readCpuSeconds, readMemory } from "./support/process-usage.ts";
import { ScratchFolder } from "./support/scratch-folder.ts";
import { copyWithEvents } from "./support/seeded-events.ts";
import { median } from "./support/statistics.ts";
import { print, verdict } from "./support/table.ts";

const targets = { eventsPerSecond: 150_000, p99Ms: 250, megabytes: 200 } as const;

const { numbers, json } = readOptions({
  events: 1_000_000,
  rounds: 5,
  followers: 1000,
  seconds: 20,
  writes: 50,
});
const { events, rounds, followers, seconds, writes } = numbers;

using folder = new ScratchFolder();
const database = folder.file("roster.db");
await copyWithEvents(database, events);

async function measureReading() {
  await using service = await startService(database);
  const reports: { rate: number; cpuMicros: number; errors: number }[] = [];
  for (let round = 0; round <= rounds; round++) {
    const before = readCpuSeconds(service.pid);
    const report = await exportUsers(service.url, "application/x-ndjson", "/api/events");
    const cpuMicros = ((readCpuSeconds(service.pid) - before) * 1e6) / events;
    const errors = report.errors + Math.abs(report.users - events);
    // The first round warms up.
    if (round > 0) reports.push({ rate: events / report.seconds, cpuMicros, errors });
  }
  const rates = reports.map(({ rate }) => rate);
  return {
    rate: median(rates),
    lowest: Math.min(...rates),
    highest: Math.max(...rates),
    cpuMicros: median(reports.map(({ cpuMicros }) => cpuMicros)),
    peak: readMemory(service.pid).peak,
    errors: reports.reduce((sum, report) => sum + report.errors, 0),
  };
}

async function measureFollowing() {
  await using service = await startService(database);
  const before = readCpuSeconds(service.pid);
  const report = await followEvents(service.url, followers, seconds, writes);
  const cpuShare = (readCpuSeconds(service.pid) - before) / seconds;
  return { ...report, cpuShare, peak: readMemory(service.pid).peak };
}

const reading = await measureReading();
const following = await measureFollowing();
const met = {
  rate: reading.rate >= targets.eventsPerSecond,
  p99: following.p99Ms < targets.p99Ms,
  memory: following.peak < targets.megabytes,
};
const errors = reading.errors + following.errors;
print(json, { ...numbers, reading, following, targets, met }, [
  ["reading back", "events/s", "low–high", "target", "", "CPU µs/event", "peak MB", "errors"],
  [
    "NDJSON",
    reading.rate.toFixed(0),
    `${reading.lowest.toFixed(0)}–${reading.highest.toFixed(0)}`,
    `≥ ${targets.eventsPerSecond}`,
    verdict(met.rate),
    reading.cpuMicros.toFixed(2),
    reading.peak.toFixed(0),
    String(reading.errors),
  ],
]);
if (!json) {
  const { p50Ms, p99Ms, maxMs, cpuShare, peak } = following;
  console.log(
    [
      `\n${followers} followers, ${writes} writes per second, from commit to follower:`,
      `p50 ${p50Ms.toFixed(0)} ms, p99 ${p99Ms.toFixed(0)} ms (target < ${targets.p99Ms}: ${verdict(met.p99)}), max ${maxMs.toFixed(0)} ms;`,
      `peak ${peak.toFixed(0)} MB (target < ${targets.megabytes}: ${verdict(met.memory)}); CPU ${(cpuShare * 100).toFixed(0)} % of a core; errors: ${following.errors}`,
    ].join("\n"),
  );
}
process.exitCode = errors > 0 ? 1 : 0;
