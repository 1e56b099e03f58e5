import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page, Route } from "playwright-core";
import { openBrowser } from "../support/browser.ts";
import { chooseAction, keyField, openConsole, viewLink, waitForToast } from "./support/console.ts";
import { checkRows, chooseFile, importResult, listRecords } from "./support/import.ts";
import { startServiceWithKeys } from "./support/service-with-keys.ts";
import { openDrawer, userDrawer, userPage } from "./support/user-form.ts";

setDefaultTimeout(120_000);
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);
afterAll(() => browser.close());

const problem = (status: number, type: string, title: string) => ({
  status,
  headers: { "content-type": "application/problem+json", "retry-after": "3600" },
  body: JSON.stringify({ type: `/problems/${type}`, title, status, detail: `${title}, in words.` }),
});
/** Clicks a button twice before the page can render. */
const pressTwice = (page: Page, text: string) =>
  page.evaluate((expected) => {
    const found = [...document.querySelectorAll("button")].find(
      ({ textContent }) => textContent === expected,
    );
    found?.click();
    found?.click();
  }, text);

async function waitForOneToast(page: Page, title: string): Promise<void> {
  await waitForToast(page, title);
  expect(await page.locator(".toast-title", { hasText: title }).count()).toBe(1);
}

describe("a failed response", () => {
  test("is shown in each view, with a retry", async () => {
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
      viewLink(page, "Keys").click(),
    );
    await page.getByRole("heading", { name: "No keys yet" }).waitFor();
    await failing("**/api/users/1", problem(503, "unavailable", "It is busy"), () =>
      page.goto(new URL("/users/1", page.url()).href),
    );
    await userPage(page).name.waitFor();
    await failing("**/api/users?*", problem(429, "rate-limited", "Too many requests"), () =>
      page.goto(new URL("/users?sort=id", page.url()).href),
    );
    await page.getByRole("row", { name: /Ada/ }).waitFor();
    // The first request of the page.
    await failing("**/api/session", problem(503, "unavailable", "It is busy"), () => page.reload());
    await page.getByRole("row", { name: /Ada/ }).waitFor();
  });

  test("while scrolling says so below the table, with a retry that is as wide as its words", async () => {
    await using opened = await openConsole(browser, {
      before: ({ roster }) =>
        roster.users
          .import(Array.from({ length: 1000 }, (_, index) => ({ name: `User ${index}` })))
          .summary(),
    });
    const { page } = opened;
    await page.getByRole("row", { name: /User 999/ }).waitFor();
    await page.route("**/api/users?*", (route) => route.fulfill(problem(500, "internal-error", "It failed")));
    await page.locator(".grid").evaluate((grid) => grid.scrollTo({ top: 20_000 }));
    const alert = page.getByRole("alert").filter({ hasText: "It failed. It failed, in words." });
    const retry = alert.getByRole("button", { name: "Try again" });
    await retry.waitFor();
    expect(await retry.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)).toBe(true);
    await page.unrouteAll();
    await retry.click();
    await alert.waitFor({ state: "detached" });
  });

  test("to a request for the values of a field leaves the form of the filter usable", async () => {
    await using opened = await openConsole(browser, {
      before: async ({ roster }) => {
        await roster.users.create({ name: "Ada Lovelace", team: "engines" });
        await roster.users.create({ name: "Bob" });
      },
    });
    const { page } = opened;
    let requests = 0;
    await page.route("**/api/fields/*/values*", (route) => {
      requests++;
      return route.fulfill({ status: 500 });
    });
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await page.locator(".popup").getByRole("option", { name: "team" }).click();
    await page.getByLabel("Condition").selectOption({ label: "contains" });
    const sent = requests;
    await page.getByLabel("Value", { exact: true }).fill("engines");
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText("1 of 1", { exact: true }).waitFor();
    expect(requests).toBeLessThanOrEqual(sent + 1);
  });

  test("to a create is repeated with the same idempotency key", async () => {
    await using opened = await openConsole(browser, { path: "/users/new" });
    const { page, service } = opened;
    const keys: (string | undefined)[] = [];
    // A proxy times out after the service has created the user.
    await page.route("**/api/users", async (route) => {
      keys.push(route.request().headers()["idempotency-key"]);
      if (keys.length > 1) return route.fallback();
      await route.fetch();
      await route.fulfill({ status: 504, body: "<h1>Gateway Timeout</h1>" });
    });
    const { name, button, drawer, waitUntilClosed } = userDrawer(page);
    await name.fill("Grace Hopper");
    await button("Create user").click();
    await drawer.getByRole("alert").waitFor();
    await button("Create user").click();
    await waitUntilClosed();
    expect(keys[1]).toBe(keys[0]);
    expect(await service.roster.users.list().all()).toHaveLength(1);
  });

  test("right after signing in is shown", async () => {
    await using started = await startServiceWithKeys();
    await using opened = await openConsole(browser, { service: started.service });
    const { page } = opened;
    await keyField(page).waitFor();
    await page.route("**/api/session", (route) =>
      route.request().method() === "GET"
        ? route.fulfill(problem(500, "internal-error", "The service failed"))
        : route.fallback(),
    );
    await keyField(page).fill(started.key);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText("The service failed, in words.").waitFor();
  });
});

describe("a late response", () => {
  test("does not change the view after the person has left", async () => {
    await using opened = await openConsole(browser, {
      before: ({ roster }) => roster.users.create({ name: "Ada Lovelace" }),
    });
    const { page, errors } = opened;
    let waiting: Route | undefined;
    await page.route("**/api/users/1", (route) => {
      if (route.request().method() === "GET") return route.fallback();
      waiting = route;
    });
    const { name, button, waitUntilClosed } = userDrawer(page);
    await openDrawer(page);
    await name.fill("Ada King");
    await button("Save").click();
    await page.keyboard.press("Escape");
    await page.getByRole("alertdialog").getByRole("button", { name: "Discard" }).click();
    await waitUntilClosed();
    await viewLink(page, "Connect").click();
    await page.getByRole("heading", { level: 1, name: "Connect" }).waitFor();
    await waiting?.continue();
    await waitForToast(page, "Ada King saved");
    expect(new URL(page.url()).pathname).toBe("/connect");
    expect(errors).toEqual([]);
  });

  test("to a search does not replace a later one", async () => {
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
    await page.getByText("1 of 1", { exact: true }).waitFor();
    for (const route of late) await route.continue().catch(() => undefined);
    await page.getByRole("row", { name: /Grace/ }).waitFor();
    expect(await page.getByRole("row", { name: /Ada/ }).count()).toBe(0);
  });
});

describe("a double click acts once", () => {
  test("when creating and saving a user", async () => {
    await using opened = await openConsole(browser, { path: "/users/new" });
    const { page, service, errors } = opened;
    const { name, waitUntilClosed } = userDrawer(page);
    await name.fill("Ada Lovelace");
    await pressTwice(page, "Create user");
    await waitUntilClosed();
    await waitForOneToast(page, "created");
    await page.getByRole("row", { name: /Ada Lovelace/ }).click();
    await name.fill("Ada King");
    await pressTwice(page, "Save");
    await waitUntilClosed();
    await waitForOneToast(page, "saved");
    expect(await service.roster.users.list().all()).toMatchObject([{ name: "Ada King", version: 2 }]);
    expect(errors).toEqual([]);
  });

  test("when importing a file", async () => {
    await using opened = await openConsole(browser, { path: "/import" });
    const { page, service, errors } = opened;
    await chooseFile(page, "names.csv", "name\nAda\nBob\n");
    await checkRows(page);
    await pressTwice(page, "Import 2 rows");
    expect(await importResult(page)).toBe("2 users created.");
    expect(await listRecords(service)).toHaveLength(2);
    expect(errors).toEqual([]);
  });

  test("when creating and replacing a key, and Back keeps the secret", async () => {
    await using started = await startServiceWithKeys();
    await using opened = await openConsole(browser, { service: started.service, key: started.key });
    const { page } = opened;
    await viewLink(page, "Keys").click();
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByLabel("Your key").fill(started.key);
    await page.keyboard.press("Enter");
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
    await chooseAction(page, "console", "Replace");
    await page.getByLabel("Your key").fill(started.key);
    await pressTwice(page, "Replace key");
    await secret.waitFor();
    expect((await started.roster.keys.list().all()).map(({ name }) => name)).toEqual([
      "first",
      "console",
      "console",
    ]);
  });
});

test("a failed copy is reported", async () => {
  await using opened = await openConsole(browser, { path: "/connect" });
  const { page, errors } = opened;
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException("", "NotAllowedError"));
  });
  await page.getByRole("button", { name: "Copy" }).first().click();
  await waitForToast(page, "Copying failed");
  expect(errors).toEqual([]);
});
