import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page, Route } from "playwright-core";
import { openBrowser } from "../support/browser.ts";
import { keyField, openConsole } from "./support/console.ts";
import { chooseFile, importResult, listRecords } from "./support/import.ts";
import { startServiceWithKeys } from "./support/service-with-keys.ts";
import { userDrawer } from "./support/user-drawer.ts";

setDefaultTimeout(120_000);
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);
afterAll(() => browser.close());

const view = (page: Page, name: string) => page.getByRole("navigation").getByRole("link", { name });
const problem = (status: number, type: string, title: string) => ({
  status,
  headers: { "content-type": "application/problem+json", "retry-after": "3600" },
  body: JSON.stringify({ type: `/problems/${type}`, title, status, detail: `${title}, in words.` }),
});
/** Presses a button twice, faster than the page can show that it was pressed. */
const pressTwice = (page: Page, text: string) =>
  page.evaluate((wanted) => {
    const found = [...document.querySelectorAll("button")].find(({ textContent }) => textContent === wanted);
    found?.click();
    found?.click();
  }, text);

describe("an answer that is none", () => {
  test("stands in each view with a way on", async () => {
    await using opened = await openConsole(browser, {
      before: ({ roster }) => roster.users.create({ name: "Ada Lovelace" }),
    });
    const { page } = opened;
    const failing = async (pattern: string, answer: Parameters<Route["fulfill"]>[0], go: () => unknown) => {
      await page.route(pattern, (route) => route.fulfill(answer));
      await go();
      const alert = page.getByRole("alert").filter({ hasText: ", in words." });
      await alert.waitFor();
      await page.unroute(pattern);
      await alert.getByRole("button", { name: "Try again" }).click();
      await alert.waitFor({ state: "detached" });
    };
    await page.getByRole("row", { name: /Ada/ }).waitFor();
    await failing("**/api/keys?*", problem(500, "internal-error", "It failed"), () =>
      view(page, "Keys").click(),
    );
    await page.getByRole("heading", { name: "No keys yet" }).waitFor();
    await failing("**/api/users/1", problem(503, "unavailable", "It is busy"), () =>
      page.goto(new URL("/users/1?q=nobody", page.url()).href),
    );
    await userDrawer(page).name.waitFor();
    await failing("**/api/users?*", problem(429, "rate-limited", "Too many requests"), () =>
      page.goto(new URL("/?sort=id", page.url()).href),
    );
    await page.getByRole("row", { name: /Ada/ }).waitFor();
    // And before anything else is there.
    await failing("**/api/session", problem(503, "unavailable", "It is busy"), () => page.reload());
    await page.getByRole("row", { name: /Ada/ }).waitFor();
  });

  test("of a create is asked for again under the same name, whoever failed", async () => {
    await using opened = await openConsole(browser, { path: "/users/new" });
    const { page, service } = opened;
    const keys: (string | undefined)[] = [];
    // A proxy gives up on the service, which has done its work.
    await page.route("**/api/users", async (route) => {
      keys.push(route.request().headers()["idempotency-key"]);
      if (keys.length > 1) return route.fallback();
      await route.fetch();
      await route.fulfill({ status: 504, body: "<h1>Gateway Timeout</h1>" });
    });
    const { name, button, drawer, closed } = userDrawer(page);
    await name.fill("Grace Hopper");
    await button("Create user").click();
    await drawer.getByRole("alert").waitFor();
    await button("Create user").click();
    await closed();
    expect(keys[1]).toBe(keys[0]);
    expect(await service.roster.users.list().all()).toHaveLength(1);
  });

  test("to who has just signed in is told of", async () => {
    await using closed = await startServiceWithKeys();
    await using opened = await openConsole(browser, { service: closed.service });
    const { page } = opened;
    await keyField(page).waitFor();
    await page.route("**/api/session", (route) =>
      route.request().method() === "GET"
        ? route.fulfill(problem(500, "internal-error", "The service failed"))
        : route.fallback(),
    );
    await keyField(page).fill(closed.key);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText("The service failed, in words.").waitFor();
  });
});

describe("an answer that comes late", () => {
  test("does not bring back who has left", async () => {
    await using opened = await openConsole(browser, {
      path: "/users/1",
      before: ({ roster }) => roster.users.create({ name: "Ada Lovelace" }),
    });
    const { page, errors } = opened;
    let waiting: Route | undefined;
    await page.route("**/api/users/1", (route) => {
      if (route.request().method() === "GET") return route.fallback();
      waiting = route;
    });
    const { name, button, closed } = userDrawer(page);
    await name.fill("Ada King");
    await button("Save").click();
    await page.keyboard.press("Escape");
    await page.getByRole("alertdialog").getByRole("button", { name: "Discard" }).click();
    await closed();
    await view(page, "Connect").click();
    await page.getByRole("heading", { level: 1, name: "Connect" }).waitFor();
    await waiting?.continue();
    await page.locator(".toast-title", { hasText: "Ada King saved" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/connect");
    expect(errors).toEqual([]);
  });

  test("to a search is not shown in the place of a later one", async () => {
    await using opened = await openConsole(browser, {
      before: async ({ roster }) => {
        await roster.users.create({ name: "Ada Lovelace" });
        await roster.users.create({ name: "Grace Hopper" });
      },
    });
    const { page } = opened;
    const late: Route[] = [];
    await page.route("**/api/users?*q=ada*", (route) => {
      late.push(route);
    });
    await page.getByRole("searchbox").fill("ada");
    await page.waitForURL(/q=ada/);
    await page.getByRole("searchbox").fill("grace");
    await page.getByText("1 user", { exact: true }).waitFor();
    for (const route of late) await route.continue().catch(() => undefined);
    await page.getByRole("row", { name: /Grace/ }).waitFor();
    expect(await page.getByRole("row", { name: /Ada/ }).count()).toBe(0);
  });
});

describe("what is pressed twice is done once", () => {
  test("creating and saving a user", async () => {
    await using opened = await openConsole(browser, { path: "/users/new" });
    const { page, service, errors } = opened;
    const { name, closed } = userDrawer(page);
    await name.fill("Ada Lovelace");
    await pressTwice(page, "Create user");
    await closed();
    await page.getByRole("row", { name: /Ada Lovelace/ }).click();
    await name.fill("Ada King");
    await pressTwice(page, "Save");
    await closed();
    expect(await page.locator(".toast-title").allTextContents()).toHaveLength(2);
    expect(await service.roster.users.list().all()).toMatchObject([{ name: "Ada King", version: 2 }]);
    expect(errors).toEqual([]);
  });

  test("importing a file", async () => {
    await using opened = await openConsole(browser, { path: "/import" });
    const { page, service, errors } = opened;
    await chooseFile(page, "names.csv", "name\nAda\nBob\n");
    await pressTwice(page, "Import 2 rows");
    expect(await importResult(page)).toBe("2 users created.");
    expect(await listRecords(service)).toHaveLength(2);
    expect(errors).toEqual([]);
  });

  test("making and replacing a key, whose secret Back does not take away", async () => {
    await using closed = await startServiceWithKeys();
    await using opened = await openConsole(browser, { service: closed.service, key: closed.key });
    const { page } = opened;
    await view(page, "Keys").click();
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByLabel("Name").fill("console");
    await pressTwice(page, "Create key");
    const secret = page.locator(".secret");
    await secret.waitFor();
    await page.goBack();
    await page.getByRole("alertdialog").getByRole("button", { name: "Show the key" }).click();
    expect(new URL(page.url()).pathname).toBe("/keys");
    await secret.waitFor();
    await page.getByRole("button", { name: "I've saved it" }).click();
    await secret.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Replace console" }).click();
    await pressTwice(page, "Replace key");
    await secret.waitFor();
    expect((await closed.roster.keys.list().all()).map(({ name }) => name)).toEqual([
      "first",
      "console",
      "console",
    ]);
  });
});

test("what the browser does not copy is not said to be copied", async () => {
  await using opened = await openConsole(browser, { path: "/connect" });
  const { page, errors } = opened;
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException("", "NotAllowedError"));
  });
  await page.getByRole("button", { name: "Copy" }).first().click();
  await page.locator(".toast-title", { hasText: "Copying failed" }).waitFor();
  expect(errors).toEqual([]);
});
