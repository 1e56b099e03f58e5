import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "../../src/client/index.ts";
import { untilOf } from "../commands/support/until-running.ts";
import { root } from "../support/paths.ts";
import { startService, type TestService } from "../support/service.ts";

const folder = join(root, "examples");

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const start = (example: string, args: readonly string[], env: Record<string, string>) =>
  Bun.spawn([process.execPath, join(folder, example), ...args], {
    env: { PATH: process.env.PATH ?? "", ROSTER_URL: service.url, ...env },
    stdout: "pipe",
    stderr: "pipe",
  });

async function run(
  example: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Result> {
  const child = start(example, args, env);
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, stdout, stderr };
}

test("examples/script.ts creates, finds, changes and deletes users", async () => {
  const { code, stdout, stderr } = await run("script.ts");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("found Ada Lovelace\nAda Lovelace is now in research, version 2\ndeleted both\n");
});

test("examples/nightly.ts marks users as dormant that have not changed for long, each once", async () => {
  const roster = createClient<{ dormant?: boolean }>({ baseUrl: service.url });
  const sleeper = await roster.users.create({ name: "Sleeper" });
  // Tomorrow, today is long ago.
  const env = { DORMANT_AFTER_DAYS: "-1" };
  expect(await run("nightly.ts", [], env)).toEqual({ code: 0, stdout: "1 users are dormant\n", stderr: "" });
  expect((await roster.users.get(sleeper.id)).dormant).toBe(true);
  expect((await run("nightly.ts", [], env)).stdout).toBe("0 users are dormant\n");
  await roster.users.delete(sleeper.id);
});

test("examples/mirror.ts copies all users, groups and members, follows changes, and continues after kill -9 and after a lost cursor", async () => {
  using folder = {
    path: mkdtempSync(join(tmpdir(), "roster-mirror-")),
    [Symbol.dispose]() {
      rmSync(this.path, { recursive: true, force: true });
    },
  };
  const path = join(folder.path, "mirror.db");
  const roster = createClient({ baseUrl: service.url });
  const readAll = async () => ({
    users: (await roster.users.list({ limit: 1000 }).all()).map((user) => JSON.stringify(user)),
    groups: (await roster.groups.list().all()).map((group) => JSON.stringify(group)),
    members: await Array.fromAsync(roster.memberships.export(), (membership) => JSON.stringify(membership)),
  });
  const copies = {
    users: "SELECT json FROM users ORDER BY id",
    groups: "SELECT json FROM groups ORDER BY id",
    members: `SELECT json_object('group', "group", 'user', user) FROM members ORDER BY "group", user`,
  };
  /** Runs the mirror until its copy equals the users, groups and members. */
  const mirrorUntilEqual = async (change: () => Promise<unknown>) => {
    const child = start("mirror.ts", [path], {});
    try {
      await untilOf(child, () => Bun.file(path).size > 0);
      using db = new Database(path);
      db.run("PRAGMA busy_timeout = 5000");
      const isEqual = async () => {
        const [table] = db.query("SELECT 1 FROM sqlite_master WHERE name = 'progress'").values();
        const read = (query: string) => (table ? db.query(query).values().flat() : []);
        const copy = {
          users: read(copies.users),
          groups: read(copies.groups),
          members: read(copies.members),
        };
        return Bun.deepEquals(copy, await readAll());
      };
      await untilOf(child, isEqual);
      await change();
      await untilOf(child, isEqual);
    } finally {
      child.kill("SIGKILL");
      await child.exited;
    }
  };
  const { id } = await roster.users.create({ name: "Mirrored" });
  const { id: other } = await roster.users.create({ name: "Other" });
  const { id: team } = await roster.groups.create({ name: "Mirrored team" });
  await roster.groups.add(team, [id, other]);
  await mirrorUntilEqual(async () => {
    await roster.users.update(id, { name: "Renamed" });
    await roster.groups.remove(team, [id]);
    await roster.groups.create({ name: "Deleted later" });
  });
  await roster.users.update(id, { name: "While it was down" });
  await roster.users.delete(other);
  await roster.groups.update(team, { name: "Renamed team" });
  await roster.groups.add(team, [id]);
  await mirrorUntilEqual(async () => {
    const { id: third } = await roster.users.create({ name: "Third" });
    const deleted = await roster.groups.find({ name: "Deleted later" });
    if (!deleted) throw new Error("The group is missing.");
    await roster.groups.add(deleted.id, [id, third]);
    await roster.groups.delete(deleted.id);
  });
  {
    using db = new Database(path);
    db.run("UPDATE progress SET after = '00000000001'");
    db.run("INSERT INTO users VALUES (999999, 1, '{}')");
    db.run("INSERT INTO groups VALUES (999999, 1, '{}')");
    db.run("INSERT INTO members VALUES (999999, 999999)");
  }
  await mirrorUntilEqual(() => roster.users.delete(id));
}, 120_000);

describe("examples/backend.ts", () => {
  test("serves a page's requests, and passes on the errors that a person can correct", async () => {
    const child = start("backend.ts", [], { PORT: "0" });
    try {
      const url = await readUrl(child.stdout);
      const post = (body: unknown) =>
        fetch(`${url}/sign-up`, {
          method: "POST",
          body: JSON.stringify(body),
          headers: { "content-type": "application/json" },
        });
      expect((await post({ name: "Ada", email: "ada@team.example" })).status).toBe(201);
      const taken = await post({ name: "Ada", email: "ADA@team.example" });
      expect([taken.status, (await taken.json()).errors[0].pointer]).toEqual([409, "/email"]);
      expect((await post({ name: "" })).status).toBe(422);
      const roster = createClient({ baseUrl: service.url });
      await roster.users.create({ name: "Zoë", department: "engines" });
      expect(await (await fetch(`${url}/team/engines`)).json()).toEqual(["Zoë"]);
      expect(await (await fetch(url)).text()).toContain("/team/engines");
    } finally {
      child.kill();
      await child.exited;
    }
  }, 120_000);
});

describe("examples/temperature.ts", () => {
  let weather: Bun.Server<undefined>;
  let silent: Server;
  beforeAll(() => {
    weather = Bun.serve({
      port: 0,
      fetch(request) {
        const place = decodeURIComponent(new URL(request.url).pathname.slice(1));
        if (place === "São Paulo") return Response.json({ temperature: 28.5 });
        if (place === "Atlantis") return new Response("no such place", { status: 404 });
        if (place === "Storm") return new Response("", { status: 500 });
        if (place === "Fog") return new Response("<p>Welcome!</p>");
        return Response.json({ humidity: 3 });
      },
    });
    silent = createServer().listen(0);
  });
  afterAll(async () => {
    await weather.stop(true);
    silent.close();
  });
  const readTemperature = (place: string, url = weather.url.href.replace(/\/$/, "")) =>
    run("temperature.ts", [place], { WEATHER_URL: url });

  test("prints the temperature", async () => {
    expect(await readTemperature("São Paulo")).toEqual({
      code: 0,
      stdout: "28.5 °C in São Paulo\n",
      stderr: "",
    });
  });

  test.each([
    ["an unknown place", "Atlantis", "Unknown place: Atlantis.\n"],
    ["a service that fails", "Storm", "GET /Storm: 500: "],
    ["a response that is not JSON", "Fog", 'GET /Fog: 200: the response is not JSON: "Welcome!"'],
    ["a response without a temperature", "Nowhere", "The weather service has no temperature for Nowhere.\n"],
  ])("prints the error and exits with 1: %s", async (_, place, message) => {
    const { code, stdout, stderr } = await readTemperature(place);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toStartWith(message);
  });

  test("prints the error and exits with 1 if nothing listens, or no response arrives", async () => {
    const refused = await readTemperature("London", "http://127.0.0.1:1");
    expect([refused.code, refused.stdout]).toEqual([1, ""]);
    expect(refused.stderr).toContain("GET /London: no response from http://127.0.0.1:1: ");
    const address = silent.address();
    const port = typeof address === "object" ? address?.port : 0;
    const silentRun = await readTemperature("London", `http://127.0.0.1:${port}`);
    expect([silentRun.code, silentRun.stdout]).toEqual([1, ""]);
    expect(silentRun.stderr).toContain("GET /London: no response within ");
  }, 120_000);
});

test("every example has a test", () => {
  const files = ["examples.full.ts", "../integrations/admin-examples.slow.ts"];
  const tests = files.map((file) => readFileSync(join(import.meta.dir, file), "utf8")).join();
  for (const name of readdirSync(folder)) expect(tests).toContain(`examples/${name}`);
});

/** Reads the URL that the server prints at its start. */
async function readUrl(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const bytes of stream) {
    text += new TextDecoder().decode(bytes);
    const url = /http:\/\/[^\s/]+/.exec(text)?.[0];
    if (url) return url;
  }
  throw new Error(`The server printed no URL: ${text}`);
}
