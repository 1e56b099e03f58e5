import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { User } from "../../../src/client/index.ts";
import { createSecret } from "../../../src/contract/keys/key-secret.ts";
import {
  type CommandResult,
  type Roster,
  runCommand,
  runRoster,
  shellCommand,
  startRoster,
  stopAll,
  temporaryFolder,
} from "../../support/process/roster.ts";
import { expectError } from "../support/commands.ts";

setDefaultTimeout(120_000);

let roster: Roster;
let guarded: Roster;
let reader: string;

beforeAll(async () => {
  const database = join(temporaryFolder(), "guarded.db");
  const created = await runRoster([
    "keys",
    "create",
    "--name=r",
    "--scope=users:read",
    "--database",
    database,
  ]);
  reader = created.stdout.trim();
  [roster, guarded] = await Promise.all([
    startRoster(join(temporaryFolder(), "roster.db")),
    startRoster(database),
  ]);
});
afterAll(stopAll);

/** Runs `roster users` in a pipe, as programs do. */
function users(...args: string[]): Promise<CommandResult> {
  return runRoster(["users", ...args], { env: { ROSTER_URL: roster.url } });
}

/** Like `users`, with this input on stdin. */
function usersReading(input: string, ...args: string[]): Promise<CommandResult> {
  const env = { ROSTER_URL: roster.url, INPUT: input };
  return runCommand(["sh", "-c", `printf %s "$INPUT" | ${shellCommand(["users", ...args])}`], { env });
}

/** Parses the users on stdout, one per line. Expects no other output. */
function usersIn(ran: CommandResult): User[] {
  expect(ran).toMatchObject({ code: 0, signal: null, stderr: "" });
  return linesOf(ran);
}

function linesOf({ stdout }: CommandResult): User[] {
  expect(stdout).toEndWith("\n");
  const lines = stdout.split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}

function userIn(ran: CommandResult): User {
  const [user, ...more] = usersIn(ran);
  expect(more).toEqual([]);
  if (!user) throw new Error("There is no user.");
  return user;
}

describe("users in pipes", () => {
  test("- reads a JSON object from stdin, also a user that was printed", async () => {
    const created = userIn(await usersReading('{"name": "Grace", "tags": ["cobol"]}', "create", "-"));
    expect(created).toMatchObject({ name: "Grace", tags: ["cobol"] });
    const id = String(created.id);
    const patched = userIn(await usersReading('{"address": {"city": "New York"}}', "update", id, "-"));
    expect(patched).toMatchObject({ name: "Grace", address: { city: "New York" } });
    const back = userIn(await usersReading(JSON.stringify({ ...patched, level: 9 }), "replace", id, "-"));
    expect(back).toMatchObject({ ...patched, level: 9, version: 3, updatedAt: back.updatedAt });
  });

  test("a create with the same Idempotency-Key creates no second user", async () => {
    const create = ["create", "name=Once", "--idempotency-key=only-once"];
    expect(userIn(await users(...create))).toEqual(userIn(await users(...create)));
  });

  test("commands that do not read stdin do not wait for it", async () => {
    const create = shellCommand(["users", "create", "name=Hasty"]);
    const script = `mkfifo in; sleep 30 > in & ${create} < in; kill $!`;
    const ran = await runCommand(["sh", "-c", script], {
      env: { ROSTER_URL: roster.url },
      cwd: temporaryFolder(),
    });
    expect(userIn(ran).name).toBe("Hasty");
  });
});

describe("list in a pipe", () => {
  beforeAll(async () => {
    const lines = Array.from(
      { length: 1500 },
      (_, i) => `{"name":"Many ${i}","email":"m${i}@many.example","part":${i % 2}}\n`,
    );
    const headers = { "content-type": "application/x-ndjson" };
    const response = await roster.call("/api/users/import", {
      method: "POST",
      body: lines.join(""),
      headers,
    });
    expect(response.status).toBeLessThan(300);
    await response.text();
  });

  test("prints all matching users in order, over several pages", async () => {
    const all = usersIn(await users("list", "--q=many.example", "--limit=2000", "--sort=-id"));
    expect(all.length).toBe(1500);
    expect(all.every(({ id }, i) => i === 0 || id < (all[i - 1]?.id ?? 0))).toBe(true);
    const few = usersIn(await users("list", "--where=part=1", "--where=email=m7@many.example"));
    expect(few.map(({ name }) => name)).toEqual(["Many 7"]);
  });

  test("continues after the previous list, with any limit", async () => {
    const first = await users("list", "--q=many.example", "--limit=1100");
    const [, command = ""] = /To continue:\n {2}roster users (.*)\n$/.exec(first.stderr) ?? [];
    expect(command).toStartWith("list --q=many.example --limit=1100 --after ");
    const next = usersIn(await users(...command.split(" ")));
    const last = linesOf(first).at(-1);
    expect(linesOf(first).length).toBe(1100);
    expect(next.length).toBe(400);
    expect(next[0]?.id).toBe((last?.id ?? 0) + 1);
  });

  test("prints nothing to stdout if no user matches, and succeeds", async () => {
    const ran = await users("list", "--q=nobody.at.all");
    expect(ran).toMatchObject({ code: 0, stdout: "", stderr: "No users found.\n" });
  });

  test("ends silently if head closes the pipe", async () => {
    const list = shellCommand(["users", "list", "--limit=100000"]);
    const env = { ROSTER_URL: roster.url };
    const ran = await runCommand(["sh", "-c", `{ ${list}; echo "code $?" >&2; } | head -1`], { env });
    expect(ran.stdout.split("\n").length).toBe(2);
    expect(JSON.parse(ran.stdout)).toHaveProperty("id");
    expect(ran.stderr).toBe("code 141\n");
  });
});

describe("invalid usage ends with code 2 and one line", () => {
  const cases: [string[], ...string[]][] = [
    [["lst"], "Unknown command users lst. Did you mean users list? See roster users --help."],
    [["--limit=3"], "list, count, get, find"],
    [["get"], "ID is required"],
    [["get", "ada@example.com"], "Use the id of a user, such as 7. To find it: `roster users find EMAIL`."],
    [["create"], "FIELD=VALUE"],
    [["create", "Ada"], 'Invalid field "Ada"'],
    [["create", "email=ada@example.com"], "Name is required"],
    [["list", "--sort=a..b"], "--sort=a..b is invalid. Use id, name"],
    [["list", "--where=department"], "FIELD=VALUE"],
    [["list", "--where=limit=3"], "You cannot filter by a field called limit with --where."],
    [["list", "--limt=3"], "Unknown option --limt. Did you mean --limit? See roster users list --help."],
    [["list", "-l", "3"], "Unknown option -l. See roster users list --help."],
    [["list", "--json"], "Unknown option --json. Use --output json or --output ndjson."],
    [["list", "--all", "--limit=3"], "Choose --all or --limit, not both."],
    [["list", "--output=xml"], "--output=xml is invalid. Use table, json, ndjson, or csv."],
    [["list", "--columns=id,,name"], "--columns=id,,name is invalid"],
    [["list", "--limit", "-3"], "--limit=-3 is invalid"],
    [["list", "--limit", "--all"], "--limit needs a value. See roster users list --help."],
    [["list", "--url=http://me:s3cret@host"], "--url=http://me:…@host is invalid"],
    [["update", "1", "x=1", "--if-version=new"], "--if-version=new is invalid"],
  ];
  test("a misspelt command, and a missing, extra or wrong value", async () => {
    await Promise.all(cases.map(async ([args, ...says]) => expectError(await users(...args), 2, ...says)));
  });

  test("an input that is not an object, or has a name or email that is not text", async () => {
    const [list, name, email, nothing] = await Promise.all([
      usersReading("[1]", "create", "-"),
      usersReading('{"name": null}', "update", "1", "-"),
      usersReading('{"name": "Ada", "email": 7}', "create", "-"),
      usersReading("", "create", "-"),
    ]);
    expectError(list, 2, "not a JSON object");
    expectError(name, 2, "Name must be text");
    expectError(email, 2, "Email must be text, or null");
    expectError(nothing, 2, "not a JSON object");
  });

  test("a key that would be sent unencrypted, without --insecure", async () => {
    const env = { ROSTER_API_KEY: createSecret(), ROSTER_URL: "http://roster.invalid" };
    expectError(await runRoster(["users", "list"], { env }), 2, "unencrypted", "https:", "--insecure");
    expectError(await runRoster(["users", "list", "--insecure", "--timeout=1"], { env }), 6);
  });

  test("a delete without a terminal requires --yes", async () => {
    const { id } = userIn(await users("create", "name=Careful"));
    expectError(await users("delete", String(id)), 2, `Delete user ${id}, Careful?`, "--yes");
    expect(userIn(await users("get", String(id))).name).toBe("Careful");
  });

  test("a delete of several users requires --yes too, takes no version, and deletes each once", async () => {
    const created = await Promise.all([users("create", "name=A"), users("create", "name=B")]);
    const ids = created.map((ran) => String(userIn(ran).id));
    expectError(await users("delete", ...ids), 2, "Delete these 2 users?", "--yes");
    expectError(
      await users("delete", ...ids, "--yes", "--if-version=1"),
      2,
      "--if-version takes only one ID.",
    );
    expectError(await users("delete", ...ids, "x", "--yes"), 2, `ID=${ids.join(" ")} x is invalid`);
    const deleted = await users("delete", ...ids, ...ids, "--yes");
    expect(deleted).toMatchObject({ code: 0, stdout: "", stderr: "Deleted 2 users.\n" });
    const again = await users("delete", ...ids, "--yes");
    expect(again).toMatchObject({ code: 1, stdout: "" });
    expect(again.stderr).toBe(
      `There is no user ${ids[0]}.\nThere is no user ${ids[1]}.\nroster: Deleted 0 of 2 users.\n`,
    );
  });
});

describe("other exit codes", () => {
  test("1: the user is invalid, with all errors", async () => {
    expectError(await users("create", "name=x", "password=1"), 1, "password");
    expectError(
      await users("create", "name= ", "email=x"),
      1,
      "A name is required.",
      "Enter a valid email address",
    );
  });

  test("3: the user does not exist", async () => {
    const gone = "9007199254740991";
    const all = await Promise.all([
      users("update", gone, "a=1"),
      users("replace", gone, "name=a"),
      users("delete", gone, "--yes"),
    ]);
    for (const ran of all) expectError(ran, 3, `There is no user ${gone}.`);
    expectError(
      await users("find", "nobody@example.com"),
      3,
      "There is no user with the email nobody@example.com.",
    );
  });

  test("4: conflict", async () => {
    const { id } = userIn(await users("create", "name=First", "email=first@example.com"));
    expectError(await users("create", "name=x", "email=FIRST@example.com"), 4, "FIRST@example.com");
    const late = await Promise.all([
      users("update", String(id), "a=1", "--if-version=7"),
      users("replace", String(id), "name=x", "--if-version=7"),
      users("delete", String(id), "--yes", "--if-version=7"),
    ]);
    for (const ran of late) expectError(ran, 4, `User ${id} is at version 1 now.`);
  });

  test("5: the key is missing, invalid or lacks the scope", async () => {
    const call = (args: string[], key?: string) => {
      const env = { ROSTER_URL: guarded.url, ...(key !== undefined && { ROSTER_API_KEY: key }) };
      return runRoster(["users", ...args], { env });
    };
    expectError(
      await call(["list"]),
      5,
      "has no API key. Sign in with `roster login`, or set ROSTER_API_KEY",
      guarded.url,
    );
    expectError(await call(["list"], createSecret()), 5, "has no such key", "ROSTER_API_KEY");
    expect(await call(["list"], reader)).toMatchObject({ code: 0, stdout: "" });
    expectError(await call(["create", "name=x"], reader), 5, "users:write");
    expectError(await call(["list"], "secret"), 2, "ROSTER_API_KEY is invalid");
  });

  test("6: the service does not respond, is too slow or is overloaded", async () => {
    const silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => undefined } });
    const busy = Bun.serve({ port: 0, fetch: () => new Response("Bad gateway", { status: 502 }) });
    const [away, late, bad] = await Promise.all([
      users("list", "--url=http://127.0.0.1:1"),
      users("list", `--url=http://127.0.0.1:${silent.port}`, "--timeout=1"),
      users("list", `--url=http://127.0.0.1:${busy.port}`),
    ]);
    silent.stop(true);
    await busy.stop(true);
    expectError(away, 6, "Cannot reach http://127.0.0.1:1 (", "ROSTER_URL or --url");
    expectError(late, 6, "in time", "--timeout");
    expectError(bad, 6, "502");
  });

  test("1: the URL is of another service, even if it responds 404", async () => {
    const other = Bun.serve({
      port: 0,
      fetch: () => new Response("<h1>Not\u001b[31m here</h1>", { status: 404 }),
    });
    const ran = await users("get", "1", `--url=http://127.0.0.1:${other.port}`);
    await other.stop(true);
    expectError(ran, 1, "is not a Roster service", "Check ROSTER_URL");
    expect(ran.stderr).not.toContain("\u001b");
    expectError(await users("get", "1", `--url=${roster.url}/docs`), 1, "Check ROSTER_URL or --url");
  });
});
