import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser } from "playwright-core";
import { openBrowser } from "../support/browser.ts";
import { overflowWidth } from "../support/browser-page.ts";
import { describeWithEachFontSet } from "../support/font-sets.ts";
import { untilPasses } from "../support/until.ts";
import {
  createUsers,
  holdRequests,
  importUsers,
  listUsers,
  plansOf,
  selectAll,
  selectionBar,
  setPlan,
  waitUntilDeselected,
} from "./support/bulk-edit.ts";
import {
  accessibilityErrors,
  accessibilityErrorsInBothThemes,
  openConsole,
  press,
  signIn,
  tabTo,
  waitForToast,
} from "./support/console.ts";

setDefaultTimeout(120_000);
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);
afterAll(() => browser.close());

describe("selected users", () => {
  test("can be edited with the keyboard", async () => {
    await using opened = await openConsole(browser, { before: createUsers });
    const { page, service, errors } = opened;
    await page.getByRole("row", { name: /Ada/ }).waitFor();
    await tabTo(page, "tbody tr");
    await page.keyboard.press("Space");
    await page.keyboard.press("ArrowDown");
    await page.locator("tbody tr:focus[data-index='1']").waitFor();
    await page.keyboard.press("Space");
    await selectionBar(page).getByText("2 selected").waitFor();
    await tabTo(page, ".selection-bar button");
    await page.keyboard.press("Enter");
    await page.locator("input:focus").waitFor();
    await page.keyboard.type("plan");
    for (let step = 0; step < 2; step++) await page.keyboard.press("Tab");
    await page.keyboard.type("team");
    await page.getByText("Sets plan to “team”, for 2 users.").waitFor();
    await page.keyboard.press("Enter");
    await waitForToast(page, "2 users updated");
    expect(await plansOf(service)).toEqual(["pro", "team", "team"]);
    await page.getByRole("row", { name: /Zola.*team/ }).waitFor();
    await waitUntilDeselected(page);
    await page.locator("tbody tr:focus").waitFor();
    expect(errors).toEqual([]);
  });

  test("can be deleted with the keyboard, after a confirmation with their names", async () => {
    await using opened = await openConsole(browser, { before: importUsers(9) });
    const { page, service, errors } = opened;
    await page.getByRole("row", { name: /User 9/ }).waitFor();
    await tabTo(page, "thead input");
    await page.keyboard.press("Space");
    await tabTo(page, "tbody tr");
    await page.keyboard.press("Space");
    await selectionBar(page).getByText("8 selected").waitFor();
    await tabTo(page, ".selection-bar .destructive");
    await page.keyboard.press("Enter");
    const question = page.getByRole("alertdialog", { name: "Delete 8 users?" });
    await untilPasses(async () =>
      expect(await question.getByRole("listitem").allTextContents()).toEqual([
        "User 8 ",
        "User 7 ",
        "User 6 ",
        "User 5 ",
        "User 4 ",
        "and 3 more",
      ]),
    );
    await page.keyboard.press("Escape");
    await question.waitFor({ state: "detached" });
    await page.locator(".selection-bar button:focus").waitFor();
    await page.keyboard.press("Enter");
    await question.waitFor();
    await tabTo(page, ".button.danger");
    await page.keyboard.press("Enter");
    await waitForToast(page, "8 users deleted");
    expect((await listUsers(service)).map(({ name }) => name)).toEqual(["User 9"]);
    await page.getByRole("heading", { name: "Users 1" }).waitFor();
    await page.locator("tbody tr:focus").waitFor();
    expect(errors).toEqual([]);
  });

  test("are deselected by Clear and by Esc in the bar", async () => {
    await using opened = await openConsole(browser, { before: createUsers });
    const { page } = opened;
    await selectAll(page);
    await press(page, "Clear");
    await waitUntilDeselected(page);
    await selectAll(page);
    await selectionBar(page).getByRole("button").first().focus();
    await page.keyboard.press("Escape");
    await waitUntilDeselected(page);
    await page.locator("tbody tr:focus").waitFor();
    await page.keyboard.press("Space");
    await selectionBar(page).waitFor();
    await page.keyboard.press("Escape");
    await waitUntilDeselected(page);
  });

  test("stay selected during a search, and can be all that match", async () => {
    await using opened = await openConsole(browser, { before: importUsers(130) });
    const { page, service, errors } = opened;
    await page.getByRole("row", { name: /User 130/ }).waitFor();
    await page.getByRole("checkbox", { name: "Select User 130" }).check();
    await page.getByRole("searchbox").fill("User 12");
    await page.getByRole("heading", { name: "Users 11" }).waitFor();
    await selectionBar(page).getByText("1 selected").waitFor();
    await page.getByRole("searchbox").fill("");
    await page.getByRole("heading", { name: "Users 130" }).waitFor();
    await selectAll(page);
    await page.getByRole("button", { name: "Select all 130 matching" }).press("Enter");
    await selectionBar(page).getByText("All 130 matching users selected").waitFor();
    await page.locator(".selection-bar > button:focus", { hasText: "Edit" }).waitFor();
    await setPlan(page, "team");
    await waitForToast(page, "130 users updated");
    expect(new Set(await plansOf(service))).toEqual(new Set(["team"]));
    await waitUntilDeselected(page);
    await selectAll(page);
    await press(page, "Select all 130 matching");
    await press(page, "Delete");
    await press(page, "Delete 130 users");
    await waitForToast(page, "130 users deleted");
    await page.getByRole("heading", { name: "No users yet" }).waitFor();
    await press(page, "Undo");
    await waitForToast(page, "130 users restored");
    await page.getByRole("heading", { name: "Users 130" }).waitFor();
    expect((await listUsers(service)).length).toBe(130);
    expect(errors).toEqual([]);
  });

  test("can't be edited with a read-only key", async () => {
    let key = "";
    await using opened = await openConsole(browser, {
      before: async (service) => {
        await createUsers(service);
        key = (await service.roster.keys.create({ name: "reader", scopes: ["users:read"] })).key;
      },
    });
    const { page } = opened;
    await signIn(page, key);
    await selectAll(page);
    await selectionBar(page).getByText("Your key can read users, but not edit them.").waitFor();
    await untilPasses(async () =>
      expect(await selectionBar(page).getByRole("button").allTextContents()).toEqual(["Export", "Clear"]),
    );
  });
});

describe("bulk delete", () => {
  test("keeps changed users selected, and counts users that were already deleted", async () => {
    await using opened = await openConsole(browser, { before: createUsers });
    const { page, service, errors } = opened;
    await selectAll(page);
    await press(page, "Delete");
    await page.getByRole("button", { name: "Delete 3 users" }).waitFor();
    // The dialog deletes the versions that it was opened with: the table may show the change before the next click.
    await service.roster.users.update(1, { plan: "enterprise" });
    await service.roster.users.delete(2);
    await press(page, "Delete 3 users");
    const outcome = page.getByRole("dialog", { name: "2 of 3 users deleted" });
    await outcome.getByText("Try again to delete the current version.").waitFor();
    expect((await listUsers(service)).map(({ id }) => id)).toEqual([1]);
    await press(page, "Close");
    await selectionBar(page).getByText("1 selected").waitFor();
    await page.getByRole("row", { name: /Ada.*enterprise/ }).waitFor();
    await press(page, "Delete");
    await press(page, "Delete 1 user");
    await waitForToast(page, "1 user deleted");
    await page.getByRole("heading", { name: "No users yet" }).waitFor();
    expect(errors.map((error) => /status of (\d+)/.exec(error)?.[1]).sort()).toEqual(["404", "412"]);
  });
});

describe("bulk dialogs", () => {
  test("has no accessibility errors in either theme", async () => {
    await using opened = await openConsole(browser, { before: createUsers });
    const { page, service } = opened;
    await selectAll(page);
    expect(await accessibilityErrorsInBothThemes(page)).toEqual([]);
    await press(page, "Delete");
    await page.getByRole("alertdialog").waitFor();
    expect(await accessibilityErrorsInBothThemes(page)).toEqual([]);
    await press(page, "Cancel");
    await press(page, "Edit");
    await page.getByLabel("Field").fill("plan");
    expect(await accessibilityErrorsInBothThemes(page)).toEqual([]);
    await press(page, "Cancel");
    const held = await holdRequests(page, "PATCH");
    await setPlan(page, "team");
    await held.arrived(3);
    // The page would show an earlier change, and then send the new version.
    await service.roster.users.update(1, { plan: "enterprise" });
    expect(await accessibilityErrorsInBothThemes(page)).toEqual([]);
    await held.letGo();
    await page.getByRole("dialog", { name: "2 of 3 users updated" }).waitFor();
    expect(await accessibilityErrorsInBothThemes(page)).toEqual([]);
  });

  describeWithEachFontSet((browser) => {
    test("fits a phone and does not cover the focused row", async () => {
      await using opened = await openConsole(browser(), {
        before: importUsers(30),
        viewport: { width: 360, height: 640 },
      });
      const { page, errors } = opened;
      await page.getByRole("row", { name: /User 30/ }).waitFor();
      await tabTo(page, "tbody tr");
      await page.keyboard.press("Space");
      await selectionBar(page).waitFor();
      await page.keyboard.press("End");
      const last = page.getByRole("row", { name: /User 1$/ });
      await last.and(page.locator(":focus")).waitFor();
      const row = await last.boundingBox();
      const place = await selectionBar(page).boundingBox();
      if (!row || !place) throw new Error("The row or the selection bar is missing.");
      expect(row.y + row.height).toBeLessThanOrEqual(place.y);
      expect(place.y + place.height).toBeLessThanOrEqual(640);
      expect(place.x).toBeGreaterThanOrEqual(0);
      expect(place.x + place.width).toBeLessThanOrEqual(360);
      expect(
        await selectionBar(page).evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth),
      ).toBe(0);
      expect(await accessibilityErrors(page)).toEqual([]);
      await press(page, "Edit");
      await press(page, "Change another field");
      await page.getByRole("button", { name: "Options for Value:" }).first().click();
      await page.getByRole("menuitemradio", { name: "JSON" }).click();
      await page.getByRole("menu").waitFor({ state: "detached" });
      expect(await accessibilityErrors(page)).toEqual([]);
      expect(await overflowWidth(page)).toBe(0);
      expect(errors).toEqual([]);
    });
  });
});
