/** The time from process start to the first user returned. */
import { startService } from "./support/child-server.ts";
import { readOptions } from "./support/options.ts";
import { seededDatabase } from "./support/seeded-database.ts";
import { median } from "./support/statistics.ts";
import { print, verdict } from "./support/table.ts";

const TARGET_MS = 300;

const { numbers, json } = readOptions({ users: 100_000, runs: 15 });
const database = await seededDatabase(numbers.users);

async function run(): Promise<{ listening: number; responded: number }> {
  const start = performance.now();
  await using service = await startService(database);
  const listening = performance.now() - start;
  const response = await fetch(`${service.url}/api/users/1`);
  if (response.status !== 200) throw new Error(`User 1: status ${response.status}.`);
  await response.text();
  return { listening, responded: performance.now() - start };
}

const runs: Awaited<ReturnType<typeof run>>[] = [];
while (runs.length < numbers.runs) runs.push(await run());

const figures = (["listening", "responded"] as const).map((name) => {
  const times = runs.map((times) => times[name]);
  return { name, medianMs: median(times), minMs: Math.min(...times), maxMs: Math.max(...times) };
});
const respondedMs = figures[1]?.medianMs ?? Number.NaN;

print(json, { ...numbers, figures, targetMs: TARGET_MS, met: respondedMs <= TARGET_MS }, [
  ["", "median ms", "min ms", "max ms", "target", ""],
  ...figures.map(({ name, medianMs, minMs, maxMs }) => [
    name === "listening" ? "logs that it listens" : "first 200",
    medianMs.toFixed(0),
    minMs.toFixed(0),
    maxMs.toFixed(0),
    name === "responded" ? `≤ ${TARGET_MS}` : "",
    name === "responded" ? verdict(respondedMs <= TARGET_MS) : "",
  ]),
]);
