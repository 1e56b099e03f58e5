/** The same as `import`, on PostgreSQL: CPU time of service and server, compared with bare multi-row INSERTs. */
import type { BareReport } from "../baselines/bare-inserts.ts";
import { BenchPostgres, createSchema } from "../support/bench-postgres.ts";
import { startService } from "../support/child-server.ts";
import { importUsers } from "../support/import-users.ts";
import { type ImportRound, measureImports } from "../support/measure-imports.ts";
import { readOptions } from "../support/options.ts";
import { readCpuSeconds, readMemory, readTreeCpuSeconds } from "../support/process-usage.ts";

const TARGET = 2.5;
const EMPTY = "roster_empty";
const ROUND = "roster_round";
const { numbers, json } = readOptions({
  users: 50_000,
  warmUp: 10_000,
  rounds: 5,
  seconds: 5,
  connections: 1,
});
const { users, warmUp } = numbers;

await using postgres = await BenchPostgres.start();
await postgres.query(`CREATE DATABASE ${EMPTY}`);
await createSchema(postgres.url(EMPTY));

/** Runs the work with a new, empty database. */
async function withDatabase<T>(work: (url: string) => Promise<T>): Promise<T> {
  await postgres.query(`CREATE DATABASE ${ROUND} TEMPLATE ${EMPTY}`);
  try {
    await postgres.query("CHECKPOINT");
    return await work(postgres.url(ROUND));
  } finally {
    await postgres.query(`DROP DATABASE ${ROUND} WITH (FORCE)`);
  }
}

const serverSeconds = () => readTreeCpuSeconds(postgres.server.pid);

const bare = () =>
  withDatabase(async (url): Promise<ImportRound> => {
    const script = Bun.fileURLToPath(new URL("../baselines/bare-postgres.ts", import.meta.url));
    let before = Number.NaN;
    const { promise, resolve, reject } = Promise.withResolvers<BareReport>();
    const child = Bun.spawn([process.execPath, script, url, String(warmUp), String(users)], {
      stdio: ["ignore", "ignore", "inherit"],
      ipc(message: "warm" | BareReport) {
        if (message === "warm") before = serverSeconds();
        else resolve(message);
      },
      onExit: () => reject(new Error("The bare inserts exited.")),
    });
    const report = await promise;
    const serverMicros = ((serverSeconds() - before) * 1e6) / users;
    await child.exited;
    return { ...report, errors: 0, serverMicros };
  });

const service = (type: string) =>
  withDatabase(async (url): Promise<ImportRound> => {
    await using server = await startService(url);
    const first = await importUsers(server.url, type, 1, warmUp);
    const before = { process: readCpuSeconds(server.pid), server: serverSeconds() };
    const report = await importUsers(server.url, type, warmUp + 1, warmUp + users);
    return {
      ...report,
      errors: first.errors + report.errors,
      cpuMicros: ((readCpuSeconds(server.pid) - before.process) * 1e6) / users,
      serverMicros: ((serverSeconds() - before.server) * 1e6) / users,
      peak: readMemory(server.pid).peak,
    };
  });

await measureImports({
  ...numbers,
  json,
  target: TARGET,
  bare,
  service,
  withService: (work) =>
    withDatabase(async (url) => {
      await using server = await startService(url);
      return await work(server);
    }),
});
