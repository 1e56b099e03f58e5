/**
 * Tests Roster with a real PgBouncer in transaction mode: two nodes on a few connections to PostgreSQL, and the tests of
 * the store and the API. Run `npx bun scripts/try-pgbouncer.ts`. Requires `pgbouncer`.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listPlanSettings } from "../src/store/postgres/connection-pools.ts";
import { type Postgres, startPostgres } from "../test/support/postgres/server.ts";
import { runRoster, startWith, stopAll } from "../test/support/process/roster.ts";
import { Callers } from "./trial/callers.ts";
import { formatSummary } from "./trial/ledger.ts";
import { freePort, Program } from "./trial/program.ts";

const SECONDS = Number(process.env.SECONDS ?? 10);
const SERVER_CONNECTIONS = 4;
/** The startup parameters that a node sets for its sessions. */
const sessionSettings = [
  ...Object.keys(listPlanSettings),
  "statement_timeout",
  "idle_in_transaction_session_timeout",
];

const program = Bun.which("pgbouncer", { PATH: `${process.env.PATH}:/usr/sbin` });
if (program === null) console.log("Skipped: pgbouncer is not installed (Debian: apt install pgbouncer).");
else {
  await withPooler(program, [], expectRefusedStart);
  await withPooler(program, sessionSettings, (url, postgres) => load(url, postgres, "none"));
  await withPooler(program, [], (url, postgres) => load(url, postgres, "transaction"));
  await withPooler(program, [], runTests);
}

type Trial = (url: string, postgres: Postgres) => Promise<void>;

async function withPooler(program: string, ignored: readonly string[], trial: Trial): Promise<void> {
  const postgres = await startPostgres();
  const pooler = new Program();
  try {
    const port = await freePort();
    await startPooler(pooler, program, port, postgres, ignored);
    await trial(`postgres://postgres@127.0.0.1:${port}/postgres`, postgres);
  } finally {
    await stopAll();
    await pooler.end();
    await postgres.destroy();
  }
}

async function startPooler(
  pooler: Program,
  program: string,
  port: number,
  postgres: Postgres,
  ignored: readonly string[],
): Promise<void> {
  const users = pooler.write("users.txt", '"postgres" ""\n');
  const path = pooler.write(
    "pgbouncer.ini",
    `[databases]
* = host=127.0.0.1 port=${postgres.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${SERVER_CONNECTIONS}
max_client_conn = 500
ignore_startup_parameters = ${["extra_float_digits", ...ignored].join()}
`,
  );
  // PgBouncer refuses to run as root.
  const account = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  pooler.makeFolderReadable();
  await pooler.start([program, ...account, path], port);
}

async function expectRefusedStart(url: string): Promise<void> {
  const args = ["serve", "--port=0", `--database=${url}`, "--database-wait=1000"];
  const { code, stderr } = await runRoster(args);
  console.log(`ROSTER_DATABASE_POOLER=none ends with ${code}: ${stderr.trim()}`);
}

async function load(url: string, postgres: Postgres, setting: "none" | "transaction"): Promise<void> {
  const flags = ["serve", "--port=0", `--database=${url}`, `--database-pooler=${setting}`];
  const [one, two] = await Promise.all([startWith(flags), startWith(flags)]);
  const callers = new Callers([one.url, two.url]);
  callers.start(32);
  await Bun.sleep(SECONDS * 1000);
  await callers.stop();
  console.log(
    `ROSTER_DATABASE_POOLER=${setting}, two nodes, ${SERVER_CONNECTIONS} connections to PostgreSQL:`,
  );
  console.log(`  ${formatSummary(callers.ledger.takeSummary())}`);
  const { users, differences } = await callers.differences();
  console.log(`  ${users} users; ${differences.length} lost, duplicated or not deleted`);
  console.log(`  PostgreSQL errors: ${listErrors(postgres)}`);
}

/** The errors in PostgreSQL's log. */
function listErrors(postgres: Postgres): string {
  const counts = new Map<string, number>();
  for (const [, message = ""] of readFileSync(join(postgres.folder, "..", "log"), "utf8").matchAll(
    /(?:ERROR|FATAL): +(.*)/g,
  )) {
    const kind = message.replace(/"[^"]*"/g, "…");
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].map(([message, times]) => `${times} × ${message}`).join(", ") || "none";
}

async function runTests(url: string): Promise<void> {
  const command = [process.execPath, "test", "test/store/postgres.test.ts", "test/api"];
  const child = Bun.spawn(command, {
    cwd: join(import.meta.dir, ".."),
    env: { ...process.env, ROSTER_TEST_POSTGRES: url, ROSTER_TEST_POOLER: "transaction" },
    stdout: "ignore",
    stderr: "pipe",
  });
  const lines = (await new Response(child.stderr).text()).split("\n");
  console.log("Tests of the store and the API through PgBouncer:");
  console.log(lines.filter((line) => /^\(fail\)|^ *\d+ (pass|fail)$/.test(line)).join("\n"));
}
