import type { Page } from "playwright-core";
import type { View } from "./view.ts";

/** Shows an operation, with the form that sends a request. */
async function tryOperation(page: Page, id: string): Promise<void> {
  await page.locator(`#${id} .try > summary`).click();
  await page.locator(`#${id} .send`).first().scrollIntoViewIfNeeded();
}

/** The sidebar is behind a button on a phone. */
async function openSidebar(page: Page): Promise<void> {
  const menu = page.locator(".menu");
  if (await menu.isVisible()) await menu.click();
}

async function filter(page: Page, text: string): Promise<void> {
  await openSidebar(page);
  await page.getByLabel("Filter operations").fill(text);
}

/** The pages beside the console. */
export const pagesViews: Record<string, View> = {
  reference: { path: "/docs" },
  "reference-operation": { path: "/docs#listUsers" },
  "reference-schema": { path: "/docs#schema-user" },
  "reference-sidebar": { path: "/docs", prepare: openSidebar },
  "reference-filter": { path: "/docs", prepare: (page) => filter(page, "webhook") },
  "reference-filter-nothing": { path: "/docs", prepare: (page) => filter(page, "nothing like this") },
  "reference-form": { path: "/docs", prepare: (page) => tryOperation(page, "createUser") },
  "reference-form-signed-out": {
    path: "/docs",
    as: "nobody",
    prepare: (page) => tryOperation(page, "createUser"),
  },
  "reference-form-reader": {
    path: "/docs",
    as: "reader",
    prepare: (page) => tryOperation(page, "createUser"),
  },
  "reference-form-key": { path: "/docs", prepare: (page) => tryOperation(page, "createKey") },
  "reference-response": {
    path: "/docs",
    async prepare(page) {
      await tryOperation(page, "readUser");
      await page.locator("#readUser .send").first().click();
      await page.locator("#readUser .outcome pre").scrollIntoViewIfNeeded();
    },
  },
  "reference-problem": {
    path: "/docs",
    async prepare(page) {
      await tryOperation(page, "readUser");
      await page.locator("#readUser-id").fill("999999");
      await page.locator("#readUser .send").first().click();
      await page.locator("#readUser .outcome pre").scrollIntoViewIfNeeded();
    },
  },
  "reference-confirm": {
    path: "/docs",
    async prepare(page) {
      await tryOperation(page, "deleteUser");
      await page.locator("#deleteUser-id").fill("1");
      await page.locator("#deleteUser .send").first().click();
      await page.locator("#deleteUser .confirm").scrollIntoViewIfNeeded();
    },
  },
  "reference-sign-in": {
    path: "/docs",
    as: "nobody",
    async prepare(page) {
      await page.locator("[data-session] [data-sign-in]").click();
      await page.locator("dialog[open]").waitFor();
    },
  },
  "reference-sign-in-rejected": {
    path: "/docs",
    as: "nobody",
    async prepare(page) {
      await page.locator("[data-session] [data-sign-in]").click();
      await page.locator("#sign-in-key").fill("roster_x");
      await page.locator("dialog .send").click();
      await page.locator("#sign-in-error").filter({ hasText: /./ }).waitFor();
    },
  },
  problems: { path: "/problems" },
  problem: { path: "/problems/version-mismatch" },
};
