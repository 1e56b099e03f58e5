import type { Page } from "playwright-core";
import type { User } from "../../../src/client/index.ts";
import type { TestService } from "../../support/service.ts";
import type { Finder, FinderPage } from "./finder.ts";

/** Chooses a file with this content, and waits until the page has read it. */
export async function chooseFile<Self extends Finder<Self>>(
  page: FinderPage<Self>,
  name: string,
  content: string | Uint8Array,
): Promise<void> {
  const buffer = Buffer.from(content);
  await page.locator("input[type=file]").setInputFiles({ name, mimeType: "text/plain", buffer });
  await page.getByRole("heading", { name }).waitFor();
  await page.getByRole("button", { name: /^Check / }).waitFor();
}

/** Checks all rows. Returns how many can be imported, in words. */
export async function checkRows<Self extends Finder<Self>>(page: FinderPage<Self>): Promise<string> {
  await page.getByRole("button", { name: /^Check [\d,]+ rows?$/ }).click();
  const result = page.getByRole("heading", { name: /can be imported$/ });
  await result.waitFor();
  return (await result.textContent()) ?? "";
}

export const confirmImport = <Self extends Finder<Self>>(page: FinderPage<Self>) =>
  page.getByRole("button", { name: /^Import [\d,]+ (rows?|of [\d,]+)$/ }).click();

/** Checks all rows, and imports those that have no errors. */
export async function startImport<Self extends Finder<Self>>(page: FinderPage<Self>): Promise<void> {
  await checkRows(page);
  await confirmImport(page);
}

/** The kinds of errors, with the number of rows of each. */
export async function errorKinds<Self extends Finder<Self>>(page: FinderPage<Self>): Promise<string[]> {
  return (await page.locator(".import-kind > summary").allTextContents()).map((text) => text.trim());
}

/** The summary of a finished import. */
export async function importResult<Self extends Finder<Self>>(page: FinderPage<Self>): Promise<string> {
  await page.getByRole("heading", { name: /^Import (finished|stopped|ended early)$/ }).waitFor();
  return (await page.locator(".import-end .lead").textContent()) ?? "";
}

/** All users without managed fields. */
export async function listRecords({ roster }: Pick<TestService, "roster">): Promise<object[]> {
  const users = await roster.users.list({ sort: "id", limit: 1000 }).all({ max: 50_000 });
  return users.map(({ id: _, version: __, createdAt: ___, updatedAt: ____, ...rest }: User) => rest);
}

/** A CSV file with this many users. */
export function csvOfUsers(count: number): string {
  const rows = Array.from({ length: count }, (_, i) => `Person ${i + 1},person${i + 1}@example.com,${i % 7}`);
  return `name,email,level\n${rows.join("\n")}\n`;
}

/** Holds import requests until `letGo` is called. */
export async function holdImports(page: Page): Promise<{ letGo(): void; started: Promise<void> }> {
  let letGo = () => {};
  let markStarted = () => {};
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const started = new Promise<void>((resolve) => {
    markStarted = resolve;
  });
  await page.route("**/api/users/import", async (route) => {
    if (route.request().method() === "POST") {
      markStarted();
      await gate;
    }
    await route.fallback();
  });
  return { letGo, started };
}
