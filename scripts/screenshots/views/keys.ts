import type { Page } from "playwright-core";
import type { Key } from "../../../src/client/index.ts";
import { scopes } from "../../../src/contract/keys/key.ts";
import { chooseAction } from "../../../test/console/support/console.ts";
import type { View } from "./view.ts";

const secret = "roster_a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6q7r8";

const openForm = (page: Page) => page.getByRole("button", { name: "New key" }).first().click();
const submit = (page: Page) =>
  page
    .getByRole("dialog")
    .getByRole("button", { name: /key$|^Continue$/ })
    .last()
    .click();

/** The service answers a request with a key as if it were one of the session, which has all scopes. */
async function acceptAnyKey(page: Page): Promise<void> {
  await page.route("**/api/session", (route) => {
    const { authorization: _, ...headers } = route.request().headers();
    return route.continue({ headers });
  });
}

async function openNewKey(page: Page): Promise<void> {
  await acceptAnyKey(page);
  await openForm(page);
  await page.getByLabel("Your key", { exact: true }).fill(secret);
  await submit(page);
  await page.getByLabel("Monthly quota").waitFor();
}

/** Creates nothing. */
async function showSecret(page: Page): Promise<void> {
  await page.route("**/api/keys", async (route) => {
    if (route.request().method() !== "POST") return route.fallback();
    const created = { ...keyOf(99, "Payroll export"), key: secret };
    await route.fulfill({ status: 201, json: created });
  });
  await openNewKey(page);
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Payroll export");
  await submit(page);
  await page.getByText(secret).waitFor();
}

function keyOf(id: number, name: string): Key {
  return {
    id,
    name,
    prefix: "roster_a1b2c",
    scopes: ["users:read"],
    createdAt: "2026-01-15T09:30:00.000Z",
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    rateLimit: null,
    quota: null,
    usage: { month: "2026-01", requests: 0 },
  };
}

/** Shows other keys than those of the service, to a session with these properties. */
async function showKeys(page: Page, keys: readonly Key[], session: object = {}): Promise<void> {
  await page.route("**/api/session", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), ...session } });
  });
  await page.route("**/api/keys?*", (route) => route.fulfill({ json: keys }));
  await page.reload();
  await page.getByRole("heading", { name: "Keys", level: 1 }).waitFor();
}

const manyKeys = [
  ...Array.from({ length: 14 }, (_, index) => keyOf(index + 1, `Sync of office ${index + 1}`)),
  keyOf(
    15,
    "A key with a name that is as long as the names of keys can be, which is a hundred characters in all",
  ),
  { ...keyOf(16, "Old intranet"), revokedAt: "2026-02-01T12:00:00.000Z" },
  { ...keyOf(17, "Migration of 2025"), expiresAt: "2026-01-31T12:00:00.000Z" },
];
const noKey = { auth: "open", key: null, scopes, expiresAt: null };

export const keysViews: Record<string, View> = {
  keys: { path: "/keys" },
  "keys-loading": {
    path: "/keys",
    hold: "**/api/keys*",
    prepare: (page) => page.getByRole("heading", { level: 1 }).waitFor(),
  },
  "keys-error": { path: "/keys", fail: "**/api/keys*" },
  "keys-reader": { path: "/keys", as: "reader" },
  "keys-empty": { path: "/keys", prepare: (page) => showKeys(page, [], noKey) },
  "keys-authentication-off": {
    path: "/keys",
    async prepare(page) {
      await page.route("**/api/session", (route) =>
        route.fulfill({ json: { ...noKey, auth: "off", deletedDays: 30 } }),
      );
      await page.route("**/api/keys?*", (route) =>
        route.fulfill({
          status: 403,
          contentType: "application/problem+json",
          json: {
            type: "/problems/keys-unavailable",
            title: "Keys can't be managed here",
            status: 403,
            detail:
              "This service requires no key (ROSTER_AUTH is off), so anyone could create keys here. Use `roster keys` instead.",
          },
        }),
      );
      await page.reload();
      await page.getByText("On the machine that runs Roster").waitFor();
    },
  },
  "keys-many": { path: "/keys", prepare: (page) => showKeys(page, manyKeys) },
  "keys-inactive": {
    path: "/keys",
    async prepare(page) {
      await showKeys(page, manyKeys);
      await page.getByLabel(/Show expired and revoked/).check();
      await page.getByText("Old intranet").scrollIntoViewIfNeeded();
    },
  },
  "keys-search-nothing": {
    path: "/keys",
    async prepare(page) {
      await showKeys(page, manyKeys);
      await page.getByLabel("Search by name or key prefix").fill("nothing like this");
      await page.getByText("No matching keys").waitFor();
    },
  },
  "keys-none-active": { path: "/keys", prepare: (page) => showKeys(page, manyKeys.slice(15)) },
  "keys-of-environment": {
    path: "/keys",
    prepare: (page) => showKeys(page, manyKeys.slice(0, 3), { key: { id: 0, name: "ROSTER_API_KEY" } }),
  },
  "key-details": {
    path: "/keys",
    async prepare(page) {
      await page.locator("tr[data-index] [data-toggle]").nth(1).click();
      await page.locator(".fact-grid").waitFor();
      await page.locator(".fact-grid [role=img]").waitFor();
    },
  },
  "key-menu": {
    path: "/keys",
    prepare: (page) => page.getByRole("button", { name: "Actions for Billing", exact: true }).click(),
  },
  "key-usage": {
    path: "/keys",
    async prepare(page) {
      await chooseAction(page, "Billing", "Usage");
      await page.getByRole("dialog").getByRole("img").waitFor();
    },
  },
  "key-usage-loading": {
    path: "/keys",
    hold: "**/api/keys/*/usage*",
    prepare: (page) => chooseAction(page, "Billing", "Usage"),
  },
  "key-usage-error": {
    path: "/keys",
    fail: "**/api/keys/*/usage*",
    async prepare(page) {
      await chooseAction(page, "Billing", "Usage");
      await page.getByRole("dialog").getByRole("alert").waitFor();
    },
  },
  "new-key": { path: "/keys", prepare: openForm },
  "new-key-own-key-rejected": {
    path: "/keys",
    async prepare(page) {
      await openForm(page);
      await page.getByLabel("Your key", { exact: true }).fill("roster_x");
      await submit(page);
      await page.locator(".field-error").waitFor();
    },
  },
  "new-key-form": { path: "/keys", prepare: openNewKey },
  "new-key-form-end": {
    path: "/keys",
    async prepare(page) {
      await openNewKey(page);
      await page.getByLabel("Expires").selectOption("day");
      await page.getByLabel("Monthly quota").scrollIntoViewIfNeeded();
    },
  },
  "new-key-invalid": {
    path: "/keys",
    async prepare(page) {
      await openNewKey(page);
      for (const scope of await page.getByRole("checkbox", { checked: true }).all()) await scope.uncheck();
      await page.getByLabel("Expires").selectOption("day");
      await page.getByLabel("Requests", { exact: true }).fill("many");
      await page.getByLabel("Monthly quota").fill("-1");
      await submit(page);
      await page.locator(".field-error").first().waitFor();
    },
  },
  "new-key-invalid-end": {
    path: "/keys",
    async prepare(page) {
      await openNewKey(page);
      await page.getByLabel("Expires").selectOption("day");
      await page.getByLabel("Requests", { exact: true }).fill("many");
      await page.getByLabel("Monthly quota").fill("-1");
      await submit(page);
      await page.locator(".field-error").last().scrollIntoViewIfNeeded();
    },
  },
  "new-key-limited": {
    path: "/keys",
    async prepare(page) {
      await page.route("**/api/session", async (route) => {
        const { authorization: _, ...headers } = route.request().headers();
        const response = await route.fetch({ headers });
        await route.fulfill({
          response,
          json: { ...(await response.json()), scopes: ["users:read", "keys:manage"] },
        });
      });
      await openForm(page);
      await page.getByLabel("Your key", { exact: true }).fill(secret);
      await submit(page);
      await page.getByLabel("Monthly quota").waitFor();
    },
  },
  "new-key-first": {
    path: "/keys",
    async prepare(page) {
      await showKeys(page, [], noKey);
      await openForm(page);
      await page.getByLabel(/Manage keys/).uncheck();
    },
  },
  "new-key-error": {
    path: "/keys",
    async prepare(page) {
      await page.route("**/api/keys", (route) =>
        route.request().method() === "POST" ? route.fulfill({ status: 500 }) : route.fallback(),
      );
      await openNewKey(page);
      await page.getByRole("textbox", { name: "Name", exact: true }).fill("Payroll export");
      await submit(page);
      await page.getByRole("dialog").getByRole("alert").waitFor();
    },
  },
  "new-key-secret": { path: "/keys", prepare: showSecret },
  "new-key-unsaved": {
    path: "/keys",
    async prepare(page) {
      await showSecret(page);
      await page.keyboard.press("Escape");
      await page.getByText("Did you save the key?").waitFor();
    },
  },
  "new-key-created": {
    path: "/keys",
    async prepare(page) {
      await showSecret(page);
      await page.getByRole("button", { name: "I've saved it" }).click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
    },
  },
  "replace-key": { path: "/keys", prepare: (page) => chooseAction(page, "Billing", "Replace") },
  "replace-key-rejected": {
    path: "/keys",
    async prepare(page) {
      await chooseAction(page, "Console", "Replace");
      await page.getByLabel("Old key expires").selectOption("0");
      await submit(page);
      await page.locator(".field-error").waitFor();
    },
  },
  "revoke-key": { path: "/keys", prepare: (page) => chooseAction(page, "Billing", "Revoke") },
  "revoke-own-key": { path: "/keys", prepare: (page) => chooseAction(page, "Console", "Revoke") },
};
