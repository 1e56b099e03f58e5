/** The commands that most people run, as real processes. The *.full.ts files have their details. */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json" with { type: "json" };
import { commands } from "../../src/cli/commands.ts";
import type { User } from "../../src/client/index.ts";
import { bearer } from "../support/credentials.ts";
import {
  type CommandResult,
  type Roster,
  runRoster,
  startRoster,
  stopAll,
  temporaryFolder,
} from "../support/process/roster.ts";
import { expectError } from "./support/commands.ts";
import { keyOf, keysOn } from "./support/keys.ts";

setDefaultTimeout(120_000);

const folder = temporaryFolder();
const database = join(folder, "roster.db");
const file = (name: string) => join(folder, name);
let key: string;
let roster: Roster;

beforeAll(async () => {
  key = keyOf(await keysOn(database)("create", "--name=first", "--scope=all"));
  roster = await startRoster(database);
});
afterAll(stopAll);

/** Runs a command in a pipe, as programs do. */
function run(...args: string[]): Promise<CommandResult> {
  return runRoster(args, { cwd: folder, env: { ROSTER_URL: roster.url, ROSTER_API_KEY: key } });
}

async function create(name: string, email?: string): Promise<User> {
  const created = await roster.call("/api/users", {
    method: "POST",
    json: { name, email },
    headers: bearer(key),
  });
  expect(created.status).toBe(201);
  return created.json();
}

const linesOf = (text: string) => text.split("\n").filter((line) => line !== "");

function userIn(ran: CommandResult): User {
  expect(ran).toMatchObject({ code: 0, signal: null, stderr: "" });
  expect(linesOf(ran.stdout)).toHaveLength(1);
  return JSON.parse(ran.stdout);
}

test("serve requires the key that keys create printed", async () => {
  const statusWith = async (headers: Record<string, string>) =>
    (await roster.call("/api/users", { headers })).status;
  expect([await statusWith({}), await statusWith(bearer(key))]).toEqual([401, 200]);
});

test("health says ok while the service is ready", async () => {
  const ok = { code: 0, stdout: "ok\n" };
  expect(await runRoster(["health", `--port=${roster.port}`])).toMatchObject(ok);
  const env = { PORT: String(roster.port) };
  expect(await runRoster(["health", "--live"], { env })).toMatchObject(ok);
});

test("users create, get, find, update, replace and delete print only JSON", async () => {
  const users = (...args: string[]) => run("users", ...args);
  const name = "name=Ada Lovelace";
  const ada = userIn(await users("create", name, "email=ada@example.com", "level=3", "tags=[1,2]"));
  expect(ada).toMatchObject({ name: "Ada Lovelace", level: 3, tags: [1, 2], version: 1 });
  const id = String(ada.id);
  expect(userIn(await users("get", id))).toEqual(ada);
  expect(userIn(await users("find", "ADA@example.com"))).toEqual(ada);
  const changed = userIn(await users("update", id, "level=null", "note='quoted", "--if-version=1"));
  expect(changed).toMatchObject({ name: "Ada Lovelace", note: "'quoted", version: 2 });
  expect("level" in changed).toBe(false);
  const replaced = userIn(await users("replace", id, "name=Ada King", "plan="));
  expect(replaced).toMatchObject({ name: "Ada King", plan: "", version: 3 });
  expect("email" in replaced).toBe(false);
  const deleted = await users("delete", id, "--yes");
  expect(deleted).toMatchObject({ code: 0, stdout: "", stderr: `Deleted user ${id}.\n` });
  expectError(await users("get", id), 3, `There is no user ${id}.`);
});

test("users list prints one user per line, and users export writes them to a file of its owner", async () => {
  const users = [await create("Listed One"), await create("Listed Two")];
  const listed = await run("users", "list", "--q=listed");
  expect(listed).toMatchObject({ code: 0, stderr: "" });
  expect(linesOf(listed.stdout).map((line) => JSON.parse(line))).toEqual(users);
  expect(await run("users", "export", "out.ndjson", "--q=listed")).toMatchObject({ code: 0, stderr: "" });
  expect(readFileSync(file("out.ndjson"), "utf8")).toBe(listed.stdout);
  expect(statSync(file("out.ndjson")).mode & 0o777).toBe(0o600);
});

test("users import reads a CSV file, reports failed lines by number, and exits with 1", async () => {
  writeFileSync(
    file("people.csv"),
    'name;email;level;team\r\nBea;bea@example.com;3;engines\r\n;nobody@example.com;;\r\n"Zoë\nX";;007;\r\nBob;BEA@example.com;;\r\n',
  );
  const ran = await run("users", "import", "people.csv", "--errors", "failed.ndjson");
  expect(statSync(file("failed.ndjson")).mode & 0o777).toBe(0o600);
  expect(ran).toMatchObject({ code: 1, signal: null });
  expect(ran.stdout).toMatch(/^Imported 1 user, 3 failed \([\d.]+ s(, [\d,]+ per second)?\)\.\n$/);
  expect(ran.stderr).toContain("line 3: name: A name is required.");
  expect(ran.stderr).toContain("line 6: email: BEA@example.com is already in use.");
  const failed = linesOf(readFileSync(file("failed.ndjson"), "utf8")).map((line) => JSON.parse(line));
  expect(failed.map(({ line, status }) => [line, status])).toEqual([
    [3, 422],
    [4, 422],
    [6, 409],
  ]);
});

test("events list prints the newest events first", async () => {
  const { id } = await create("Changed", "a@x.org");
  const path = `/api/users/${id}`;
  await roster.call(path, { method: "PATCH", json: { email: "b@x.org", level: 2 }, headers: bearer(key) });
  await roster.call(path, { method: "DELETE", headers: bearer(key) });
  const { code, stdout, stderr } = await run("events", "list", `--user=${id}`);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const events = linesOf(stdout).map((line) => JSON.parse(line));
  expect(events.map(({ type }) => type)).toEqual(["user.deleted", "user.updated", "user.created"]);
  expect(events[1].changes).toEqual({ email: { from: "a@x.org", to: "b@x.org" }, level: { to: 2 } });
});

test("restore creates a database from the backup of a running service", async () => {
  const { id } = await create("Backed up");
  const [copy, restored] = [file("copy.db"), file("restored.db")];
  expect(await run("backup", copy, `--database=${database}`)).toMatchObject({ code: 0, stderr: "" });
  expect(await run("restore", copy, `--database=${restored}`)).toMatchObject({ code: 0, stderr: "" });
  using db = new Database(restored, { readonly: true });
  const user = db.query<{ json: string }, [number]>("SELECT json FROM users WHERE id = ?").get(id);
  expect(JSON.parse(user?.json ?? "")).toMatchObject({ id, name: "Backed up" });
});

test("doctor finds no problems without a database, creates nothing, and prints a line per check", async () => {
  const cwd = temporaryFolder();
  const ran = await runRoster(["doctor", "--port=0"], { cwd });
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  const [head, ...lines] = ran.stdout.split("\n");
  expect(head).toMatch(/^STATE +CHECK +FOUND$/);
  expect(lines.splice(-3)).toEqual(["", "No problems found.", ""]);
  for (const line of lines) expect(line).toMatch(/^ok +[a-z]+ +[A-Z0-9].*\.$/);
  expect(ran.stdout).toContain(
    "There is no database at ./data/roster.db yet. The service creates it on its first start.",
  );
  expect(ran.stdout).toContain(`Roster ${version}, Bun ${Bun.version}, SQLite 3.`);
  expect(readdirSync(cwd)).toEqual([]);
});

test("an unknown command ends with code 2 and the closest command", async () => {
  expect(await runRoster(["mgirate"])).toMatchObject({
    code: 2,
    stdout: "",
    stderr: "roster: Unknown command mgirate. Did you mean migrate? See roster --help.\n",
  });
  expect(await runRoster(["help", "users", "lst"])).toMatchObject({
    code: 2,
    stdout: "",
    stderr: "roster: Unknown command users lst. Did you mean users list? See roster users --help.\n",
  });
});

test("completion prints a script with every command", async () => {
  const { code, stdout, stderr } = await runRoster(["completion", "bash"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  for (const name of Object.keys(commands)) expect(stdout).toContain(name);
});

test("export and backup do not overwrite a file, and both exit with 4", async () => {
  for (const [name, ...args] of [
    ["taken.csv", "users", "export", "taken.csv"],
    ["taken.db", "backup", "taken.db", `--database=${database}`],
  ] as const) {
    writeFileSync(file(name), "mine");
    expectError(
      await run(...args),
      4,
      `${name} already exists: choose another file, or replace it with --force.`,
    );
    expect(readFileSync(file(name), "utf8")).toBe("mine");
    expect(await run(...args, "--force")).toMatchObject({ code: 0, stderr: "" });
    expect(readFileSync(file(name), "utf8")).not.toBe("mine");
  }
});
