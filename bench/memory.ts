/** The service's memory during many requests of every kind. */
import { copyFileSync } from "node:fs";
import { startService } from "./support/child-server.ts";
import { readOptions } from "./support/options.ts";
import { readMemory } from "./support/process-usage.ts";
import { runLoad } from "./support/run-load.ts";
import { ScratchFolder } from "./support/scratch-folder.ts";
import { seededDatabase } from "./support/seeded-database.ts";
import { print, verdict } from "./support/table.ts";

const TARGET_MB = 120;
const SLICE = 100_000;

const { numbers, json } = readOptions({ users: 100_000, requests: 1_000_000, connections: 64 });
const { users, requests, connections } = numbers;
const kinds = [`80=one:${users}`, "10=/api/users?limit=20", "5=search", "5=create"];

using folder = new ScratchFolder();
const database = folder.file("roster.db");
copyFileSync(await seededDatabase(users), database);
await using service = await startService(database);

const figures = [{ requests: 0, ...readMemory(service.pid) }];
let errors = 0;
for (let done = 0; done < requests; done += SLICE) {
  const slice = Math.min(SLICE, requests - done);
  const report = await runLoad({ url: service.url, kinds, connections, requests: slice });
  errors += report.errors;
  figures.push({ requests: done + slice, ...readMemory(service.pid) });
}
const met = (figures.at(-1)?.resident ?? Number.POSITIVE_INFINITY) < TARGET_MB;

print(json, { users, requests, connections, kinds, errors, figures, targetMegabytes: TARGET_MB, met }, [
  ["requests", "resident MB", "of it anonymous", "peak"],
  ...figures.map((figure) => [
    String(figure.requests),
    figure.resident.toFixed(1),
    figure.anonymous.toFixed(1),
    figure.peak.toFixed(1),
  ]),
]);
if (!json) console.log(`\ntarget: resident < ${TARGET_MB} MB, ${verdict(met)}; errors: ${errors}`);
process.exitCode = errors > 0 ? 1 : 0;
