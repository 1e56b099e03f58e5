/** What an import costs the service's process a user, beside bare prepared inserts of the same rows; and what others notice. */

import type { BareReport } from "./bare-rows.ts";
import { startService } from "./child-server.ts";
import { type ImportRound, reportImports } from "./import-figures.ts";
import { readOptions } from "./options.ts";
import { cpuSeconds, memoryOf } from "./process-figures.ts";
import { ScratchFolder } from "./scratch-folder.ts";
import { sendUsers } from "./send-users.ts";

const BAR = 1.8;
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
  const script = Bun.fileURLToPath(new URL("./bare-sqlite.ts", import.meta.url));
  const command = [process.execPath, script, folder.file("bare.db"), String(warmUp), String(users)];
  const report: BareReport = JSON.parse(await new Response(Bun.spawn(command).stdout).text());
  return { ...report, errors: 0, serverMicros: 0 };
}

/** A new process on a new database each time, so that every round begins alike. */
async function service(type: string): Promise<ImportRound> {
  using folder = new ScratchFolder();
  await using server = await startService(folder.file("roster.db"));
  const first = await sendUsers(server.url, type, 1, warmUp);
  const before = cpuSeconds(server.pid);
  const report = await sendUsers(server.url, type, warmUp + 1, warmUp + users);
  const cpuMicros = ((cpuSeconds(server.pid) - before) * 1e6) / users;
  const errors = first.errors + report.errors;
  return { ...report, errors, cpuMicros, serverMicros: 0, peak: memoryOf(server.pid).peak };
}

await reportImports({
  ...numbers,
  json,
  bar: BAR,
  bare,
  service,
  async withService(work) {
    using folder = new ScratchFolder();
    await using server = await startService(folder.file("roster.db"));
    return await work(server);
  },
});
