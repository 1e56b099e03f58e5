import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFile } from "node:fs/promises";
import type { Browser } from "playwright-core";
import type { Json, User } from "../../src/client/index.ts";
import { openBrowser } from "../support/browser.ts";
import { createFirstKey, signIn as tradeKey } from "../support/credentials.ts";
import { until, untilPasses } from "../support/until.ts";
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
import { accessibilityErrors, openConsole, press, signIn, waitForToast } from "./support/console.ts";

setDefaultTimeout(120_000);
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);
afterAll(() => browser.close());

describe("bulk edit", () => {
  test("stores exactly what was typed, regardless of the old value", async () => {
    await using opened = await openConsole(browser, {
      before: ({ roster }) => roster.users.create({ name: "Ada", plan: { old: true }, note: { kept: null } }),
    });
    const { page, service, errors } = opened;
    const chooseType = async (type: string) => {
      await page.getByRole("button", { name: "Options for Value:" }).click();
      await page.getByRole("menuitemradio", { name: type }).click();
      await page.getByRole("menu").waitFor({ state: "detached" });
    };
    const edits: [type: string, typed: string, stored: Json][] = [
      ["JSON", '{"new": null}', { new: null }],
      ["JSON", '{"other": {}}', { other: {} }],
      ["JSON", "null", null],
      ["JSON", '[null, {"a": null}]', [null, { a: null }]],
      ["Number", "-1.5", -1.5],
      ["Text", "null", "null"],
      ["JSON", '""', ""],
    ];
    for (const [type, typed, stored] of edits) {
      await selectAll(page);
      await press(page, "Edit");
      await page.getByLabel("Field").fill("plan");
      await chooseType(type);
      await page.getByLabel("Value", { exact: true }).fill(typed);
      await press(page, "Update 1 user");
      await waitUntilDeselected(page);
      const [ada] = await listUsers(service);
      expect(ada).toMatchObject({ name: "Ada", plan: stored, note: { kept: null } });
      expect(Object.keys(ada ?? {})).toHaveLength(7);
    }
    await selectAll(page);
    await press(page, "Edit");
    await page.getByLabel("Field").fill("plan");
    await chooseType("Yes / no");
    await page.getByLabel("Value", { exact: true }).selectOption("No");
    await page.getByText("Sets plan to no, for 1 user.").waitFor();
    await press(page, "Update 1 user");
    await waitUntilDeselected(page);
    expect(await plansOf(service)).toEqual([false]);
    await selectAll(page);
    await press(page, "Edit");
    await page.getByLabel("Field").fill("plan");
    // The control follows the users' values.
    await page.getByRole("switch", { name: "Value" }).waitFor();
    await page.getByLabel("Action", { exact: true }).selectOption("remove");
    await page.getByText("Removes plan, for 1 user.").waitFor();
    await press(page, "Update 1 user");
    await waitUntilDeselected(page);
    expect(await plansOf(service)).toEqual([undefined]);
    expect(errors).toEqual([]);
  });

  test("shows errors before anything is sent", async () => {
    await using opened = await openConsole(browser, { before: createUsers });
    const { page, service, errors } = opened;
    await selectAll(page);
    await press(page, "Edit");
    await press(page, "Update 3 users");
    await page.getByText("Enter a field name.").waitFor();
    // The user name of one user cannot be that of three.
    const offered = await page
      .locator("datalist option")
      .evaluateAll((options) => options.map((option) => option.getAttribute("value")));
    expect(offered).toEqual(["name", "email", "level", "plan", "note"]);
    await page.getByLabel("Field").fill("email");
    await page.getByLabel("Value", { exact: true }).fill("ada@example.com");
    await page.getByText("Emails and user names must be unique. Edit these users one by one.").waitFor();
    await page.getByLabel("Field").fill("level");
    await page.getByLabel("Value", { exact: true }).fill("many");
    await page.keyboard.press("Enter");
    await page.getByText("Enter a number, like 12 or -0.5.").waitFor();
    await press(page, "Cancel");
    await selectionBar(page).getByText("3 selected").waitFor();
    expect((await listUsers(service)).map(({ version }) => version)).toEqual([1, 1, 1]);
    expect(errors).toEqual([]);
  });

  test("reports users that someone else changed or deleted, and retries them", async () => {
    await using opened = await openConsole(browser, { before: createUsers });
    const { page, service, errors } = opened;
    await selectAll(page);
    await press(page, "Edit");
    await page.getByLabel("Field").fill("plan");
    await page.getByLabel("Value", { exact: true }).fill("team");
    // The dialog edits the versions that it was opened with: the table may show the change before the next click.
    await service.roster.users.update(1, { plan: "enterprise" });
    await service.roster.users.update(3, { level: 9 });
    await service.roster.users.delete(2);
    await press(page, "Update 3 users");
    const outcome = page.getByRole("dialog", { name: "0 of 3 users updated" });
    const lines = outcome.getByRole("list").getByRole("listitem");
    await outcome.waitFor();
    await untilPasses(async () =>
      expect(await lines.allTextContents()).toEqual([
        "=1+1 Someone else changed this user: plan is “pro” now. Try again to edit the current version.",
        "Émile Zola emile@example.comSomeone else deleted this user.",
        "Ada Lovelace ada@example.comSomeone else changed this user: plan is “enterprise” now. Try again to edit the current version.",
      ]),
    );
    const downloading = page.waitForEvent("download");
    await press(page, "Download failures");
    const download = await downloading;
    expect(download.suggestedFilename()).toMatch(/^failed-users-\d{4}-\d\d-\d\d\.csv$/);
    const rows = (await readFile(await download.path(), "utf8")).split("\r\n");
    expect(rows[0]).toBe("\ufeffid,name,email,problem");
    expect(rows[1]).toStartWith('3,"\'=1+1",,Someone else changed');
    expect(rows).toHaveLength(5);
    await press(page, "Retry failed");
    await page.getByRole("dialog", { name: "2 of 3 users updated" }).waitFor();
    expect(await listUsers(service)).toMatchObject([
      { id: 1, plan: "team" },
      { id: 3, plan: "team", level: 9 },
    ]);
    await press(page, "Close");
    await waitUntilDeselected(page);
    await page.getByRole("row", { name: /Zola/ }).waitFor({ state: "detached" });
    await page.getByRole("row", { name: /Ada.*team/ }).waitFor();
    expect(errors.map((error) => /status of (\d+)/.exec(error)?.[1]).sort()).toEqual([
      "404",
      "404",
      "412",
      "412",
    ]);
  });

  test("can be stopped and continued later", async () => {
    await using opened = await openConsole(browser, { before: importUsers(10) });
    const { page, service, errors } = opened;
    await page.getByRole("row", { name: /User 10/ }).waitFor();
    const held = await holdRequests(page, "PATCH");
    await selectAll(page);
    await setPlan(page, "pro");
    await held.arrived(4);
    expect(await page.getByRole("progressbar").getAttribute("aria-valuetext")).toBe("0 of 10");
    await page.keyboard.press("Escape");
    await press(page, "Stop");
    await page.getByText("Finishing requests in progress").waitFor();
    expect(held.waiting).toHaveLength(4);
    await held.letGo();
    await page.getByRole("dialog", { name: "4 of 10 users updated" }).waitFor();
    await page.getByText("Stopped. 6 users not changed.").waitFor();
    expect((await plansOf(service)).filter((plan) => plan === "pro")).toHaveLength(4);
    await press(page, "Continue with the other 6");
    await waitForToast(page, "10 users updated");
    expect(new Set(await plansOf(service))).toEqual(new Set(["pro"]));
    expect(errors).toEqual([]);
  });

  test("continues after the person signs in again", async () => {
    let key = "";
    await using opened = await openConsole(browser, {
      before: async (service) => {
        await importUsers(8)(service);
        key = await createFirstKey(service);
      },
    });
    const { page, service, errors } = opened;
    await signIn(page, key);
    await selectAll(page);
    const held = await holdRequests(page, "PATCH");
    await setPlan(page, "pro");
    await held.arrived(4);
    await page.context().clearCookies();
    await held.letGo();
    await page.getByText("Your session has ended. Sign in to continue. Nothing is lost.").waitFor();
    // The prompt can be closed and opened again.
    const asked = page.getByRole("dialog").filter({ has: page.getByLabel("Key", { exact: true }) });
    await asked.waitFor();
    await page.keyboard.press("Escape");
    await asked.waitFor({ state: "detached" });
    await press(page, "Sign in");
    await asked.waitFor();
    await signIn(page, key);
    await waitForToast(page, "8 users updated");
    const answer = await service.call("/api/users", { headers: { "x-api-key": key } });
    const users: User[] = await answer.json();
    expect(users.map(({ plan, version }) => `${plan} ${version}`)).toEqual(Array(8).fill("pro 2"));
    expect(errors.filter((error) => !/status of 401|api\/session/.test(error))).toEqual([]);
  });

  test("asks for another key if the scope is missing, then continues", async () => {
    let key = "";
    let reader = "";
    await using opened = await openConsole(browser, {
      before: async (service) => {
        await importUsers(3)(service);
        key = await createFirstKey(service);
        const wish = { name: "reader", scopes: ["users:read"] };
        const answer = await service.call("/api/keys", {
          method: "POST",
          json: wish,
          headers: { "x-api-key": key },
        });
        reader = (await answer.json()).key;
      },
    });
    const { page, service, errors } = opened;
    await signIn(page, key);
    await selectAll(page);
    const session = await tradeKey(service, reader);
    const [name = "", value = ""] = session.cookie.split("=");
    await page.context().addCookies([{ name, value, url: service.url }]);
    await page.evaluate((token) => localStorage.setItem("roster.session", token), session["x-session-token"]);
    await setPlan(page, "pro");
    await page.getByText("Your key doesn't allow this.").waitFor();
    await press(page, "Sign in with another key");
    await signIn(page, key);
    await waitForToast(page, "3 users updated");
    expect(errors.filter((error) => !/status of 40[13]|api\/session/.test(error))).toEqual([]);
  });

  test("pauses while the service can't be reached, and reads users again before retrying", async () => {
    await using opened = await openConsole(browser, { before: importUsers(6) });
    const { page, service } = opened;
    await page.getByRole("row", { name: /User 6/ }).waitFor();
    await selectAll(page);
    // The first request succeeds, but its response is lost.
    let lost = 0;
    await page.route("**/api/users/*", async (route) => {
      if (lost > 0) return route.abort();
      lost++;
      await route.fetch();
      await route.abort();
    });
    await setPlan(page, "pro");
    await page.getByText("Can't reach the service.").waitFor();
    await page.getByText("4 failed so far.").waitFor();
    expect(await accessibilityErrors(page)).toEqual([]);
    await page.unroute("**/api/users/*");
    await press(page, "Resume");
    await page.getByRole("dialog", { name: "2 of 6 users updated" }).waitFor();
    const reason = "No response, so it's not known whether this succeeded. It's safe to try again.";
    await untilPasses(async () => expect(await page.getByText(reason).count()).toBe(4));
    await press(page, "Retry failed");
    await waitForToast(page, "6 users updated");
    const versions = async () => (await listUsers(service)).map(({ plan, version }) => `${plan} ${version}`);
    expect(await versions()).toEqual(Array(6).fill("pro 2"));
    // Also for the user of the request without a response.
    await press(page, "Undo");
    await waitForToast(page, "6 users as before");
    expect(await versions()).toEqual(Array(6).fill("free 3"));
  });

  test("stops when the person leaves the page, and shows the progress", async () => {
    await using opened = await openConsole(browser, { before: importUsers(6) });
    const { page, service } = opened;
    await page.getByRole("link", { name: "Connect" }).first().click();
    await page.getByRole("link", { name: "Users", exact: true }).first().click();
    await page.getByRole("row", { name: /User 6/ }).waitFor();
    await selectAll(page);
    const held = await holdRequests(page, "PATCH");
    await setPlan(page, "pro");
    await held.arrived(4);
    await page.goBack();
    await waitForToast(page, "Stopped: you left the page");
    await held.letGo();
    await until(async () => (await plansOf(service)).filter((plan) => plan === "pro").length >= 4);
    expect((await plansOf(service)).filter((plan) => plan === "free")).toHaveLength(2);
  });
});
