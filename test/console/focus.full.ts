import { afterAll, beforeAll, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../support/browser.ts";
import { createUsers } from "./support/bulk-edit.ts";
import { openConsole, waitForToast } from "./support/console.ts";

setDefaultTimeout(120_000);

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);
afterAll(() => browser.close());

const pressEnter = (page: Page, name: string) =>
  page.getByRole("button", { name, exact: true }).press("Enter");
const viewHasFocus = (page: Page) => page.locator("#content:focus").waitFor();

test("the form of a new webhook returns the focus to its button, and the secret leads it into the page", async () => {
  await using opened = await openConsole(browser, { path: "/webhooks" });
  const { page } = opened;
  await pressEnter(page, "New webhook");
  await page.locator("input[type=url]:focus").waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".state-actions > button:focus").waitFor();
  await page.keyboard.press("Enter");
  await page.locator("input[type=url]:focus").fill("https://hooks.example.com/");
  await page.keyboard.press("Enter");
  await pressEnter(page, "I've saved it");
  await page.getByRole("heading", { name: "Success rate" }).waitFor();
  await viewHasFocus(page);
});

test("a schema that is begun from users and saved leaves the focus in the view", async () => {
  await using opened = await openConsole(browser, { path: "/schema", before: createUsers });
  const { page } = opened;
  await pressEnter(page, "Start from your users");
  await page.getByRole("button", { name: "Add field" }).waitFor();
  await viewHasFocus(page);
  await pressEnter(page, "Check and save");
  // The button that saves is disabled until all users are checked: then the dialog has the focus.
  await page.locator(".modal:focus-within").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Save schema", disabled: false }).press("Enter");
  await page.locator(".modal").waitFor({ state: "detached" });
  await viewHasFocus(page);
});

test("the focus stays in the view after its last entry is restored, and after a user is created with N", async () => {
  await using opened = await openConsole(browser, {
    path: "/deleted",
    before: async ({ roster }) => {
      const { id } = await roster.users.create({ name: "Ada" });
      await roster.users.delete(id);
    },
  });
  const { page } = opened;
  await pressEnter(page, "Actions for Ada");
  await page.getByRole("menuitem", { name: "Restore" }).press("Enter");
  await page.getByText(/^Users that you delete appear here/).waitFor();
  await viewHasFocus(page);
  await page.goto(new URL("/users", page.url()).href);
  await page.getByRole("row", { name: /Ada/ }).waitFor();
  await page.keyboard.press("n");
  await page.locator(".modal input:focus").fill("Zoe");
  await page.keyboard.press("Enter");
  await waitForToast(page, "Zoe");
  await page.locator(".modal").waitFor({ state: "detached" });
  await viewHasFocus(page);
});

test("details that open below the last line of the page are scrolled into view", async () => {
  await using opened = await openConsole(browser, {
    path: "/deleted",
    before: async (service) => {
      await createUsers(service);
      for await (const { id } of service.roster.users.list()) await service.roster.users.delete(id);
    },
  });
  const { page } = opened;
  await page.setViewportSize({ width: 1280, height: 450 });
  const last = page.locator("tbody > tr[data-index='2']");
  await last.press("Enter");
  await page.waitForFunction(() => {
    const details = document.querySelector(".list-details")?.getBoundingClientRect();
    return details && details.height > 0 && details.bottom <= innerHeight + 1;
  });
  await last.and(page.locator(":focus")).waitFor();
});
