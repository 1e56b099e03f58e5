import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { scopes } from "../../src/contract/keys/key.ts";
import { isSecret } from "../../src/contract/keys/key-secret.ts";
import { runCommand, runRoster, shellCommand, stopAll, temporaryFolder } from "../support/process/roster.ts";
import { requirement, requireProgram } from "../support/requirements.ts";
import { expectError } from "./support/commands.ts";
import { keyOf, keysOn } from "./support/keys.ts";

setDefaultTimeout(120_000);
afterEach(stopAll);

describe("invalid usage ends with code 2 and one line, and creates nothing", () => {
  const named = ["create", "--name=ci"];
  const plain = [...named, "--scope=users:read"];
  const cases: [string[], string][] = [
    [["create", "--scope=all"], "--name is required"],
    [named, `--scope is required. Use one or more of ${scopes.join(", ")}, scim, all, separated by commas.`],
    [["create", "--name=", "--scope=all"], "--name= is invalid"],
    [["create", `--name=${"x".repeat(101)}`, "--scope=all"], "1 to 100 characters"],
    [["create", "--name=a\u001b[31mb", "--scope=all"], "on one line"],
    [
      [...named, "--scope=user:read"],
      `--scope=user:read is invalid. Use one or more of ${scopes.join(", ")}, scim, all, separated by commas.`,
    ],
    [[...named, "--scope="], "--scope= is invalid"],
    [[...named, "--scope=all,none"], "--scope=all,none is invalid"],
    [[...named, "--scope=scim,none"], "--scope=scim,none is invalid"],
    [[...named, "--scope=SCIM"], "--scope=SCIM is invalid"],
    [[...named, "--scope=toString"], "--scope=toString is invalid"],
    [[...plain, "--expires="], "--expires= is invalid"],
    [[...plain, "--expires=2020-01-31T12:00:00Z"], "a future time such as 2030-01-31T12:00:00Z"],
    [[...plain, "--expires=0s"], "--expires=0s is invalid"],
    [[...plain, "--expires=1w"], "--expires=1w is invalid"],
    [[...plain, "--expires=999999999d"], "--expires=999999999d is invalid"],
    [[...plain, "--rate=0"], "--rate=0 is invalid"],
    [[...plain, "--rate=10"], "--rate=10 is invalid. Use requests/seconds, such as 10/60"],
    [[...plain, "--quota=0"], "--quota=0 is invalid"],
    [[...plain, "--quota=1e6"], "--quota=1e6 is invalid"],
    [[...plain, "--database=postgres://me:s3cret@h/d?sslmode=maybe"], "--database is invalid"],
    [[...plain, "--naem=x"], "See roster keys create --help."],
    [[...plain, "ci"], "Unexpected argument 'ci'"],
    [["list", "--output=yes"], "Use table, json, or ndjson."],
    [["list", "7"], "See roster keys list --help."],
    [["revoke"], "ID is required"],
    [["revoke", "ci"], "ID=ci is invalid"],
    [["revoke", "0"], "ID=0 is invalid"],
    [["revoke", "1", "2"], "Unexpected argument '2'. See roster keys revoke --help."],
    [["replace"], "ID is required"],
    [["replace", "1", "--grace=31d"], "at most 30d"],
    [["replace", "1", "--scope=some"], "--scope=some is invalid"],
    [["generate", "--name=x"], "See roster keys generate --help."],
    [["--output=json"], "create, list, revoke, replace, generate"],
    [["crate"], "Unknown command keys crate. Did you mean keys create? See roster keys --help."],
    [["revok", "1"], "Did you mean keys revoke?"],
    [["constructor"], "Unknown command keys constructor. See roster keys --help."],
  ];
  test.each(cases)("%p", async (args, message) => {
    const folder = temporaryFolder();
    expectError(await runRoster(["keys", ...args], { cwd: folder }), 2, message);
    expect(existsSync(join(folder, "data"))).toBe(false);
  });

  test("never repeats a key that was passed in the wrong place", async () => {
    const key = keyOf(await runRoster(["keys", "generate"]));
    const places = [[key], ["revoke", key], ["list", key], ["create", `--name=x`, `--scope=${key}`]];
    for (const args of places) {
      const ran = await runRoster(["keys", ...args], { cwd: temporaryFolder() });
      expectError(ran, 2, "roster_…");
    }
  });
});

test("each command has help with examples, and keys lists its commands", async () => {
  const alone = await runRoster(["keys"]);
  expect(alone).toMatchObject({ code: 0, stderr: "" });
  for (const command of ["create", "list", "revoke", "replace", "generate"]) {
    expect(alone.stdout).toContain(`\n  ${command} `);
    const help = await runRoster(["keys", command, "--help"]);
    expect(help).toMatchObject({ code: 0, stderr: "" });
    expect(help.stdout).toStartWith(`roster keys ${command}`);
    expect(help.stdout).toContain("Examples:");
  }
  expect(await runRoster(["keys", "--help"])).toEqual(alone);
});

requireProgram("script").describe("on a terminal", () => {
  async function onTerminal(columns: number, args: string[]): Promise<string[]> {
    const command = `stty cols ${columns}; ${shellCommand(args)}`;
    const env = { TERM: "xterm" };
    const { stdout } = await runCommand(["script", "-qec", command, "/dev/null"], { env });
    return stdout.split("\n").map((line) => line.trimEnd());
  }

  test("list prints a table that fits, and JSON with --output ndjson", async () => {
    const path = join(temporaryFolder(), "roster.db");
    const keys = keysOn(path);
    keyOf(await keys("create", "--name=ci", "--scope=users:read"));
    const options = ["--scope=users:read,users:write", "--expires=90d", "--quota=100000"];
    keyOf(await keys("create", "--name=the frontend of our shop", ...options));
    keyOf(await keys("create", "--name=laptop", "--scope=all"));
    await keys("revoke", "3");
    const args = ["keys", "list", `--database=${path}`];
    const lines = await onTerminal(80, args);
    expect(lines[0]).toMatch(/^ID {2}NAME +KEY +SCOPES +CREATED +LAST USED +CALLS +STATE$/);
    expect(lines[2]).toMatch(/^ 1 {2}ci +roster_\w{5}… {2}users:read +\d+s ago +never +0 +active$/);
    expect(lines.join("\n")).toMatch(/ 3 {2}laptop +roster_\w{5}… {2}all .* revoked/);
    expect(lines.filter((line) => Bun.stringWidth(line) > 80)).toEqual([]);
    expect((await onTerminal(200, args)).filter((line) => line !== "").length).toBe(4);
    expect((await onTerminal(40, args)).slice(0, 2)).toEqual(["ID            1", "NAME          ci"]);
    const json = (await onTerminal(80, [...args, "--output=ndjson"])).filter((line) => line !== "");
    expect(json.map((line) => JSON.parse(line).id)).toEqual([1, 2, 3]);
  });

  test("create prints the key on its own line, and wraps the message between words", async () => {
    const path = join(temporaryFolder(), "roster.db");
    const args = ["keys", "create", "--name=ci", "--scope=users:read", `--database=${path}`];
    const [key = "", ...messages] = await onTerminal(60, args);
    expect(isSecret(key)).toBe(true);
    expect(messages.slice(-3)).toEqual([
      "\u001b[32m✓\u001b[39m Created key 1 (ci) with users:read. Copy the key now: it",
      "is not shown again.",
      "",
    ]);
  });
});

requirement(existsSync("/dev/full"), "there is no /dev/full").test(
  "create names a key that it could not print: you can revoke the key",
  async () => {
    const path = join(temporaryFolder(), "roster.db");
    const create = shellCommand(["keys", "create", "--name=ci", "--scope=all", `--database=${path}`]);
    const ran = await runCommand(["sh", "-c", `${create} > /dev/full`]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/\nCreated key 1 \(ci\) with .*\nroster: Cannot write to stdout [^\n]+\n$/);
  },
);

test("without a database, keys say how to find one, and how to reach a service", async () => {
  const [cwd, home] = [temporaryFolder(), temporaryFolder()];
  const keys = (args: readonly string[], env: Record<string, string> = {}) =>
    runRoster(["keys", ...args], { cwd, env: { HOME: home, ...env } });
  const host =
    "There is no database at ./data/roster.db. On the host of a service, set DATABASE_URL or --database to its database";
  for (const args of [["list"], ["revoke", "1"], ["replace", "1"]]) {
    expectError(
      await keys(args),
      1,
      host,
      "For a service elsewhere, open /keys of the service in a browser, or call its /api/keys, with a key that has the scope keys:manage.",
    );
    const known = await keys(args, { ROSTER_URL: "https://users.example/" });
    expectError(known, 1, host, "open https://users.example/keys in a browser");
  }
  // A variable that only other commands need.
  expectError(await keys(["list"], { ROSTER_URL: "users" }), 1, "open /keys of the service");
  expect(existsSync(join(cwd, "data"))).toBe(false);
  const created = await keys(["create", "--name=ci", "--scope=all"], { ROSTER_URL: "https://users.example" });
  keyOf(created);
  expect(created.stderr).toContain(
    "\nOnly a service on this database accepts the key. For a service elsewhere, open https://users.example/keys",
  );
  const second = await keys(["create", "--name=ci", "--scope=all"]);
  keyOf(second);
  expect(second.stderr).not.toContain("elsewhere");
});
