import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser } from "playwright-core";
import { openBrowser } from "../support/browser.ts";
import { startService, type TestService } from "../support/service.ts";
import { untilPasses } from "../support/until.ts";
import { accessibilityErrors, openConsole } from "./support/console.ts";

setDefaultTimeout(120_000);
let browser: Browser;
let service: TestService;
beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), startService()]);
}, 120_000);
afterAll(async () => {
  await browser.close();
  await service.stop();
});

/** A number of the overview, by its name. */
const figure = (page: Awaited<ReturnType<typeof openConsole>>["page"], name: string) =>
  page.locator(".overview-figure", { hasText: name }).locator(".overview-number");

describe("the overview", () => {
  test("offers the first steps while there are no users", async () => {
    await using opened = await openConsole(browser, { service, path: "/" });
    const { page, errors } = opened;
    await page.getByRole("heading", { name: "Welcome to Roster" }).waitFor();
    expect(await page.title()).toBe("Overview · Roster");
    await page.getByRole("button", { name: "Load sample users" }).waitFor();
    await page.getByRole("link", { name: "New user" }).click();
    await page.getByRole("dialog").waitFor();
    expect(errors).toEqual([]);
  });

  test("shows the number of users, their changes and the newest users, at 360 pixels too", async () => {
    const { users } = service.roster;
    for (const name of ["Ada", "Bob", "Cem"]) await users.create({ name, active: name !== "Cem" });
    const dee = await users.create({ name: "Dee" });
    await users.delete(dee.id);
    await using opened = await openConsole(browser, { service, path: "/", colorScheme: "dark" });
    const { page, errors } = opened;
    await figure(page, "Inactive").waitFor();
    for (const [name, value] of Object.entries({ Users: "3", Created: "4", Deleted: "1", Inactive: "1" })) {
      await untilPasses(async () => expect(await figure(page, name).textContent()).toBe(value));
    }
    await page.getByText("The service and its database work").waitFor();
    await page.getByRole("img", { name: "4 users created and 1 deleted." }).waitFor();
    await page.getByText("Someone without a key deleted Dee").waitFor();
    expect(await page.locator(".overview-user").first().textContent()).toContain("Cem");

    await page.getByText("Show as table").last().click();
    await untilPasses(async () =>
      expect(await page.getByRole("row").nth(1).getByRole("cell").allTextContents()).toEqual(["4", "1"]),
    );
    await page.setViewportSize({ width: 360, height: 740 });
    const { scrollWidth, scrollHeight } = await page.evaluate(() => {
      const { scrollWidth, scrollHeight } = document.documentElement;
      return { scrollWidth, scrollHeight };
    });
    // The view scrolls, not the page with its frame.
    expect({ scrollWidth, scrollHeight }).toEqual({ scrollWidth: 360, scrollHeight: 740 });

    await page.getByLabel("Period").selectOption("Last 12 months");
    await page.getByRole("row").nth(53).waitFor();
    await page.getByRole("link", { name: "Bob No email" }).click();
    await page.getByRole("heading", { level: 1, name: "Bob" }).waitFor();
    expect(errors).toEqual([]);
  });

  test("says in each card why it can't load, and loads it on request", async () => {
    await using opened = await openConsole(browser, { service, path: "/connect" });
    const { page } = opened;
    const patterns = ["**/api/users?*", "**/api/events?*", "**/api/keys?*"];
    await page.getByRole("heading", { level: 1, name: "Connect" }).waitFor();
    for (const pattern of patterns) await page.route(pattern, (route) => route.fulfill({ status: 500 }));
    await page.goto(`${service.url}/`);
    const retries = page.getByRole("button", { name: "Try again" });
    await retries.nth(2).waitFor();
    expect(await page.getByText("No key is in use").count()).toBe(0);
    for (const pattern of patterns) await page.unroute(pattern);
    for (let left = 3; left > 0; left--) {
      await retries.first().click();
      await retries.nth(left - 1).waitFor({ state: "detached" });
    }
    await page.getByRole("link", { name: "Bob No email" }).waitFor();
  });

  test("opens links to lists of users that were made before the overview existed", async () => {
    await using opened = await openConsole(browser, { service, path: "/?q=ada&sort=name" });
    const { page } = opened;
    await page.getByRole("row", { name: /Ada/ }).waitFor();
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe("/users?q=ada&sort=name");
  });

  test("shows the requests of keys to those who manage keys, and says what a key lacks", async () => {
    const { roster, call } = service;
    const { key } = await roster.keys.create({ name: "Admin", scopes: ["users:read", "keys:manage"] });
    const response = await call("/api/keys", {
      method: "POST",
      json: { name: "Hooks", scopes: ["keys:manage"] },
      headers: { authorization: `Bearer ${key}` },
    });
    await using admin = await openConsole(browser, { service, path: "/", key });
    // The usage is written every second, and the period is read at once.
    await admin.page.getByRole("img", { name: /^Admin: \d+ requests$/ }).waitFor();
    expect(await accessibilityErrors(admin.page)).toEqual([]);

    const { key: other } = await response.json();
    await using limited = await openConsole(browser, { service, path: "/", key: other });
    await limited.page.getByText("This needs a key with the scope users:read.").waitFor();
  });
});
