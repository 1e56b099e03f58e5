import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { parseListParams } from "../../src/console/users/list-params.ts";
import { openBrowser } from "../support/browser.ts";
import { untilPasses } from "../support/until.ts";
import { chooseTheme, openConsole, viewLink } from "./support/console.ts";
import { statusErrors, userDrawer } from "./support/user-form.ts";

setDefaultTimeout(120_000);
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);
afterAll(() => browser.close());

const ada = { name: "Ada Lovelace", email: "ada@example.com" };
const row = (page: Page) => page.getByRole("row", { name: /Ada Lovelace/ });

/** Errors without requests that were aborted by leaving the page. */
const withoutAborted = (errors: readonly string[]) => errors.filter((error) => !error.startsWith("failed:"));

/** Makes all scripts disappear, as after an update of the service. */
const replaceService = (page: Page) =>
  page.route("**/console/*.js", (route) => route.fulfill({ status: 404, body: "{}" }));

describe("a page that is older than the service", () => {
  test("explains that a view can't be loaded, and keeps other views working", async () => {
    await using opened = await openConsole(browser, { before: ({ roster }) => roster.users.create(ada) });
    const { page } = opened;
    await row(page).waitFor();
    await page.getByRole("button", { name: "Export" }).waitFor();
    await replaceService(page);
    await viewLink(page, "Keys").click();
    await page.getByRole("heading", { name: "This part of the page didn't load" }).waitFor();
    // Loaded views still work.
    await viewLink(page, "Users").click();
    await row(page).waitFor();
    await viewLink(page, "Keys").click();
    await page.unroute("**/console/*.js");
    await page.getByRole("button", { name: "Reload page" }).click();
    await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
  });

  test("explains in a dialog that a user can't be opened", async () => {
    await using opened = await openConsole(browser, { before: ({ roster }) => roster.users.create(ada) });
    const { page } = opened;
    await row(page).waitFor();
    await page.getByRole("button", { name: "Export" }).waitFor();
    await replaceService(page);
    await row(page).click();
    const message = page.getByRole("dialog", { name: "This part of the page didn't load" });
    await message.getByRole("button", { name: "Close", exact: true }).last().click();
    await message.waitFor({ state: "hidden" });
    expect(new URL(page.url()).pathname).toBe("/users");
    await row(page).waitFor();
  });
});

test("a view that crashes leaves the rest of the page", async () => {
  await using opened = await openConsole(browser);
  const { page } = opened;
  await page.getByRole("heading", { name: "No users yet" }).waitFor();
  // An impossible response makes the view crash.
  await page.route("**/api/keys?*", (route) =>
    route.fulfill({
      json: [
        { id: 1, name: "odd", prefix: "roster_", revokedAt: null, expiresAt: null, scopes: ["nothing"] },
      ],
    }),
  );
  await viewLink(page, "Keys").click();
  await page.getByRole("heading", { name: "This part of the page crashed" }).waitFor();
  await viewLink(page, "Users").click();
  await page.getByRole("heading", { name: "No users yet" }).waitFor();
});

describe("a browser without storage", () => {
  const kinds = {
    "blocks storage": `Object.defineProperty(window, "localStorage", { get() { throw new DOMException("", "SecurityError"); } })`,
    "has full storage": `Storage.prototype.setItem = () => { throw new DOMException("", "QuotaExceededError"); }`,
  };
  for (const [kind, script] of Object.entries(kinds)) {
    test(`that ${kind} still applies choices`, async () => {
      await using opened = await openConsole(browser, { before: ({ roster }) => roster.users.create(ada) });
      const { page, errors } = opened;
      await page.addInitScript(script);
      await page.reload();
      await row(page).waitFor();
      await chooseTheme(page, "Dark");
      expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe("dark");
      await page.getByRole("button", { name: "Columns" }).click();
      await page.getByRole("checkbox", { name: "Version" }).check();
      await page.getByRole("columnheader", { name: "Version" }).waitFor();
      expect(withoutAborted(errors)).toEqual([]);
    });
  }

  test("ignores invalid stored preferences", async () => {
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

describe("an invalid address", () => {
  test("shows the service's error, and can be cleared", async () => {
    await using opened = await openConsole(browser, { before: ({ roster }) => roster.users.create(ada) });
    const { page, service, errors } = opened;
    for (const query of [
      `q=${"x".repeat(5000)}`,
      Array.from({ length: 30 }, (_, index) => `f${index}=1`).join("&"),
      "__proto__=1&a.b=2",
    ]) {
      await row(page).waitFor();
      await page.goto(`${service.url}/users?${query}`);
      await page.getByRole("heading", { name: "Invalid query string" }).waitFor();
      await page.getByRole("button", { name: "Clear search and filters" }).click();
    }
    await row(page).waitFor();
    // A list that fails before the view shows it is requested again.
    expect([...new Set(withoutAborted(errors))]).toEqual(statusErrors(400));
  });

  test("has each filter value once", () => {
    expect({ ...parseListParams("?plan=1&plan=1&plan=2&plan=1").where }).toEqual({ plan: ["1", "2"] });
  });
});

test("a search keeps percent signs", async () => {
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
  await userDrawer(page).waitUntilClosed();
  expect(await box.inputValue()).toBe("a%20b");
  await page.reload();
  await page.getByRole("row", { name: /100%25/ }).waitFor();
  expect(await box.inputValue()).toBe("a%20b");
  expect(withoutAborted(errors)).toEqual([]);
});

test("a field whose name has another meaning in addresses is filtered in the filter expression", async () => {
  await using opened = await openConsole(browser, {
    before: async ({ roster }) => {
      await roster.users.create({ ...ada, limit: 3, q: "x" });
      await roster.users.create({ name: "Bob", limit: 3 });
    },
  });
  const { page, errors } = opened;
  for (const [field, value] of [
    ["limit", "3 2"],
    ["q", "x 1"],
  ]) {
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await page.getByRole("combobox", { name: "Find a field" }).fill(field ?? "");
    await page.getByRole("option", { name: field ?? "", exact: true }).click();
    await page.getByLabel("Condition").selectOption({ label: "is any of" });
    await page.getByRole("checkbox", { name: value ?? "" }).check();
    await page.getByRole("button", { name: "Apply", exact: true }).click();
    await page.getByRole("button", { name: `Remove filter ${field} is` }).waitFor();
  }
  await row(page).waitFor();
  await page.getByText("1 of 1", { exact: true }).waitFor();
  expect(new URL(page.url()).searchParams.get("filter")).toBe('limit eq 3 and q eq "x"');
  expect(withoutAborted(errors)).toEqual([]);
});

describe("users with unusual field names and values", () => {
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
  test("are shown, edited and saved unchanged", async () => {
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
    await untilPasses(async () =>
      expect(await page.locator("td[data-field=toString]").allTextContents()).toEqual(["–", "–", "1"]),
    );
    expect(await page.locator(".grid :is(img, b, script, a:not(.user-name))").count()).toBe(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    await row(page).click();
    const { name, button, waitUntilClosed } = userDrawer(page);
    await name.fill("Ada King");
    await button("Save").click();
    await waitUntilClosed();
    expect(await service.roster.users.get(1)).toMatchObject({ ...ada, ...odd, name: "Ada King" });
    expect(withoutAborted(errors)).toEqual([]);
  });
});

test("deleting all loaded users loads the next ones", async () => {
  await using opened = await openConsole(browser, {
    path: "/connect",
    before: async ({ roster }) => {
      const people = Array.from({ length: 62 }, (_, index) => ({ name: `User ${index + 1}` }));
      await roster.users.import(people).summary();
    },
  });
  const { page, errors } = opened;
  // With 60 users in the first page, the next ones are loaded when a person scrolls there.
  await page.route("**/api/users?*limit=*", (route) =>
    route.continue({
      url: route
        .request()
        .url()
        .replace(/limit=1[02]0/, "limit=60"),
    }),
  );
  await viewLink(page, "Users").click();
  await page.getByRole("row", { name: "User 62" }).waitFor();
  await page.getByRole("checkbox", { name: "Select all loaded users" }).check();
  await page.getByRole("region", { name: "Selected users" }).getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Delete 60 users" }).click();
  await page.getByRole("row", { name: "User 2" }).waitFor();
  await page.getByText("1–2 of 2", { exact: true }).waitFor();
  expect(withoutAborted(errors)).toEqual([]);
});
