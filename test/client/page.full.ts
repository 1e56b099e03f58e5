import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { buildModules } from "../../scripts/build-client.ts";
import type * as client from "../../src/client/index.ts";
import { openBrowser } from "../support/browser.ts";
import { startService, type TestService } from "../support/service.ts";
import { bundleClient } from "./support/bundle.ts";

declare global {
  /** The client of the script in the page. */
  var roster: typeof client;
  /** The client of the package's modules. */
  var fromModules: typeof client;
}

let service: TestService;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  const [started, opened, script] = await Promise.all([startService(), openBrowser(), bundleClient()]);
  [service, browser] = [started, opened];
  const context = await browser.newContext();
  await context.addInitScript({ content: script });
  // As in a page over http:.
  await context.addInitScript(() => Reflect.deleteProperty(Crypto.prototype, "randomUUID"));
  page = await context.newPage();
  await page.goto(`${service.url}/docs`);
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

describe("in a page of the service", () => {
  test("creates, lists, reads, changes and deletes users", async () => {
    const outcome = await page.evaluate(async () => {
      const { users } = roster.createClient();
      const created = await users.create({ name: "Ada", email: "ada@example.com" });
      for (let n = 0; n < 5; n++) await users.create({ name: `User ${n}`, team: "blue" });
      const names: string[] = [];
      for await (const user of users.list({ where: { team: "blue" }, limit: 2 })) names.push(user.name);
      const updated = await users.modify(created.id, (user) => ({ ...user, team: "red" }));
      const found = await users.find({ email: "ada@example.com" });
      await users.delete(created.id, { ifUnchanged: updated });
      return { names, updated, found, left: (await users.list().all()).length };
    });
    expect(outcome.names).toEqual(["User 0", "User 1", "User 2", "User 3", "User 4"]);
    expect(outcome.updated).toMatchObject({ name: "Ada", team: "red", version: 2 });
    expect(outcome.found).toEqual(outcome.updated);
    expect(outcome.left).toBe(5);
  });

  test("throws a class of error per cause", async () => {
    await page.route("**/api/users/901", (route) => route.abort());
    await page.route("**/api/users/902", () => undefined);
    const failures = await page.evaluate(async () => {
      const { users } = roster.createClient({ retries: 0 });
      const failure = (promise: Promise<unknown>) =>
        promise.then(
          () => "no failure",
          (error) => (error instanceof Error ? `${error.name}: ${error.message}` : error),
        );
      return [
        await failure(users.get(999)),
        await failure(users.create({ name: "" })),
        await failure(users.get(901)),
        await failure(users.get(902, { timeout: 50 })),
        await failure(users.get(1, { signal: AbortSignal.abort("enough") })),
      ];
    });
    expect(failures).toEqual([
      "ApiError: GET /api/users/999: 404 user-not-found: There is no user 999.",
      expect.stringContaining("ApiError: POST /api/users: 422 invalid-user: "),
      `NetworkError: GET /api/users/901: no response from ${service.url}: Failed to fetch`,
      "TimeoutError: GET /api/users/902: no response within 50 ms",
      "enough",
    ]);
  });

  test("a redirected change throws, and does not become a read", async () => {
    await page.route("**/api/users/903", (route) =>
      route.fulfill({ status: 302, headers: { location: "/api/users" } }),
    );
    const message = await page.evaluate(() => roster.createClient().users.delete(903).catch(String));
    expect(message).toBe("ApiError: DELETE /api/users/903: 0: the redirect was not followed");
  });

  test("rejects a key", async () => {
    const message = await page.evaluate(() => {
      try {
        roster.createClient({ apiKey: "rk_secret" });
        return "taken";
      } catch (error) {
        return String(error);
      }
    });
    expect(message).toStartWith("Error: Do not use an API key in a browser, where anyone can read it");
    expect(message).not.toContain("rk_secret");
  });

  test("imports and exports users", async () => {
    const outcome = await page.evaluate(async () => {
      const { users } = roster.createClient();
      async function* people() {
        for (let n = 1; n <= 3000; n++) yield { name: `User ${n}`, team: "many" };
      }
      const lines: number[] = [];
      for await (const { line, id } of users.import(people())) if (id) lines.push(line);
      const file = new File(["name;team\r\nAda;filed\r\n;filed\r\n"], "users.csv", { type: "text/csv" });
      const { created, failures } = await users.import(file, { format: "csv" }).summary();
      const names: string[] = [];
      for await (const { name } of users.export({ where: { team: "many" }, sort: "-createdAt" }))
        names.push(name);
      for await (const user of users.export()) if (user) break;
      const table = await new Response(await users.export({ where: { team: "filed" } }).stream("csv")).text();
      return { lines: lines.length, created, problem: failures[0]?.problem.type, names: names.length, table };
    });
    expect(outcome).toEqual({
      lines: 3000,
      created: 1,
      problem: "/problems/invalid-user",
      names: 3000,
      table: expect.stringMatching(/^id,name,email,team,version,createdAt,updatedAt\r\n\d+,Ada,,filed,1,/),
    });
  }, 120_000);
});

test("a page with a strict Content-Security-Policy loads the modules of the package on demand", async () => {
  const folder = mkdtempSync(join(tmpdir(), "roster-page-"));
  await buildModules(folder);
  const modules = await page.context().newPage();
  const loaded: string[] = [];
  await modules.route("**/client/*.js", async (route) => {
    const name = basename(new URL(route.request().url()).pathname);
    loaded.push(name);
    const main = 'import * as client from "./index.js"; Object.assign(globalThis, { fromModules: client });';
    const body = name === "main.js" ? main : await Bun.file(join(folder, name)).text();
    await route.fulfill({ contentType: "text/javascript", body });
  });
  const blocked: string[] = [];
  modules.on("console", (message) => message.type() === "error" && blocked.push(message.text()));
  const response = await modules.goto(`${service.url}/docs`);
  expect(response?.headers()["content-security-policy"]).toContain("script-src 'self';");
  await modules.addScriptTag({ url: "/client/main.js", type: "module" });
  await modules.waitForFunction(() => "fromModules" in globalThis);
  expect(loaded).toEqual(["main.js", "index.js"]);
  const outcome = await modules.evaluate(async () => {
    const { users } = fromModules.createClient();
    const summary = await users.import([{ name: "Ada", team: "modules" }, { name: "" }]).summary();
    const names: string[] = [];
    for await (const { name } of users.export({ where: { team: "modules" } })) names.push(name);
    const error = await users
      .export({ q: "" })
      .stream()
      .catch((reason: unknown) => reason);
    return { created: summary.created, names, isApiError: error instanceof fromModules.ApiError };
  });
  expect(outcome).toEqual({ created: 1, names: ["Ada"], isApiError: true });
  expect(loaded).toEqual(["main.js", "index.js", "bulk.js"]);
  expect(blocked.filter((text) => text.includes("Content Security Policy"))).toEqual([]);
  await modules.close();
  rmSync(folder, { recursive: true });
}, 120_000);
