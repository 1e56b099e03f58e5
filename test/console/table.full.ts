import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../support/browser.ts";
import { startService, type TestService } from "../support/service.ts";
import { untilPasses } from "../support/until.ts";
import { importUsers, selectionBar, waitUntilDeselected } from "./support/bulk-edit.ts";
import { accessibilityErrors, type Console, openConsole, press } from "./support/console.ts";

setDefaultTimeout(120_000);
let browser: Browser;
let service: TestService;
beforeAll(async () => {
  browser = await openBrowser();
  service = await startService();
  await importUsers(1500)(service);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const row = (page: Page, number: number) => page.getByRole("row", { name: new RegExp(`User ${number}\\b`) });
const focused = (page: Page, number: number) => row(page, number).and(page.locator(":focus")).waitFor();
const selected = (page: Page, count: string) => selectionBar(page).getByText(`${count} selected`).waitFor();

describe("the table of many users", () => {
  let opened: Console;
  let page: Page;
  beforeAll(async () => {
    opened = await openConsole(browser, { service });
    page = opened.page;
    await row(page, 1500).waitFor();
  });
  afterEach(async () => {
    expect(opened.errors).toEqual([]);
    await page.unrouteAll({ behavior: "wait" });
    await page.goto(`${service.url}/users`);
    await row(page, 1500).waitFor();
  });
  afterAll(() => opened?.[Symbol.asyncDispose]());

  test("is entered from the search with ↓, and a range is selected with Shift", async () => {
    await page.getByRole("searchbox").focus();
    await page.keyboard.press("ArrowDown");
    await focused(page, 1500);
    for (let times = 0; times < 3; times++) await page.keyboard.press("Shift+ArrowDown");
    await focused(page, 1497);
    await selected(page, "4");
    await page.keyboard.press("Shift+ArrowUp");
    await focused(page, 1498);
    await selected(page, "3");
    // A range after a move adds to what is selected.
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await focused(page, 1496);
    await page.keyboard.press("Shift+ArrowDown");
    await focused(page, 1495);
    await selected(page, "5");
    await page.keyboard.press("Escape");
    await waitUntilDeselected(page);
    // The next range begins at the row with the focus.
    await page.keyboard.press("Shift+ArrowDown");
    await focused(page, 1494);
    await selected(page, "2");
    await page.keyboard.press("Escape");
    await waitUntilDeselected(page);
  });

  test("selects the users between two clicks with Shift, also those that are not loaded", async () => {
    await page.getByRole("checkbox", { name: "Select User 1498" }).click();
    await selected(page, "1");
    await row(page, 1490)
      .locator("[data-field=email]")
      .click({ modifiers: ["Shift"] });
    await selected(page, "9");
    expect(new URL(page.url()).pathname).toBe("/users");
    await page.getByRole("checkbox", { name: "Select User 1495" }).click({ modifiers: ["Shift"] });
    await selected(page, "4");
    // To the last user, whom the table has not loaded.
    await row(page, 1495).focus();
    await page.keyboard.press("Shift+End");
    await focused(page, 1);
    await selected(page, "1,498");
    expect(await page.evaluate(() => String(getSelection()))).toBe("");
    await press(page, "Clear");
    await waitUntilDeselected(page);
  });

  test("shows the actions of a user at the pointer, and gives the row the focus back", async () => {
    const place = await row(page, 1497).locator("[data-field=email]").boundingBox();
    if (!place) throw new Error("The row is not visible.");
    await page.mouse.click(place.x + 30, place.y + 10, { button: "right" });
    const menu = page.getByRole("menu");
    await menu.waitFor();
    const opened = await menu.boundingBox();
    expect(Math.abs((opened?.x ?? 0) - place.x - 30)).toBeLessThan(12);
    expect(await accessibilityErrors(page)).toEqual([]);
    await page.getByRole("menuitem", { name: "Select", exact: true }).click();
    await selected(page, "1");
    await focused(page, 1497);
    await page.mouse.click(place.x + 30, place.y + 10, { button: "right" });
    await page.getByRole("menuitem", { name: "Deselect" }).click();
    await waitUntilDeselected(page);
    await page.mouse.click(place.x + 30, place.y + 10, { button: "right" });
    await page.getByRole("menuitem", { name: "Open", exact: true }).click();
    await page.getByRole("dialog", { name: "User 1497" }).waitFor();
  });

  test("dims the rows of the list before while another one loads, and shows that it does", async () => {
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
    await page.route("**/api/users?*q=*", async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole("searchbox").fill("User 77");
    await page.locator(".grid[data-old]").waitFor();
    await page.locator(".grid-progress").waitFor();
    expect(await page.getByRole("grid").getAttribute("aria-busy")).toBe("true");
    await row(page, 1500).waitFor();
    await untilPasses(async () =>
      expect(
        Number(await page.locator(".grid-body").evaluate((body) => getComputedStyle(body).opacity)),
      ).toBeLessThan(0.5),
    );
    letGo();
    await row(page, 779).waitFor();
    await page.locator(".grid:not([data-old])").waitFor();
    await page.locator(".grid-progress").waitFor({ state: "detached" });
    expect(await page.getByRole("grid").getAttribute("aria-busy")).toBe("false");
  });

  test("loads a place that the scrollbar is dragged to, and says so if it cannot", async () => {
    await page.route("**/api/users?*offset=*", (route) => route.fulfill({ status: 503 }));
    // The height of the table follows from the count.
    await page.getByText(/of 1,500$/).waitFor();
    await page.locator(".grid").evaluate((grid) => {
      grid.scrollTop = (grid.scrollHeight - grid.clientHeight) / 2;
    });
    const alert = page.locator(".grid-foot [role=alert]");
    await alert.waitFor();
    expect(await page.locator("tbody tr[aria-busy=true]").count()).toBeGreaterThan(10);
    await page.unrouteAll({ behavior: "wait" });
    await alert.getByRole("button", { name: "Try again" }).click();
    await row(page, 750).waitFor();
    await page.getByText(/^7\d\d–7\d\d of 1,500$/).waitFor();
    expect(opened.errors.length).toBeGreaterThan(0);
    opened.errors.length = 0;
  });

  test("keeps its columns where they are when its rows arrive", async () => {
    await page.addInitScript(() => {
      const shifts: number[] = [];
      Reflect.set(globalThis, "shifts", shifts);
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) shifts.push(Number(Reflect.get(entry, "value")));
      }).observe({ type: "layout-shift", buffered: true });
    });
    await page.reload();
    await row(page, 1500).waitFor();
    await page.getByText(/of 1,500$/).waitFor();
    const shifts = await page.evaluate(() => {
      const found: unknown = Reflect.get(globalThis, "shifts");
      return Array.isArray(found) ? found.map(Number) : [];
    });
    expect(shifts.reduce((sum, shift) => sum + shift, 0)).toBeLessThan(0.01);
  });
});
