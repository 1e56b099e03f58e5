import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { parseListParams } from "../../src/console/users/list-params.ts";
import { openBrowser } from "../support/browser.ts";
import { openConsole } from "./support/console.ts";
import { statusErrors, userDrawer } from "./support/user-drawer.ts";

setDefaultTimeout(120_000);
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);
afterAll(() => browser.close());

const ada = { name: "Ada Lovelace", email: "ada@example.com" };
const row = (page: Page) => page.getByRole("row", { name: /Ada Lovelace/ });
const view = (page: Page, name: string) => page.getByRole("navigation").getByRole("link", { name });

/** What was under way when a page was left counts for nothing. */
const withoutAborted = (errors: readonly string[]) => errors.filter((error) => !error.startsWith("failed:"));

/** From now on the service has none of the files that the page was made to ask for. */
const replaceService = (page: Page) =>
  page.route("**/console/*.js", (route) => route.fulfill({ status: 404, body: "{}" }));

describe("a page that is older than the service", () => {
  test("says so where a view cannot be loaded, and leads on", async () => {
    await using opened = await openConsole(browser, { before: ({ roster }) => roster.users.create(ada) });
    const { page } = opened;
    await row(page).waitFor();
    await page.getByRole("button", { name: "Export" }).waitFor();
    await replaceService(page);
    await view(page, "Keys").click();
    await page.getByRole("heading", { name: "This part of the page didn't load" }).waitFor();
    // What is here works on.
    await view(page, "Users").click();
    await row(page).waitFor();
    await view(page, "Keys").click();
    await page.unroute("**/console/*.js");
    await page.getByRole("button", { name: "Reload page" }).click();
    await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
  });

  test("says so over the table where a user cannot be opened", async () => {
    await using opened = await openConsole(browser, { before: ({ roster }) => roster.users.create(ada) });
    const { page } = opened;
    await row(page).waitFor();
    await page.getByRole("button", { name: "Export" }).waitFor();
    await replaceService(page);
    await row(page).click();
    const message = page.getByRole("dialog", { name: "This part of the page didn't load" });
    await message.getByRole("button", { name: "Close", exact: true }).last().click();
    await message.waitFor({ state: "hidden" });
    expect(new URL(page.url()).pathname).toBe("/");
    await row(page).waitFor();
  });
});

test("a view that breaks leaves the rest of the page", async () => {
  await using opened = await openConsole(browser);
  const { page } = opened;
  await page.getByRole("heading", { name: "No users yet" }).waitFor();
  // No service answers so; it stands for whatever nobody thought of.
  await page.route("**/api/keys?*", (route) =>
    route.fulfill({
      json: [
        { id: 1, name: "odd", prefix: "roster_", revokedAt: null, expiresAt: null, scopes: ["nothing"] },
      ],
    }),
  );
  await view(page, "Keys").click();
  await page.getByRole("heading", { name: "This part of the page crashed" }).waitFor();
  await view(page, "Users").click();
  await page.getByRole("heading", { name: "No users yet" }).waitFor();
});

describe("a browser that keeps nothing", () => {
  const kinds = {
    "forbids it": `Object.defineProperty(window, "localStorage", { get() { throw new DOMException("", "SecurityError"); } })`,
    "is full": `Storage.prototype.setItem = () => { throw new DOMException("", "QuotaExceededError"); }`,
  };
  for (const [kind, script] of Object.entries(kinds)) {
    test(`since it ${kind} shows what was chosen all the same`, async () => {
      await using opened = await openConsole(browser, { before: ({ roster }) => roster.users.create(ada) });
      const { page, errors } = opened;
      await page.addInitScript(script);
      await page.reload();
      await row(page).waitFor();
      await page.getByRole("button", { name: "Theme: system" }).click();
      await page.getByRole("button", { name: "Theme: light" }).waitFor();
      await page.getByRole("button", { name: "Columns" }).click();
      await page.getByRole("checkbox", { name: "Version" }).check();
      await page.getByRole("columnheader", { name: "Version" }).waitFor();
      expect(withoutAborted(errors)).toEqual([]);
    });
  }

  test("is not led astray by what another program left there", async () => {
    await using opened = await openConsole(browser, { before: ({ roster }) => roster.users.create(ada) });
    const { page, errors } = opened;
    for (const rubbish of ["{{{", "[]", '[null, {"a": 1}, "email"]', "7"]) {
      await page.evaluate((text) => {
        localStorage.setItem("roster-columns", text);
        localStorage.setItem("roster-theme", text);
      }, rubbish);
      await page.reload();
      await row(page).waitFor();
      await page.getByRole("columnheader", { name: "Name" }).waitFor();
    }
    expect(withoutAborted(errors)).toEqual([]);
  });
});

describe("an address that somebody made up", () => {
  test("has a way out where the service cannot use it", async () => {
    await using opened = await openConsole(browser, { before: ({ roster }) => roster.users.create(ada) });
    const { page, service, errors } = opened;
    for (const query of [
      `q=${"x".repeat(5000)}`,
      Array.from({ length: 30 }, (_, index) => `f${index}=1`).join("&"),
      "__proto__=1&a.b=2",
    ]) {
      await row(page).waitFor();
      await page.goto(`${service.url}/?${query}`);
      await page.getByRole("heading", { name: "The query string cannot be used" }).waitFor();
      await page.getByRole("button", { name: "Clear search and filters" }).click();
    }
    await row(page).waitFor();
    expect(withoutAborted(errors)).toEqual(statusErrors(400, 400, 400, 400, 400, 400));
  });

  test("has each filter once", () => {
    expect({ ...parseListParams("?plan=1&plan=1&plan=2&plan=1").where }).toEqual({ plan: ["1", "2"] });
  });
});

test("what is searched for is exactly what was typed, percent signs and all", async () => {
  await using opened = await openConsole(browser, {
    before: ({ roster }) => roster.users.create({ name: "100%25 a%20b" }),
  });
  const { page, errors } = opened;
  const box = page.getByRole("searchbox");
  await box.fill("a%20b");
  await page.waitForURL(/q=a%2520b/);
  await page.getByRole("row", { name: /100%25/ }).click();
  await page.waitForURL(/users\/1\?q=a%2520b/);
  await userDrawer(page).name.waitFor();
  await page.keyboard.press("Escape");
  await userDrawer(page).closed();
  expect(await box.inputValue()).toBe("a%20b");
  await page.reload();
  await page.getByRole("row", { name: /100%25/ }).waitFor();
  expect(await box.inputValue()).toBe("a%20b");
  expect(withoutAborted(errors)).toEqual([]);
});

test("a field whose name means something in an address cannot be filtered by, and somebody is told", async () => {
  await using opened = await openConsole(browser, {
    before: ({ roster }) => roster.users.create({ ...ada, limit: 3, q: "x" }),
  });
  const { page, errors } = opened;
  await page.getByRole("button", { name: "Filter" }).click();
  for (const field of ["limit", "q"]) {
    await page.getByLabel("Field").fill(field);
    await page.getByLabel("Value").fill("3");
    await page.getByRole("button", { name: "Add filter" }).click();
    await page.getByText(`You can't filter by ${field}`).waitFor();
  }
  expect(new URL(page.url()).search).toBe("");
  expect(withoutAborted(errors)).toEqual([]);
});

describe("users whose fields are called and filled as nobody would", () => {
  const odd = {
    toString: 1,
    hasOwnProperty: "yes",
    valueOf: null,
    isPrototypeOf: { a: [1, { "": 2 }] },
    children: "<img src=x onerror=alert(1)>",
    key: "javascript:alert(1)",
    ref: "\u202edesrever\u202c",
    dangerouslySetInnerHTML: { __html: "<b>bold</b>" },
  };
  test("are shown, opened, changed and saved as they are", async () => {
    await using opened = await openConsole(browser, {
      before: async ({ roster }) => {
        await roster.users.create({ ...ada, ...odd });
        await roster.users.create({ name: "<script>alert(1)</script>" });
        await roster.users.create({ name: `\u200b${"x".repeat(199)}`, note: "y".repeat(12_000) });
      },
    });
    const { page, service, errors } = opened;
    await page.evaluate(
      (names) => localStorage.setItem("roster-columns", JSON.stringify(names)),
      ["name", "note", ...Object.keys(odd)],
    );
    await page.reload();
    await row(page).waitFor();
    await page.getByRole("row", { name: /<script>/ }).waitFor();
    expect(await page.locator("td[data-field=toString]").allTextContents()).toEqual(["", "", "1"]);
    expect(await page.locator(".grid :is(img, b, script, a)").count()).toBe(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    await row(page).click();
    const { name, button, closed } = userDrawer(page);
    await name.fill("Ada King");
    await button("Save").click();
    await closed();
    expect(await service.roster.users.get(1)).toMatchObject({ ...ada, ...odd, name: "Ada King" });
    expect(withoutAborted(errors)).toEqual([]);
  });
});

test("a table that has been emptied goes on with those that were not loaded", async () => {
  await using opened = await openConsole(browser, {
    path: "/connect",
    before: async ({ roster }) => {
      const people = Array.from({ length: 62 }, (_, index) => ({ name: `User ${index + 1}` }));
      await roster.users.import(people).summary();
    },
  });
  const { page, errors } = opened;
  // So many that the rest is not asked for before somebody scrolls.
  await page.route("**/api/users?*limit=100*", (route) =>
    route.continue({ url: route.request().url().replace("limit=100", "limit=60") }),
  );
  await view(page, "Users").click();
  await page.getByRole("row", { name: "User 62" }).waitFor();
  await page.getByRole("checkbox", { name: "Select all loaded users" }).check();
  await page.getByRole("region", { name: "Selected users" }).getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Delete 60 users" }).click();
  await page.getByRole("row", { name: "User 2" }).waitFor();
  await page.getByText("2 users", { exact: true }).waitFor();
  expect(withoutAborted(errors)).toEqual([]);
});
