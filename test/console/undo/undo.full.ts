import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../../support/browser.ts";
import { untilPasses } from "../../support/until.ts";
import {
  holdRequests,
  importUsers,
  plansOf,
  selectAll,
  setPlan,
  waitUntilDeselected,
} from "../support/bulk-edit.ts";
import { accessibilityErrors, nameField, openConsole, press, waitForToast } from "../support/console.ts";
import { startServiceWithKeys } from "../support/service-with-keys.ts";
import { statusErrors } from "../support/user-form.ts";

setDefaultTimeout(120_000);
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);
afterAll(() => browser.close());

const row = (page: Page, name: string) => page.getByRole("row", { name: new RegExp(name) });
const toast = (page: Page, text: string) => page.locator(".toast").getByText(text, { exact: true });

async function pressDelete(page: Page, name: string): Promise<void> {
  await row(page, name).focus();
  await page.keyboard.press("Delete");
}

describe("Ctrl+Z", () => {
  test("undoes in a text field what was typed there, and elsewhere the last change", async () => {
    await using opened = await openConsole(browser, { before: importUsers(3) });
    const { page, service, errors } = opened;
    await pressDelete(page, "User 3");
    await waitForToast(page, "User 3 deleted");
    const search = page.getByRole("searchbox");
    await search.focus();
    await page.keyboard.type("a");
    await page.keyboard.press("Control+Z");
    await untilPasses(async () => expect(await search.inputValue()).toBe(""));
    expect(await plansOf(service)).toHaveLength(2);
    await search.blur();
    await page.keyboard.press("Control+Z");
    await waitForToast(page, "1 user restored");
    await row(page, "User 3").waitFor();
    await toast(page, "User 3 deleted").waitFor({ state: "detached" });
    expect(await plansOf(service)).toHaveLength(3);
    expect(errors).toEqual([]);
  });

  test("deletes a user who was just created, and restores them", async () => {
    await using opened = await openConsole(browser, { path: "/users/new" });
    const { page, service, errors } = opened;
    await nameField(page).fill("Grace");
    await press(page, "Create user");
    await waitForToast(page, "Grace created");
    await page.getByRole("dialog", { name: "New user" }).waitFor({ state: "detached" });
    await page.keyboard.press("Control+Z");
    await waitForToast(page, "Grace deleted");
    expect(await plansOf(service)).toEqual([]);
    await page.keyboard.press("Control+Z");
    await waitForToast(page, "1 user restored");
    await row(page, "Grace").waitFor();
    expect(errors).toEqual([]);
  });

  test("undoes the change later, if the service does not respond", async () => {
    await using opened = await openConsole(browser, { before: importUsers(3) });
    const { page, service } = opened;
    await pressDelete(page, "User 3");
    await waitForToast(page, "User 3 deleted");
    await page.route("**/api/users/bulk", (route) => route.abort());
    await page.keyboard.press("Control+Z");
    await waitForToast(page, "Can't reach the service");
    await page.unroute("**/api/users/bulk");
    await page.keyboard.press("Control+Z");
    await waitForToast(page, "1 user restored");
    expect(await plansOf(service)).toHaveLength(3);
  });
});

describe("a delete", () => {
  test("leaves the user in the table if the request fails, and says why", async () => {
    await using opened = await openConsole(browser, { before: importUsers(3) });
    const { page, errors } = opened;
    await page.route("**/api/users/2", (route) => route.fulfill({ status: 500 }));
    await pressDelete(page, "User 2");
    await waitForToast(page, "User 2 was not deleted");
    await row(page, "User 2").waitFor();
    expect(errors).toEqual(statusErrors(500));
    await page.unroute("**/api/users/2");
    await page.route("**/api/users/2", (route) => route.abort());
    await pressDelete(page, "User 2");
    await toast(
      page,
      "No response, so it's not known whether this succeeded. It's safe to try again.",
    ).waitFor();
  });
});

describe("the undo of a bulk edit", () => {
  test("shows its progress, can be stopped, and continues when it is undone again", async () => {
    await using opened = await openConsole(browser, { before: importUsers(20) });
    const { page, service, errors } = opened;
    await row(page, "User 20").waitFor();
    await selectAll(page);
    await setPlan(page, "pro");
    await waitForToast(page, "20 users updated");
    await waitUntilDeselected(page);
    const held = await holdRequests(page, "PATCH");
    await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
    await held.arrived(6);
    const dialog = page.getByRole("dialog", { name: "Changing 20 users back" });
    await dialog.waitFor();
    expect(await page.getByRole("progressbar").getAttribute("aria-valuetext")).toBe("0 of 20");
    // Neither key ends it: the dialog has a button for that.
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+Z");
    await press(page, "Stop");
    await held.letGo();
    await dialog.waitFor({ state: "detached" });
    await waitForToast(page, "6 of 20 users as before");
    await toast(page, "Stopped. 14 users not changed back. Undo again to continue.").waitFor();
    expect((await plansOf(service)).filter((plan) => plan === "free")).toHaveLength(6);
    await page.keyboard.press("Control+Z");
    await toast(page, "20 users as before").waitFor();
    expect(new Set(await plansOf(service))).toEqual(new Set(["free"]));
    expect(errors).toEqual(statusErrors(...Array(6).fill(412)));
  });

  test("is offered for the users that were changed before the person left the page", async () => {
    await using opened = await openConsole(browser, { before: importUsers(6) });
    const { page, service } = opened;
    await page.getByRole("link", { name: "Activity" }).first().click();
    await page.getByRole("link", { name: "Users", exact: true }).first().click();
    await row(page, "User 6").waitFor();
    await selectAll(page);
    const held = await holdRequests(page, "PATCH");
    await setPlan(page, "pro");
    await held.arrived(4);
    await held.letGo(1);
    await held.arrived(4);
    await page.goBack();
    await waitForToast(page, "1 user updated");
    // The undo waits for the requests that are still running.
    await page.keyboard.press("Control+Z");
    await page.getByRole("dialog", { name: "Changing 1 user back" }).waitFor();
    await held.letGo();
    await waitForToast(page, "5 users as before");
    expect(new Set(await plansOf(service))).toEqual(new Set(["free"]));
  });

  test("of all matching users needs the scope events:read, which the form says", async () => {
    await using started = await startServiceWithKeys();
    const { roster, service } = started;
    await roster.users.import(Array.from({ length: 110 }, (_, n) => ({ name: `User ${n + 1}` }))).summary();
    const { key } = await roster.keys.create({ name: "editor", scopes: ["users:read", "users:write"] });
    await using opened = await openConsole(browser, { service, key });
    const { page } = opened;
    await row(page, "User 110").waitFor();
    await selectAll(page);
    await press(page, "Edit");
    await page.getByLabel("Field").waitFor();
    expect(await page.getByText("You can't undo this").count()).toBe(0);
    await press(page, "Cancel");
    await press(page, "Select all 110 matching");
    await press(page, "Edit");
    await page.getByText("That needs a key with the scope events:read.").waitFor();
    expect(await accessibilityErrors(page)).toEqual([]);
    await press(page, "Cancel");
    await setPlan(page, "pro");
    await waitForToast(page, "110 users updated");
    expect(await page.locator(".toast").getByRole("button", { name: "Undo" }).count()).toBe(0);
  });
});
