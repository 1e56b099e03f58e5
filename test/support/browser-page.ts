import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import type { SessionHeaders } from "./credentials.ts";

export interface Opened {
  readonly page: Page;
  /** Errors and warnings in the browser console, failed requests, and requests to other origins. */
  readonly browserErrors: string[];
}

export interface PageOptions extends BrowserContextOptions {
  /** Whether the browser asks pages to save data. The console then loads no views in advance. Default: true. */
  readonly saveData?: boolean;
}

/** Opens a page in a new browser context. */
export async function openPage(
  browser: Browser,
  url: string,
  { saveData = true, ...options }: PageOptions = {},
): Promise<Opened> {
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  if (saveData) await page.addInitScript(reportSaveData);
  const browserErrors = collectErrors(page, new URL(url).origin);
  await page.goto(url);
  return { page, browserErrors };
}

/** Collects errors and warnings in the browser console, failed requests, and requests to other origins. */
export function collectErrors(page: Page, origin: string): string[] {
  const errors: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") errors.push(message.text());
  });
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("requestfailed", (request) => {
    // Not an error: the page aborts requests of a view that the person leaves, and Chromium reports some responses that
    // must not be stored as aborted, after delivering them.
    if (request.failure()?.errorText !== "net::ERR_ABORTED") errors.push(`failed: ${request.url()}`);
  });
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== origin) errors.push(`other origin: ${request.url()}`);
  });
  return errors;
}

/** Runs in the page. Chromium has a setting for this only on Android. */
function reportSaveData(): void {
  Object.defineProperty(navigator, "connection", { value: { saveData: true } });
}

export async function text(locator: Locator): Promise<string> {
  return (await locator.textContent()) ?? "";
}

/** Lists the texts with a contrast ratio below 4.5 to 1, in the light and in the dark theme. */
export async function lowContrastTextInBothThemes(page: Page): Promise<string[]> {
  const faint: string[] = [];
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme });
    await animationsFinished(page);
    const texts = await page.evaluate(lowContrastText);
    faint.push(...texts.map((words) => `${words} in the ${colorScheme} theme`));
  }
  return faint;
}

/** Runs in the page. Lists the texts with a contrast ratio below 4.5 to 1. */
function lowContrastText(): string[] {
  const channels = (colour: string) => (colour.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (colour: string) => {
    const [red = 0, green = 0, blue = 0] = channels(colour).map((channel) => {
      const share = channel / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const backgrounds = new Map<Element, string>();
  const behind = (element: Element | null): string => {
    if (!element) return "rgb(255, 255, 255)";
    let colour = backgrounds.get(element);
    if (colour === undefined) {
      colour = getComputedStyle(element).backgroundColor;
      if (channels(colour)[3] === 0) colour = behind(element.parentElement);
      backgrounds.set(element, colour);
    }
    return colour;
  };
  const faint: string[] = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    const words = texts.currentNode.textContent?.trim();
    if (!element?.checkVisibility() || !words) continue;
    const [ink, paper] = [luminance(getComputedStyle(element).color), luminance(behind(element))];
    const ratio = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    if (ratio < 4.5) faint.push(`${element.className}: ${words}`);
  }
  return faint;
}

export async function overflowWidth(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

/** Waits until animations have ended: half-transparent text has too little contrast. */
export async function animationsFinished(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    document.getAnimations().every(({ playState, effect }) => {
      const endless = effect?.getComputedTiming().iterations === Number.POSITIVE_INFINITY;
      return endless || playState !== "running";
    }),
  );
}

/** The headers of the page's session, as a program could send them. */
export async function readSessionHeaders(page: Page): Promise<SessionHeaders> {
  const cookies = await page.context().cookies();
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  const token = await page.evaluate(() => localStorage.getItem("roster.session"));
  return { cookie, "x-session-token": token ?? "" };
}
