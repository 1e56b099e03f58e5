import { expect } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../../support/browser.ts";
import { overflowWidth } from "../../support/browser-page.ts";
import type { startService } from "../../support/service.ts";
import { accessibilityErrors, type Console, openConsole } from "./console.ts";
import { type ServiceWithKeys, startServiceWithKeys } from "./service-with-keys.ts";

/** One signed-in page for all tests of a file. */
export interface SharedPage extends AsyncDisposable, ServiceWithKeys, Pick<Console, "page" | "errors"> {
  readonly browser: Browser;
  /** Opens a view. */
  open(path: string): Promise<void>;
}

export async function openSharedPage(
  path: string,
  settings: Parameters<typeof startService>[0] = {},
  engine: Parameters<typeof startService>[1] = "sqlite",
): Promise<SharedPage> {
  const [browser, started] = await Promise.all([openBrowser(), startServiceWithKeys(settings, engine)]);
  const { service, key } = started;
  const { page, errors } = await openConsole(browser, { service, key, path });
  // The page is not signed in at first.
  errors.length = 0;
  return {
    ...started,
    browser,
    page,
    errors,
    open: async (path) => {
      await page.goto(service.url + path);
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      await service.stop();
    },
  };
}

/** Checks the page on a phone and on a desktop, in light and dark. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await overflowWidth(page)).toBe(0);
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await accessibilityErrors(page)).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ colorScheme: "light" });
  expect(await accessibilityErrors(page)).toEqual([]);
}
