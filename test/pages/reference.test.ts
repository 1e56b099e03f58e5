import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, BrowserContextOptions } from "playwright-core";
import type { Operation } from "../../src/contract/operation.ts";
import { operations } from "../../src/contract/operations.ts";
import { isProblemType, problems } from "../../src/contract/problems.ts";
import { bundleAssets } from "../../src/pages/assets.ts";
import { openBrowser } from "../support/browser.ts";
import { lowContrastText, openPage, overflowWidth, text } from "../support/browser-page.ts";
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
    "%s loads under the policy with no error, and asks nothing of any other origin",
    async (path) => {
      const answer = await fetch(new URL(path, service.url));
      expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
      const { page, faults } = await open(path);
      expect(await page.locator(".enhanced").count()).toBeGreaterThanOrEqual(path === "/problems" ? 0 : 1);
      expect(faults).toEqual([]);
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
      for (const colorScheme of ["light", "dark"] as const) {
        const { page } = await open(path, { colorScheme, reducedMotion: "reduce" });
        for (const form of await page.locator(".try").all())
          await form.evaluate((it) => it.toggleAttribute("open"));
        expect(await page.evaluate(lowContrastText)).toEqual([]);
      }
    },
  );

  test("the assets together stay under 60 KB", async () => {
    const assets = await bundleAssets();
    const bytes = assets.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
    expect(bytes).toBeLessThan(60_000);
  });

  test("the script that browsers get imports and exports nothing", async () => {
    const script = (await bundleAssets()).find(({ path }) => path.endsWith(".js"))?.text;
    expect(script).toBeDefined();
    expect(script).not.toMatch(/\b(import|export|require)\b\s*[({*"']|\bexport default\b/);
  });
});

describe("the reference", () => {
  test("has every operation of the contract, with its method, path, scope and problems", async () => {
    const { page } = await open("/docs");
    const badges: Record<string, string> = { public: "no key", authenticated: "any key" };
    for (const operation of everyOperation) {
      const section = page.locator(`#${operation.id}`);
      expect(await text(section.locator(".route"))).toMatch(
        new RegExp(`${operation.method}\\s+${RegExp.escape(operation.path)}`),
      );
      const { access } = operation;
      expect(await text(section.locator(".access"))).toBe(
        badges[access] ?? `takes a key with the scope ${access}`,
      );
      for (const type of operation.problems) {
        expect(await section.locator(`a[href="/problems/${type}"]`).count()).toBe(1);
      }
      expect(await page.locator(`nav a[href="#${operation.id}"]`).count()).toBe(1);
    }
  });

  test("links only to what is there", async () => {
    const { page } = await open("/docs");
    const targets = await page
      .locator("a[href]")
      .evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""));
    const ids = new Set(await page.locator("[id]").evaluateAll((found) => found.map(({ id }) => id)));
    for (const target of new Set(targets)) {
      if (target.startsWith("#")) expect(ids).toContain(target.slice(1));
      else if (target.startsWith("/problems/")) expect(isProblemType(target.slice(10))).toBe(true);
      else expect(["/docs", "/problems", "/openapi.json"]).toContain(target);
    }
  });

  test("Try it lists the users and shows the answer: status, headers and body", async () => {
    const { page, faults } = await open("/docs");
    await page.click("#listUsers .try > summary");
    await page.click("#listUsers .send");
    const outcome = page.locator("#listUsers .outcome");
    await outcome.locator("pre").waitFor();
    expect(await text(outcome.locator(".status"))).toBe("200 OK");
    expect(await outcome.locator("dt", { hasText: "x-request-id" }).count()).toBe(1);
    expect(Array.isArray(JSON.parse(await text(outcome.locator("pre"))))).toBe(true);
    expect(faults).toEqual([]);
  });

  test("Try it sends what the form holds: a user is created, found by the query, and deleted after a question", async () => {
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
    expect((await fetch(new URL(`/api/users/${id}`, service.url))).status).toBe(200);
    await page.click("#deleteUser .confirm .send");
    await page.locator("#deleteUser .outcome .status", { hasText: "204" }).waitFor();
    expect((await fetch(new URL(`/api/users/${id}`, service.url))).status).toBe(404);
  });

  test("a problem that Try it meets is shown with the page that explains it", async () => {
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

  test("the slash key goes to the filter, which leaves the operations that match", async () => {
    const { page } = await open("/docs");
    await page.keyboard.press("/");
    await page.keyboard.type("delete users");
    expect(await page.locator("nav li:visible").allInnerTexts()).toEqual([
      expect.stringContaining("Delete a user"),
    ]);
    await page.keyboard.press("Enter");
    expect(new URL(page.url()).hash).toBe("#deleteUser");
  });

  test("samples switch together by tab and by arrow key, and name this service's own address", async () => {
    const { page } = await open("/docs");
    const shown = page.locator("#createUser [data-samples=Request] figure:visible");
    expect(await text(shown)).toContain(`curl -X POST ${new URL(service.url).origin}/api/users`);
    await page.locator("#listUsers [role=tab]", { hasText: "curl" }).press("ArrowRight");
    expect(await text(shown)).toContain("await fetch(url");
  });

  test("samples show a key from the environment where one is needed, and nowhere else", async () => {
    const { page } = await open("/docs");
    for (const { id, access } of everyOperation) {
      const [curl = "", typescript = ""] = await page
        .locator(`#${id} [data-samples=Request] code`)
        .evaluateAll((found) => found.map((code) => code.textContent ?? ""));
      const keyed = access !== "public";
      expect(curl.includes('-H "Authorization: Bearer $ROSTER_API_KEY"')).toBe(keyed);
      expect(typescript.includes("Authorization: `Bearer $" + "{env.ROSTER_API_KEY}`")).toBe(keyed);
      expect(typescript.startsWith('import { env } from "node:process";')).toBe(keyed);
    }
  });

  test("where no key is asked for, nothing is said of signing in", async () => {
    const { page, faults } = await open("/docs");
    await page.waitForLoadState("networkidle");
    await page.click("#createUser .try > summary");
    expect(
      await page.locator("[data-session]:visible, [data-key-line]:visible, dialog:visible").count(),
    ).toBe(0);
    expect(faults).toEqual([]);
  });

  test("on a phone the operations are behind a button, and choosing one goes there", async () => {
    const { page } = await open("/docs", { viewport: { width: 390, height: 844 } });
    expect(await page.locator("#sidebar").isVisible()).toBe(false);
    await page.click(".menu");
    await page.click('#sidebar a[href="#readUser"]');
    expect(await page.locator("#sidebar").isVisible()).toBe(false);
    expect(new URL(page.url()).hash).toBe("#readUser");
  });

  test("reads in full without a script: every sample is shown, and no form that could not work", async () => {
    const { page } = await open("/docs", { javaScriptEnabled: false });
    const figures = page.locator("figure");
    expect(await figures.count()).toBeGreaterThan(everyOperation.length * 2);
    expect(await page.locator("figure:visible").count()).toBe(await figures.count());
    expect(await page.locator("form:visible, [data-filter]:visible").count()).toBe(0);
  });
});
