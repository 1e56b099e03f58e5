import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { type Scope, scopes } from "../../src/contract/keys/key.ts";
import { openBrowser } from "../support/browser.ts";
import {
  lowContrastTextInBothThemes,
  type Opened,
  openPage,
  overflowWidth,
  readSessionHeaders,
  text,
} from "../support/browser-page.ts";
import { createFirstKey, sameOrigin } from "../support/credentials.ts";
import { requireProgram } from "../support/requirements.ts";
import { startService, type TestService } from "../support/service.ts";

setDefaultTimeout(120_000);

let service: TestService;
let browser: Browser;
/** A key with every scope, and a key with users:read. */
let key: string;
let readingKey: string;

beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), openBrowser()]);
  key = await createFirstKey(service);
  readingKey = await createKey("reader", ["users:read"]);
}, 120_000);
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

async function createKey(name: string, scopes: Scope[]): Promise<string> {
  const response = await service.call("/api/keys", {
    method: "POST",
    json: { name, scopes },
    headers: { "x-api-key": key },
  });
  const created: { key: string } = await response.json();
  return created.key;
}

/** Opens the reference and waits for the session panel. */
async function open(options?: BrowserContextOptions): Promise<Opened> {
  const opened = await openPage(browser, `${service.url}/docs`, options);
  await opened.page.locator("[data-session]").waitFor();
  return opened;
}

const sessionText = (page: Page) => text(page.locator("[data-session-text]"));
/** The text about the key in an operation's form, and whether the form has a sign-in button. */
async function keyLine(page: Page, operation: string): Promise<[string, boolean]> {
  const line = page.locator(`#${operation} .key-line`);
  return [await text(line.locator("span")), await line.locator("button").isVisible()];
}

/** Signs in with the form of the session panel. */
async function enterKey(page: Page, secret: string): Promise<void> {
  await page.click("[data-session] [data-sign-in]");
  await page.keyboard.insertText(secret);
  await page.keyboard.press("Enter");
  await page.locator("[data-session-text]", { hasText: "Signed in as" }).waitFor();
}

async function send(page: Page, operation: string): Promise<string> {
  await page.click(`#${operation} .send`);
  await page.locator(`#${operation} .outcome pre`).waitFor();
  return text(page.locator(`#${operation} .outcome .status`));
}

describe("a service that requires a key", () => {
  test("says so on the page, and in each form which scope it requires", async () => {
    const { page } = await open();
    expect(await sessionText(page)).toBe("You are not signed in. The forms on this page require an API key.");
    await page.click("#listUsers .try > summary");
    await page.click("#whoAmI .try > summary");
    await page.click("#health .try > summary");
    expect(await text(page.locator("#listUsers .key-line"))).toBe("Requires a key with users:read. Sign in");
    expect(await text(page.locator("#whoAmI .key-line"))).toBe("Requires a key. Sign in");
    expect(await page.locator("#health .key-line").count()).toBe(0);
    expect(await send(page, "listUsers")).toBe("401 Unauthorized");
    expect(await send(page, "health")).toBe("200 OK");
  });

  test("lets you sign in from a form with the keyboard, and returns the focus to the form", async () => {
    const { page } = await open();
    await page.click("#createUser .try > summary");
    await page.focus("#createUser .key-line button");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Sign in" });
    await dialog.waitFor();
    expect(await dialog.getByLabel("API key").evaluate((it) => it === document.activeElement)).toBe(true);
    await page.keyboard.type(` ${key} `);
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "hidden" });
    await page.locator("#createUser .key-line", { hasText: "Uses the key first." }).waitFor();
    expect(
      await page
        .locator("#createUser .send")
        .first()
        .evaluate((it) => it === document.activeElement),
    ).toBe(true);
    await page.keyboard.press("Enter");
    await page.locator("#createUser .outcome .status", { hasText: "201 Created" }).waitFor();
    expect(await sessionText(page)).toMatch(
      new RegExp(`^Signed in as first, with ${scopes.join(", ")}, until \\d+:\\d\\d\\b.*\\.$`),
    );
  });

  test("names the missing scope of a key, and accepts another key", async () => {
    const { page } = await open();
    await enterKey(page, readingKey);
    for (const id of ["readUser", "deleteUser", "whoAmI"]) await page.click(`#${id} .try > summary`);
    expect(await keyLine(page, "readUser")).toEqual(["Uses the key reader.", false]);
    expect(await keyLine(page, "whoAmI")).toEqual(["Uses the key reader.", false]);
    expect(await keyLine(page, "deleteUser")).toEqual(["reader lacks users:write.", true]);
    await page.click("#deleteUser .send");
    await page.click("#deleteUser .confirm .send");
    await page.locator("#deleteUser .outcome .status", { hasText: "403" }).waitFor();
    await page.click("#deleteUser .key-line button");
    await page.keyboard.insertText(key);
    await page.keyboard.press("Enter");
    await page.locator("#deleteUser .key-line", { hasText: "Uses the key first." }).waitFor();
  });

  test("explains that a key is wrong, and lets you try again or cancel", async () => {
    const { page } = await open();
    await page.click("[data-session] [data-sign-in]");
    await page.keyboard.type("roster_wrong");
    await page.keyboard.press("Enter");
    const alert = page.getByRole("alert");
    await page.locator("[role=alert]:not(:empty)").waitFor();
    expect(await text(alert)).toBe("This is not a valid key. Copy the whole key.");
    await page.keyboard.press("Escape");
    expect(await page.locator("dialog").isVisible()).toBe(false);
    expect(
      await page.locator("[data-session] [data-sign-in]").evaluate((it) => it === document.activeElement),
    ).toBe(true);
    await page.keyboard.press("Enter");
    expect(await page.locator("#sign-in-key").inputValue()).toBe("");
    expect(await text(alert)).toBe("");
    await page.click("dialog .cancel");
    expect(await page.locator("dialog").isVisible()).toBe(false);
    expect(await sessionText(page)).toStartWith("You are not signed in.");
  });

  test("ends the session on the service when you sign out", async () => {
    const { page } = await open();
    await enterKey(page, key);
    const session = await readSessionHeaders(page);
    await page.click("[data-sign-out]");
    await page.locator("[data-session-text]", { hasText: "You are not signed in" }).waitFor();
    expect(await page.context().cookies()).toEqual([]);
    expect(await page.evaluate(() => ({ ...localStorage }))).not.toHaveProperty("roster.session");
    expect(
      await page.locator("[data-session] [data-sign-in]").evaluate((it) => it === document.activeElement),
    ).toBe(true);
    const headers = { ...session, ...sameOrigin };
    expect((await service.call("/api/session", { headers })).status).toBe(401);
  });

  test("notices with the next request that the session has ended", async () => {
    const { page } = await open();
    await enterKey(page, key);
    const headers = { ...(await readSessionHeaders(page)), ...sameOrigin };
    expect((await service.call("/api/session", { method: "DELETE", headers })).status).toBe(204);
    await page.click("#listUsers .try > summary");
    expect(await send(page, "listUsers")).toBe("401 Unauthorized");
    await page.locator("#listUsers .key-line", { hasText: "Requires a key" }).waitFor();
    expect(await sessionText(page)).toStartWith("You are not signed in.");
  });

  test("keeps you signed in after a reload", async () => {
    const { page } = await open();
    await enterKey(page, readingKey);
    await page.reload();
    await page
      .locator("[data-session-text]", { hasText: "Signed in as reader, with users:read, until" })
      .waitFor();
    expect(await page.locator("[data-session] button:visible").allInnerTexts()).toEqual(["Sign out"]);
  });
});

test("creating a key needs the key again, which the form sends once and clears", async () => {
  const { page } = await open();
  await enterKey(page, key);
  await page.click("#createKey .try > summary");
  expect(await send(page, "createKey")).toBe("403 Forbidden");
  expect(await text(page.locator("#createKey .outcome pre"))).toContain("/problems/key-required");
  const again = page.locator("#createKey").getByLabel("API key");
  await again.fill(` ${key} `);
  await page.click("#createKey .send");
  await page.locator("#createKey .outcome .status", { hasText: "201 Created" }).waitFor();
  expect(await again.inputValue()).toBe("");
  expect(await page.locator("[data-key-again]:visible").count()).toBe(1);
  await page.click("[data-sign-out]");
  await page.locator("[data-session-text]", { hasText: "You are not signed in" }).waitFor();
  expect(await page.locator("[data-key-again]:visible").count()).toBe(0);
});

test("the forms for signing in and out change the session of the page", async () => {
  const { page } = await open();
  await page.click("#signIn .try > summary");
  await page.fill("#signIn-body", JSON.stringify({ key: readingKey }));
  expect(await send(page, "signIn")).toBe("200 OK");
  await page.locator("[data-session-text]", { hasText: "Signed in as reader" }).waitFor();
  await page.click("#signOut .try > summary");
  await page.click("#signOut .send");
  await page.click("#signOut .confirm .send");
  await page.locator("[data-session-text]", { hasText: "You are not signed in" }).waitFor();
});

describe("the key", () => {
  test("is in no URL, storage, cookie or part of the page after signing in", async () => {
    const { page } = await open();
    const addresses: string[] = [];
    page.on("request", (request) => addresses.push(request.url()));
    await enterKey(page, key);
    const stored = await page.evaluate(async () => ({
      storage: JSON.stringify([{ ...localStorage }, { ...sessionStorage }]),
      databases: (await indexedDB.databases()).length,
      caches: (await caches.keys()).length,
      cookie: document.cookie,
      page: document.documentElement.outerHTML,
      values: [...document.querySelectorAll("input")].map(({ value }) => value).join(),
      history: JSON.stringify(history.state) + location.href,
    }));
    expect(stored).toMatchObject({ databases: 0, caches: 0, cookie: "" });
    const cookies = await page.context().cookies();
    expect(cookies).toMatchObject([{ httpOnly: true, sameSite: "Strict", path: "/" }]);
    expect(JSON.stringify([stored, cookies, addresses])).not.toContain(key.slice(7, 25));
  });

  test("is typed into a password input without a name, in a form that only the script submits", async () => {
    const { page } = await open();
    const field = page.locator("#sign-in-key");
    expect(
      await field.evaluate((it) => [
        it.getAttribute("type"),
        it.getAttribute("name"),
        it.getAttribute("autocomplete"),
      ]),
    ).toEqual(["password", null, "off"]);
    const before = page.url();
    await page.click("[data-session] [data-sign-in]");
    await field.fill(key);
    // Submit without the page's script: the Content-Security-Policy blocks the form.
    const blocked = await page.evaluate(() => {
      const violation = new Promise<string>((resolve) => {
        document.addEventListener("securitypolicyviolation", (event) => resolve(event.effectiveDirective));
      });
      HTMLFormElement.prototype.submit.call(document.querySelector("dialog form"));
      return violation;
    });
    expect(blocked).toBe("form-action");
    expect(page.url()).toBe(before);
  });
});

describe("signing in", () => {
  test("fits a phone and has enough contrast in either theme", async () => {
    const { page } = await open({ viewport: { width: 360, height: 740 } });
    await page.locator(".try").evaluateAll((forms) => {
      for (const form of forms) form.toggleAttribute("open");
    });
    expect(await lowContrastTextInBothThemes(page)).toEqual([]);
    await page.click("[data-session] [data-sign-in]");
    await page.keyboard.type("x");
    await page.keyboard.press("Enter");
    await page.locator("[role=alert]:not(:empty)").waitFor();
    expect(await lowContrastTextInBothThemes(page)).toEqual([]);
    expect(await overflowWidth(page)).toBe(0);
    const box = await page.locator("dialog").boundingBox();
    expect(box && box.x >= 0 && box.x + box.width <= 360 && box.height < 740).toBe(true);
    await page.keyboard.press("Escape");
    await enterKey(page, key);
    expect(await lowContrastTextInBothThemes(page)).toEqual([]);
    expect(await overflowWidth(page)).toBe(0);
  });

  test("logs nothing in the browser console but the 401 before signing in", async () => {
    const { page, browserErrors } = await open();
    await enterKey(page, key);
    await page.click("#listUsers .try > summary");
    expect(await send(page, "listUsers")).toBe("200 OK");
    expect(browserErrors).toEqual([
      "Failed to load resource: the server responded with a status of 401 (Unauthorized)",
    ]);
  });
});

requireProgram("curl").test("the samples run unchanged with a key in the environment", async () => {
  const { page } = await open();
  const samples = page.locator("#createKey [data-samples=Request] code");
  const [curl = "", typescript = ""] = await samples.evaluateAll((all) =>
    all.map((code) => code.textContent ?? ""),
  );
  const names: (string | undefined)[] = [];
  for (const command of [
    ["sh", "-c", curl.replace("curl ", "curl -s ")],
    [process.execPath, "-e", `${typescript}\nconsole.log(JSON.stringify(data));`],
  ]) {
    const run = Bun.spawn(command, {
      env: { PATH: process.env.PATH ?? "", ROSTER_API_KEY: key },
      stdout: "pipe",
    });
    const created: { name?: string } = await new Response(run.stdout).json();
    names.push(created.name);
  }
  expect(names).toEqual(["ci", "ci"]);
});
