import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { problems } from "../../../src/contract/problems.ts";
import { assetPaths } from "../../../src/pages/assets.ts";
import { openBrowser } from "../../support/browser.ts";
import { createFirstKey } from "../../support/credentials.ts";
import { startService, type TestService } from "../../support/service.ts";

setDefaultTimeout(120_000);

const documents = [
  "/",
  "/keys",
  "/docs",
  "/problems",
  ...Object.keys(problems).map((type) => `/problems/${type}`),
];
const paths = [...documents, ...Object.values(assetPaths)];

/** The complete content security policy. */
const POLICY: Record<string, string> = {
  "default-src": "'none'",
  "script-src": "'self'",
  "style-src": "'self'",
  "connect-src": "'self'",
  "img-src": "'self' data:",
  "base-uri": "'none'",
  "form-action": "'none'",
  "frame-ancestors": "'none'",
};

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

describe("pages and their files", () => {
  test.each(paths)("%s has the security headers", async (path) => {
    for (const method of ["GET", "HEAD"]) {
      const { status, headers } = await service.call(path, { method });
      expect(status).toBe(200);
      const directives = (headers.get("content-security-policy") ?? "").split("; ");
      expect(Object.fromEntries(directives.map((directive) => directive.split(/ (.*)/).slice(0, 2)))).toEqual(
        POLICY,
      );
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("x-frame-options")).toBe("DENY");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
      expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
      expect(headers.get("permissions-policy")).toMatch(/camera=\(\).*geolocation=\(\).*microphone=\(\)/);
      expect(headers.get("content-type")).toMatch(
        /^(text\/(html|css|javascript); charset=utf-8|image\/svg\+xml)$/,
      );
      expect(headers.get("server")).toBeNull();
      expect(headers.get("set-cookie")).toBeNull();
    }
  });

  test.each(documents)("%s has no inline scripts or styles and no foreign resources", async (path) => {
    const page = await (await service.call(path)).text();
    expect(page).not.toMatch(
      /<style|\sstyle=|<script(?![^>]*\ssrc="\/)|\son\w+=|javascript:|<base|<iframe|<object|<embed/i,
    );
    expect(page).not.toMatch(/\s(?:src|action|formaction)="(?!\/)/);
    expect(page).not.toMatch(/<link[^>]*href="(?!\/)/);
  });

  test("other responses are never treated as HTML", async () => {
    for (const path of ["/openapi.json", "/api/users", "/healthz", "/problems/nothing", "/docs/nothing.js"]) {
      const { headers } = await service.call(path);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("content-type")).toMatch(/^application\/(problem\+)?json/);
    }
  });

  test("text in the path never becomes part of a page", async () => {
    const response = await service.call("/problems/%3Cscript%3Ealert(1)%3C%2Fscript%3E");
    expect(response.headers.get("content-type")).toBe("application/problem+json");
  });
});

describe("in a browser", () => {
  let browser: Browser;
  let keyed: TestService;
  let key: string;
  beforeAll(async () => {
    [browser, keyed] = await Promise.all([openBrowser(), startService()]);
    key = await createFirstKey(keyed);
  }, 120_000);
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
  });
  afterAll(async () => {
    await browser?.close();
    await keyed?.stop();
  });

  /** Opens a page, and collects violations of the policy. */
  async function open(url: string): Promise<{ page: Page; violations: string[] }> {
    const context = await browser.newContext();
    await context.addInitScript(() => {
      document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) => {
        console.info(`violation: ${effectiveDirective} ${blockedURI}`);
      });
    });
    const page = await context.newPage();
    const violations: string[] = [];
    page.on("console", (message) => {
      if (message.text().startsWith("violation: ")) violations.push(message.text().slice(11));
    });
    await page.goto(url);
    return { page, violations };
  }

  test("loading the pages does not violate the policy", async () => {
    for (const path of ["/", "/docs", "/problems", "/problems/email-taken"]) {
      const { page, violations } = await open(service.url + path);
      // The console follows events: its network is never idle.
      await page.getByRole("heading").first().waitFor();
      await page.waitForLoadState("load");
      expect({ path, violations }).toEqual({ path, violations: [] });
    }
  });

  test("using the reference page does not violate the policy", async () => {
    const { page, violations } = await open(`${keyed.url}/docs`);
    await page.click("[data-session] [data-sign-in]");
    await page.keyboard.type(key);
    await page.keyboard.press("Enter");
    await page.locator("[data-sign-out]").waitFor();
    await page.click("#createUser .try > summary");
    await page.click("#createUser .send");
    await page.locator("#createUser .outcome .status", { hasText: "201" }).waitFor();
    await page.click("#createUser .copy >> nth=0");
    await page.fill("#filter", "delete");
    await page.click("[data-sign-out]");
    await page.locator("[data-session-text]", { hasText: "You are not signed in" }).waitFor();
    expect(violations).toEqual([]);
  });

  test("the policy blocks injected content", async () => {
    const { page, violations } = await open(`${service.url}/docs`);
    const outcome = await page.evaluate(async () => {
      const inject = (name: string, attributes: Record<string, string>, text = "") => {
        const element = document.createElement(name);
        for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
        element.textContent = text;
        document.body.append(element);
        return element;
      };
      inject("script", {}, "globalThis.ran = true");
      inject("script", { src: "data:text/javascript,globalThis.ran=true" });
      inject("img", { src: "/nothing.png", onerror: "globalThis.ran = true" });
      inject("style", {}, "body { display: none }");
      inject("iframe", { src: "https://elsewhere.example/" });
      inject("base", { href: "https://elsewhere.example/" });
      const sent = await fetch("https://elsewhere.example/").then(String, String);
      await new Promise((resolve) => setTimeout(resolve, 300));
      const { display } = getComputedStyle(document.body);
      return { ran: "ran" in globalThis, display, sent, base: document.baseURI.includes("elsewhere") };
    });
    expect(outcome).toEqual({
      ran: false,
      display: "block",
      sent: "TypeError: Failed to fetch",
      base: false,
    });
    const directives = new Set(violations.map((violation) => violation.split(" ")[0]));
    for (const directive of [
      "script-src-elem",
      "script-src-attr",
      "style-src-elem",
      "frame-src",
      "connect-src",
      "base-uri",
    ]) {
      expect(directives).toContain(directive);
    }
  });
});
