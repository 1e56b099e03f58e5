import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json" with { type: "json" };
import { listSettings, type settings } from "../../src/config/settings.ts";
import {
  type RosterOptions,
  runCommand,
  runRoster,
  shellCommand,
  startRoster,
  startWith,
  stopAll,
  temporaryFolder,
} from "../support/process/roster.ts";
import { runOnTerminal } from "../support/process/terminal.ts";
import { requirement } from "../support/requirements.ts";

setDefaultTimeout(120_000);
afterEach(stopAll);

/** Expects one line that says what to do, this exit code, and no other output. */
async function expectError(code: number, args: string[], options: RosterOptions, ...says: string[]) {
  const ran = await runRoster(["serve", ...args], options);
  expect(ran).toMatchObject({ code, signal: null, stdout: "" });
  expect(ran.stderr).toMatch(/^roster: [^\n]+\n$/);
  expect(ran.stderr).not.toMatch(/\bat .*:\d+|Error:/);
  for (const text of says) expect(ran.stderr).toContain(text);
}

const bad: Record<keyof typeof settings, string[]> = {
  port: ["65536", "-1", "http"],
  host: ["http://localhost", "two words"],
  database: ["postgres://localhost/roster?sslmode=maybe", "http://example.com/db"],
  databasePool: ["2", "1001"],
  databasePooler: ["session", "on"],
  migrate: ["no", "on"],
  auth: ["on", "OFF"],
  apiKey: ["secret", `roster_${"0".repeat(36)}`],
  rateLimit: ["100", "100/0", "0/60", "1/2/3", "-1/60"],
  corsOrigins: ["*", "app.example", "https://app.example/", "https://app.example/path"],
  hosts: ["a b", "roster.test:3000", "http://roster.test", "*"],
  publicUrl: [
    "roster.example",
    "ftp://roster.example",
    "https://a:b@roster.example",
    "https://roster.example/?a",
    "https://roster.example/#",
  ],
  trustedProxies: ["loopback", "10.0.0.0/33", "10.0.0/8", "fd00::/129"],
  tlsCert: ["alone.pem"],
  tlsKey: ["alone.pem"],
  concurrency: ["0", "many"],
  logLevel: ["verbose", "INFO"],
  logFormat: ["xml"],
  slowMs: ["0", "1e3"],
  bodyLimit: ["10", "64KiB"],
  recordLimit: ["1", "99999999"],
  fieldLimit: ["1", "many"],
  idleTimeout: ["0", "256"],
  databaseWait: ["9", "5s"],
  shutdownDelay: ["-1", "3601"],
  shutdownGrace: ["-1", "3601"],
  commitBatch: ["0", "10001"],
  deletedDays: ["-1", "36501"],
  eventsDays: ["0", "36501"],
  eventsMax: ["-1", "many"],
  eventsBytes: ["-1", "10GiB"],
  scim: ["yes", "OFF"],
  webhookPrivate: ["yes", "ALLOW"],
  webhookStoreResponses: ["yes", "ON"],
  writeQueue: ["0", "many"],
  otlpEndpoint: ["localhost:4318", "grpc://localhost:4317"],
  otlpTracesEndpoint: ["/v1/traces"],
  otlpHeaders: ["no-value", "name=%"],
  otlpTimeout: ["0", "10s"],
  otelServiceName: ["x".repeat(256)],
  otelResourceAttributes: ["production"],
  tracesSampler: ["jaeger_remote", "ALWAYS_ON"],
  tracesSamplerArg: ["2", "half"],
  otelDisabled: ["yes"],
};

describe("an invalid setting", () => {
  test.each(listSettings())("is named, with exit code 2: %s", async (name, { env, flag }) => {
    const folder = temporaryFolder();
    const values = Object.entries(bad).find(([each]) => each === name)?.[1] ?? [];
    expect(values).not.toEqual([]);
    await Promise.all(
      values.flatMap((value) => [
        expectError(2, [], { cwd: folder, env: { [env]: value } }, env),
        ...(flag ? [expectError(2, [`--${flag}=${value}`], { cwd: folder })] : []),
      ]),
    );
    expect(existsSync(join(folder, "data"))).toBe(false);
  });

  test("is reported on one line even if its value has several", async () => {
    await expectError(2, [], { env: { PORT: "80\n81\r\n82" } }, "PORT");
    await expectError(2, ["--log-level=a\nb"], {}, "--log-level");
  });

  test("includes an unknown flag, a flag without a value, and an extra argument", async () => {
    await expectError(2, ["--prot=3000"], {}, "--prot", "roster --help");
    await expectError(2, ["--port"], {}, "--port", "roster --help");
    await expectError(2, ["now"], {}, "now", "roster --help");
    await expectError(2, ["-p", "3000"], {}, "-p", "roster --help");
  });
});

describe("the command line and the environment", () => {
  test("--help and --version print to stdout and exit with code 0", async () => {
    const help = await runRoster(["serve", "-h"]);
    expect(help).toMatchObject({ code: 0, stderr: "" });
    for (const { flag, env } of listSettings().map(([, setting]) => setting)) {
      if (flag) expect(help.stdout).toContain(`--${flag} `);
      expect(help.stdout).toContain(env);
    }
    for (const args of [["--version"], ["-v"], ["version"], ["serve", "--version"]]) {
      expect(await runRoster(args)).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: "" });
    }
  });

  test("flags override the environment, and an empty variable counts as unset", async () => {
    const folder = temporaryFolder();
    const byFlag = join(folder, "flag.db");
    const env = { DATABASE_URL: join(folder, "env.db"), PORT: "no port", ROSTER_LOG_LEVEL: "", HOST: "" };
    const roster = await startWith(["--port=0", `--database=${byFlag}`], { env });
    expect(roster.url).toStartWith("http://127.0.0.1:");
    expect(existsSync(byFlag)).toBe(true);
    expect(existsSync(join(folder, "env.db"))).toBe(false);
  });

  test("the environment alone is enough, `serve` is optional, and the log level is respected", async () => {
    const database = join(temporaryFolder(), "env.db");
    const env = { DATABASE_URL: database, PORT: "0", ROSTER_LOG_LEVEL: "debug" };
    const roster = await startWith([], { env });
    expect(existsSync(database)).toBe(true);
    await roster.call("/api/users/7");
    roster.kill("SIGTERM");
    await roster.exited;
    expect(roster.stdout.some((line) => line.includes('"/api/users/7"'))).toBe(true);
  });

  test("the default database is ./data/roster.db in the working directory", async () => {
    const folder = temporaryFolder();
    await startWith(["serve", "--port=0"], { cwd: folder });
    expect(existsSync(join(folder, "data", "roster.db"))).toBe(true);
  });

  test("a database can be a path or a URL, and its folders are created", async () => {
    const folder = temporaryFolder();
    const forms: [string, string][] = [
      ["./a/b/dotted.db", "a/b/dotted.db"],
      ["sqlite:relative.db", "relative.db"],
      [`sqlite:${join(folder, "c", "single.db")}`, "c/single.db"],
      [`sqlite://${join(folder, "triple.db")}`, "triple.db"],
      [`file:${join(folder, "with space.db")}`, "with space.db"],
    ];
    for (const [form, file] of forms) {
      const roster = await startWith(["--port=0"], { cwd: folder, env: { DATABASE_URL: form } });
      expect((await roster.call("/api/users", { method: "POST", json: { name: "Ada" } })).status).toBe(201);
      expect({ form, created: existsSync(join(folder, file)) }).toEqual({ form, created: true });
      roster.kill("SIGTERM");
      await roster.exited;
      expect(readFileSync(join(folder, file)).includes("Ada")).toBe(true);
    }
  });
});

describe("access", () => {
  test("is open to other machines, under any host name, with ROSTER_AUTH=off", async () => {
    const database = join(temporaryFolder(), "roster.db");
    const env = { HOST: "0.0.0.0", ROSTER_AUTH: "off" };
    const roster = await startRoster(database, { env });
    const headers = { host: "roster.example.com" };
    expect((await fetch(`http://127.0.0.1:${roster.port}/api/users`, { headers })).status).toBe(200);
  });

  test("is otherwise limited to this machine and loopback host names", async () => {
    const roster = await startRoster(join(temporaryFolder(), "roster.db"));
    const headers = { host: "roster.example.com" };
    const response = await roster.call("/api/users", { headers });
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect((await fetch(`http://localhost:${roster.port}/api/users`)).status).toBe(200);
  });

  test("a port in use, or an address of another machine, gives exit code 1", async () => {
    const folder = temporaryFolder();
    const roster = await startRoster(join(folder, "one.db"));
    const other = [`--database=${join(folder, "two.db")}`];
    const port = String(roster.port);
    await expectError(1, [...other, `--port=${port}`], {}, `Port ${port} is in use`, "PORT");
    await expectError(1, [...other, "--port=0", "--host=192.0.2.1", "--auth=off"], {}, "HOST");
    expect((await roster.call("/readyz")).status).toBe(200);
  });

  test("a folder as the database gives exit code 1, and a path that works", async () => {
    const folder = temporaryFolder();
    for (const path of [folder, `${folder}/`]) {
      const args = ["--port=0", `--database=${path}`];
      await expectError(1, args, {}, `${path} is a folder`, join(folder, "roster.db"));
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  const isRoot = process.getuid?.() === 0;
  const start = "/proc/sys/net/ipv4/ip_unprivileged_port_start";
  requirement(
    existsSync(start) &&
      Number(readFileSync(start, "utf8")) > 80 &&
      (!isRoot || Bun.which("setpriv") !== null),
    "every user may listen on port 80, or setpriv is not installed",
  ).test("a port that the user may not listen on gives exit code 1, and advice", async () => {
    const command = shellCommand([`--database=${join(temporaryFolder(), "roster.db")}`, "--port=80"]);
    const drop = isRoot ? "setpriv --bounding-set=-net_bind_service " : "";
    const { code, stdout, stderr } = await runCommand(["sh", "-c", `${drop}${command}`]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^roster: This user may not listen on port 80\. [^\n]+ 1024 [^\n]+\n$/);
  });

  test.each(["0.0.0.0", "::", "::1"])(
    "the log has URLs that work in a browser with HOST=%s",
    async (host) => {
      const roster = await startRoster(join(temporaryFolder(), "roster.db"), { env: { HOST: host } });
      const { console: page, docs } = JSON.parse(roster.stdout[0] ?? "");
      expect(new URL(page).hostname).toBe(host === "0.0.0.0" ? "127.0.0.1" : "[::1]");
      for (const url of [page, docs]) expect((await fetch(url)).status).toBe(200);
    },
  );
});

test("variables that look like settings are reported, with a suggestion", async () => {
  const env = {
    ROSTER_RATELIMIT: "0",
    ROSTER_PORT: "3000",
    ROSTER_UNKNOWN_THING: "",
    // Kubernetes sets these.
    ROSTER_SERVICE_HOST: "10.0.0.1",
    ROSTER_SERVICE_PORT_HTTP: "80",
    ROSTER_API_PORT: "tcp://10.0.0.1:80",
    ROSTER_PORT_80_TCP_ADDR: "10.0.0.1",
    // The client library reads this variable.
    ROSTER_URL: "http://127.0.0.1:3000",
  };
  const roster = await startRoster(join(temporaryFolder(), "roster.db"), { env });
  const warnings = roster.stdout.map((line) => JSON.parse(line)).filter(({ level }) => level === "warn");
  expect(warnings.map(({ message }) => message)).toEqual([
    "ROSTER_RATELIMIT in the environment is not a setting. Did you mean ROSTER_RATE_LIMIT?",
    "ROSTER_PORT in the environment is not a setting. Did you mean PORT?",
    "ROSTER_UNKNOWN_THING in the environment is not a setting. Remove it.",
  ]);
});

describe("the log", () => {
  test("is one JSON object per line when stdout is not a terminal", async () => {
    const roster = await startRoster(join(temporaryFolder(), "roster.db"));
    const [line = ""] = roster.stdout;
    expect(JSON.parse(line)).toMatchObject({ level: "info", users: `${roster.url}/api/users` });
  });

  test("is readable text on a terminal", async () => {
    const database = join(temporaryFolder(), "roster.db");
    const { code, screen } = await runOnTerminal(["--port=0", `--database=${database}`], {
      typing: [["/docs", "\x03"]],
    });
    expect(screen).toMatch(
      /^\s+Roster \S+ is ready\s+console +http:\/\/\S+\s+users +http:\/\/\S+\/api\/users\s+docs +http:\/\/\S+\/docs\s/,
    );
    expect(screen).toContain("stopped");
    expect(screen).not.toContain("{");
    expect(code).toBe(0);
  });
});
