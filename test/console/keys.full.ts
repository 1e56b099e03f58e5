import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import type { Key } from "../../src/client/index.ts";
import { scopes } from "../../src/contract/keys/key.ts";
import { openBrowser } from "../support/browser.ts";
import { overflowWidth } from "../support/browser-page.ts";
import { unknownKey } from "../support/credentials.ts";
import { until, untilPasses } from "../support/until.ts";
import {
  accessibilityErrors,
  accessibilityErrorsInBothThemes,
  chooseAction,
  entryOf,
  keyField,
  nameField,
  openConsole,
  signIn,
} from "./support/console.ts";
import {
  errorStatuses,
  findInMemory,
  findSecret,
  type ServiceWithKeys,
  startServiceWithKeys,
} from "./support/service-with-keys.ts";

setDefaultTimeout(120_000);

const DAY = 86_400_000;
const KEY = /roster_[0-9A-Za-z]{36}/;

let browser: Browser;
let started: ServiceWithKeys;
let key: string;
beforeAll(async () => {
  [browser, started] = await Promise.all([openBrowser(), startServiceWithKeys()]);
  key = started.key;
}, 120_000);
afterAll(async () => {
  await browser.close();
  await started.service.stop();
});

const keysAt = (options: Parameters<typeof openConsole>[1] = {}) =>
  openConsole(browser, { service: started.service, path: "/keys", key, ...options });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** The input for the key of the person, which a session is not enough for. */
const ownKeyField = (page: Page) => page.getByLabel("Your key", { exact: true });

/** Opens the form of a new key, which first asks for the person's own key. */
async function openKeyForm(page: Page, own: string): Promise<void> {
  await button(page, "New key").click();
  const focused = page.locator(":focus");
  await ownKeyField(page).and(focused).waitFor();
  await ownKeyField(page).fill(own);
  await page.keyboard.press("Enter");
  await nameField(page).and(focused).waitFor();
}

/** The secret in the dialog. */
async function shownSecret(page: Page): Promise<string> {
  const shown = await page.getByRole("dialog").getByText(KEY).textContent();
  return KEY.exec(shown ?? "")?.[0] ?? "";
}

async function newest(): Promise<Key | undefined> {
  return (await started.roster.keys.list().all()).at(-1);
}

describe("the first key of an open service", () => {
  test("is created with the keyboard, and signs the person in", async () => {
    await using opened = await openConsole(browser, { path: "/keys" });
    const { page, service, errors } = opened;
    await page.getByText(/After that, every request needs a key/).waitFor();
    await button(page, "New key").focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "New key" });
    await dialog.getByText(/After this, every request needs a key/).waitFor();
    await dialog.locator("input:focus").waitFor();
    await page.keyboard.type("admin");
    for (const _ of scopes) await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await dialog.getByText(/you can't create more keys here/).waitFor();
    await page.keyboard.press("Space");
    await page.keyboard.press("Enter");
    const secret = await shownSecret(page);
    await button(page, "I've saved it, sign in with it").focus();
    await page.keyboard.press("Enter");
    await entryOf(page, "admin").getByText("You", { exact: true }).waitFor();
    expect((await service.call("/api/users")).status).toBe(401);
    const asked = await service.call("/api/session", { headers: { "x-api-key": secret } });
    expect(await asked.json()).toMatchObject({ scopes: [...scopes] });
    expect(await findSecret(page, secret)).toEqual([]);
    expect(await findInMemory(page, [secret])).toEqual([]);
    expect(errorStatuses(errors)).toEqual([]);
  });

  test("leads to the sign-in page if the person only saves it", async () => {
    await using opened = await openConsole(browser, { path: "/keys" });
    const { page, errors } = opened;
    await button(page, "New key").click();
    await nameField(page).fill("admin");
    await button(page, "Create key").click();
    const secret = await shownSecret(page);
    await button(page, "I've saved it").click();
    await keyField(page).waitFor();
    expect(await findSecret(page, secret)).toEqual([]);
    await signIn(page, secret);
    await entryOf(page, "admin").waitFor();
    expect(new URL(page.url()).pathname).toBe("/keys");
    expect(new Set(errorStatuses(errors))).toEqual(new Set(["401"]));
  });
});

describe("a new key", () => {
  test("is not lost by closing the dialog without a confirmation", async () => {
    await using opened = await keysAt();
    const { page } = opened;
    await openKeyForm(page, key);
    await nameField(page).fill("careless");
    await page.keyboard.press("Enter");
    const secret = await shownSecret(page);
    await page.keyboard.press("Escape");
    const question = page.getByRole("alertdialog", { name: "Did you save the key?" });
    await question.waitFor();
    await page.keyboard.press("Escape");
    await question.waitFor({ state: "detached" });
    expect(await shownSecret(page)).toBe(secret);
    await button(page, "Close").click();
    await button(page, "Close anyway").click();
    await entryOf(page, "careless").waitFor();
    expect(await findSecret(page, secret)).toEqual([]);
    expect(await findInMemory(page, [secret, key])).toEqual([]);
  });

  test("needs the key of the person again, and explains what is wrong with it", async () => {
    const reader = await started.roster.keys.create({ name: "reads only", scopes: ["users:read"] });
    await using opened = await keysAt();
    const { page, errors } = opened;
    const count = (await started.roster.keys.list().all()).length;
    await button(page, "New key").click();
    const dialog = page.getByRole("dialog");
    // Each message differs from the one before, which is shown until the response arrives.
    for (const [entered, words] of [
      ["two words", "This is not a valid key. Copy the whole key."],
      ["", "Enter your key."],
      ["roster_wrong", "This is not a valid key. Copy the whole key."],
      [unknownKey, "This service has no such key."],
      [reader.key, "This key can't create keys: it lacks the scope keys:manage."],
    ] as const) {
      await ownKeyField(page).fill(entered);
      await button(page, "Continue").click();
      await dialog.getByText(words).first().waitFor();
    }
    await ownKeyField(page).fill(unknownKey);
    await page.keyboard.press("Enter");
    await dialog.getByText("This service has no such key.").waitFor();
    expect(await ownKeyField(page).getAttribute("aria-invalid")).toBe("true");
    expect(await ownKeyField(page).evaluate((field) => field === document.activeElement)).toBe(true);
    expect((await started.roster.keys.list().all()).length).toBe(count);
    expect(await page.getByRole("dialog", { name: "Your session has ended" }).count()).toBe(0);
    expect(await nameField(page).count()).toBe(0);
    expect(errorStatuses(errors)).toEqual(["401", "401", "401", "401"]);
  });

  test("shows errors at their fields", async () => {
    await using opened = await keysAt();
    const { page, errors } = opened;
    await openKeyForm(page, key);
    await page.getByLabel("Read users").uncheck();
    await page.getByLabel("Expires").selectOption("On a date…");
    await page.getByLabel("Requests", { exact: true }).fill("ten");
    await page.getByLabel("Monthly quota").fill("1.5");
    await button(page, "Create key").click();
    await page.getByText("Choose a date.").waitFor();
    await untilPasses(async () =>
      expect(await page.getByText("Enter a whole number.", { exact: true }).count()).toBe(2),
    );
    await page.getByLabel("Last day").fill("2001-01-01");
    // Changing a field hides its error.
    expect(await page.getByText("Choose a date.").count()).toBe(0);
    await untilPasses(async () =>
      expect(await page.getByText("Enter a whole number.", { exact: true }).count()).toBe(2),
    );
    await page.getByLabel("Requests", { exact: true }).fill("0");
    await page.getByLabel("Monthly quota").fill("0");
    await button(page, "Create key").click();
    const dialog = page.getByRole("dialog");
    for (const words of [
      /A name is required/,
      /Choose one or more of users:read/,
      /Enter a time in the future/,
      /from 1 to 1000000\.$/,
      /from 1 to 1000000000000\.$/,
    ]) {
      await dialog.getByText(words).waitFor();
    }
    expect(await nameField(page).evaluate((field) => field === document.activeElement)).toBe(true);
    expect(await accessibilityErrors(page)).toEqual([]);
    expect(errorStatuses(errors)).toEqual(["401", "422"]);
  });

  test("can't have scopes that the caller lacks", async () => {
    const { key: lesser } = await started.roster.keys.create({
      name: "lesser",
      scopes: ["users:read", "keys:manage"],
    });
    await using opened = await keysAt({ key: lesser });
    const { page } = opened;
    await openKeyForm(page, lesser);
    expect(await page.getByLabel("Edit users").isDisabled()).toBe(true);
    expect(await page.getByLabel("Manage keys").isDisabled()).toBe(false);
    await page.getByText("You can't grant this scope: your own key doesn't have it.").first().waitFor();
    await page.keyboard.press("Escape");
    await chooseAction(page, "first", "Replace");
    await ownKeyField(page).fill(lesser);
    await button(page, "Replace key").click();
    await page
      .getByRole("alert")
      .getByText("You can only grant scopes that your own key has. It lacks users:write, ")
      .waitFor();
  });
});

describe("the list of keys", () => {
  test("shows scopes, last use, usage and expiry of each key", async () => {
    await using other = await startServiceWithKeys();
    const made = await other.roster.keys.create({
      name: "ci",
      scopes: ["users:read"],
      quota: 8,
      expiresAt: new Date(Date.now() + 3 * DAY).toISOString(),
    });
    const gone = await other.roster.keys.create({ name: "gone", scopes: ["users:write"] });
    await other.roster.keys.revoke(gone.id);
    for (let calls = 0; calls < 2; calls++) {
      await other.service.call("/api/users", { headers: { "x-api-key": made.key } });
    }
    await until(async () => (await other.roster.keys.get(made.id)).usage.requests >= 2);
    await using opened = await openConsole(browser, {
      service: other.service,
      path: "/keys",
      key: other.key,
    });
    const { page } = opened;
    const ci = entryOf(page, "ci");
    for (const words of ["Expires soon", "in 3 days", "Read users", `${made.prefix}…`]) {
      await ci.getByText(words, { exact: true }).waitFor();
    }
    await entryOf(page, "first").getByText("All scopes", { exact: true }).waitFor();
    await ci
      .getByText(/^(now|\d+ seconds? ago)$/)
      .first()
      .waitFor();
    await ci.getByText("2 of 8", { exact: true }).waitFor();
    const meter = ci.getByRole("img", { name: "2 of 8 requests this month" });
    expect(await meter.locator("rect").getAttribute("width")).toBe("25");
    await entryOf(page, "first").getByText("You", { exact: true }).waitFor();
    await page.getByText("2 active").waitFor();
    expect(await entryOf(page, "gone").count()).toBe(0);
    await page.getByLabel("Show expired and revoked (1)").check();
    await entryOf(page, "gone").getByText("Revoked").waitFor();
    await button(page, "Actions for gone").click();
    expect(await page.getByRole("menuitem").allTextContents()).toEqual(["Copy ID"]);
    await page.keyboard.press("Escape");
    await ci.press("Enter");
    await page.getByText("Default", { exact: true }).waitFor();
    await page.getByRole("img", { name: "2 requests in the last 30 days" }).waitFor();
    await chooseAction(page, "ci", "Usage");
    const chart = page.getByRole("dialog").getByRole("img", { name: "2 requests" });
    await chart.waitFor();
    await page.getByRole("dialog").getByText("Show as table").click();
    const days = page.getByRole("dialog").locator("tbody tr");
    await days.nth(29).waitFor();
    await page.getByRole("dialog").getByLabel("Period").selectOption("Last 7 days");
    await days.nth(7).waitFor({ state: "detached" });
    await untilPasses(async () => expect(await days.count()).toBe(7));
    await chart.waitFor();
    expect(await accessibilityErrors(page)).toEqual([]);
  });

  test("shows 50 keys at first, and finds keys by name, prefix or the whole key", async () => {
    await using other = await startServiceWithKeys();
    const names = Array.from({ length: 60 }, (_, index) => `program ${index + 1}`);
    const made = await Promise.all(
      names.map((name) => other.roster.keys.create({ name, scopes: ["users:read"] })),
    );
    await using opened = await openConsole(browser, {
      service: other.service,
      path: "/keys",
      key: other.key,
    });
    const { page } = opened;
    const items = page.getByRole("grid", { name: "Keys" }).locator("tbody > tr");
    await page.getByText("61 active").waitFor();
    await untilPasses(async () => expect(await items.count()).toBe(50));
    await button(page, "Show more").click();
    await untilPasses(async () => expect(await items.count()).toBe(61));
    expect(await button(page, "Show more").count()).toBe(0);
    const find = page.getByRole("searchbox");
    await find.fill("PROGRAM 60");
    await untilPasses(async () => expect(await items.count()).toBe(1));
    for (const query of [made[7]?.prefix ?? "", made[7]?.key ?? ""]) {
      await find.fill(query);
      await untilPasses(async () =>
        expect(await items.allTextContents()).toEqual([expect.stringContaining(made[7]?.name ?? "")]),
      );
    }
    await find.fill("nobody");
    await page.getByRole("heading", { name: "No matching keys" }).waitFor();
  });

  test("shows an error, and can be retried", async () => {
    await using opened = await openConsole(browser, { service: started.service, key });
    const { page } = opened;
    await page.route("**/api/keys*", (route) => route.abort());
    await page.getByRole("link", { name: "Keys" }).click();
    await page.getByRole("heading", { name: "Can't reach the service" }).waitFor();
    await page.unroute("**/api/keys*");
    await button(page, "Try again").click();
    await entryOf(page, "first").waitFor();
  });

  test("shows how to manage keys with the CLI if authentication is off", async () => {
    await using opened = await openConsole(browser, { path: "/keys", settings: { auth: "off" } });
    const { page, errors } = opened;
    await page
      .getByText("With ROSTER_AUTH=off, you can manage keys only on the host, with roster keys.")
      .waitFor();
    await page.getByText(/^roster keys create/).waitFor();
    expect(await accessibilityErrors(page)).toEqual([]);
    expect(errorStatuses(errors)).toEqual(["403"]);
  });
});

describe("replacing a key", () => {
  test("shows the new key once, and keeps the old one for the chosen time", async () => {
    const old = await started.roster.keys.create({ name: "rotated", scopes: ["users:read"], quota: 7 });
    await using opened = await keysAt();
    const { page } = opened;
    await chooseAction(page, "rotated", "Replace");
    await page.getByLabel("Old key expires").selectOption("In 1 hour");
    await ownKeyField(page).fill(key);
    await button(page, "Replace key").click();
    const secret = await shownSecret(page);
    await button(page, "I've saved it").click();
    await page.getByText("in 1 hour").or(page.getByText("in 60 minutes")).first().waitFor();
    await untilPasses(async () => expect(await entryOf(page, "rotated").count()).toBe(2));
    expect(await newest()).toMatchObject({ name: "rotated", scopes: ["users:read"], quota: 7 });
    const left = Date.parse((await started.roster.keys.get(old.id)).expiresAt ?? "") - Date.now();
    expect(left).toBeWithin(3_500_000, 3_600_001);
    expect(await findSecret(page, secret)).toEqual([]);
  });

  test("signs in with the new key if the current one expires immediately", async () => {
    const current = await started.roster.keys.create({
      name: "current",
      scopes: ["users:read", "keys:manage"],
    });
    await using opened = await keysAt({ key: current.key });
    const { page, errors } = opened;
    await chooseAction(page, "current", "Replace");
    await page.getByText(/Your session ends when the old key expires/).waitFor();
    await page.getByLabel("Old key expires").selectOption("Immediately");
    await ownKeyField(page).fill(current.key);
    await button(page, "Replace key").click();
    const secret = await shownSecret(page);
    await button(page, "I've saved it, sign in with it").click();
    await entryOf(page, "current").getByText("You", { exact: true }).waitFor();
    await entryOf(page, "current").nth(1).waitFor({ state: "detached" });
    expect(await findSecret(page, secret)).toEqual([]);
    expect([...new Set(errorStatuses(errors))]).toEqual(["401"]);
  });
});

describe("revoking a key", () => {
  test("asks for confirmation, and works with the keyboard", async () => {
    const doomed = await started.roster.keys.create({ name: "doomed", scopes: ["users:read"] });
    await using opened = await keysAt();
    const { page } = opened;
    await entryOf(page, "doomed").focus();
    await page.keyboard.press("Shift+F10");
    // The menu takes the focus a moment after it opens.
    await page.locator("[role=menu]:focus-within").waitFor();
    await page.keyboard.press("End");
    await page.getByRole("menuitem", { name: "Revoke" }).and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Enter");
    const question = page.getByRole("alertdialog", { name: "Revoke doomed?" });
    await question.getByText(/Never used/).waitFor();
    await page.keyboard.press("Escape");
    await question.waitFor({ state: "detached" });
    expect((await started.roster.keys.get(doomed.id)).revokedAt).toBeNull();
    await entryOf(page, "doomed").focus();
    await page.keyboard.press("Shift+F10");
    // The menu takes the focus a moment after it opens.
    await page.locator("[role=menu]:focus-within").waitFor();
    await page.keyboard.press("End");
    await page.getByRole("menuitem", { name: "Revoke" }).and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Enter");
    await question.waitFor();
    await button(page, "Revoke").focus();
    await page.keyboard.press("Enter");
    await page.getByText("doomed revoked").waitFor();
    await entryOf(page, "doomed").waitFor({ state: "detached" });
    expect((await started.roster.keys.get(doomed.id)).revokedAt).not.toBeNull();
  });

  test("warns about the current key, and signs out", async () => {
    await using other = await startServiceWithKeys();
    await using opened = await openConsole(browser, {
      service: other.service,
      path: "/keys",
      key: other.key,
    });
    const { page } = opened;
    await chooseAction(page, "first", "Revoke");
    await page.getByText("You are signed in with this key and will be signed out.").waitFor();
    await page.getByText(/No other key can manage keys/).waitFor();
    await button(page, "Revoke").click();
    await keyField(page).waitFor();
    await keyField(page).fill(other.key);
    await page.keyboard.press("Enter");
    await page.getByText(/^The key was revoked at/).waitFor();
  });
});

test("managing keys has no accessibility errors on a phone in either theme", async () => {
  const ended = await started.roster.keys.create({ name: "ended", scopes: ["users:read"], quota: 5 });
  await started.roster.keys.revoke(ended.id);
  await using opened = await keysAt({ viewport: { width: 360, height: 740 } });
  const { page } = opened;
  await page.getByLabel(/^Show expired and revoked/).check();
  expect(await overflowWidth(page)).toBe(0);
  const clean = async () => expect(await accessibilityErrorsInBothThemes(page)).toEqual([]);
  await clean();
  await chooseAction(page, "first", "Revoke");
  await clean();
  await page.keyboard.press("Escape");
  await page.setViewportSize({ width: 1280, height: 800 });
  await chooseAction(page, "first", "Replace");
  await clean();
  await page.keyboard.press("Escape");
  await button(page, "New key").click();
  await clean();
  await ownKeyField(page).fill(key);
  await page.keyboard.press("Enter");
  await nameField(page).fill("seen");
  await clean();
  await page.keyboard.press("Enter");
  await page.getByText(KEY).waitFor();
  await clean();
  await button(page, "I've saved it").click();
  await clean();
});
