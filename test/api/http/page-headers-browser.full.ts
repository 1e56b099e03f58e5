import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../../support/browser.ts";
import { createFirstKey } from "../../support/credentials.ts";
import { startService, type TestService } from "../../support/service.ts";
import { until } from "../../support/until.ts";

setDefaultTimeout(120_000);

let browser: Browser;
let service: TestService;
let keyed: TestService;
let key: string;
beforeAll(async () => {
  [browser, service, keyed] = await Promise.all([openBrowser(), startService(), startService()]);
  key = await createFirstKey(keyed);
});
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
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

/** What the policy reports about the injected content. */
const BLOCKED = [
  "base-uri",
  "connect-src",
  "frame-src",
  "script-src-attr",
  "script-src-elem",
  "style-src-elem",
];

test("the policy blocks injected content", async () => {
  const { page, violations } = await open(`${service.url}/docs`);
  const sent = await page.evaluate(() => {
    const inject = (name: string, attributes: Record<string, string>, text = "") => {
      const element = document.createElement(name);
      for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
      element.textContent = text;
      document.body.append(element);
    };
    inject("script", {}, "globalThis.ran = true");
    inject("script", { src: "data:text/javascript,globalThis.ran=true" });
    inject("img", { src: "/nothing.png", onerror: "globalThis.ran = true" });
    inject("style", {}, "body { display: none }");
    inject("iframe", { src: "https://elsewhere.example/" });
    inject("base", { href: "https://elsewhere.example/" });
    return fetch("https://elsewhere.example/").then(String, String);
  });
  const directives = () => [...new Set(violations.map((violation) => violation.split(" ")[0]))].sort();
  await until(() => BLOCKED.every((directive) => directives().includes(directive)));
  const outcome = await page.evaluate(() => ({
    ran: "ran" in globalThis,
    display: getComputedStyle(document.body).display,
    base: document.baseURI.includes("elsewhere"),
  }));
  expect({ ...outcome, sent }).toEqual({
    ran: false,
    display: "block",
    sent: "TypeError: Failed to fetch",
    base: false,
  });
  expect(directives()).toEqual(BLOCKED);
});
