import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../support/browser.ts";
import { outcome, type TestService } from "../support/service.ts";
import { until, untilPasses } from "../support/until.ts";
import { openConsole, signOut } from "./support/console.ts";
import { startServiceWithKeys } from "./support/service-with-keys.ts";
import { openDrawer, recordChanges, statusErrors, userDrawer } from "./support/user-form.ts";

setDefaultTimeout(120_000);
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);
afterAll(() => browser.close());

const names = ["Ada", "Grace", "Edsger"];
async function withThree({ roster }: TestService) {
  for (const name of names) await roster.users.create({ name });
}
const row = (page: Page, name: string) => page.getByRole("row", { name: new RegExp(name) });
const gone = (page: Page, name: string) => row(page, name).waitFor({ state: "hidden" });
const toast = (page: Page, text: string) => page.locator(".toast").getByText(text, { exact: true });

/** Deletes the user with the keyboard. */
async function pressDelete(page: Page, name: string) {
  await row(page, name).focus();
  await page.keyboard.press("Delete");
  await gone(page, name);
}

/** Advances the clock past the undo period. */
async function letPass(page: Page) {
  const sent = page.waitForRequest((request) => request.method() === "DELETE");
  await page.clock.fastForward(7000);
  return sent;
}

async function open(before = withThree, path = "/users") {
  const opened = await openConsole(browser, { before, path: "/docs" });
  await opened.page.clock.install();
  await opened.page.goto(opened.service.url + path);
  return opened;
}

describe("deleting a user", () => {
  test("hides the user at once, and sends the request when Undo is no longer possible", async () => {
    await using opened = await open();
    const { page, service, errors } = opened;
    const changes = recordChanges(page);
    await pressDelete(page, "Grace");
    await toast(page, "Grace deleted").waitFor();
    await page.clock.fastForward(5000);
    expect(changes).toEqual([]);
    expect(await outcome(service.roster.users.get(2))).toBe("done");
    await (await letPass(page)).response();
    await toast(page, "Grace deleted").waitFor({ state: "hidden" });
    expect(changes).toEqual([{ method: "DELETE", body: null, ifMatch: '"1"' }]);
    expect(await outcome(service.roster.users.get(2))).toBe("404 user-not-found");
    await page.getByRole("heading", { name: "Users 2" }).waitFor();
    expect(await row(page, "Grace").count()).toBe(0);
    expect(errors).toEqual([]);
  });

  test("waits while the keyboard focus is on the toast", async () => {
    await using opened = await open();
    const { page, errors } = opened;
    const changes = recordChanges(page);
    await pressDelete(page, "Grace");
    await toast(page, "Grace deleted").waitFor();
    await page.keyboard.press("F6");
    const undo = page.getByRole("button", { name: "Undo" });
    while (!(await undo.evaluate((element) => element === document.activeElement)))
      await page.keyboard.press("Tab");
    await page.clock.fastForward(30_000);
    await page.keyboard.press("Enter");
    await row(page, "Grace").waitFor();
    expect(changes).toEqual([]);
    expect(errors).toEqual([]);
  });

  test("sends the request when the toast is closed", async () => {
    await using opened = await open();
    const { page } = opened;
    await pressDelete(page, "Grace");
    const sent = page.waitForRequest((request) => request.method() === "DELETE");
    await page.locator(".toast").getByLabel("Close").click();
    expect((await (await sent).response())?.status()).toBe(204);
  });

  test("shares one toast for several users, and Undo restores all of them", async () => {
    await using opened = await open();
    const { page, errors } = opened;
    await pressDelete(page, "Grace");
    await pressDelete(page, "Ada");
    await toast(page, "2 users deleted").waitFor();
    await toast(page, "Grace deleted").waitFor({ state: "hidden" });
    await untilPasses(async () => expect(await page.getByRole("button", { name: "Undo" }).count()).toBe(1));
    await page.getByRole("button", { name: "Undo" }).click();
    await row(page, "Grace").waitFor();
    await row(page, "Ada").waitFor();
    expect(errors).toEqual([]);
  });

  test("works in the drawer", async () => {
    await using opened = await open();
    const { page, service } = opened;
    const { button, waitUntilClosed } = userDrawer(page);
    await openDrawer(page, "Grace");
    await button("Delete").click();
    await waitUntilClosed();
    await gone(page, "Grace");
    await toast(page, "Grace deleted").waitFor();
    await (await letPass(page)).response();
    expect(await outcome(service.roster.users.get(2))).toBe("404 user-not-found");
  });

  test("shows the current version if someone else changed the user", async () => {
    await using opened = await open();
    const { page, service, errors } = opened;
    await pressDelete(page, "Grace");
    await service.roster.users.update(2, { name: "Grace Hopper" });
    await letPass(page);
    await toast(page, "Grace was not deleted").waitFor();
    await row(page, "Grace Hopper").waitFor();
    expect(await outcome(service.roster.users.get(2))).toBe("done");
    expect(errors).toEqual(statusErrors(412));
  });

  test("shows the user again if the request fails", async () => {
    await using opened = await open();
    const { page, errors } = opened;
    await page.route("**/api/users/2", (route) => route.fulfill({ status: 500 }));
    await pressDelete(page, "Grace");
    await letPass(page);
    await row(page, "Grace").waitFor();
    await toast(page, "Grace was not deleted").waitFor();
    expect(errors).toEqual(statusErrors(500));
  });

  test("succeeds if the user was already deleted", async () => {
    await using opened = await open();
    const { page, service, errors } = opened;
    await pressDelete(page, "Grace");
    await service.roster.users.delete(2);
    await letPass(page);
    // The request has been answered.
    await until(() => errors.length > 0);
    expect(errors).toEqual(statusErrors(404));
    await page.getByRole("heading", { name: "Users 2" }).waitFor();
    expect(await row(page, "Grace").count()).toBe(0);
    expect(await page.getByText("was not deleted").count()).toBe(0);
  });

  test("sends the request when the page is closed", async () => {
    await using opened = await open();
    const { page, service } = opened;
    await pressDelete(page, "Grace");
    await pressDelete(page, "Ada");
    await page.goto("about:blank");
    const left = async () => (await service.roster.users.list().all()).map(({ name }) => name);
    await until(async () => (await left()).length <= 1);
    expect(await left()).toEqual(["Edsger"]);
  });

  test("sends the request before signing out", async () => {
    await using started = await startServiceWithKeys();
    const { id } = await started.roster.users.create({ name: "Grace" });
    await using opened = await openConsole(browser, { service: started.service, key: started.key });
    const { page } = opened;
    await pressDelete(page, "Grace");
    await signOut(page);
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await outcome(started.roster.users.get(id))).toBe("404 user-not-found");
  });
});
