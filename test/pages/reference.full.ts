import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { formatScopes, type Operation } from "../../src/contract/operation.ts";
import { operations } from "../../src/contract/operations.ts";
import { isProblemType, problems } from "../../src/contract/problems.ts";
import { bundleAssets } from "../../src/pages/assets.ts";
import { openBrowser } from "../support/browser.ts";
import { lowContrastTextInBothThemes, openPage, overflowWidth, text } from "../support/browser-page.ts";
import { describeWithEachFontSet } from "../support/font-sets.ts";
import { startService } from "../support/service.ts";

const everyOperation = Object.values<Operation>(operations);
let service: Awaited<ReturnType<typeof startService>>;
let browser: Browser;

beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), openBrowser()]);
}, 120_000);

afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const open = (path: string, options?: BrowserContextOptions) =>
  openPage(browser, new URL(path, service.url).href, options);

describe("every page", () => {
  test.each(["/docs", "/problems", "/problems/email-taken"])(
    "%s loads without errors under the Content-Security-Policy, and requests nothing from other origins",
    async (path) => {
      const response = await service.call(path);
      expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
      const { page, browserErrors } = await open(path);
      expect(await page.locator(".enhanced").count()).toBeGreaterThanOrEqual(path === "/problems" ? 0 : 1);
      expect(browserErrors).toEqual([]);
    },
  );

  describeWithEachFontSet((browser) => {
    test.each(["/docs", "/problems", "/problems/email-taken"])(
      "%s fits a phone without scrolling sideways",
      async (path) => {
        const url = new URL(path, service.url).href;
        const { page } = await openPage(browser(), url, { viewport: { width: 360, height: 740 } });
        expect(await overflowWidth(page)).toBe(0);
        await page.context().close();
      },
    );
  });

  test.each(["/docs", "/problems", "/problems/email-taken"])(
    "%s has text of enough contrast everywhere (WCAG AA), in either colour scheme",
    async (path) => {
      const { page } = await open(path);
      await page.locator(".try").evaluateAll((forms) => {
        for (const form of forms) form.toggleAttribute("open");
      });
      expect(await lowContrastTextInBothThemes(page)).toEqual([]);
    },
  );

  test("the assets are smaller than 60 KB in total", async () => {
    const assets = await bundleAssets();
    const bytes = assets.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
    expect(bytes).toBeLessThan(60_000);
  });

  test("the script has no imports and no exports", async () => {
    const script = (await bundleAssets()).find(({ path }) => path.endsWith(".js"))?.text;
    expect(script).toBeDefined();
    expect(script).not.toMatch(/\b(import|export|require)\b\s*[({*"']|\bexport default\b/);
  });
});

describe("the reference", () => {
  test("shows every operation with its method, path, scope and problems", async () => {
    const { page } = await open("/docs");
    const badges: Record<string, string> = { public: "no key", authenticated: "any key" };
    const shown = await page.evaluate(
      (ids) =>
        ids.map((id) => ({
          route: document.querySelector(`#${id} .route`)?.textContent ?? "",
          access: document.querySelector(`#${id} .access`)?.textContent ?? "",
          links: [...document.querySelectorAll(`#${id} a`)].map((link) => link.getAttribute("href")),
          navigation: document.querySelectorAll(`nav a[href="#${id}"]`).length,
        })),
      everyOperation.map(({ id }) => id),
    );
    for (const [index, operation] of everyOperation.entries()) {
      const { method, path, access, problems: types } = operation;
      const section = shown[index];
      expect(section?.route).toMatch(new RegExp(`${method}\\s+${RegExp.escape(path)}`));
      expect(section?.access).toBe(
        typeof access === "string"
          ? badges[access]
          : `requires a key with the scope ${formatScopes(operation)}`,
      );
      for (const type of types) {
        expect(section?.links.filter((link) => link === `/problems/${type}`)).toHaveLength(1);
      }
      expect(section?.navigation).toBe(1);
    }
  });

  test("has no broken links", async () => {
    const { page } = await open("/docs");
    const targets = await page
      .locator("a[href]")
      .evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""));
    const ids = new Set(await page.locator("[id]").evaluateAll((found) => found.map(({ id }) => id)));
    for (const target of new Set(targets)) {
      if (target.startsWith("#")) expect(ids).toContain(target.slice(1));
      else if (target.startsWith("/problems/")) expect(isProblemType(target.slice(10))).toBe(true);
      else expect(["/", "/docs", "/problems", "/openapi.json"]).toContain(target);
    }
  });

  test("Try it creates a user, finds it with a filter, and deletes it after a confirmation", async () => {
    const { page } = await open("/docs");
    await page.click("#createUser .try > summary");
    await page.fill("#createUser-body", JSON.stringify({ name: "Grace Hopper", rank: "admiral" }));
    await page.click("#createUser .send");
    await page.locator("#createUser .outcome .status", { hasText: "201" }).waitFor();
    const { id } = JSON.parse(await text(page.locator("#createUser .outcome pre")));

    await page.click("#listUsers .try > summary");
    await page.fill("#listUsers-filters", "rank=admiral");
    await page.click("#listUsers .send");
    await page.locator("#listUsers .outcome pre").waitFor();
    expect(JSON.parse(await text(page.locator("#listUsers .outcome pre")))).toMatchObject([{ id }]);

    await page.click("#deleteUser .try > summary");
    await page.fill("#deleteUser-id", String(id));
    await page.click("#deleteUser .send");
    expect((await service.call(`/api/users/${id}`)).status).toBe(200);
    await page.click("#deleteUser .confirm .send");
    await page.locator("#deleteUser .outcome .status", { hasText: "204" }).waitFor();
    expect((await service.call(`/api/users/${id}`)).status).toBe(404);
  });

  test("Try it links a problem to its page", async () => {
    const { page } = await open("/docs");
    await page.click("#readUser .try > summary");
    await page.fill("#readUser-id", "999999");
    await page.click("#readUser .send");
    const link = page.locator("#readUser .outcome a");
    await link.waitFor();
    expect(await link.getAttribute("href")).toBe("/problems/user-not-found");
    await link.click();
    await page.waitForURL("**/problems/user-not-found");
    expect(await text(page.locator("h1"))).toBe(problems["user-not-found"].title);
  });

  test("the slash key focuses the filter, which shows only matching operations", async () => {
    const { page } = await open("/docs");
    await page.keyboard.press("/");
    await page.keyboard.type("replace users");
    expect(await page.locator("nav li:visible").allInnerTexts()).toEqual([
      expect.stringContaining("Replace a user"),
    ]);
    await page.keyboard.press("Enter");
    expect(new URL(page.url()).hash).toBe("#replaceUser");
  });

  test("samples switch tabs together, by click and by arrow key, and contain the service's origin", async () => {
    const { page } = await open("/docs");
    const shown = page.locator("#createUser [data-samples=Request] figure:visible");
    expect(await text(shown)).toContain(`curl -X POST ${new URL(service.url).origin}/api/users`);
    await page.locator("#listUsers [role=tab]", { hasText: "curl" }).press("ArrowRight");
    expect(await text(shown)).toContain("await fetch(url");
  });

  test("samples send a key from the environment if the operation requires one", async () => {
    const { page } = await open("/docs");
    const samples = await page.evaluate(
      (ids) =>
        ids.map((id) =>
          [...document.querySelectorAll(`#${id} [data-samples=Request] code`)].map(
            (code) => code.textContent ?? "",
          ),
        ),
      everyOperation.map(({ id }) => id),
    );
    for (const [index, { access }] of everyOperation.entries()) {
      const [curl = "", typescript = ""] = samples[index] ?? [];
      const keyed = access !== "public";
      expect(curl.includes('-H "Authorization: Bearer $ROSTER_API_KEY"')).toBe(keyed);
      expect(curl.endsWith(" -w '\\n'")).toBe(!typescript.endsWith("await response.text();"));
      expect(typescript.includes("Authorization: `Bearer $" + "{env.ROSTER_API_KEY}`")).toBe(keyed);
      expect(typescript.startsWith('import { env } from "node:process";')).toBe(keyed);
    }
  });

  test("shows nothing about signing in if the service requires no key", async () => {
    const { page, browserErrors } = await open("/docs");
    await page.waitForLoadState("networkidle");
    await page.click("#createUser .try > summary");
    expect(
      await page.locator("[data-session]:visible, [data-key-line]:visible, dialog:visible").count(),
    ).toBe(0);
    expect(browserErrors).toEqual([]);
  });

  test("on a phone, a menu button opens the sidebar, and a link closes it", async () => {
    const { page } = await open("/docs", { viewport: { width: 390, height: 844 } });
    expect(await page.locator("#sidebar").isVisible()).toBe(false);
    await page.click(".menu");
    await page.click('#sidebar a[href="#readUser"]');
    expect(await page.locator("#sidebar").isVisible()).toBe(false);
    expect(new URL(page.url()).hash).toBe("#readUser");
  });

  test("without JavaScript, shows every sample and no form", async () => {
    const { page } = await open("/docs", { javaScriptEnabled: false });
    const figures = page.locator("figure");
    expect(await figures.count()).toBeGreaterThan(everyOperation.length * 2);
    expect(await page.locator("figure:visible").count()).toBe(await figures.count());
    expect(await page.locator("form:visible, [data-filter]:visible").count()).toBe(0);
  });
});
