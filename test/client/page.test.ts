import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import type * as client from "../../src/client/index.ts";
import { openBrowser } from "../browser.ts";
import { startService, type TestService } from "../service.ts";
import { bundleClient } from "./bundle.ts";

declare global {
  /** What the script in the page has made of the client. */
  var roster: typeof client;
}

let service: TestService;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  const [started, opened, script] = await Promise.all([
    startService(),
    openBrowser(),
    bundleClient("script"),
  ]);
  [service, browser] = [started, opened];
  const context = await browser.newContext();
  await context.addInitScript({ content: script });
  // As in a page that did not come over https:.
  await context.addInitScript(() => Reflect.deleteProperty(Crypto.prototype, "randomUUID"));
  page = await context.newPage();
  await page.goto(`${service.url}/docs`);
}, 60_000);

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

describe("in a page of the service's own", () => {
  test("users are created, listed, read, changed and deleted", async () => {
    const outcome = await page.evaluate(async () => {
      const { users } = roster.createClient();
      const made = await users.create({ name: "Ada", email: "ada@example.com" });
      for (let n = 0; n < 5; n++) await users.create({ name: `User ${n}`, team: "blue" });
      const names: string[] = [];
      for await (const user of users.list({ where: { team: "blue" }, limit: 2 })) names.push(user.name);
      const updated = await users.modify(made.id, (user) => ({ ...user, team: "red" }));
      const found = await users.find({ email: "ada@example.com" });
      await users.delete(made.id, { ifUnchanged: updated });
      return { names, updated, found, left: (await users.list().all()).length };
    });
    expect(outcome.names).toEqual(["User 0", "User 1", "User 2", "User 3", "User 4"]);
    expect(outcome.updated).toMatchObject({ name: "Ada", team: "red", version: 2 });
    expect(outcome.found).toEqual(outcome.updated);
    expect(outcome.left).toBe(5);
  });

  test("each failure is of its own class", async () => {
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
      `NetworkError: GET /api/users/901: no answer from ${service.url}: Failed to fetch`,
      "TimeoutError: GET /api/users/902: no answer within 50 ms",
      "enough",
    ]);
  });

  test("a change that is redirected says so, and does not become a read", async () => {
    await page.route("**/api/users/903", (route) =>
      route.fulfill({ status: 302, headers: { location: "/api/users" } }),
    );
    const said = await page.evaluate(() => roster.createClient().users.delete(903).catch(String));
    expect(said).toBe("ApiError: DELETE /api/users/903: 0: redirects elsewhere, which is not followed");
  });

  test("a key is refused", async () => {
    const said = await page.evaluate(() => {
      try {
        roster.createClient({ apiKey: "rk_secret" });
        return "taken";
      } catch (error) {
        return String(error);
      }
    });
    expect(said).toStartWith("Error: An API key must not be in a browser, where everybody can read it");
    expect(said).not.toContain("rk_secret");
  });
});
