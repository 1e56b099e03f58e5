import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { openPage, settled } from "../pages/looking.ts";
import { startService, type TestService } from "../service.ts";

export { settled };

export interface Console extends AsyncDisposable {
  readonly page: Page;
  readonly service: TestService;
  /** Errors and warnings of the page, and requests to other origins. Empty, unless a test provokes them. */
  readonly faults: string[];
}

interface Wishes extends BrowserContextOptions {
  /** The view to open. */
  readonly path?: string;
  readonly settings?: Parameters<typeof startService>[0];
  /** What is to be there before the page is opened. */
  readonly before?: (service: TestService) => Promise<unknown>;
}

/** The console of a service of its own, in a window of its own. */
export async function openConsole(browser: Browser, wishes: Wishes = {}): Promise<Console> {
  const { path = "/", settings = {}, before, ...options } = wishes;
  const service = await startService(settings);
  await before?.(service);
  const { page, faults } = await openPage(browser, service.url + path, options);
  page.setDefaultTimeout(10_000);
  return {
    page,
    service,
    faults,
    async [Symbol.asyncDispose]() {
      await page.context().close();
      await service.stop();
    },
  };
}

/** What a program finds that makes the page hard to use for some: rules with the elements that break them. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await settled(page);
  await page.evaluate(axe.source);
  const violations = await page.evaluate(async () => {
    const { axe: inPage } = globalThis as unknown as { axe: typeof axe };
    return (await inPage.run()).violations.map(({ id, nodes }) => ({
      id,
      targets: nodes.map(({ target }) => target.join(" ")),
    }));
  });
  return violations.map(({ id, targets }) => `${id}: ${targets.join(", ")}`);
}
