import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Locator } from "playwright-core";
import { openBrowser } from "../../support/browser.ts";
import { overflowWidth } from "../../support/browser-page.ts";
import { accessibilityErrorsInBothThemes, openConsole, viewLink } from "../support/console.ts";
import {
  ada,
  createAda,
  everyType,
  openDrawer,
  recordChanges,
  statusErrors,
  userDrawer,
  userPage,
} from "../support/user-form.ts";

setDefaultTimeout(120_000);
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);
afterAll(() => browser.close());

describe("an open user", () => {
  test("shows the managed fields, and copies JSON", async () => {
    await using opened = await openConsole(browser, {
      path: "/users/1",
      before: createAda,
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const { page, service, errors } = opened;
    const { main, button } = userPage(page);
    const about = main.getByRole("region", { name: "Details" });
    expect(await about.textContent()).toStartWith("ID1Version1");
    await button("Copy JSON").click();
    await button("Copied").waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(JSON.parse(copied)).toEqual(await service.roster.users.get(1));
    expect(errors).toEqual([]);
  });

  test("is replaced if a merge patch can't express the change", async () => {
    await using opened = await openConsole(browser, {
      path: "/users/1",
      before: ({ roster }) => roster.users.create({ ...ada, address: { city: "London", zip: "SW1Y" } }),
    });
    const { page, service } = opened;
    const { value, chooseType, button, waitUntilSaved } = userPage(page);
    const changes = recordChanges(page);
    await value("address").fill('{"city": "Ockham", "zip": {"a": null}}');
    await chooseType("department", "Empty");
    await button("Save").click();
    await waitUntilSaved();
    expect(changes).toMatchObject([{ method: "PUT", ifMatch: '"1"' }]);
    const expected = { ...ada, department: null, address: { city: "Ockham", zip: { a: null } } };
    expect(await service.roster.users.get(1)).toMatchObject(expected);
  });

  test("shows values as text until they are edited, and can be saved only if something changed", async () => {
    await using opened = await openConsole(browser, { before: createAda });
    const { page, errors } = opened;
    const { name, button, value } = userDrawer(page);
    await openDrawer(page);
    const hasBorder = (control: Locator) =>
      control.evaluate((element) => {
        for (const animation of element.getAnimations()) animation.finish();
        return getComputedStyle(element).borderTopColor !== "rgba(0, 0, 0, 0)";
      });
    for (const control of [name, value("level")]) {
      expect(await hasBorder(control)).toBe(false);
      await control.hover();
      expect(await hasBorder(control)).toBe(true);
      await page.mouse.move(0, 0);
      await control.focus();
      expect(await hasBorder(control)).toBe(true);
    }
    expect(await page.getByText("Number", { exact: true }).count()).toBe(0);
    await name.fill("Somebody");
    expect(await button("Save").isEnabled()).toBe(true);
    await name.fill("Ada Lovelace");
    expect(await button("Save").isDisabled()).toBe(true);
    expect(errors).toEqual([]);
  });

  test("asks before unsaved changes are discarded", async () => {
    await using opened = await openConsole(browser, { before: createAda });
    const { page, errors } = opened;
    const { name, value, waitUntilClosed } = userDrawer(page);
    const question = page.getByRole("alertdialog");
    const stay = question.getByRole("button", { name: "Keep editing" });
    await openDrawer(page);
    await value("department").fill("poetry");
    await page.keyboard.press("Escape");
    await stay.click();
    await question.waitFor({ state: "hidden" });
    await page.goBack();
    await stay.click();
    await question.waitFor({ state: "hidden" });
    expect(new URL(page.url()).pathname).toBe("/users/1");
    expect(await value("department").inputValue()).toBe("poetry");
    await name.focus();
    await page.keyboard.press("Escape");
    await question.getByRole("button", { name: "Discard" }).click();
    await waitUntilClosed();
    expect(new URL(page.url()).pathname).toBe("/users");
    // Without changes, there is no question.
    await openDrawer(page);
    expect(await value("department").inputValue()).toBe("engines");
    await page.keyboard.press("Escape");
    await waitUntilClosed();
    expect(errors).toEqual([]);
  });

  test("is followed by the next and the previous user of the list", async () => {
    await using opened = await openConsole(browser, {
      path: "/users?sort=name",
      before: async ({ roster }) => {
        for (const name of ["Ada", "Bob", "Cleo"]) await roster.users.create({ name });
      },
    });
    const { page, errors } = opened;
    const { drawer, name, button, waitUntilClosed } = userDrawer(page);
    const waitForUser = async (id: number) => {
      await page.waitForURL(new RegExp(`/users/${id}[?]sort=name$`));
      await page.waitForFunction(() => document.activeElement?.matches(".modal"));
    };
    await openDrawer(page);
    await waitForUser(1);
    expect(await button("Previous user").isDisabled()).toBe(true);
    await page.keyboard.press("j");
    await waitForUser(2);
    await button("Next user").click();
    await waitForUser(3);
    expect(await button("Next user").isDisabled()).toBe(true);
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    await waitForUser(2);
    // A letter in a field is text, and unsaved changes ask first.
    await name.press("End");
    await page.keyboard.type("k");
    expect(await name.inputValue()).toBe("Bobk");
    await button("Previous user").click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Discard" }).click();
    await waitForUser(1);
    expect(await name.inputValue()).toBe("Ada");
    await page.keyboard.press("j");
    await waitForUser(2);
    await drawer.press("Escape");
    await waitUntilClosed();
    await page.waitForFunction(() => document.activeElement?.textContent?.includes("Bob"));
    expect(new URL(page.url()).pathname).toBe("/users");
    expect(errors).toEqual([]);
  });

  test("shows a missing user, and retries a failed request", async () => {
    await using opened = await openConsole(browser, { path: "/users/9", before: createAda });
    const { page } = opened;
    const { main, name, button } = userPage(page);
    await page.getByRole("heading", { level: 1, name: "User not found" }).waitFor();
    await page.waitForFunction(() => document.title === "User not found · Roster");
    expect(await accessibilityErrorsInBothThemes(page)).toEqual([]);
    await main.getByRole("link", { name: "Back to users" }).click();
    await page.getByRole("row", { name: /Ada/ }).waitFor();
    // Too large for a number.
    await page.goto(`${opened.service.url}/users/99999999999999999999`);
    await main.getByText("User not found").waitFor();
    await page.route("**/api/users/1", (route) => route.fulfill({ status: 500 }));
    await page.goto(`${opened.service.url}/users/1`);
    await main.getByRole("alert").waitFor();
    await page.unroute("**/api/users/1");
    await button("Try again").click();
    await name.waitFor();
    expect(opened.errors).toEqual(statusErrors(404, 500));
  });
});

describe("the page of a user", () => {
  test("opens by its address, after a reload and from the drawer, and leads back to the list", async () => {
    await using opened = await openConsole(browser, { path: "/users?sort=name", before: createAda });
    const { page, errors } = opened;
    const { drawer, button, waitUntilClosed } = userDrawer(page);
    const { main, name } = userPage(page);
    const heading = main.getByRole("heading", { level: 1, name: "Ada Lovelace" });
    await openDrawer(page);
    await page.waitForFunction(() => document.title === "Ada Lovelace · Roster");
    await page.goBack();
    await waitUntilClosed();
    await page.goForward();
    await drawer.getByRole("link", { name: "Open as page" }).press("Enter");
    await heading.waitFor();
    await name.waitFor();
    expect(await drawer.count()).toBe(0);
    expect(await button("Next user").count()).toBe(0);
    await page.waitForFunction(() => document.title === "Ada Lovelace · Roster");
    await page.goBack();
    await drawer.waitFor();
    await page.reload();
    await heading.waitFor();
    await main.getByRole("link", { name: "Users" }).click();
    await page.getByRole("row", { name: /Ada/ }).waitFor();
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe("/users?sort=name");
    expect(errors).toEqual([]);
  });

  test("saves in place, shows the change in the history, and deletes the user", async () => {
    await using opened = await openConsole(browser, { path: "/users/1", before: createAda });
    const { page, service, errors } = opened;
    const { main, name, value, button, waitUntilSaved } = userPage(page);
    await main.getByText("created this user").waitFor();
    expect(await button("Save").count()).toBe(0);
    await value("level").fill("8");
    await button("Discard changes").click();
    await waitUntilSaved();
    expect(await value("level").inputValue()).toBe("7");
    await name.fill("Ada King");
    await name.press("Enter");
    await main.getByRole("heading", { level: 1, name: "Ada King" }).waitFor();
    await waitUntilSaved();
    await main.getByText("changed name").waitFor();
    expect(await service.roster.users.get(1)).toMatchObject({ name: "Ada King", version: 2 });
    await button("Delete").click();
    await page.getByRole("heading", { name: "No users yet" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/users");
    expect(errors).toEqual([]);
  });

  test("asks before links and Back discard unsaved changes", async () => {
    await using opened = await openConsole(browser, { path: "/", before: createAda });
    const { page, errors } = opened;
    const { main, value, question } = userPage(page);
    const answer = async (text: string) => {
      await question.getByRole("button", { name: text }).click();
      await question.waitFor({ state: "detached" });
    };
    await main.getByRole("link", { name: /Ada/ }).first().click();
    await value("department").fill("poetry");
    await page.goBack();
    await answer("Keep editing");
    await viewLink(page, "Keys").click();
    await answer("Keep editing");
    expect(new URL(page.url()).pathname).toBe("/users/1");
    expect(await value("department").inputValue()).toBe("poetry");
    await viewLink(page, "Keys").click();
    await answer("Discard");
    await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
    await page.goBack();
    await value("department").fill("poetry");
    await page.goBack();
    await answer("Discard");
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    expect(errors).toEqual([]);
  });
});

test("editing a user has no accessibility errors on a phone in either theme", async () => {
  await using opened = await openConsole(browser, {
    path: "/users/1",
    viewport: { width: 360, height: 740 },
    before: ({ roster }) => roster.users.create({ ...ada, ...everyType, long: "x".repeat(300) }),
  });
  const { page } = opened;
  const { main, name, json, value, button, question } = userPage(page);
  await main.getByText("created this user").waitFor();
  expect(await accessibilityErrorsInBothThemes(page)).toEqual([]);
  await name.fill("");
  await value("list").fill("[1");
  await button("Save").click();
  await main.getByText("expected a comma or ]").waitFor();
  expect(await accessibilityErrorsInBothThemes(page)).toEqual([]);
  expect(await overflowWidth(page)).toBe(0);
  await value("list").fill("[1]");
  await main.getByRole("radio", { name: "JSON" }).check();
  await json.fill("{");
  expect(await accessibilityErrorsInBothThemes(page)).toEqual([]);
  expect(await main.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
  await main.getByRole("link", { name: "Users" }).click();
  await question.getByRole("button", { name: "Discard" }).click();
  await openDrawer(page);
  const { drawer, name: drawerName } = userDrawer(page);
  await drawerName.waitFor();
  expect(await accessibilityErrorsInBothThemes(page)).toEqual([]);
  expect(await drawer.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
  await drawerName.fill("");
  await page.keyboard.press("Escape");
  await question.waitFor();
  expect(await accessibilityErrorsInBothThemes(page)).toEqual([]);
  expect(opened.errors).toEqual([]);
});
