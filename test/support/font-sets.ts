import { afterAll, beforeAll } from "bun:test";
import type { Browser } from "playwright-core";
import { type Fonts, openBrowser } from "./browser.ts";
import { requirement } from "./requirements.ts";

/** Set by `npm run test:slow`. */
const ALL_FONTS = process.env.ALL_FONTS === "1";

/**
 * Defines layout tests with the packaged fonts, which are the same everywhere. `npm run test:slow` repeats them with the fonts
 * of the machine.
 */
export function describeWithEachFontSet(define: (browser: () => Browser) => void): void {
  describeWith("packaged", true, define);
  if (ALL_FONTS) describeWith("machine", machineHasFonts, define);
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
const machineHasFonts = ALL_FONTS && (await showsText());

async function showsText(): Promise<boolean> {
  await using browser = await openBrowser("machine");
  const page = await browser.newPage();
  await page.setContent("<span>text</span>");
  return await page.locator("span").evaluate((span) => span.getBoundingClientRect().width > 0);
}
