/** CPU time per user of an import, compared with bare inserts, and the effect on concurrent reads. */

import type { BareReport } from "./baselines/bare-inserts.ts";
import { startService } from "./support/child-server.ts";
import { importUsers } from "./support/import-users.ts";
import { type ImportRound, measureImports } from "./support/measure-imports.ts";
import { readOptions } from "./support/options.ts";
import { readCpuSeconds, readMemory } from "./support/process-usage.ts";
import { ScratchFolder } from "./support/scratch-folder.ts";

const TARGET = 1.8;
const { numbers, json } = readOptions({
  users: 100_000,
  warmUp: 10_000,
  rounds: 5,
  seconds: 5,
  connections: 1,
});
const { users, warmUp } = numbers;

async function bare(): Promise<ImportRound> {
  using folder = new ScratchFolder();
  const script = Bun.fileURLToPath(new URL("./baselines/bare-sqlite.ts", import.meta.url));
  const command = [process.execPath, script, folder.file("bare.db"), String(warmUp), String(users)];
  const report: BareReport = JSON.parse(await new Response(Bun.spawn(command).stdout).text());
  return { ...report, errors: 0, serverMicros: 0 };
}

/** Every round starts a new process on a new database. */
async function service(type: string): Promise<ImportRound> {
  using folder = new ScratchFolder();
  await using server = await startService(folder.file("roster.db"));
  const first = await importUsers(server.url, type, 1, warmUp);
  const before = readCpuSeconds(server.pid);
  const report = await importUsers(server.url, type, warmUp + 1, warmUp + users);
  const cpuMicros = ((readCpuSeconds(server.pid) - before) * 1e6) / users;
  const errors = first.errors + report.errors;
  return { ...report, errors, cpuMicros, serverMicros: 0, peak: readMemory(server.pid).peak };
}

await measureImports({
  ...numbers,
  json,
  target: TARGET,
  bare,
  service,
  async withService(work) {
    using folder = new ScratchFolder();
    await using server = await startService(folder.file("roster.db"));
    return await work(server);
  },
});
