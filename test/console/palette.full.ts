import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser } from "playwright-core";
import { openBrowser } from "../support/browser.ts";
import { startService, type TestService } from "../support/service.ts";
import { untilPasses } from "../support/until.ts";
import { accessibilityErrors, openConsole, viewLink } from "./support/console.ts";

setDefaultTimeout(120_000);
let browser: Browser;
let service: TestService;
beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), startService()]);
  for (const name of ["Ada Lovelace", "Grace Hopper", "Ada Yonath"])
    await service.roster.users.create({ name });
}, 120_000);
afterAll(async () => {
  await browser.close();
  await service.stop();
});

test("the palette finds users, views and actions with the keyboard alone", async () => {
  await using opened = await openConsole(browser, { service, path: "/keys" });
  const { page, errors } = opened;
  await page.getByRole("heading", { level: 1 }).waitFor();
  const field = page.getByRole("combobox", { name: "Find a user, a group, a view or an action" });
  const options = page.getByRole("option");
  const openWith = async (text: string) => {
    await page.keyboard.press("ControlOrMeta+k");
    await field.and(page.locator(":focus")).waitFor();
    await page.keyboard.type(text);
  };

  await openWith("ada");
  await options.nth(1).waitFor();
  await untilPasses(async () =>
    expect(await options.allTextContents()).toEqual(["Ada Lovelace#1", "Ada Yonath#3"]),
  );
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Ada Yonath" }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/users/3");

  // An open dialog may hold input: the shortcut does nothing.
  await viewLink(page, "Users").click();
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await help.waitFor();
  await page.keyboard.press("ControlOrMeta+k");
  expect(await field.count()).toBe(0);
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "detached" });

  // A user who is open over the list has commands of its own. Afterwards, the focus is in the drawer again.
  await page.getByRole("row", { name: /Ada Yonath/ }).click();
  const dialog = page.getByRole("dialog", { name: "Ada Yonath" });
  await dialog.waitFor();
  await dialog.getByRole("textbox", { name: "Name", exact: true }).focus();
  await openWith("copy i");
  await untilPasses(async () => expect(await options.allTextContents()).toEqual(["Copy ID"]));
  expect(await accessibilityErrors(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await field.waitFor({ state: "detached" });
  await dialog.getByRole("textbox", { name: "Name", exact: true }).and(page.locator(":focus")).waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });

  await openWith("2");
  await options.filter({ hasText: "Grace Hopper" }).waitFor();
  await page.keyboard.press("Escape");
  await field.waitFor({ state: "detached" });

  await openWith("conn");
  await options.filter({ hasText: "Connect" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Connect" }).waitFor();

  await openWith("dark");
  await options.filter({ hasText: "Use the dark theme" }).waitFor();
  await page.keyboard.press("Enter");
  await page.locator("html[data-theme=dark]").waitFor();

  await page.getByRole("button", { name: "Search", exact: true }).click();
  await field.and(page.locator(":focus")).waitFor();
  await page.keyboard.type("no such thing");
  await page.getByText("Nothing found").waitFor();
  expect(errors).toEqual([]);
});
