/** The service's memory during large imports and exports. */
import { startService } from "./support/child-server.ts";
import { exportUsers } from "./support/export-users.ts";
import { importUsers } from "./support/import-users.ts";
import { readOptions } from "./support/options.ts";
import { type Memory, readMemory } from "./support/process-usage.ts";
import { ScratchFolder } from "./support/scratch-folder.ts";
import { print, verdict } from "./support/table.ts";

const TARGET_MB = 200;
const SAMPLE_MS = 50;
const NDJSON = "application/x-ndjson";
const CSV = "text/csv";

const { numbers, json } = readOptions({ users: 1_000_000 });
const { users } = numbers;

interface Stage {
  readonly name: string;
  readonly seconds: number;
  /** The sample with the most resident memory. */
  readonly highest: Memory;
  readonly errors: number;
}

/** Samples the process's memory during the work. */
async function sampleMemory(
  pid: number,
  name: string,
  work: () => Promise<{ users: number; seconds: number; errors: number }>,
): Promise<Stage> {
  let highest = readMemory(pid);
  const timer = setInterval(() => {
    const now = readMemory(pid);
    if (now.resident > highest.resident) highest = now;
  }, SAMPLE_MS);
  try {
    const report = await work();
    const errors = report.errors + Math.abs(users - report.users);
    return { name, seconds: report.seconds, highest: { ...highest, peak: readMemory(pid).peak }, errors };
  } finally {
    clearInterval(timer);
  }
}

using folder = new ScratchFolder();
const stages: Stage[] = [];
for (const type of [NDJSON, CSV]) {
  await using service = await startService(folder.file(`${type === CSV ? "csv" : "ndjson"}.db`));
  const { pid, url } = service;
  stages.push(await sampleMemory(pid, `${type} in`, () => importUsers(url, type, 1, users)));
  stages.push(await sampleMemory(pid, `${type} out`, () => exportUsers(url, type)));
}
const peak = Math.max(...stages.map(({ highest }) => highest.peak));

print(json, { users, stages, targetMegabytes: TARGET_MB, met: peak < TARGET_MB }, [
  ["users", "work", "seconds", "resident MB", "of it anonymous", "peak", "errors"],
  ...stages.map(({ name, seconds, highest, errors }) => [
    String(users),
    name,
    seconds.toFixed(1),
    ...[highest.resident, highest.anonymous, highest.peak].map((megabytes) => megabytes.toFixed(0)),
    String(errors),
  ]),
]);
if (!json) console.log(`\ntarget: resident < ${TARGET_MB} MB, ${verdict(peak < TARGET_MB)}`);
process.exitCode = stages.some(({ errors }) => errors > 0) ? 1 : 0;
