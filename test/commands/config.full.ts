import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync } from "node:fs";
import { listSettings } from "../../src/config/settings.ts";
import { version } from "../../src/config/version.ts";
import { createSecret } from "../../src/contract/keys/key-secret.ts";
import { describeApi } from "../../src/contract/openapi.ts";
import { runRoster, stopAll, temporaryFolder } from "../support/process/roster.ts";
import { runOnTerminal } from "../support/process/terminal.ts";

setDefaultTimeout(120_000);
afterAll(stopAll);

const key = createSecret();
const env = { HOST: "0.0.0.0", ROSTER_API_KEY: key, DATABASE_URL: "postgres://me:s3cret@db.example/users" };

test("shows every setting with its source, hides secrets, and creates nothing", async () => {
  const cwd = temporaryFolder();
  const ran = await runRoster(["config", "--port=8080", "--log-level", "warn"], { env, cwd });
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  expect(ran.stdout).not.toMatch(/s3cret|roster_\w/);
  const shown = JSON.parse(ran.stdout);
  expect(Object.keys(shown)).toEqual(listSettings().map(([, { env: variable }]) => variable));
  expect(shown).toMatchObject({
    PORT: { value: "8080", from: "--port" },
    HOST: { value: "0.0.0.0", from: "HOST" },
    DATABASE_URL: { value: "postgres://me:…@db.example/users", from: "DATABASE_URL" },
    ROSTER_API_KEY: { value: "(secret)", from: "ROSTER_API_KEY" },
    ROSTER_LOG_LEVEL: { value: "warn", from: "--log-level" },
    ROSTER_AUTH: { value: "auto", from: "default" },
    ROSTER_TLS_CERT: { value: "", from: "default" },
  });
  expect(readdirSync(cwd)).toEqual([]);
});

test("prints a table that fits the terminal, and JSON with --output json", async () => {
  const { code, screen } = await runOnTerminal(["config"], { columns: 60, env });
  expect(code).toBe(0);
  expect(screen).toMatch(/^SETTING +VALUE +FROM\nPORT +3000 +default\nHOST +0\.0\.0\.0 +HOST\n/);
  expect(screen).toMatch(/\nROSTER_TLS_CERT +none +default\n/);
  expect(screen.split("\n").filter((line) => line.length > 60)).toEqual([]);
  const json = await runOnTerminal(["config", "--output", "json"], { columns: 200, env });
  expect(json.screen).toStartWith('{"PORT":{"value":"3000","from":"default"}');
});

test("rejects invalid settings like the service, with code 2", async () => {
  for (const [args, says] of [
    [["--port=http"], "--port=http is invalid. Use a whole number from 0 to 65535."],
    [["--auth=off"], "ROSTER_AUTH=off lets everyone in who reaches the port"],
    [["--prot=1"], "Unknown option --prot. Did you mean --port? See roster config --help."],
    [["now"], "See roster config --help."],
  ] as const) {
    const ran = await runRoster(["config", ...args], { env });
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toMatch(/^roster: [^\n]+\n$/);
    expect(ran.stderr).toContain(says);
  }
});

test("roster openapi prints the document that the service has at /openapi.json", async () => {
  const ran = await runRoster(["openapi"]);
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse(ran.stdout)).toEqual(JSON.parse(JSON.stringify(describeApi(version))));
  expect(await runRoster(["openapi", "--json"])).toMatchObject({ code: 2, stdout: "" });
});

test("roster openapi --brief prints the brief description", async () => {
  const ran = await runRoster(["openapi", "--brief"]);
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  const brief = describeApi(version, undefined, { brief: true });
  expect(JSON.parse(ran.stdout)).toEqual(JSON.parse(JSON.stringify(brief)));
});
