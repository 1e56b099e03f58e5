import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { animationsFinished, openPage } from "../../support/browser-page.ts";
import { startService, type TestService } from "../../support/service.ts";

export { animationsFinished as settled };

export interface Console extends AsyncDisposable {
  readonly page: Page;
  readonly service: TestService;
  /** Errors and warnings of the page, and requests to other origins. Empty, unless a test provokes them. */
  readonly errors: string[];
}

interface ConsoleOptions extends BrowserContextOptions {
  /** The view to open. */
  readonly path?: string;
  readonly settings?: Parameters<typeof startService>[0];
  /** What is to be there before the page is opened. */
  readonly before?: (service: TestService) => Promise<unknown>;
  /** One that runs already, and goes on afterwards; one of its own unless given. */
  readonly service?: TestService;
  /** To sign in with. */
  readonly key?: string;
}

/** The console of a service, in a window of its own. */
export async function openConsole(browser: Browser, options: ConsoleOptions = {}): Promise<Console> {
  const { path = "/", settings = {}, before, service: given, key, ...contextOptions } = options;
  const service = given ?? (await startService(settings));
  await before?.(service);
  const { page, browserErrors: errors } = await openPage(browser, service.url + path, contextOptions);
  page.setDefaultTimeout(60_000);
  if (key !== undefined) await signIn(page, key);
  return {
    page,
    service,
    errors,
    async [Symbol.asyncDispose]() {
      await page.context().close();
      if (!given) await service.stop();
    },
  };
}

export const keyField = (page: Page) => page.getByLabel("Key", { exact: true });

/** As a person does it, wherever it is asked for. */
export async function signIn(page: Page, key: string): Promise<void> {
  await keyField(page).fill(key);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await keyField(page).waitFor({ state: "detached" });
}

export const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

/** Presses Tab until the next element has the focus that matches. */
export async function tabTo(page: Page, selector: string): Promise<void> {
  for (let step = 0; step < 40; step++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector)) return;
  }
  throw new Error(`Tab leads to no ${selector}.`);
}

/** What a program finds that makes the page hard to use for some: rules with the elements that break them. */
export async function accessibilityErrors(page: Page): Promise<string[]> {
  await animationsFinished(page);
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
