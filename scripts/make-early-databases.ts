/**
 * Makes a database in test/store/early with the version of Roster that wrote it: npx bun scripts/make-early-databases.ts COMMIT
 * Needs the history of the repository. The files are final: run this only to add a database.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import type { Contents } from "../test/store/support/early-database.ts";
import { oddUsers, unsettledUsers } from "../test/store/support/odd-users.ts";
import { dumpDatabase } from "../test/store/support/postgres-dump.ts";
import { startPostgres } from "../test/support/postgres/server.ts";
import { until } from "../test/support/until.ts";

const root = join(import.meta.dir, "..");
const target = join(root, "test/store/early");
/** The commits that wrote databases of different forms. */
const EARLY = ["2b3f424", "c382849"] as const;
/** The last commit that recorded no migrations: it fails on early databases, after it has changed them. */
const LAST = "944d220";
/** The last commit before users had a user name. */
const UNSETTLED = "f2c1e0a";
/** The last commit before the history of a user had the changes of members that name it. */
const GROUPED = "ae6e6fc";

const folder = mkdtempSync(join(tmpdir(), "roster-early-"));
const postgres = await startPostgres();
try {
  mkdirSync(target, { recursive: true });
  for (const commit of [...EARLY, LAST, UNSETTLED, GROUPED]) {
    if (commit !== process.argv[2]) continue;
    const source = checkOut(commit);
    const file = join(folder, `${commit}.db`);
    const url = await createDatabase(commit);
    for (const database of [file, url])
      await save(commit, commit, database, await fill(commit, source, database));
    if (commit !== EARLY[0]) continue;
    const failing = checkOut(LAST);
    for (const database of [file, url]) {
      run(failing, database, "serve");
      await save(`${commit}-failed-start`, commit, database);
    }
  }
} finally {
  await postgres.destroy();
  rmSync(folder, { recursive: true });
  Bun.spawnSync(["git", "worktree", "prune"], { cwd: root });
}
process.exit(0);

async function createDatabase(name: string): Promise<string> {
  const sql = new SQL(postgres.url(), { max: 1 });
  await sql.unsafe(`CREATE DATABASE "${name}"`);
  await sql.close();
  return postgres.url(name);
}

/** Checks out a commit beside this one. It uses the packages of this one. */
function checkOut(commit: string): string {
  const path = join(folder, `source-${commit}`);
  if (existsSync(path)) return path;
  Bun.spawnSync(["git", "worktree", "add", "--force", "--detach", path, commit], { cwd: root });
  symlinkSync(join(root, "node_modules"), join(path, "node_modules"));
  return path;
}

function environment(database: string): Record<string, string | undefined> {
  return { ...process.env, DATABASE_URL: database, PORT: "0", ROSTER_LOG_FORMAT: "json" };
}

function run(cwd: string, database: string, ...args: string[]): string {
  const command = [process.execPath, "src/cli/main.ts", ...args];
  return Bun.spawnSync(command, { cwd, env: environment(database) }).stdout.toString();
}

/** Starts the version, calls it, and returns what it has answered. */
async function fill(commit: string, cwd: string, database: string): Promise<Contents> {
  const command = [process.execPath, "src/cli/main.ts", "serve"];
  const service = Bun.spawn(command, { cwd, env: environment(database), stdout: "pipe", stderr: "inherit" });
  let output = "";
  const reading = (async () => {
    for await (const chunk of service.stdout) output += new TextDecoder().decode(chunk);
  })();
  const address = /http:\/\/127\.0\.0\.1:\d+/;
  await until(() => address.test(output));
  const url = address.exec(output)?.[0] ?? "";
  const headers: Record<string, string> = { "content-type": "application/json" };
  const call = async (path: string, init: RequestInit = {}) =>
    fetch(url + path, { ...init, headers: { ...headers, ...Object(init.headers) } });
  for (const user of commit === UNSETTLED ? unsettledUsers : oddUsers)
    await call("/api/users", { method: "POST", body: JSON.stringify(user) });
  const body = JSON.stringify({ name: "Once", email: "once@example.com" });
  const once = { method: "POST", body, headers: { "idempotency-key": "once" } };
  const created = { body, response: await (await call("/api/users", once)).json() };
  const refusedBody = JSON.stringify({ name: "Taken", email: "once@example.com" });
  await call("/api/users", { method: "POST", body: refusedBody, headers: { "idempotency-key": "refused" } });
  const importBody = '{"name":"Imported 1"}\n{"name":""}\n{"name":"Imported 2"}\n';
  const imported = await call(commit === EARLY[0] ? "/api/users" : "/api/users/import", {
    method: "POST",
    body: importBody,
    headers: { "idempotency-key": "import", "content-type": "application/x-ndjson" },
  });
  const importResults = (await imported.text())
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const importedIds = importResults.map(({ id }) => id ?? null);
  await call("/api/users/1", {
    method: "PATCH",
    body: '{"level":8}',
    headers: { "content-type": "application/merge-patch+json" },
  });
  const last = await (await call("/api/users", { method: "POST", body: '{"name":"Deleted"}' })).json();
  await call(`/api/users/${last.id}`, { method: "DELETE" });
  if (commit === GROUPED) await changeMembers(call);
  const key = run(cwd, database, "keys", "create", "--name", "admin", "--scope", "all").trim();
  await Bun.sleep(1000);
  headers.authorization = `Bearer ${key}`;
  const limited = {
    name: "limited",
    scopes: ["users:read"],
    rateLimit: { requests: 10, seconds: 60 },
    quota: 100,
  };
  await call("/api/keys", { method: "POST", body: JSON.stringify(limited) });
  await call("/api/keys/2", { method: "DELETE" });
  await call("/api/session", { method: "POST", body: JSON.stringify({ key }) });
  const users = await (await call("/api/users?sort=id&limit=1000")).json();
  const keys = await (await call("/api/keys")).json();
  service.kill("SIGTERM");
  await Promise.all([service.exited, reading]);
  return {
    key,
    users,
    keys,
    lastId: last.id,
    created,
    refusedBody,
    imported: { body: importBody, ids: importedIds },
  };
}

/** User 1 comes to two groups, leaves one, and leaves and comes back to the other one. */
async function changeMembers(call: (path: string, init?: RequestInit) => Promise<Response>): Promise<void> {
  for (const name of ["Sales", "Support"])
    await call("/api/groups", { method: "POST", body: JSON.stringify({ name }) });
  await call("/api/groups/1/members", { method: "PATCH", body: '{"add":[1,2]}' });
  await call("/api/groups/2/members/1", { method: "PUT" });
  await call("/api/groups/2/members", { method: "PATCH", body: '{"add":[2],"remove":[1]}' });
  await call("/api/users/1", { method: "DELETE" });
  await call("/api/deleted-users/1/restore", { method: "POST", body: "{}" });
}

/** Saves the database, and what its version has answered. */
async function save(state: string, commit: string, database: string, contents?: Contents): Promise<void> {
  const isFile = !database.includes("://");
  const name = join(target, `${state}.${isFile ? "sqlite" : "postgres"}`);
  const saved = isFile
    ? await Bun.file(database).bytes()
    : Buffer.from(JSON.stringify(await dumpDatabase(database, await statementsOf(commit, database))));
  await Bun.write(`${name}.gz`, Bun.gzipSync(saved, { level: 9 }));
  if (contents) await Bun.write(`${name}.json`, `${JSON.stringify(contents, null, 1)}\n`);
}

/** The statements that have created the tables of a PostgreSQL database. */
async function statementsOf(commit: string, url: string): Promise<string[]> {
  const sql = new SQL(url, { max: 1 });
  const [row] = await sql
    .unsafe("SELECT schema, to_regclass('roster.migrations') FROM roster.about")
    .values();
  await sql.close();
  const [version, record] = row ?? [];
  const read = async (source: string, prefix: string) => {
    const files = new Bun.Glob(`src/store/postgres/migrations/${prefix}*.sql`).scanSync(source);
    return Promise.all([...files].sort().map((file) => Bun.file(join(source, file)).text()));
  };
  const begin = [
    "CREATE SCHEMA roster",
    "CREATE TABLE roster.about (only_row integer PRIMARY KEY CHECK (only_row = 1), schema integer NOT NULL)",
    "INSERT INTO roster.about VALUES (1, 0)",
  ];
  if (record !== null) {
    return [
      ...begin,
      'CREATE TABLE roster.migrations (name text COLLATE "C" PRIMARY KEY, digest text NOT NULL, applied_at bigint)',
      ...(await read(checkOut(commit), "")),
    ];
  }
  return [
    ...begin,
    ...(await read(checkOut(commit), "0001_")),
    ...(Number(version) > 1 ? await read(checkOut(LAST), "0002_") : []),
  ];
}
