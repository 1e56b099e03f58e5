import type axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { animationsFinished, openPage, type PageOptions } from "../../support/browser-page.ts";
import { startService, type TestService } from "../../support/service.ts";

/** Minified: each page that is checked has to compile it. */
const axeSource = await Bun.file(Bun.resolveSync("axe-core/axe.min.js", import.meta.dir)).text();

export interface Console extends AsyncDisposable {
  readonly page: Page;
  readonly service: TestService;
  /** Console errors and warnings, failed requests, and requests to other origins. */
  readonly errors: string[];
}

interface ConsoleOptions extends PageOptions {
  /** The view to open. */
  readonly path?: string;
  readonly settings?: Parameters<typeof startService>[0];
  /** Runs before the page is opened. */
  readonly before?: (service: TestService) => Promise<unknown>;
  /** A running service, which is not stopped afterwards. Default: a new service. */
  readonly service?: TestService;
  /** The key to sign in with. */
  readonly key?: string;
}

/** Opens the console in a new browser context. */
export async function openConsole(browser: Browser, options: ConsoleOptions = {}): Promise<Console> {
  const { path = "/users", settings = {}, before, service: running, key, ...pageOptions } = options;
  const service = running ?? (await startService(settings));
  await before?.(service);
  const { page, browserErrors: errors } = await openPage(browser, service.url + path, pageOptions);
  page.setDefaultTimeout(60_000);
  if (key !== undefined) await signIn(page, key);
  return {
    page,
    service,
    errors,
    async [Symbol.asyncDispose]() {
      const context = page.context();
      // Requests that a route still handles fail when the context closes.
      await Promise.all(context.pages().map((each) => each.unrouteAll({ behavior: "ignoreErrors" })));
      await context.close();
      if (!running) await service.stop();
    },
  };
}

export const keyField = (page: Page) => page.getByLabel("Key", { exact: true });

/** Signs in with the form, on the sign-in page or in the dialog. */
export async function signIn(page: Page, key: string): Promise<void> {
  await keyField(page).fill(key);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await keyField(page).waitFor({ state: "detached" });
}

export const nameField = (page: Page) => page.getByRole("textbox", { name: "Name", exact: true });

const openAccountMenu = (page: Page) => page.getByRole("button", { name: /^Account: / }).click();

export async function chooseTheme(page: Page, name: "Like the system" | "Light" | "Dark"): Promise<void> {
  await openAccountMenu(page);
  await page.getByRole("menuitemradio", { name }).click();
  await page.keyboard.press("Escape");
}

export async function signOut(page: Page): Promise<void> {
  await openAccountMenu(page);
  await page.getByRole("menuitem", { name: "Sign out" }).click();
}

/** The link to a view in the navigation. */
export const viewLink = (page: Page, name: string) =>
  page.getByRole("navigation").getByRole("link", { name, exact: true });

export const waitForToast = (page: Page, title: string) =>
  page.locator(".toast-title", { hasText: title }).waitFor();

/** Waits for a toast that covers no part of the open dialogs. */
export const waitForToastBesideDialog = (page: Page, title: string) =>
  page.waitForFunction((expected) => {
    const toasts = document.querySelector(".toasts")?.getBoundingClientRect();
    const dialogs = [...document.querySelectorAll(".modal")].map((dialog) => dialog.getBoundingClientRect());
    const titles = [...document.querySelectorAll(".toast-title")].map(({ textContent }) => textContent);
    if (!toasts || dialogs.length === 0 || !titles.includes(expected)) return false;
    return dialogs.every(
      ({ top, right, bottom, left }) =>
        toasts.top >= bottom || toasts.bottom <= top || toasts.left >= right || toasts.right <= left,
    );
  }, title);

export const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

/** The line of an entry in a list. */
export const entryOf = (page: Page, name: string) =>
  page
    .getByRole("row")
    .filter({ has: page.getByRole("button", { name: `Actions for ${name}`, exact: true }) });

/** Chooses an action in the menu of an entry. */
export async function chooseAction(page: Page, name: string, action: string): Promise<void> {
  await press(page, `Actions for ${name}`);
  await page.getByRole("menuitem", { name: action, exact: true }).click();
}

/** Presses Tab until an element that matches the selector has the focus. */
export async function tabTo(page: Page, selector: string): Promise<void> {
  for (let step = 0; step < 40; step++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate((expected) => document.activeElement?.matches(expected), selector)) return;
  }
  throw new Error(`Tab does not reach ${selector}.`);
}

/** Accessibility violations found by axe: each rule with the elements that break it. */
export async function accessibilityErrors(page: Page): Promise<string[]> {
  await animationsFinished(page);
  return runAxe(page, {});
}

/** As `accessibilityErrors`, and then the contrast in the other theme: no other rule depends on the theme. */
export async function accessibilityErrorsInBothThemes(page: Page): Promise<string[]> {
  const errors = await accessibilityErrors(page);
  const isDark = await page.evaluate(() => matchMedia("(prefers-color-scheme: dark)").matches);
  const [theme, other] = isDark ? (["dark", "light"] as const) : (["light", "dark"] as const);
  await page.emulateMedia({ colorScheme: other });
  await animationsFinished(page);
  const contrastErrors = await runAxe(page, { runOnly: ["color-contrast"] });
  await page.emulateMedia({ colorScheme: theme });
  return [...errors, ...contrastErrors.map((error) => `${error} in the ${other} theme`)];
}

async function runAxe(page: Page, options: axe.RunOptions): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axeSource);
  const violations = await page.evaluate(async (runOptions) => {
    const { axe: inPage } = globalThis as unknown as { axe: typeof axe };
    const { violations: found } = await inPage.run({ ...runOptions, resultTypes: ["violations"] });
    return found.map(({ id, nodes }) => ({ id, targets: nodes.map(({ target }) => target.join(" ")) }));
  }, options);
  return violations.map(({ id, targets }) => `${id}: ${targets.join(", ")}`);
}
