import { afterEach, describe, expect, test } from "bun:test";
import { inspect } from "node:util";
import { ApiError, createClient, NetworkError, requestJson, TimeoutError } from "../../src/client/index.ts";
import {
  ada,
  failureOf,
  json,
  problem,
  quietClient,
  startServer,
  stopServers,
  unusedUrl,
} from "./support/servers.ts";

afterEach(stopServers);

const apiKey = "rk_live_0123456789abcdef";
const source = new URL("../../src/client/index.ts", import.meta.url).href;

/** Imports the client and runs this code in another process. */
async function runInNewProcess(code: string, env: Record<string, string> = {}): Promise<string> {
  const script = `const { createClient } = await import(${JSON.stringify(source)});\n${code}`;
  const child = Bun.spawn([process.execPath, "-e", script], {
    env: { PATH: process.env.PATH ?? "", ...env },
    stderr: "pipe",
  });
  return (await new Response(child.stdout).text()) + (await new Response(child.stderr).text());
}

describe("the key", () => {
  test("is sent as a bearer token with every call", async () => {
    const { url, seen } = await startServer(json(ada));
    await quietClient(url, { apiKey }).users.get(7);
    await quietClient(url, { apiKey: ` ${apiKey}\n` }).users.get(7);
    await quietClient(url).users.get(7);
    await quietClient(url, { apiKey: "" }).users.get(7);
    expect(seen.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${apiKey}`,
      `Bearer ${apiKey}`,
      undefined,
      undefined,
    ]);
  });

  test("and the URL come from the environment by default", async () => {
    const { url, seen } = await startServer(json(ada));
    const get = (options: object) => `await createClient(${JSON.stringify(options)}).users.get(7);`;
    const env = { ROSTER_API_KEY: "from-env", ROSTER_URL: `${url}/env` };
    expect(await runInNewProcess(get({}) + get({ apiKey: "from-options", baseUrl: url }), env)).toBe("");
    expect(await runInNewProcess(get({ baseUrl: url }), { ROSTER_API_KEY: "", ROSTER_URL: "" })).toBe("");
    expect(seen.map(({ headers, target }) => [target, headers.authorization])).toEqual([
      ["/env/api/users/7", "Bearer from-env"],
      ["/api/users/7", "Bearer from-options"],
      ["/api/users/7", undefined],
    ]);
  });

  test("is not sent unencrypted to another machine", () => {
    const unsafe = ["http://roster.example", "http://10.0.0.1:3000", "http://localhost.evil.example"];
    for (const baseUrl of [
      ...unsafe,
      "http://127.0.0.1.evil.example",
      "http://[::2]",
      "http://notlocalhost",
    ]) {
      expect(() => createClient({ baseUrl, apiKey })).toThrow("unencrypted");
      expect(() => createClient({ baseUrl, apiKey })).not.toThrow(apiKey);
      expect(createClient({ baseUrl, apiKey, allowInsecure: true })).toBeDefined();
      expect(createClient({ baseUrl })).toBeDefined();
    }
  });

  test("is sent to this machine, and encrypted to any", () => {
    const safe = ["http://localhost:3000", "http://127.0.0.1", "http://127.1.2.3:80", "http://[::1]:3000"];
    for (const baseUrl of [...safe, "http://LOCALHOST", "http://app.localhost", "https://roster.example"]) {
      expect(createClient({ baseUrl, apiKey })).toBeDefined();
    }
  });

  test("is rejected without being quoted if a header cannot contain it", () => {
    for (const wrong of ["rk_live\nX-Evil: yes", "rk live", "rk_livé", "rk_live…"]) {
      expect(() => createClient({ apiKey: wrong })).toThrow(
        "The API key contains spaces or invalid characters.",
      );
    }
  });
});

describe("in a browser", () => {
  const page = `globalThis.document = {}; globalThis.location = new URL("http://localhost:3000/docs");`;
  const report = (options: object) =>
    `try { createClient(${JSON.stringify(options)}); console.log("created"); } catch (error) { console.log(error.message); }`;

  test("a key is rejected for any URL", async () => {
    for (const baseUrl of ["https://roster.example", "http://localhost:3000"]) {
      const message = await runInNewProcess(page + report({ apiKey, baseUrl, allowInsecure: true }));
      expect(message).toStartWith("Do not use an API key in a browser");
      expect(message).not.toContain(apiKey);
    }
  });

  test("the URL is the page's origin, not from the environment", async () => {
    const { url, seen } = await startServer(json(ada));
    const code = `globalThis.document = {}; globalThis.location = new URL("${url}/docs"); await createClient().users.get(7);`;
    const env = { ROSTER_API_KEY: apiKey, ROSTER_URL: "http://localhost:1" };
    expect(await runInNewProcess(code, env)).toBe("");
    expect(seen).toMatchObject([{ target: "/api/users/7" }]);
    expect(seen[0]?.headers.authorization).toBeUndefined();
  });

  test("a worker is a browser too", async () => {
    const worker = `globalThis.location = new URL("http://localhost:3000/"); globalThis.WorkerGlobalScope = class {}; delete globalThis.process;`;
    expect(await runInNewProcess(worker + report({ apiKey }))).toStartWith(
      "Do not use an API key in a browser",
    );
  });
});

describe("the key does not appear", () => {
  const shown = (value: unknown) =>
    [
      String(value),
      Bun.inspect(value),
      inspect(value, { depth: 9, showHidden: true }),
      JSON.stringify(value),
      value instanceof Error ? value.stack : "",
    ].join("\n");

  test("in an error", async () => {
    const failing = (await startServer(problem("internal"))).url;
    const html = (await startServer({ status: 502, body: "<h1>Bad Gateway</h1>" })).url;
    const redirecting = (await startServer({ status: 302, headers: { location: "http://localhost:1/" } }))
      .url;
    const dropping = (await startServer("drop")).url;
    const silent = (await startServer("silence")).url;
    const options = { apiKey, retries: 0 };
    const errors = [
      await failureOf(ApiError, quietClient(failing, options).users.get(7)),
      await failureOf(ApiError, quietClient(html, options).users.create({ name: "Ada" })),
      await failureOf(ApiError, quietClient(redirecting, options).users.get(7)),
      await failureOf(NetworkError, quietClient(dropping, options).users.get(7)),
      await failureOf(NetworkError, quietClient(await unusedUrl(), options).users.get(7)),
      await failureOf(TimeoutError, quietClient(silent, options).users.get(7, { timeout: 20 })),
      await failureOf(
        NetworkError,
        requestJson(dropping, { retries: 0, headers: { Authorization: `Bearer ${apiKey}` } }),
      ),
    ];
    for (const error of errors) expect(shown(error)).not.toContain(apiKey);
  });

  test("in the client, its users, its keys or its lists", () => {
    const client = createClient({ apiKey });
    const { users, keys } = client;
    for (const value of [client, users, keys, users.list({ q: "ada" }), keys.list()]) {
      expect(shown(value)).not.toContain(apiKey);
    }
  });
});
