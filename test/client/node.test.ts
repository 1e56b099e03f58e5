import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { startService, type TestService } from "../service.ts";
import { bundleClient } from "./bundle.ts";
import { answering, nobody, problem, speaking, stopServers } from "./servers.ts";

let service: TestService;
let folder: string;
let bundle: string;

beforeAll(async () => {
  [service, bundle] = await Promise.all([startService(), bundleClient("module")]);
  folder = mkdtempSync(join(tmpdir(), "roster-node-"));
  writeFileSync(join(folder, "client.mjs"), bundle);
}, 20_000);

afterEach(stopServers);

afterAll(async () => {
  rmSync(folder, { recursive: true });
  await service.stop();
});

/** Runs this with Node.js, and gives what it reports. */
async function inNode(code: string, env: Record<string, string> = {}): Promise<unknown[]> {
  const script = join(folder, "script.mjs");
  const lines = [
    `import { createClient, requestJson } from "./client.mjs";`,
    "const report = (...values) => console.log(JSON.stringify(values));",
    "const failure = (promise) => promise.then((value) => ({ value }), (error) => error);",
    code,
  ];
  writeFileSync(script, lines.join("\n"));
  const child = Bun.spawn(["node", script], {
    env: { PATH: process.env.PATH ?? "", ...env },
    stderr: "pipe",
  });
  const [out, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect(errors).toBe("");
  return out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

describe("on Node.js", () => {
  test("users are created, listed, read, changed and deleted", async () => {
    const code = `
      const { users } = createClient();
      report(process.versions.bun === undefined, Number(process.versions.node.split(".")[0]) >= 20);
      const made = await users.create({ name: "Ada", email: "ada@example.com", team: "red" });
      report(made.version, (await users.get(made.id)).name);
      for (let n = 0; n < 5; n++) await users.create({ name: "User " + n, team: "blue" });
      const names = [];
      for await (const user of users.list({ where: { team: "blue" }, limit: 2 })) names.push(user.name);
      report(names, (await users.list().all()).length, (await users.list({ limit: 1 }).page({ count: true })).total);
      report((await users.update(made.id, { team: null })).version, (await users.find({ email: "ADA@example.com" })).id === made.id);
      const add = (user) => ({ ...user, count: (user.count ?? 0) + 1 });
      await Promise.all([1, 2, 3, 4].map(() => users.modify(made.id, add)));
      report((await users.get(made.id)).count);
      await users.delete(made.id);
      report((await failure(users.get(made.id))).type);
    `;
    expect(await inNode(code, { ROSTER_URL: service.url })).toEqual([
      [true, true],
      [1, "Ada"],
      [["User 0", "User 1", "User 2", "User 3", "User 4"], 6, { count: 6, capped: false }],
      [2, true],
      [4],
      ["user-not-found"],
    ]);
  });

  test("each failure is of its own class", async () => {
    const silent = await answering("silence");
    const dropping = await answering("drop");
    const head = "HTTP/1.1 200 OK\r\n";
    const endings = [
      `${head}Content-Length: 100\r\n\r\n[]`,
      `${head}Transfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n`,
    ];
    const broken = await Promise.all(
      endings.map((text) =>
        speaking((socket) => {
          socket.write(text);
          setTimeout(() => socket.destroy(), 10);
        }),
      ),
    );
    const pouring = await speaking((socket) => {
      socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
      const chunk = `10000\r\n${" ".repeat(0x10000)}\r\n`;
      const more = () => {
        while (socket.writable && socket.write(chunk));
      };
      socket.on("drain", more);
      more();
    });
    const gone = (await nobody()).replace("127.0.0.1", "localhost");
    const code = `
      const report2 = (error) => report(error.name, error.message.replace(/:\\d+/, ":port"), error.cause instanceof Error);
      const { users } = createClient({ baseUrl: ${JSON.stringify(service.url)}, retries: 0 });
      const at = (baseUrl) => createClient({ baseUrl, retries: 0, timeout: 5000 }).users;
      report2(await failure(users.create({ name: "" })));
      report2(await failure(at("${gone}").get(1)));
      report2(await failure(at("${silent.url}").get(1, { timeout: 30 })));
      report2(await failure(at("${dropping.url}").get(1)));
      report((await failure(at("${broken[0]}").list().page())).name, (await failure(at("${broken[1]}").list().page())).name);
      report2(await failure(at("${pouring}").list().page()));
      report(await failure(users.get(1, { signal: AbortSignal.abort("enough") })));
      const stopper = new AbortController();
      setTimeout(() => stopper.abort("enough"), 20);
      report(await failure(at("${silent.url}").get(1, { signal: stopper.signal })));
    `;
    expect(await inNode(code)).toEqual([
      ["ApiError", expect.stringContaining("POST /api/users: 422 invalid-user: "), false],
      ["NetworkError", expect.stringMatching(/no answer from http:\/\/localhost:port: .*ECONNREFUSED/), true],
      ["TimeoutError", "GET /api/users/1: no answer within 30 ms", false],
      ["NetworkError", expect.stringContaining("no answer from"), true],
      ["NetworkError", "NetworkError"],
      ["ApiError", "GET /api/users: 200: the answer is larger than 67108864 bytes", false],
      ["enough"],
      ["enough"],
    ]);
  }, 20_000);

  test("it tries again, follows only where it may, and shows the key to nobody", async () => {
    const other = await answering({ status: 204 });
    const away = await answering({ status: 302, headers: { location: other.url } });
    const flaky = await answering("drop", problem("unavailable", { "retry-after": "0" }), { status: 204 });
    const code = `
      import { inspect } from "node:util";
      const options = { apiKey: "rk_secret", onRetry: ({ error }) => report(error.name) };
      await createClient({ ...options, baseUrl: "${flaky.url}" }).users.delete(7);
      const error = await failure(createClient({ ...options, baseUrl: "${away.url}" }).users.get(7));
      report(error.status, inspect([error, createClient(options)], { depth: 9, showHidden: true }).includes("rk_secret"));
      try { createClient({ apiKey: "rk_secret\\nmore" }); } catch (wrong) { report(inspect(wrong).includes("rk_secret")); }
      report(await requestJson("${flaky.url}", { body: {} }));
    `;
    expect(await inNode(code)).toEqual([["NetworkError"], ["ApiError"], [302, false], [false], [null]]);
    expect(other.seen).toEqual([]);
    expect(flaky.seen.map(({ headers }) => headers.authorization)).toEqual([
      ...Array(3).fill("Bearer rk_secret"),
      undefined,
    ]);
  });
});

test("the client is small", () => {
  expect(gzipSync(bundle, { level: 9 }).length).toBeLessThan(5 * 1024);
});
