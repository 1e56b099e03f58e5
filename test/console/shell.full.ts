import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../support/browser.ts";
import { animationsFinished, openPage } from "../support/browser-page.ts";
import { startService } from "../support/service.ts";
import { accessibilityErrors, chooseTheme, openConsole, viewLink } from "./support/console.ts";
import { chooseFile, csvOfUsers, holdImports, startImport } from "./support/import.ts";

setDefaultTimeout(120_000);
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);
afterAll(() => browser.close());

describe("the console", () => {
  test("opens at the root address", async () => {
    await using opened = await openConsole(browser, { path: "/" });
    const { page, errors } = opened;
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect(await page.title()).toContain(" · Roster");
    expect(errors).toEqual([]);
  });

  test("needs at most 12 requests and 220 KB for the first users", async () => {
    const service = await startService();
    await service.roster.users.create({ name: "Ada Lovelace" });
    const { page } = await openPage(browser, "about:blank");
    const loads: Promise<number>[] = [];
    page.on("requestfinished", (request) =>
      loads.push(
        request
          .sizes()
          .then(({ responseBodySize, responseHeadersSize }) => responseBodySize + responseHeadersSize),
      ),
    );
    await page.goto(`${service.url}/users`);
    await page.getByRole("row", { name: /Ada Lovelace/ }).waitFor();
    const sizes = await Promise.all(loads);
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    expect(sizes.length).toBeLessThanOrEqual(12);
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThan(220_000);
    await page.context().close();
    await service.stop();
  });

  test("switches the theme, and remembers it", async () => {
    await using opened = await openConsole(browser, { colorScheme: "light" });
    const { page } = opened;
    const paper = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const [light, dark] = ["rgb(252, 252, 250)", "rgb(17, 23, 21)"];
    expect(await paper()).toBe(light);
    await chooseTheme(page, "Dark");
    expect(await paper()).toBe(dark);
    await page.getByRole("button", { name: /^Account: / }).click();
    await page.getByRole("menu").waitFor();
    await page.reload();
    expect(await paper()).toBe(dark);
    await chooseTheme(page, "Light");
    expect(await paper()).toBe(light);
  });

  test("shows a message for an unknown address", async () => {
    await using opened = await openConsole(browser, { path: "/users/nobody" });
    const { page, service, errors } = opened;
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
    // Browsers get the console's page at any address, and programs get a problem.
    const [asBrowser, asProgram, api] = await Promise.all([
      fetch(`${service.url}/nothing/here`, { headers: { accept: "text/html,*/*;q=0.8" } }),
      service.call("/nothing/here"),
      service.call("/api/nothing", { headers: { accept: "text/html,*/*;q=0.8" } }),
    ]);
    expect([asBrowser, asProgram, api].map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(asBrowser.headers.get("content-type")).toContain("text/html");
    expect(asProgram.headers.get("content-type")).toBe("application/problem+json");
    expect(api.headers.get("content-type")).toBe("application/problem+json");
    await page.getByRole("link", { name: "Go to users" }).click();
    await page.getByRole("heading", { name: "No users yet" }).waitFor();
    expect(errors).toEqual([]);
  });

  test("lets browsers cache scripts, but not the page", async () => {
    const service = await startService();
    const page = await service.call("/");
    expect(page.headers.get("cache-control")).toBe("no-cache");
    const script = /src="(\/console\/[^"]+\.js)"/.exec(await page.text())?.[1] ?? "";
    const file = await service.call(script, { headers: { "accept-encoding": "identity" } });
    expect(file.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(file.headers.get("content-encoding")).toBeNull();
    expect((await service.call("/console/nothing.js")).status).toBe(404);
    await service.stop();
  });

  test("loads the other views while it is idle, so they open without the service", async () => {
    const service = await startService();
    const views = ["Import", "Keys", "Webhooks", "Schema", "Connect"];
    const openViews = async (page: Page) => {
      for (const view of views) {
        await viewLink(page, view).click();
        await page.getByRole("heading", { level: 1, name: view }).waitFor();
      }
    };
    await using onDemand = await openConsole(browser, { service });
    const scripts: string[] = [];
    onDemand.page.on("request", (request) => scripts.push(request.url()));
    await openViews(onDemand.page);
    const needed = scripts.filter((url) => url.endsWith(".js"));
    expect(needed.length).toBeGreaterThan(views.length);

    await using inAdvance = await openConsole(browser, { service, saveData: false });
    await inAdvance.page.waitForFunction((expected) => {
      const loaded = performance.getEntriesByType("resource").map(({ name }) => name);
      return expected.every((url) => loaded.includes(url));
    }, needed);
    await service.stop();
    await openViews(inAdvance.page);
  });

  describe("in a window of medium width", () => {
    const viewport = { width: 1024, height: 800 };

    test("has a rail of icons with names and tooltips, which marks the view", async () => {
      await using opened = await openConsole(browser, { path: "/keys", viewport });
      const { page } = opened;
      await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
      expect(await page.getByRole("button", { name: "Open the navigation" }).count()).toBe(0);
      const links = page.getByRole("navigation").getByRole("link");
      for (const link of await links.all()) {
        const title = await link.getAttribute("title");
        expect(title).not.toBeNull();
        expect((await link.textContent())?.trim()).toBe(title ?? "");
        expect((await link.boundingBox())?.width).toBeLessThan(60);
      }
      expect(await page.locator(".view-link[aria-current=page]").getAttribute("title")).toBe("Keys");
      expect(await accessibilityErrors(page)).toEqual([]);
      await viewLink(page, "Users").click();
      await page.getByRole("heading", { name: "No users yet" }).waitFor();
      await page.getByRole("button", { name: /^Account: / }).click();
      await page.getByRole("menu").waitFor();
      await animationsFinished(page);
      // All of it is in sight, also the part above the rail.
      const isWhole = await page.getByRole("menu").evaluate((menu) => {
        const { left, top, bottom } = menu.getBoundingClientRect();
        return menu.contains(document.elementFromPoint(left + 4, (top + bottom) / 2));
      });
      expect(isWhole).toBe(true);
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Search", exact: true }).click();
      await page.getByRole("combobox", { name: "Find a user, a group, a view or an action" }).waitFor();
    });

    test("shows the progress of an import in the rail", async () => {
      await using opened = await openConsole(browser, { path: "/import", viewport });
      const { page } = opened;
      const imports = await holdImports(page);
      await chooseFile(page, "people.csv", csvOfUsers(3));
      await startImport(page);
      await imports.started;
      const status = page.locator(".side .view-status");
      await status.waitFor();
      expect(await status.textContent()).toMatch(/%$/);
      const [text, link] = await Promise.all([
        status.boundingBox(),
        page.locator(".side .view-link.active").boundingBox(),
      ]);
      if (!text || !link) throw new Error("The link or its status is not in the page.");
      expect(text.x).toBeGreaterThanOrEqual(link.x);
      expect(text.x + text.width).toBeLessThanOrEqual(link.x + link.width);
      imports.letGo();
    });
  });
});
