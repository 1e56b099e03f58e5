import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../support/browser.ts";
import { overflowWidth, readSessionHeaders } from "../support/browser-page.ts";
import { unknownKey } from "../support/credentials.ts";
import {
  accessibilityErrors,
  accessibilityErrorsInBothThemes,
  entryOf,
  keyField,
  nameField,
  openConsole,
  signIn,
  signOut,
  tabTo,
} from "./support/console.ts";
import {
  deleteSessionOnServer,
  errorStatuses,
  findInMemory,
  findSecret,
  type ServiceWithKeys,
  startServiceWithKeys,
} from "./support/service-with-keys.ts";

setDefaultTimeout(120_000);

const ada = { name: "Ada Lovelace", email: "ada@example.com" };

let browser: Browser;
let started: ServiceWithKeys;
let key: string;
beforeAll(async () => {
  [browser, started] = await Promise.all([openBrowser(), startServiceWithKeys()]);
  key = started.key;
  await started.roster.users.create(ada);
}, 120_000);
afterAll(async () => {
  await browser.close();
  await started.service.stop();
});

const keyFieldHasFocus = (page: Page) => keyField(page).and(page.locator(":focus")).waitFor();
const adaIn = (page: Page) => page.getByRole("row", { name: /Ada Lovelace/ });

describe("signing in", () => {
  test("leaves neither the key nor the cookie where scripts can read them", async () => {
    await using opened = await openConsole(browser, { service: started.service, key });
    const { page } = opened;
    await adaIn(page).waitFor();
    expect(await findSecret(page, key)).toEqual([]);
    expect(await findInMemory(page, [ada.email], 1)).toEqual([ada.email]);
    expect(await findInMemory(page, [key])).toEqual([]);
    expect(await page.context().cookies()).toMatchObject([
      { name: `roster_session_${new URL(started.service.url).port}`, httpOnly: true, sameSite: "Strict" },
    ]);
  });

  test("signing out clears all data from the page", async () => {
    await using opened = await openConsole(browser, { service: started.service, key });
    const { page, errors } = opened;
    await adaIn(page).waitFor();
    const headers = await readSessionHeaders(page);
    await signOut(page);
    await keyField(page).waitFor();
    expect(await page.content()).not.toContain("Ada");
    expect(await findInMemory(page, [ada.email])).toEqual([]);
    expect(await page.context().cookies()).toEqual([]);
    expect(await page.evaluate(() => ({ ...localStorage }))).not.toHaveProperty("roster.session");
    expect((await started.service.call("/api/users", { headers })).status).toBe(401);
    await signIn(page, key);
    await adaIn(page).waitFor();
    expect([...new Set(errorStatuses(errors))]).toEqual(["401"]);
  });

  test("works with the keyboard, and so does signing out", async () => {
    await using opened = await openConsole(browser, { service: started.service });
    const { page } = opened;
    await keyField(page).waitFor();
    await keyFieldHasFocus(page);
    await page.keyboard.type(key);
    await page.keyboard.press("Enter");
    await adaIn(page).waitFor();
    await tabTo(page, ".account");
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "Sign out" }).waitFor();
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await keyField(page).waitFor();
    await keyFieldHasFocus(page);
  });

  test("asks to wait after too many wrong keys, but accepts a valid one", async () => {
    await using other = await startServiceWithKeys();
    await using opened = await openConsole(browser, { service: other.service });
    const { page } = opened;
    await Promise.all(
      Array.from({ length: 20 }, () =>
        other.service.call("/api/session", { method: "POST", json: { key: unknownKey } }),
      ),
    );
    await keyField(page).fill(unknownKey);
    await page.keyboard.press("Enter");
    await page
      .getByText(/^Too many wrong keys from this address\. Retry in (1 second|\d+ seconds)\.$/)
      .waitFor();
    await signIn(page, other.key);
    await page.getByRole("heading", { name: "No users yet" }).waitFor();
  });

  test("warns only if the page is not encrypted", async () => {
    await using opened = await openConsole(browser, { service: started.service });
    const { page } = opened;
    const warning = (page: Page) => page.getByText(/This page is not encrypted/);
    await keyField(page).waitFor();
    expect(await warning(page).count()).toBe(0);
    // The same service under a name that is not localhost.
    const elsewhere = await page.context().newPage();
    await elsewhere.route("http://roster.example/**", async (route) => {
      const { pathname } = new URL(route.request().url());
      await route.fulfill({ response: await route.fetch({ url: started.service.url + pathname }) });
    });
    await elsewhere.goto("http://roster.example/");
    await warning(elsewhere).waitFor();
    expect(await accessibilityErrors(elsewhere)).toEqual([]);
  });

  test("has no accessibility errors on a phone in either theme", async () => {
    const viewport = { width: 360, height: 740 };
    await using opened = await openConsole(browser, { service: started.service, viewport });
    const { page } = opened;
    await keyField(page).waitFor();
    expect(await accessibilityErrorsInBothThemes(page)).toEqual([]);
    expect(await overflowWidth(page)).toBe(0);
    await keyField(page).fill("roster_wrong");
    await page.keyboard.press("Enter");
    await page.getByText(/Copy the whole key/).waitFor();
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(await accessibilityErrorsInBothThemes(page)).toEqual([]);
  });
});

test("after a reload, the table loads together with the session", async () => {
  await using opened = await openConsole(browser, { service: started.service, key });
  const { page } = opened;
  await adaIn(page).waitFor();
  const listed = page.waitForRequest((request) => new URL(request.url()).pathname === "/api/users");
  await page.route("**/api/session", async (route) => {
    await listed;
    await route.continue();
  });
  await page.reload();
  await adaIn(page).waitFor();
});

describe("a session that has ended", () => {
  test("can be renewed without losing the search", async () => {
    await using opened = await openConsole(browser, { service: started.service, key });
    const { page, errors } = opened;
    await adaIn(page).waitFor();
    await deleteSessionOnServer(started, page);
    // All letters at once: the dialog takes the keyboard while a slow machine still types.
    await page.getByRole("searchbox").fill("lovelace");
    const dialog = page.getByRole("dialog", { name: "Your session has ended" });
    await dialog.waitFor();
    expect(await accessibilityErrorsInBothThemes(page)).toEqual([]);
    await keyFieldHasFocus(page);
    await page.keyboard.type("roster_wrong");
    await page.keyboard.press("Enter");
    await dialog.getByText("This is not a valid key. Copy the whole key.").waitFor();
    await signIn(page, key);
    await adaIn(page).waitFor();
    expect(await page.getByRole("searchbox").inputValue()).toBe("lovelace");
    expect(new URL(page.url()).search).toBe("?q=lovelace");
    expect(new Set(errorStatuses(errors))).toEqual(new Set(["401"]));
  });

  test("does not lose the input of a dialog", async () => {
    const scopes = ["keys:manage", "users:read"] as const;
    const other = await started.roster.keys.create({ name: "other", scopes });
    await using opened = await openConsole(browser, {
      service: started.service,
      path: "/keys",
      key: other.key,
    });
    const { page } = opened;
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByLabel("Your key").fill(other.key);
    await page.keyboard.press("Enter");
    await nameField(page).fill("nightly");
    await page.getByLabel("Monthly quota").fill("500");
    await started.roster.keys.revoke(other.id);
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByText(/^The key was revoked at /).waitFor();
    // Another key creates the key, and the list below asks to sign in again.
    await page.getByLabel("Your key").fill(key);
    await page.keyboard.press("Enter");
    expect(await nameField(page).inputValue()).toBe("nightly");
    expect(await page.getByLabel("Monthly quota").inputValue()).toBe("500");
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("dialog", { name: "Key for nightly" }).waitFor();
    expect((await started.roster.keys.list().all()).at(-1)).toMatchObject({ name: "nightly", quota: 500 });
    await page.getByRole("button", { name: "I've saved it" }).click();
    await page.getByRole("dialog", { name: "Your session has ended" }).waitFor();
    await signIn(page, key);
    await entryOf(page, "nightly").waitFor();
  });

  test("prompts again after the prompt was closed, but not for a request that started before", async () => {
    await using opened = await openConsole(browser, { service: started.service, key });
    const { page } = opened;
    await adaIn(page).waitFor();
    // The count of the first load has arrived.
    await page.getByRole("heading", { name: /^Users \d+$/ }).waitFor();
    await deleteSessionOnServer(started, page);
    const dialog = page.getByRole("dialog", { name: "Your session has ended" });
    const refreshAndClose = async () => {
      await page.getByRole("button", { name: "Refresh" }).click();
      await dialog.waitFor();
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    };
    const isCount = (url: URL) => url.searchParams.has("count");
    const closed = Promise.withResolvers<void>();
    await page.route(isCount, async (route) => {
      await closed.promise;
      await route.continue();
    });
    const counted = page.waitForResponse((response) => isCount(new URL(response.url())));
    await refreshAndClose();
    closed.resolve();
    expect((await counted).status()).toBe(401);
    await refreshAndClose();
  });
});

test("after someone creates the first key, the console asks for it and keeps the input", async () => {
  await using opened = await openConsole(browser, { before: ({ roster }) => roster.users.create(ada) });
  const { page, service } = opened;
  await adaIn(page).waitFor();
  await page.getByRole("searchbox").fill("ada");
  const first = await service.roster.keys.create({ name: "first", scopes: ["users:read"] });
  await page.getByRole("dialog", { name: "A key is now required" }).waitFor();
  await signIn(page, first.key);
  await adaIn(page).waitFor();
  expect(await page.getByRole("searchbox").inputValue()).toBe("ada");
  await page.getByText("first", { exact: true }).waitFor();
});

test("a read-only key sees no write actions, and can be changed for another", async () => {
  const reader = await started.roster.keys.create({ name: "reader", scopes: ["users:read"] });
  await using opened = await openConsole(browser, { service: started.service, key: reader.key });
  const { page, errors } = opened;
  await adaIn(page).waitFor();
  expect(await page.getByRole("button", { name: "New user" }).count()).toBe(0);
  expect(await page.getByRole("link", { name: "Keys" }).count()).toBe(0);
  await page.goto(`${started.service.url}/keys`);
  await page.getByText("This needs a key with the scope keys:manage.").waitFor();
  expect(await accessibilityErrors(page)).toEqual([]);
  await page.getByRole("button", { name: "Sign in with another key" }).click();
  const dialog = page.getByRole("dialog", { name: "Sign in with another key" });
  await dialog.waitFor();
  await keyField(page).fill("roster_wrong");
  await page.keyboard.press("Enter");
  await dialog.getByText("This is not a valid key. Copy the whole key.").waitFor();
  await signIn(page, key);
  await entryOf(page, "first").waitFor();
  await page.getByRole("link", { name: "Users", exact: true }).click();
  await page.getByRole("button", { name: "New user" }).waitFor();
  expect(errorStatuses(errors)).toEqual(["401", "401"]);
});
