import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser } from "playwright-core";
import { openBrowser } from "../support/browser.ts";
import { startService, type TestService } from "../support/service.ts";
import { openConsole } from "./support/console.ts";

setDefaultTimeout(120_000);
let browser: Browser;
let service: TestService;
beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), startService()]);
  const { users, groups } = service.roster;
  await users.import(Array.from({ length: 1600 }, (_, index) => ({ name: `User ${index + 1}` }))).summary();
  const { id } = await groups.create({ name: "Sales" });
  const members = Array.from({ length: 1500 }, (_, index) => index + 1);
  await groups.add(id, members);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

test("the members of a group are loaded where the scrollbar is dragged to, and come back after another view", async () => {
  await using opened = await openConsole(browser, { service, path: "/groups/1" });
  const { page } = opened;
  const row = (number: number) => page.getByRole("row", { name: `User ${number}`, exact: false }).first();
  await row(1500).waitFor();
  // The height of the table follows from the count.
  await page.getByText(/of 1,500$/).waitFor();
  await page.locator(".grid").evaluate((grid) => {
    grid.scrollTop = (grid.scrollHeight - grid.clientHeight) / 2;
  });
  await row(750).waitFor();
  await page.getByText(/^7\d\d–7\d\d of 1,500$/).waitFor();
  await page.getByRole("link", { name: "History" }).click();
  await page.getByText("created the group").waitFor();
  await page.getByRole("link", { name: "Members" }).click();
  await page.getByText(/^7\d\d–7\d\d of 1,500$/).waitFor();
  expect(opened.errors).toEqual([]);
});

test("the dialogs of a group take the focus, and give it back", async () => {
  await using opened = await openConsole(browser, { service, path: "/groups/1" });
  const { page } = opened;
  const focused = () =>
    page.evaluate(
      () => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent,
    );
  const add = page.getByRole("button", { name: "Add members" });
  await add.click();
  await page.getByRole("combobox", { name: "Find a user" }).waitFor();
  expect(await focused()).toBe("Find a user by name, email or user name");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  expect(await focused()).toBe("Add members");
  expect(opened.errors).toEqual([]);
});
