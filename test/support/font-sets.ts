import { afterAll, beforeAll } from "bun:test";
import type { Browser } from "playwright-core";
import { type Fonts, openBrowser } from "./browser.ts";
import { requirement } from "./requirements.ts";

/** Defines layout tests twice: with the packaged fonts, which are the same everywhere, and with the machine's fonts. */
export function describeWithEachFontSet(define: (browser: () => Browser) => void): void {
  describeWith("packaged", true, define);
  describeWith("machine", machineHasFonts, define);
}

function describeWith(fonts: Fonts, available: boolean, define: (browser: () => Browser) => void): void {
  requirement(available, "the machine has no fonts").describe(`with ${fonts} fonts`, () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await openBrowser(fonts);
    }, 120_000);
    afterAll(() => browser?.close());
    define(() => browser);
  });
}

/** Without fonts, Chromium starts, but every text has a width of 0. */
const machineHasFonts = await (async () => {
  await using browser = await openBrowser("machine");
  const page = await browser.newPage();
  await page.setContent("<span>text</span>");
  return await page.locator("span").evaluate((span) => span.getBoundingClientRect().width > 0);
})();
