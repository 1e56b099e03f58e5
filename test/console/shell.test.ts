import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { openBrowser } from "../browser.ts";
import { accessibilityFaults, openConsole } from "./console.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
}, 60_000);
afterAll(() => browser.close());

describe("the console", () => {
  test("opens at the address of the service, with the users", async () => {
    await using opened = await openConsole(browser, {
      before: ({ roster }) => roster.users.create({ name: "Ada Lovelace", email: "ada@example.com" }),
    });
    const { page, faults } = opened;
    await page.getByRole("row", { name: /Ada Lovelace/ }).waitFor();
    expect(await page.title()).toBe("Roster");
    expect(faults).toEqual([]);
  });

  for (const colorScheme of ["light", "dark"] as const) {
    test(`can be used by everybody, in ${colorScheme} colours`, async () => {
      await using opened = await openConsole(browser, {
        colorScheme,
        before: ({ roster }) => roster.users.create({ name: "Ada Lovelace", department: "engines" }),
      });
      await opened.page.getByRole("row", { name: /Ada Lovelace/ }).waitFor();
      expect(await accessibilityFaults(opened.page)).toEqual([]);
    });
  }
});
