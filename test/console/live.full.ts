import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { createClient } from "../../src/client/index.ts";
import { openBrowser } from "../support/browser.ts";
import { startService, type TestService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { importUsers } from "./support/bulk-edit.ts";
import { accessibilityErrors, openConsole, waitForToast } from "./support/console.ts";
import { userPage } from "./support/user-form.ts";

setDefaultTimeout(120_000);
let browser: Browser;
let service: TestService;
beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), startService()]);
  for (const name of ["Ada", "Bob", "Cem"]) await service.roster.users.create({ name, team: "red" });
}, 120_000);
afterAll(async () => {
  await browser.close();
  await service.stop();
});

/** Opens the console when it has begun to follow events. */
async function openLive(path: string) {
  const following = Promise.withResolvers<void>();
  const opened = await openConsole(browser, { service, path: "/connect" });
  opened.page.on("request", (request) => {
    if (isFollowing(request.url())) following.resolve();
  });
  await opened.page.goto(service.url + path);
  await following.promise;
  return opened;
}

const isFollowing = (url: string) => url.includes("/api/events") && url.includes("wait=");
const row = (page: Page, name: RegExp) => page.getByRole("row", { name });

test("the page of a user shows edits by others, and adds them to the history", async () => {
  await using opened = await openLive("/users/2");
  const { page, errors } = opened;
  const { main } = userPage(page);
  await main.getByText("created this user").waitFor();
  await service.roster.users.update(2, { name: "Bobby" });
  await main.getByRole("heading", { level: 1, name: "Bobby" }).waitFor();
  await main.getByText("changed name").waitFor();
  await service.roster.users.update(2, { name: "Bob" });
  await main.getByRole("heading", { level: 1, name: "Bob", exact: true }).waitFor();
  expect(errors).toEqual([]);
});

describe("the users table", () => {
  test("shows edits by others in place, and new and deleted users when the person wants to", async () => {
    const { users } = service.roster;
    await using opened = await openLive("/users");
    const { page, errors } = opened;
    await row(page, /Ada/).waitFor();
    const place = await row(page, /Bob/).boundingBox();

    await users.update(1, { name: "Ada Lovelace" });
    await row(page, /Ada Lovelace/).waitFor();

    const { id } = await users.create({ name: "Dee", team: "red" });
    await users.create({ name: "Eve", team: "blue" });
    await page.getByRole("button", { name: "2 new users" }).waitFor();
    await users.delete(3);
    await page.getByRole("button", { name: "2 new users, 1 deleted" }).waitFor();
    expect(await row(page, /Bob/).boundingBox()).toEqual(place);
    expect(await row(page, /Dee/).count()).toBe(0);
    expect(await accessibilityErrors(page)).toEqual([]);

    await page.getByRole("button", { name: "2 new users, 1 deleted" }).click();
    await row(page, /Dee/).waitFor();
    expect(await row(page, /Cem/).count()).toBe(0);
    await until(async () => (await page.locator(".live-notice button").count()) === 0);

    await users.delete(id);
    await page.getByRole("button", { name: "1 deleted" }).waitFor();
    expect(errors).toEqual([]);
  });

  test("counts no users whom this page has restored, also if they are not among the first ones", async () => {
    await using opened = await openConsole(browser, {
      before: importUsers(120),
      path: "/users?sort=-id",
    });
    const { page, service: own, errors } = opened;
    await row(page, /User 120/).waitFor();
    await page.getByRole("searchbox").fill("User 7");
    await row(page, /User 7\b/).focus();
    await page.keyboard.press("Delete");
    await row(page, /User 7\b/).waitFor({ state: "detached" });
    await page.getByRole("searchbox").fill("");
    await row(page, /User 120/).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await waitForToast(page, "1 user restored");
    await own.roster.users.create({ name: "Somebody else" });
    await page.getByRole("button", { name: "1 new user", exact: true }).waitFor();
    expect(errors).toEqual([]);
  });

  test("counts only new users that match the search and the filters", async () => {
    const { users } = service.roster;
    await using opened = await openLive("/users?team=red&q=b");
    const { page } = opened;
    await row(page, /Bob/).waitFor();
    await users.create({ name: "Bea", team: "blue" });
    await users.create({ name: "Ali", team: "red" });
    await users.create({ name: "Ben", team: "red" });
    await page.getByRole("button", { name: "1 new user", exact: true }).waitFor();
  });

  test("follows nothing while the page is hidden, and then catches up", async () => {
    await using opened = await openLive("/users");
    const { page } = opened;
    await row(page, /Bob/).waitFor();
    const setVisibility = (state: string) =>
      page.evaluate((value) => {
        Object.defineProperty(document, "visibilityState", { value, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
      }, state);
    const ended = page.waitForEvent("requestfailed", (request) => isFollowing(request.url()));
    await setVisibility("hidden");
    await ended;
    await service.roster.users.create({ name: "Fay" });
    expect(await page.getByRole("button", { name: "1 new user" }).count()).toBe(0);
    await setVisibility("visible");
    await page.getByRole("button", { name: "1 new user" }).waitFor();
  });

  test("follows nothing with a key that cannot read events", async () => {
    const { key: admin } = await service.roster.keys.create({
      name: "Admin",
      scopes: ["users:read", "keys:manage"],
    });
    await using opened = await openConsole(browser, { service, path: "/connect" });
    const { page, errors } = opened;
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await page.goto(`${service.url}/users`);
    await page.getByLabel("Key", { exact: true }).fill(admin);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await row(page, /Bob/).waitFor();
    const client = createClient({ baseUrl: service.url, apiKey: admin });
    expect((await client.stats({ days: 1 })).days[0]?.total).toBeGreaterThan(3);
    expect(requests.filter((url) => url.includes("/api/events"))).toEqual([]);
    expect(errors.filter((error) => !error.includes("401"))).toEqual([]);
  });
});
