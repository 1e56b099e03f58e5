import type { Page } from "playwright-core";
import { keyField, press } from "../../../test/console/support/console.ts";
import { problem, respond } from "./responses.ts";
import type { View } from "./view.ts";

async function openPalette(page: Page, text: string): Promise<void> {
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("combobox", { name: "Find a user, a group, a view or an action" }).fill(text);
}

async function enterKey(page: Page, key: string): Promise<void> {
  await keyField(page).fill(key);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

const chart = (page: Page) => page.getByRole("img").last().waitFor();
const rejected = problem(401, "unauthenticated", "Not signed in", "The service does not know this key.");

/** The session ends while the console is open. */
async function endSession(page: Page): Promise<void> {
  await page.locator("tbody tr").first().waitFor();
  await page.route("**/api/users/*", (route) => route.fulfill(rejected));
  await page.locator("tbody tr").first().click();
  await keyField(page).waitFor();
}

/** Opens a view, and makes the scripts that are not loaded disappear, as after an update of the service. */
async function loseScripts(page: Page, path: string): Promise<void> {
  await page.addInitScript(() => {
    // Nothing is loaded ahead.
    Object.defineProperty(navigator, "connection", { value: { saveData: true }, configurable: true });
  });
  await page.goto(new URL(path, page.url()).href);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.locator("tbody tr").first().waitFor();
  await page.route("**/console/*.js", (route) => route.fulfill({ status: 404 }));
}

const overviewViews: Record<string, View> = {
  overview: { path: "/", prepare: chart },
  "overview-end": {
    path: "/",
    async prepare(page) {
      await chart(page);
      await page.getByRole("heading", { name: "Health" }).scrollIntoViewIfNeeded();
      await page.getByText("Last check answered").scrollIntoViewIfNeeded();
    },
  },
  "overview-cards": {
    path: "/",
    async prepare(page) {
      await chart(page);
      await page
        .getByRole("heading", { name: "Newest users" })
        .evaluate((heading) => heading.scrollIntoView({ block: "start" }));
    },
  },
  "overview-table": {
    path: "/",
    async prepare(page) {
      await chart(page);
      await page.getByText("Show as table").first().click();
    },
  },
  "overview-point": {
    path: "/",
    async prepare(page) {
      await chart(page);
      await page.getByRole("img").first().scrollIntoViewIfNeeded();
      await page.getByRole("img").first().hover();
    },
  },
  "overview-year": {
    path: "/",
    async prepare(page) {
      await page.getByLabel("Period").selectOption("Last 12 months");
      await chart(page);
      // Later pictures show the usual period.
      await page.evaluate(() => localStorage.removeItem("roster.period"));
    },
  },
  "overview-reader": { path: "/", as: "reader", prepare: chart },
  "overview-empty": { path: "/", onEmptyService: true },
  "overview-loading": {
    path: "/",
    hold: "**/api/stats*",
    prepare: (page) => page.getByRole("status").first().waitFor(),
  },
  "overview-cards-loading": {
    path: "/",
    hold: "**/{api/users?*,api/events?*,api/keys?*,readyz}",
    prepare: (page) => page.getByText("Checking…").scrollIntoViewIfNeeded(),
  },
  "overview-cards-error": {
    path: "/",
    fail: "**/{api/users?*,api/events?*,api/keys?*,readyz}",
    prepare: (page) => page.getByText("The service isn't ready").scrollIntoViewIfNeeded(),
  },
  "overview-error": { path: "/", fail: "**/api/stats*" },
};

const connectViews: Record<string, View> = {
  connect: { path: "/connect" },
  "connect-typescript": {
    path: "/connect",
    prepare: (page) => page.getByRole("tab").nth(2).click(),
  },
  "connect-end": {
    path: "/connect",
    prepare: (page) => page.getByRole("heading", { level: 2 }).last().scrollIntoViewIfNeeded(),
  },
  "connect-reader": { path: "/connect", as: "reader" },
};

const paletteViews: Record<string, View> = {
  palette: {
    path: "/users",
    async prepare(page) {
      await page.locator("tbody tr").first().waitFor();
      await openPalette(page, "an");
      await page.getByRole("option").first().waitFor();
    },
  },
  "palette-open": { path: "/webhooks/1", prepare: (page) => openPalette(page, "") },
  "palette-mixed": {
    path: "/keys",
    async prepare(page) {
      await openPalette(page, "a");
      await page.getByText("Users found").waitFor();
    },
  },
  "palette-nothing": {
    path: "/keys",
    async prepare(page) {
      await openPalette(page, "nobody at all");
      await page.getByText("Nothing found").waitFor();
    },
  },
  "palette-error": {
    path: "/keys",
    fail: "**/api/users?*",
    async prepare(page) {
      await openPalette(page, "ada");
      await page.getByText("Users can't be searched now.").waitFor();
    },
  },
  "palette-searching": {
    path: "/keys",
    hold: "**/api/users?*",
    async prepare(page) {
      await openPalette(page, "ada");
      await page.getByText("Searching…").waitFor();
    },
  },
  "palette-broken": {
    path: "/keys",
    async prepare(page) {
      await loseScripts(page, "/keys");
      await page.keyboard.press("ControlOrMeta+k");
      await page.getByRole("dialog").waitFor();
    },
  },
};

const signInViews: Record<string, View> = {
  "sign-in": { path: "/users", as: "nobody" },
  "sign-in-missing": {
    path: "/users",
    as: "nobody",
    prepare: (page) => press(page, "Sign in"),
  },
  "sign-in-wrong": {
    path: "/users",
    as: "nobody",
    async prepare(page) {
      await enterKey(page, "roster_wrong");
      await page.getByText("Copy the whole key").waitFor();
    },
  },
  "sign-in-limited": {
    path: "/users",
    as: "nobody",
    async prepare(page) {
      const detail = "Too many wrong keys from this address. Retry in 42 seconds.";
      await respond(
        page,
        "POST",
        "**/api/session",
        problem(429, "rate-limited", "Too many requests", detail),
      );
      await enterKey(page, "roster_wrong");
      await page.getByText("Too many wrong keys").waitFor();
    },
  },
  "sign-in-away": {
    path: "/users",
    as: "nobody",
    async prepare(page) {
      await page.route("**/api/session", (route) => route.abort());
      await enterKey(page, "roster_wrong");
      await page.getByText("Check that Roster is running").waitFor();
    },
  },
  "sign-in-unencrypted": {
    path: "/users",
    as: "nobody",
    async prepare(page) {
      const { origin } = new URL(page.url());
      await page.route("http://roster.example/**", async (route) => {
        const { pathname } = new URL(route.request().url());
        await route.fulfill({ response: await route.fetch({ url: origin + pathname }) });
      });
      await page.goto("http://roster.example/users");
    },
  },
  "sign-in-again": { path: "/users", prepare: endSession },
  "sign-in-again-wrong": {
    path: "/users",
    async prepare(page) {
      await endSession(page);
      await respond(page, "POST", "**/api/session", rejected);
      await enterKey(page, "roster_wrong");
      await page.getByText("does not know this key").waitFor();
    },
  },
  "other-key": {
    path: "/keys",
    as: "reader",
    async prepare(page) {
      await press(page, "Sign in with another key");
      await keyField(page).waitFor();
    },
  },
};

export const frameViews: Record<string, View> = {
  ...overviewViews,
  ...connectViews,
  ...paletteViews,
  ...signInViews,
  navigation: {
    path: "/activity",
    async prepare(page) {
      const menu = page.getByRole("button", { name: "Open the navigation" });
      if (await menu.isVisible()) await menu.click();
      else await page.getByRole("link", { name: "Webhooks" }).hover();
    },
  },
  "navigation-focus": {
    path: "/keys",
    async prepare(page) {
      await page.getByRole("heading", { level: 1 }).waitFor();
      for (let step = 0; step < 5; step++) await page.keyboard.press("Tab");
    },
  },
  skip: {
    path: "/keys",
    async prepare(page) {
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.keyboard.press("Tab");
    },
  },
  "account-menu": {
    path: "/keys",
    prepare: (page) => page.getByRole("button", { name: /^Account: / }).click(),
  },
  shortcuts: {
    path: "/users",
    async prepare(page) {
      await page.locator("tbody tr").first().waitFor();
      await page.keyboard.press("?");
      await page.getByRole("dialog").waitFor();
    },
  },
  offline: {
    path: "/users",
    async prepare(page) {
      await page.locator("tbody tr").first().waitFor();
      await page.evaluate(() => {
        Object.defineProperty(navigator, "onLine", { get: () => false, configurable: true });
        dispatchEvent(new Event("offline"));
      });
    },
  },
  away: {
    path: "/users",
    async prepare(page) {
      await page.locator("tbody tr").first().waitFor();
      await page.route("**/{api/**,healthz}", (route) => route.abort());
      await page.locator("tbody tr").first().click();
      await page.getByText("The service doesn't respond.").waitFor();
    },
  },
  "away-view": {
    path: "/keys",
    async prepare(page) {
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.route("**/{api/**,healthz}", (route) => route.abort());
      await page.keyboard.press("g");
      await page.keyboard.press("w");
      await page.getByText("The service doesn't respond.").waitFor();
    },
  },
  forbidden: { path: "/keys", as: "reader" },
  "no-page": { path: "/nothing/here" },
  "view-broken": {
    path: "/connect",
    async prepare(page) {
      await page.getByRole("heading", { level: 1 }).waitFor();
      await respond(page, "GET", "**/api/keys?*", {
        body: '[{"id":1,"name":"odd","prefix":"roster_","revokedAt":null,"expiresAt":null,"scopes":["nothing"]}]',
      });
      await page.keyboard.press("g");
      await page.keyboard.press("k");
      await page.getByRole("heading", { name: "This part of the page crashed" }).waitFor();
    },
  },
  "view-not-loaded": {
    path: "/users",
    async prepare(page) {
      await loseScripts(page, "/users");
      await page.keyboard.press("g");
      await page.keyboard.press("c");
      await page.getByRole("heading", { name: "didn't load" }).waitFor();
    },
  },
  "console-loading": {
    path: "/users",
    hold: "**/api/session",
    prepare: (page) => page.getByRole("status").waitFor(),
  },
  "console-error": {
    path: "/users",
    async prepare(page) {
      await page.route("**/api/session", (route) =>
        route.fulfill(problem(503, "unavailable", "The service is starting", "Try again in a moment.")),
      );
      await page.reload();
      await page.getByRole("alert").waitFor();
    },
  },
  toast: {
    path: "/webhooks",
    async prepare(page) {
      await page
        .getByRole("button", { name: /^Actions for / })
        .first()
        .click();
      await page.getByRole("menuitem", { name: "Copy URL" }).click();
      await page.locator(".toast-title").waitFor();
    },
  },
};
