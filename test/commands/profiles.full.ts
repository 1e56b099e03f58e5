import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Profile, profilesPath } from "../../src/cli/profiles.ts";
import { createSecret, secretPrefix } from "../../src/contract/keys/key-secret.ts";
import {
  type CommandResult,
  type Roster,
  runCommand,
  runRoster,
  shellCommand,
  startRoster,
  stopAll,
  temporaryFolder,
} from "../support/process/roster.ts";
import { runOnTerminal } from "../support/process/terminal.ts";
import { expectError } from "./support/commands.ts";

setDefaultTimeout(120_000);

let roster: Roster;
let open: Roster;
let key: string;

beforeAll(async () => {
  const database = join(temporaryFolder(), "roster.db");
  const created = await runRoster([
    "keys",
    "create",
    "--name=laptop",
    "--scope=users:read,users:write",
    `--database=${database}`,
  ]);
  key = created.stdout.trim();
  [roster, open] = await Promise.all([
    startRoster(database),
    startRoster(join(temporaryFolder(), "open.db")),
  ]);
  for (const [service, headers] of [
    [roster, { authorization: `Bearer ${key}` }],
    [open, {}],
  ] as const) {
    const user = { name: service === roster ? "Of the guarded service" : "Of the open service" };
    expect((await service.call("/api/users", { method: "POST", json: user, headers })).status).toBe(201);
  }
});
afterAll(stopAll);

/** A person with a folder for settings. */
function person(profiles?: Record<string, Profile>) {
  const folder = temporaryFolder();
  const env = { XDG_CONFIG_HOME: folder };
  const path = join(folder, "roster", "profiles.json");
  if (profiles) {
    mkdirSync(join(folder, "roster"));
    writeFileSync(path, JSON.stringify(profiles));
  }
  return {
    path,
    env,
    run: (args: string[], more: Record<string, string> = {}) => runRoster(args, { env: { ...env, ...more } }),
    /** Signs in with the key on stdin. */
    login: (secret: string, ...args: string[]): Promise<CommandResult> =>
      runCommand(["sh", "-c", `printf '%s\\n' "$SECRET" | ${shellCommand(["login", ...args])}`], {
        env: { ...env, SECRET: secret },
      }),
  };
}

const nameIn = ({ stdout, stderr }: CommandResult) => {
  expect(stderr).toBe("");
  return JSON.parse(stdout).name;
};

describe("roster login", () => {
  test("asks for the URL and the key, which it does not show, and stores both for its owner only", async () => {
    const { path, env, run } = person();
    const { code, screen } = await runOnTerminal(["login"], {
      env,
      typing: [
        ["URL of the service [http://127.0.0.1:3000]: ", `${roster.url}\r`],
        ["requires none): ", `x\u007f${key}\r`],
      ],
    });
    expect(screen.replaceAll("\n", " ")).toContain(
      `✓ Signed in to ${roster.url} with the key laptop (users:read, users:write). Saved as profile default in `,
    );
    expect(code).toBe(0);
    expect(screen).not.toContain(key.slice(0, 12));
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ default: { url: roster.url, key } });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
    expect(nameIn(await run(["users", "list"]))).toBe("Of the guarded service");
  });

  test("stores nothing after Ctrl+C", async () => {
    const { path, env } = person();
    const { code, screen } = await runOnTerminal(["login", "--url", roster.url], {
      env,
      typing: [["requires none): ", `${key}\u0003`]],
    });
    expect({ code, stored: existsSync(path) }).toEqual({ code: 1, stored: false });
    expect(screen).toEndWith("\nroster: Cancelled. Nothing was changed.\n");
  });

  test("reads the key from stdin, and keeps several profiles", async () => {
    const { run, login, path } = person();
    const first = await login(key, "--url", roster.url, "--profile", "production");
    expect(first).toMatchObject({ code: 0, stdout: "" });
    expect(first.stderr).toBe(
      `Signed in to ${roster.url} with the key laptop (users:read, users:write).\nSaved as profile production in ${path}.\n`,
    );
    const second = await login("", "--url", open.url);
    expect(second.stderr).toStartWith(`Signed in to ${open.url}, which requires no key.\n`);
    expect(nameIn(await run(["users", "list", "--profile=production"]))).toBe("Of the guarded service");
    expect(nameIn(await run(["users", "list"], { ROSTER_PROFILE: "production" }))).toBe(
      "Of the guarded service",
    );
    expect(nameIn(await run(["users", "list"]))).toBe("Of the open service");
    const records = (await run(["profiles"])).stdout.trim().split("\n");
    expect(records.map((line) => JSON.parse(line))).toEqual([
      { name: "production", url: roster.url, keyPrefix: secretPrefix(key), current: false },
      { name: "default", url: open.url, keyPrefix: null, current: true },
    ]);
    expect(await run(["logout"])).toMatchObject({ code: 0, stderr: "Removed the profile default.\n" });
    expect(Object.keys(JSON.parse(readFileSync(path, "utf8")))).toEqual(["production"]);
    expectError(await run(["logout"]), 2, "There is no profile default. There is production.");
  });

  test("stores nothing that the service rejects", async () => {
    const { login, path } = person();
    expectError(await login(createSecret(), "--url", roster.url), 5, "has no such key");
    expectError(await login("", "--url", roster.url), 5, "API key");
    expectError(await login("password", "--url", roster.url), 2, "This is not an API key.");
    expectError(await login(key, "--url", "http://127.0.0.1:1", "--timeout=3"), 6, "Cannot reach");
    expectError(await login(key), 2, "add the URL of the service, as in roster login https://users.example");
    expectError(await login(key, "--url", "http://users.invalid"), 2, "unencrypted", "--insecure");
    expectError(await login(key, "--url", roster.url, "--profile=a b"), 2, "--profile=a b is invalid");
    expect(existsSync(path)).toBe(false);
  });

  test("takes the URL as an argument, and not two different ones", async () => {
    const { login, env, path } = person();
    const both = await login(key, roster.url, "--url", open.url);
    expectError(both, 2, `Choose '${roster.url}' or --url '${open.url}', not both. See roster login --help.`);
    expectError(await login(key, "users.example"), 2, "--url=users.example is invalid. Use the URL");
    expectError(await login(key, roster.url, open.url), 2, `Unexpected argument '${open.url}'`);
    expect(existsSync(path)).toBe(false);
    expect(await login(key, roster.url, "--url", roster.url)).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ default: { url: roster.url, key } });
    const { code, screen } = await runOnTerminal(["login", open.url, "--profile=open"], {
      env: { ...env, ROSTER_URL: roster.url },
      typing: [["requires none): ", "\r"]],
    });
    expect(code).toBe(0);
    expect(screen).toContain(`Signed in to ${open.url}, which requires no key.`);
    expect(JSON.parse(readFileSync(path, "utf8")).open).toEqual({ url: open.url });
  });

  test("makes a file private that others could read", async () => {
    const { login, path } = person({});
    expect(statSync(path).mode & 0o044).not.toBe(0);
    expect((await login("", "--url", open.url)).code).toBe(0);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });
});

describe("a profile", () => {
  test("gives way to --url and variables, and its key is only sent to its own URL", async () => {
    const received: (string | null)[] = [];
    const other = Bun.serve({
      port: 0,
      fetch({ headers }) {
        received.push(headers.get("authorization"));
        return Response.json([]);
      },
    });
    const url = other.url.origin;
    const { run } = person({ default: { url: roster.url, key }, open: { url: open.url } });
    const otherKey = createSecret();
    await run(["users", "list", "--url", url]);
    await run(["users", "list"], { ROSTER_URL: url });
    await run(["users", "list", "--profile=default", "--url", url]);
    await run(["users", "list", "--url", url], { ROSTER_API_KEY: otherKey });
    await other.stop(true);
    expect(received).toEqual([null, null, null, `Bearer ${otherKey}`]);
    // The same URL is the same service.
    expect(nameIn(await run(["users", "list", "--url", `${roster.url}/`]))).toBe("Of the guarded service");
    expectError(await run(["users", "list"], { ROSTER_API_KEY: otherKey }), 5, "has no such key");
    const variables = { ROSTER_URL: "http://127.0.0.1:1", ROSTER_API_KEY: otherKey };
    expect(nameIn(await run(["users", "list", "--profile=default"], variables))).toBe(
      "Of the guarded service",
    );
    expect(nameIn(await run(["users", "list", "--profile=open"], variables))).toBe("Of the open service");
  });

  test("that does not exist, and a damaged file, end with one line", async () => {
    const { run, path } = person({ default: { url: open.url } });
    expectError(await run(["users", "list", "--profile=x"]), 2, "There is no profile x. There is default.");
    expectError(await run(["users", "count"], { ROSTER_PROFILE: "x" }), 2, "roster login --profile x");
    for (const text of ["{", "[]", '{"default":{"url":7}}', '{"default":{"url":"http://x","key":"k"}}']) {
      writeFileSync(path, text);
      expectError(await run(["users", "list"]), 2, `${path} is damaged.`);
    }
  });

  test("is shown in a table on a terminal, without its key", async () => {
    const { env } = person({ default: { url: roster.url, key }, open: { url: open.url } });
    const { screen } = await runOnTerminal(["profiles"], { env });
    expect(screen.split("\n")[0]).toMatch(/^NAME {5}URL +KEY +CURRENT$/);
    expect(screen).toContain(`${secretPrefix(key)}…`);
    expect(screen).not.toContain(key);
    const none = await runOnTerminal(["profiles"], { env: person().env });
    expect(none.screen).toBe("No profiles yet. Create one: roster login\n");
  });
});

test("the file is in the folder for settings of the person", () => {
  const expected = process.platform === "darwin" ? "Library/Application Support" : ".config";
  expect(profilesPath({ HOME: "/home/ada" })).toBe(`/home/ada/${expected}/roster/profiles.json`);
  expect(profilesPath({ HOME: "/home/ada", XDG_CONFIG_HOME: "/x" })).toBe("/x/roster/profiles.json");
});
