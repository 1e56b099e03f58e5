import type { Page } from "playwright-core";
import type { User } from "../../../src/client/index.ts";
import type { TestService } from "../../support/service.ts";

/** Chooses a file with this text, and waits until the page has looked into it. */
export async function chooseFile(page: Page, name: string, content: string | Uint8Array): Promise<void> {
  const buffer = Buffer.from(content);
  await page.locator("input[type=file]").setInputFiles({ name, mimeType: "text/plain", buffer });
  await page.getByRole("heading", { name }).waitFor();
}

export const startImport = (page: Page) =>
  page.getByRole("button", { name: /^Import( [\d,]+ rows?)?$/ }).click();

/** What the page says about an import that has ended. */
export async function importResult(page: Page): Promise<string> {
  await page.getByRole("heading", { name: /^Import (finished|stopped|ended early)$/ }).waitFor();
  return (await page.locator(".import-end .lead").textContent()) ?? "";
}

/** Everybody there is, without what the service adds. */
export async function listRecords({ roster }: Pick<TestService, "roster">): Promise<object[]> {
  const users = await roster.users.list({ sort: "id", limit: 1000 }).all({ max: 50_000 });
  return users.map(({ id: _, version: __, createdAt: ___, updatedAt: ____, ...rest }: User) => rest);
}

/** A table of so many people, with the email of each. */
export function csvOfUsers(count: number): string {
  const rows = Array.from({ length: count }, (_, i) => `Person ${i + 1},person${i + 1}@example.com,${i % 7}`);
  return `name,email,level\n${rows.join("\n")}\n`;
}

/** Lets requests that send users wait, until they are let go. */
export async function holdImports(page: Page): Promise<{ letGo(): void; begun: Promise<void> }> {
  let letGo = () => {};
  let begin = () => {};
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  await page.route("**/api/users", async (route) => {
    if (route.request().method() === "POST") {
      begin();
      await gate;
    }
    await route.fallback();
  });
  return { letGo, begun };
}
