/** CPU time per response without compression, and in each content coding. */
import { startService } from "./support/child-server.ts";
import { readOptions } from "./support/options.ts";
import { interleave } from "./support/rounds.ts";
import { measureLoad } from "./support/run-load.ts";
import { seededDatabase } from "./support/seeded-database.ts";
import { median } from "./support/statistics.ts";
import { print } from "./support/table.ts";

const { numbers, json } = readOptions({ users: 100_000, rounds: 5, seconds: 2, connections: 64 });
const { users, rounds, seconds, connections } = numbers;

const kinds = ["list of 20", "list of 100", "list of 1000"].map((name) => ({
  name,
  path: `/api/users?limit=${name.split(" ").at(-1)}`,
}));
const codings = ["none", "gzip", "br", "zstd"];
const subjects = kinds.flatMap((kind) => codings.map((coding) => ({ ...kind, coding })));
type Subject = (typeof subjects)[number];

await using service = await startService(await seededDatabase(users));
const run = ({ path, coding }: Subject, time: number) =>
  measureLoad(service.pid, {
    url: service.url,
    // Any page of the list: the service compresses the first page only once.
    kinds: [`${path}&after={${users}}.0.id`],
    connections,
    seconds: time,
    headers: coding === "none" ? [] : [`Accept-Encoding: ${coding}`],
  });
const sizeOf = async ({ path, coding }: Subject) => {
  const headers = { "accept-encoding": coding === "none" ? "identity" : coding };
  const response = await fetch(service.url + path, { headers, decompress: false });
  return (await response.bytes()).length;
};

for (const subject of subjects) await run(subject, 1);
const results = await interleave(subjects, rounds, (subject) => run(subject, seconds));
const figures = await Promise.all(
  subjects.map(async (subject) => {
    const loads = results.get(subject) ?? [];
    const costs = loads.map(({ cpuMicros }) => cpuMicros);
    return {
      name: subject.name,
      coding: subject.coding,
      bytes: await sizeOf(subject),
      cpuMicros: median(costs),
      lowest: Math.min(...costs),
      highest: Math.max(...costs),
      errors: loads.reduce((sum, { errors }) => sum + errors, 0),
    };
  }),
);

print(json, { users, rounds, seconds, connections, figures }, [
  ["", "coding", "bytes", "CPU µs/request", "low–high", "errors"],
  ...figures.map(({ name, coding, bytes, cpuMicros, lowest, highest, errors }) => [
    name,
    coding,
    String(bytes),
    cpuMicros.toFixed(1),
    `${lowest.toFixed(1)}–${highest.toFixed(1)}`,
    String(errors),
  ]),
]);
process.exitCode = figures.some(({ errors }) => errors > 0) ? 1 : 0;
