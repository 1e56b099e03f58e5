import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { buildModules } from "../../scripts/build-client.ts";
import { createSecret } from "../../src/domain/webhooks/webhooks.ts";
import { signedHeaders } from "../../src/webhooks/signature.ts";
import { startService, type TestService } from "../support/service.ts";
import { ada, problem, serveHttp, serveTcp, startServer, stopServers, unusedUrl } from "./support/servers.ts";
import { ndjson, serveBegin } from "./support/streams.ts";

let service: TestService;
let node: NodeProcess;
const folder = mkdtempSync(join(tmpdir(), "roster-node-"));

beforeAll(async () => {
  [service] = await Promise.all([startService(), buildModules(folder)]);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  writeFileSync(join(folder, "run.js"), runner);
  node = startNode();
}, 120_000);

afterEach(stopServers);

afterAll(async () => {
  await node.stop();
  rmSync(folder, { recursive: true });
  await service.stop();
});

/** Imports the modules that stdin names, and prints what each exports as `reports`. */
const runner = `
  import { createInterface } from "node:readline";
  for await (const name of createInterface({ input: process.stdin })) {
    const { reports } = await import(name).catch((error) => ({ reports: String(error.stack) }));
    console.log(JSON.stringify(reports));
  }
`;

interface NodeProcess {
  /** Runs this code as a module, and returns its reports. */
  run(code: string): Promise<unknown>;
  /** Throws if the process wrote an error. */
  stop(): Promise<void>;
}

let modules = 0;

function startNode(): NodeProcess {
  const env = { PATH: process.env.PATH ?? "", ROSTER_URL: service.url };
  const child = spawn("node", ["run.js"], { cwd: folder, env });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const errors = text(child.stderr);
  const exit = once(child, "exit");
  return {
    async run(code) {
      const name = `./module-${++modules}.js`;
      writeFileSync(
        join(folder, name),
        `import { createClient, requestJson } from "./index.js";
        export const reports = [];
        const report = (...values) => reports.push(values);
        const failure = (promise) => promise.then((value) => ({ value }), (error) => error);
        ${code}`,
      );
      child.stdin.write(`${name}\n`);
      const { done, value } = await lines.next();
      if (done) throw new Error(`Node.js ended: ${await errors}`);
      return JSON.parse(value);
    },
    async stop() {
      child.stdin.end();
      expect(await errors).toBe("");
      expect(await exit).toEqual([0, null]);
    },
  };
}

describe("on Node.js", () => {
  test("creates, lists, reads, changes and deletes users", async () => {
    const code = `
      const { users } = createClient();
      report(process.versions.bun === undefined, Number(process.versions.node.split(".")[0]) >= 20);
      const created = await users.create({ name: "Ada", email: "ada@example.com", team: "red" });
      report(created.version, (await users.get(created.id)).name);
      for (let n = 0; n < 5; n++) await users.create({ name: "User " + n, team: "blue" });
      const names = [];
      for await (const user of users.list({ where: { team: "blue" }, limit: 2 })) names.push(user.name);
      report(names, (await users.list().all()).length, (await users.list({ limit: 1 }).page({ count: true })).total);
      report((await users.update(created.id, { team: null })).version, (await users.find({ email: "ADA@example.com" })).id === created.id);
      const add = (user) => ({ ...user, count: (user.count ?? 0) + 1 });
      await Promise.all([1, 2, 3, 4].map(() => users.modify(created.id, add)));
      report((await users.get(created.id)).count);
      await users.delete(created.id);
      report((await failure(users.get(created.id))).type);
    `;
    expect(await node.run(code)).toEqual([
      [true, true],
      [1, "Ada"],
      [["User 0", "User 1", "User 2", "User 3", "User 4"], 6, { count: 6, capped: false }],
      [2, true],
      [4],
      ["user-not-found"],
    ]);
  });

  test("throws a class of error per cause", async () => {
    const silent = await startServer("silence");
    const dropping = await startServer("drop");
    const head = "HTTP/1.1 200 OK\r\n";
    const endings = [
      `${head}Content-Length: 100\r\n\r\n[]`,
      `${head}Transfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n`,
    ];
    const broken = await Promise.all(endings.map((response) => serveTcp((socket) => socket.end(response))));
    const pouring = await serveTcp((socket) => {
      socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
      const chunk = `10000\r\n${" ".repeat(0x10000)}\r\n`;
      const more = () => {
        while (socket.writable && socket.write(chunk));
      };
      socket.on("drain", more);
      more();
    });
    const gone = (await unusedUrl()).replace("127.0.0.1", "localhost");
    const code = `
      const reportError = (error) => report(error.name, error.message.replace(/:\\d+/, ":port"), error.cause instanceof Error);
      const { users } = createClient({ baseUrl: ${JSON.stringify(service.url)}, retries: 0 });
      const at = (baseUrl) => createClient({ baseUrl, retries: 0, timeout: 60_000 }).users;
      reportError(await failure(users.create({ name: "" })));
      reportError(await failure(at("${gone}").get(1)));
      reportError(await failure(at("${silent.url}").get(1, { timeout: 30 })));
      reportError(await failure(at("${dropping.url}").get(1)));
      report((await failure(at("${broken[0]}").list().page())).name, (await failure(at("${broken[1]}").list().page())).name);
      reportError(await failure(at("${pouring}").list().page()));
      report(await failure(users.get(1, { signal: AbortSignal.abort("enough") })));
      const controller = new AbortController();
      const fetchAndAbort = (request) => {
        setImmediate(() => controller.abort("enough"));
        return fetch(request);
      };
      const aborted = createClient({ baseUrl: "${silent.url}", retries: 0, fetch: fetchAndAbort });
      report(await failure(aborted.users.get(1, { signal: controller.signal })));
    `;
    expect(await node.run(code)).toEqual([
      ["ApiError", expect.stringContaining("POST /api/users: 422 invalid-user: "), false],
      [
        "NetworkError",
        expect.stringMatching(/no response from http:\/\/localhost:port: .*ECONNREFUSED/),
        true,
      ],
      ["TimeoutError", "GET /api/users/1: no response within 30 ms", false],
      ["NetworkError", expect.stringContaining("no response from"), true],
      ["NetworkError", "NetworkError"],
      ["ApiError", "GET /api/users: 200: the response is larger than 67108864 bytes", false],
      ["enough"],
      ["enough"],
    ]);
  }, 120_000);

  test("retries, follows only allowed redirects, and does not reveal the key", async () => {
    const other = await startServer({ status: 204 });
    const away = await startServer({ status: 302, headers: { location: other.url } });
    const flaky = await startServer("drop", problem("unavailable", { "retry-after": "0" }), { status: 204 });
    const code = `
      import { inspect } from "node:util";
      const options = { apiKey: "rk_secret", onRetry: ({ error }) => report(error.name) };
      await createClient({ ...options, baseUrl: "${flaky.url}" }).users.delete(7);
      const error = await failure(createClient({ ...options, baseUrl: "${away.url}" }).users.get(7));
      report(error.status, inspect([error, createClient(options)], { depth: 9, showHidden: true }).includes("rk_secret"));
      try { createClient({ apiKey: "rk_secret\\nmore" }); } catch (wrong) { report(inspect(wrong).includes("rk_secret")); }
      report(await requestJson("${flaky.url}", { body: {} }));
    `;
    expect(await node.run(code)).toEqual([["NetworkError"], ["ApiError"], [302, false], [false], [null]]);
    expect(other.seen).toEqual([]);
    expect(flaky.seen.map(({ headers }) => headers.authorization)).toEqual([
      ...Array(3).fill("Bearer rk_secret"),
      undefined,
    ]);
  });
});

test("a webhook is verified on Node.js", async () => {
  const secret = createSecret();
  const id = "0ho78yaryg6";
  const body = JSON.stringify({
    type: "user.created",
    timestamp: "2026-11-16T08:00:00.000Z",
    data: { id, type: "user.created", record: { name: "Zoë" } },
  });
  const timestamp = Math.floor(Date.now() / 1000);
  const message = { body, headers: signedHeaders({ id, timestamp, body }, [secret]) };
  const code = `
    import { verifyWebhook } from "./webhooks.js";
    report((await verifyWebhook(${JSON.stringify(message)}, "${secret}")).id);
  `;
  expect(await node.run(code)).toEqual([[id]]);
});

describe("imports and exports on Node.js", () => {
  test("return users and failed lines, and can be abandoned", async () => {
    const code = `
      import { readFileSync, createReadStream } from "node:fs";
      import { writeFile } from "node:fs/promises";
      const { users } = createClient();
      let over = 0;
      async function* people(team, count) {
        try { for (let n = 1; n <= count; n++) yield { name: "User " + n, team }; } finally { over++; }
      }
      const outcomes = [];
      for await (const outcome of users.import(people("node", 1200))) outcomes.push(outcome);
      report(outcomes.length, outcomes.every(({ line, id }, at) => line === at + 1 && id > 0));
      let out = 0;
      for await (const user of users.export({ where: { team: "node" } })) out += user.id === outcomes[out].id ? 1 : 0;
      report(out);
      await writeFile("users.csv", await users.export({ where: { team: "node" } }).stream("csv"));
      const text = readFileSync("users.csv", "utf8");
      report(text.split("\\r\\n").length, text.slice(0, 13));
      report(await users.import(createReadStream("users.csv"), { format: "csv" }).summary());
      report(await users.import([{ name: "" }]).summary().then(({ failures }) => failures[0].problem.type));
      for await (const { line } of users.import(people("endless", Infinity))) if (line > 600) break;
      for await (const user of users.export()) break;
      await (await users.export().stream()).cancel();
      report(over);
      async function* failing() { yield* people("failing", 1200); throw new Error("mine"); }
      report((await failure(users.import(failing()).summary())).message);
      report((await failure(users.import("naem\\n", { format: "csv" }).summary())).type);
      const table = function* () { yield "naem\\n"; for (let n = 0; n < 100_000; n++) yield "User " + n + "\\n"; };
      report((await failure(users.import(table(), { format: "csv" }).summary())).type);
    `;
    expect(await node.run(code)).toEqual([
      [1200, true],
      [1200],
      [1202, "id,name,email"],
      [{ created: 1200, existing: 0, failed: 0, failures: [] }],
      ["/problems/invalid-user"],
      [2],
      ["mine"],
      ["invalid-user"],
      ["invalid-user"],
    ]);
  });

  test("report where they were cut off, end on a signal, and close their source", async () => {
    const outcome = (line: number) => `${JSON.stringify({ line, status: 201, id: line })}\n`;
    const importing = await serveBegin(outcome(1) + outcome(2));
    const exporting = await serveBegin(`${JSON.stringify(ada)}\n`);
    const cutOff = await serveHttp((request, response) => {
      (request.url === "/import" ? importing : exporting).cutOff();
      response.end();
    });
    const stuck = await serveHttp((request, response) => {
      request.pause();
      response.writeHead(200, ndjson).write(outcome(1));
    });
    const code = `
      const at = (baseUrl) => createClient({ baseUrl, retries: 0 }).users;
      const about = "x".repeat(1000);
      const state = { taken: 0, over: 0 };
      // Not a generator: a generator that has not started does not notice that it is closed.
      const endless = () => {
        let done = false;
        const next = async () => done ? { done } : { done, value: { name: "User " + ++state.taken, about } };
        const close = async () => { done = true; state.over++; return { done }; };
        return { [Symbol.asyncIterator]: () => ({ next, return: close }) };
      };
      /** Calls back after each item, when the client waits for the next one. */
      const walk = async (items, onItem) => { for await (const item of items) setImmediate(onItem, item); };
      const reportError = ({ name, message, lastLine }) => report(name, message.replace(/: [^:]*$/, ""), lastLine ?? null);
      const cutOffAt = (last, path) => ({ line, id }) => (line ?? id) === last && fetch("${cutOff}" + path);
      reportError(await failure(walk(at("${importing.url}").import(endless()), cutOffAt(2, "/import"))));
      reportError(await failure(walk(at("${exporting.url}").export(), cutOffAt(${ada.id}, "/export"))));
      const before = state.taken;
      // The client's timer of one day fires when the first result has arrived.
      const timeout = 86_400_000;
      const { setTimeout } = globalThis;
      let fireTimer;
      globalThis.setTimeout = (callback, ms, ...values) => {
        if (ms === timeout) fireTimer = callback;
        return setTimeout(callback, ms, ...values);
      };
      reportError(await failure(walk(at("${stuck}").import(endless(), { timeout }), () => fireTimer())));
      globalThis.setTimeout = setTimeout;
      const controller = new AbortController();
      report(await failure(walk(at("${stuck}").import(endless(), controller), () => controller.abort("enough"))));
      const pausePolling = () => new Promise((resolve) => setTimeout(resolve, 10));
      for (let polls = 0; state.over < 3 && polls < 1000; polls++) await pausePolling();
      report(state.over, state.taken - before < 50_000);
    `;
    expect(await node.run(code)).toEqual([
      ["NetworkError", "POST /api/users/import: the response was cut off, after the result of line 2", 2],
      ["NetworkError", "GET /api/users/export: the response was cut off", null],
      ["TimeoutError", "POST /api/users/import", 1],
      ["enough"],
      [3, true],
    ]);
  }, 120_000);

  test("use constant memory", async () => {
    const users = `${JSON.stringify({ ...ada, about: "x".repeat(10_000) })}\n`.repeat(20);
    const pouring = await serveHttp((_request, response) => {
      response.writeHead(200, ndjson);
      let left = 500;
      const more = () => {
        while (left-- > 0) if (!response.write(users)) return;
        response.end();
      };
      response.on("drain", more);
      more();
    });
    const code = `
      let count = 0;
      for await (const user of createClient({ baseUrl: "${pouring}" }).users.export()) count++;
      report(count, process.memoryUsage().rss < 150_000_000 || process.memoryUsage());
    `;
    const another = startNode();
    // The users have 100 MB.
    expect(await another.run(code)).toEqual([[10_000, true]]);
    await another.stop();
  }, 120_000);
});
