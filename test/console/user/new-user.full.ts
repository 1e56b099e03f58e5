import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser } from "playwright-core";
import { openBrowser } from "../../support/browser.ts";
import { openConsole, waitForToastBesideDialog } from "../support/console.ts";
import { userDrawer } from "../support/user-form.ts";

setDefaultTimeout(120_000);
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);
afterAll(() => browser.close());

describe("a new user", () => {
  test("can be followed by another one", async () => {
    await using opened = await openConsole(browser, { path: "/users/new" });
    const { page, service, errors } = opened;
    const { drawer, name, button, waitUntilClosed } = userDrawer(page);
    await page.setViewportSize({ width: 360, height: 740 });
    await drawer.getByRole("checkbox", { name: "Create another" }).check();
    await name.fill("Grace");
    await name.press("Enter");
    await waitForToastBesideDialog(page, "Grace created");
    expect(await name.inputValue()).toBe("");
    expect(await name.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.setViewportSize({ width: 1280, height: 800 });
    await name.fill("Ada");
    await name.press("Enter");
    await waitForToastBesideDialog(page, "Ada created");
    await button("Cancel").click();
    await waitUntilClosed();
    expect((await service.roster.users.list().all()).map((user) => user.name)).toEqual(["Grace", "Ada"]);
    expect(errors).toEqual([]);
  });

  test("is created once if the first response was lost", async () => {
    await using opened = await openConsole(browser, { path: "/users/new" });
    const { page, service } = opened;
    const { drawer, name, button, waitUntilClosed } = userDrawer(page);
    await page.route("**/api/users", async (route) => {
      if (route.request().method() !== "POST") return route.continue();
      await route.fetch();
      await route.abort();
    });
    await name.fill("Grace");
    await button("Create user").click();
    await drawer
      .getByRole("alert")
      .getByText(/try again/)
      .waitFor();
    await page.unroute("**/api/users");
    await button("Create user").click();
    await waitUntilClosed();
    expect(await service.roster.users.list().all()).toHaveLength(1);
  });

  test("is not created with a part of a date, and Enter saves texts of one line", async () => {
    await using opened = await openConsole(browser, {
      before: ({ roster }) =>
        roster.schema.set({
          properties: {
            joined: { type: "string", format: "date" },
            left: { type: "string", format: "date-time" },
          },
        }),
      path: "/users/new",
    });
    const { page, service, errors } = opened;
    const { drawer, name, button, waitUntilClosed } = userDrawer(page);
    const { keyboard } = page;
    const joined = drawer.getByLabel("joined", { exact: true });
    await name.fill("Grace");
    await joined.focus();
    await keyboard.type("02");
    await button("Create user").click();
    const error = drawer.getByText("Enter the whole date, or clear it.");
    await error.waitFor();
    await drawer.locator("input[type=date]:focus").waitFor();
    // All of it is in view, above the buttons.
    const errorBox = await error.boundingBox();
    const footBox = await drawer.locator(".modal-foot").boundingBox();
    expect((errorBox?.y ?? 0) + (errorBox?.height ?? 0)).toBeLessThanOrEqual(footBox?.y ?? 0);
    await drawer.getByRole("button", { name: "Clear joined" }).click();
    await error.waitFor({ state: "detached" });
    expect(await joined.evaluate((input) => input.matches(":invalid"))).toBe(false);
    // A year has four digits.
    await joined.focus();
    await keyboard.type("02152020");
    expect(await joined.inputValue()).toBe("2020-02-15");
    await keyboard.type("1");
    expect(await joined.getAttribute("type")).toBe("date");
    await joined.fill("2020-02-15");
    await button("Add field").click();
    await keyboard.type("team");
    await keyboard.press("Tab");
    await keyboard.type("compilers");
    await keyboard.press("Shift+Enter");
    await keyboard.type("languages");
    expect(await drawer.getByRole("textbox", { name: "Value of team" }).inputValue()).toBe(
      "compilers\nlanguages",
    );
    for (let times = 0; times < 10; times++) await keyboard.press("Backspace");
    await keyboard.press("Enter");
    await waitUntilClosed();
    expect(await service.roster.users.get(1)).toMatchObject({
      name: "Grace",
      joined: "2020-02-15",
      team: "compilers",
    });
    expect(errors).toEqual([]);
  });

  test("can be created and edited with the keyboard", async () => {
    await using opened = await openConsole(browser);
    const { page, service, errors } = opened;
    const { name, waitUntilClosed } = userDrawer(page);
    const { keyboard } = page;
    await page.getByText("No users yet").waitFor();
    await keyboard.press("n");
    await name.waitFor();
    await page.waitForFunction(() => document.activeElement?.matches("[role=dialog] input"));
    await keyboard.type("Grace Hopper");
    await keyboard.press("Tab");
    await keyboard.type("grace@example.com");
    await keyboard.press("Tab");
    await keyboard.type("grace");
    // Tab past the switch for active users and the choice of the form to the "Add field" button.
    for (let stop = 0; stop < 3; stop++) await keyboard.press("Tab");
    await keyboard.press("Enter");
    await keyboard.type("level");
    await keyboard.press("Tab");
    await keyboard.type("3");
    // The menu for the type follows the value.
    await keyboard.press("Tab");
    await keyboard.press("Enter");
    const number = page.getByRole("menuitemradio", { name: "Number" });
    // The menu takes the focus a moment after it opens.
    await page.waitForFunction(() => document.activeElement?.closest("[role=menu]"));
    while (!(await number.evaluate((item) => item === document.activeElement)))
      await keyboard.press("ArrowDown");
    await keyboard.press("Enter");
    await page.getByRole("menu").waitFor({ state: "detached" });
    // The button and the dialog take the focus from each other for some frames, and the button keeps it.
    await page.evaluate(async () => {
      for (let frames = 0; frames < 10; ) {
        await new Promise(requestAnimationFrame);
        frames = document.activeElement?.matches(".custom-field-menu") ? frames + 1 : 0;
      }
    });
    await keyboard.press("Shift+Tab");
    const value = page.getByRole("textbox", { name: "Value of level" });
    expect(await value.evaluate((element) => element === document.activeElement)).toBe(true);
    await keyboard.press("Enter");
    await waitUntilClosed();
    expect(await service.roster.users.get(1)).toMatchObject({
      name: "Grace Hopper",
      userName: "grace",
      level: 3,
    });

    const row = page.getByRole("row", { name: /Grace Hopper/ });
    await row.focus();
    await keyboard.press("Enter");
    await name.waitFor();
    await page.waitForFunction(() => document.activeElement?.closest("[role=dialog]"));
    while (!(await name.evaluate((element) => element === document.activeElement)))
      await keyboard.press("Tab");
    await keyboard.press("End");
    await keyboard.type(" PhD");
    await keyboard.press("Control+Enter");
    await waitUntilClosed();
    await page.getByRole("row", { name: /Grace Hopper PhD/ }).waitFor();
    await page.waitForFunction(() => document.activeElement?.closest("[role=row], tr"));
    expect(errors).toEqual([]);
  });
});
