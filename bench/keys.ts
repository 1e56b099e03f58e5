/** CPU time of key checks: reads one user with and without a key. */
import { copyFileSync } from "node:fs";
import { createSecret } from "../src/contract/keys/key-secret.ts";
import { type BenchKey, createBenchKey } from "./support/bench-keys.ts";
import { type ChildServer, startService } from "./support/child-server.ts";
import { readOptions } from "./support/options.ts";
import { interleave } from "./support/rounds.ts";
import { measureLoad } from "./support/run-load.ts";
import { ScratchFolder } from "./support/scratch-folder.ts";
import { seededDatabase } from "./support/seeded-database.ts";
import { median } from "./support/statistics.ts";
import { print, verdict } from "./support/table.ts";

const WARM_UP_SECONDS = 2;
const TARGET = 1.15;
/** Above what a loopback client can send: counts every request and rejects none. */
const RATE = { requests: 1_000_000, seconds: 1 };
const QUOTA = 1_000_000_000_000;

const { numbers, json } = readOptions({ users: 100_000, rounds: 9, seconds: 2, connections: 64 });
const { users, rounds, seconds, connections } = numbers;

interface Subject {
  readonly name: string;
  readonly server: ChildServer;
  readonly headers: readonly string[];
}

using folder = new ScratchFolder();
const seeded = await seededDatabase(users);
const path = folder.file("keys.db");
copyFileSync(seeded, path);
const createKey = (limits: Omit<BenchKey, "scopes">) =>
  createBenchKey(path, { scopes: ["users:read"], ...limits });
const keys = {
  unlimited: await createKey({}),
  limited: await createKey({ rateLimit: RATE }),
  quota: await createKey({ rateLimit: RATE, quota: QUOTA }),
};

await using open = await startService(seeded);
await using closed = await startService(path, ["--rate-limit=0"]);
const environmentKey = createSecret();
// One process checks both kinds of keys with a rate limit: two processes differ by more than the keys do.
await using environment = await startService(path, [`--rate-limit=${RATE.requests}/${RATE.seconds}`], {
  ROSTER_API_KEY: environmentKey,
});
const authorization = (key: string) => [`Authorization: Bearer ${key}`];
const openService: Subject = { name: "open", server: open, headers: [] };
const withKey: Subject = {
  name: "with a key and a rate limit",
  server: environment,
  headers: authorization(keys.limited),
};
const withEnvironmentKey: Subject = {
  name: "with ROSTER_API_KEY and a rate limit",
  server: environment,
  headers: authorization(environmentKey),
};
const subjects: Subject[] = [
  openService,
  { name: "with a key", server: closed, headers: authorization(keys.unlimited) },
  withKey,
  withEnvironmentKey,
  { name: "with a key, a rate limit and a quota", server: closed, headers: authorization(keys.quota) },
];

const run = ({ server, headers }: Subject, time: number) =>
  measureLoad(server.pid, { url: server.url, kinds: [`one:${users}`], connections, seconds: time, headers });

for (const subject of subjects) await run(subject, WARM_UP_SECONDS);
const results = await interleave(subjects, rounds, (subject) => run(subject, seconds));
const cpuCosts = (subject: Subject) => (results.get(subject) ?? []).map(({ cpuMicros }) => cpuMicros);
const base = median(cpuCosts(openService));
const figures = subjects.map((subject) => {
  const costs = cpuCosts(subject);
  const ratio = median(costs) / base;
  const target = subject === withKey || subject === withEnvironmentKey ? TARGET : undefined;
  return {
    name: subject.name,
    cpuMicros: median(costs),
    lowest: Math.min(...costs),
    highest: Math.max(...costs),
    ratio,
    target,
    met: target === undefined ? undefined : ratio <= target,
    errors: (results.get(subject) ?? []).reduce((sum, { errors }) => sum + errors, 0),
  };
});

print(json, { users, rounds, seconds, connections, figures }, [
  ["", "CPU µs/request", "low–high", "× open", "target", "", "errors"],
  ...figures.map(({ name, cpuMicros, lowest, highest, ratio, target, met, errors }) => [
    name,
    cpuMicros.toFixed(2),
    `${lowest.toFixed(2)}–${highest.toFixed(2)}`,
    ratio.toFixed(3),
    target === undefined ? "" : `≤ ${target}`,
    met === undefined ? "" : verdict(met),
    String(errors),
  ]),
]);
process.exitCode = figures.some(({ errors }) => errors > 0) ? 1 : 0;
