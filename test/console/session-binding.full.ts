import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../support/browser.ts";
import { readSessionHeaders } from "../support/browser-page.ts";
import { sameOrigin } from "../support/credentials.ts";
import { describeResponse } from "../support/responses.ts";
import { keyField, openConsole, signIn, signOut } from "./support/console.ts";
import { type ServiceWithKeys, startServiceWithKeys } from "./support/service-with-keys.ts";

setDefaultTimeout(120_000);

/** Another server on the same host. Browsers send it the cookies of the service, and it can set cookies for the service. */
let receivedCookies: string[] = [];
const otherServer = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch(request) {
    const cookie = request.headers.get("cookie");
    if (cookie !== null) receivedCookies.push(cookie);
    const headers = new Headers({ "content-type": "text/html" });
    for (const value of new URL(request.url).searchParams.getAll("set")) headers.append("set-cookie", value);
    return new Response("<!doctype html><title>Elsewhere</title>", { headers });
  },
});
const otherUrl = `http://127.0.0.1:${otherServer.port}/`;

let browser: Browser;
let started: ServiceWithKeys;
beforeAll(async () => {
  [browser, started] = await Promise.all([openBrowser(), startServiceWithKeys()]);
  await started.roster.users.create({ name: "Ada Lovelace" });
}, 120_000);
beforeEach(() => {
  receivedCookies = [];
});
afterAll(async () => {
  await browser.close();
  await started.service.stop();
  await otherServer.stop(true);
});

const openSignedIn = () => openConsole(browser, { service: started.service, key: started.key });
const adaIn = (page: Page) => page.getByRole("row", { name: /Ada Lovelace/ });
const cookieName = () => `roster_session_${new URL(started.service.url).port}`;

/** Opens the other server in the same browser, and lets it set cookies. */
async function visitOtherServer(page: Page, cookies: readonly string[] = []): Promise<void> {
  const tab = await page.context().newPage();
  await tab.goto(`${otherUrl}?${new URLSearchParams(cookies.map((cookie) => ["set", cookie]))}`);
  await tab.close();
}

describe("another server on the same host", () => {
  test("receives the cookie, but cannot use it", async () => {
    await using opened = await openSignedIn();
    const { page } = opened;
    await adaIn(page).waitFor();
    await visitOtherServer(page);
    const [cookie = ""] = receivedCookies;
    expect(cookie).toMatch(new RegExp(`^${cookieName()}=[\\w-]{43}$`));
    const send = async (path: string, init: RequestInit = {}) =>
      describeResponse(await started.service.call(path, { ...init, headers: { cookie, ...sameOrigin } }));
    expect(await send("/api/users")).toBe("401 unauthenticated");
    expect(await send("/api/session")).toBe("401 unauthenticated");
    expect(await send("/api/users/1", { method: "DELETE" })).toBe("401 unauthenticated");
    const body = { name: "stolen", scopes: ["keys:manage"] };
    const created = await started.service.call("/api/keys", {
      method: "POST",
      json: body,
      headers: { cookie, ...sameOrigin },
    });
    expect(await describeResponse(created)).toBe("401 unauthenticated");
    // Signing out with the cookie alone does not end the session.
    expect(await send("/api/session", { method: "DELETE" })).toBe("204");
    await page.reload();
    await adaIn(page).waitFor();
    // The page's own headers work: the test would notice if the service rejected everything.
    const headers = { ...(await readSessionHeaders(page)), ...sameOrigin };
    expect((await started.service.call("/api/users", { headers })).status).toBe(200);
  });

  test("cannot read the token: it is in the storage of the service's origin", async () => {
    await using opened = await openSignedIn();
    const { page } = opened;
    await adaIn(page).waitFor();
    const tab = await page.context().newPage();
    await tab.goto(otherUrl);
    const readable = await tab.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
    );
    expect(readable).toBe('[{},{},""]');
  });

  test("does not end the session by a cookie of the same name for another path", async () => {
    await using opened = await openSignedIn();
    const { page } = opened;
    await adaIn(page).waitFor();
    const foreign = ["/api", "/api/users", "/api/session"].map(
      (path) => `${cookieName()}=${"x".repeat(43)}; Path=${path}`,
    );
    await visitOtherServer(page, foreign);
    await page.reload();
    await adaIn(page).waitFor();
  });

  test("does not prevent signing in by overwriting the cookie", async () => {
    await using opened = await openSignedIn();
    const { page } = opened;
    await adaIn(page).waitFor();
    await visitOtherServer(page, [
      `${cookieName()}=junk; Path=/`,
      `${cookieName()}=${"x".repeat(43)}; Path=/api`,
    ]);
    await page.reload();
    await signIn(page, started.key);
    await adaIn(page).waitFor();
    await page.reload();
    await adaIn(page).waitFor();
    await signOut(page);
    await keyField(page).waitFor();
  });
});

describe("a session", () => {
  test("is shared by all tabs, also after signing out and in again with another key", async () => {
    const other = await started.roster.keys.create({ name: "other", scopes: ["users:read"] });
    await using opened = await openSignedIn();
    const { page } = opened;
    await adaIn(page).waitFor();
    const second = await page.context().newPage();
    await second.goto(`${started.service.url}/users`);
    await adaIn(second).waitFor();
    const docs = await page.context().newPage();
    await docs.goto(`${started.service.url}/docs`);
    await docs.locator("[data-session-text]", { hasText: "Signed in as first" }).waitFor();

    await signOut(page);
    await keyField(page).waitFor();
    // The other tab follows events: it notices by itself.
    await second.getByRole("dialog", { name: "Your session has ended" }).waitFor();
    await signIn(second, other.key);
    await second.getByText("other", { exact: true }).waitFor();
    await page.reload();
    await page.getByText("other", { exact: true }).waitFor();
    await docs.reload();
    await docs.locator("[data-session-text]", { hasText: "Signed in as other" }).waitFor();
    await docs.click("[data-sign-out]");
    await docs.locator("[data-session-text]", { hasText: "You are not signed in" }).waitFor();
    await page.reload();
    await keyField(page).waitFor();
  });

  test("saves an export as a file", async () => {
    await using opened = await openSignedIn();
    const { page } = opened;
    await adaIn(page).waitFor();
    await page.getByRole("button", { name: "Export" }).click();
    const download = page.waitForEvent("download");
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Export|^Download/ })
      .click();
    expect((await download).suggestedFilename()).toMatch(/^users-.*\.csv$/);
  });

  test("lasts until the page is closed if storage is blocked", async () => {
    await using opened = await openConsole(browser, { service: started.service });
    const { page } = opened;
    await page.addInitScript(() => {
      Object.defineProperty(globalThis, "localStorage", {
        get: () => {
          throw new DOMException("blocked", "SecurityError");
        },
      });
    });
    await page.reload();
    await signIn(page, started.key);
    await adaIn(page).waitFor();
    await page.reload();
    await keyField(page).waitFor();
  });
});
