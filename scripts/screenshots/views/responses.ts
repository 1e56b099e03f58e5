import type { Page } from "playwright-core";

/** A response with an error. */
export const problem = (status: number, type: string, title: string, detail: string) => ({
  status,
  contentType: "application/problem+json",
  body: JSON.stringify({ type: `/problems/${type}`, title, status, detail }),
});

/** Answers a request instead of the service, so that the data stays the same for the next pictures. */
export async function respond(
  page: Page,
  method: string,
  pattern: string,
  response: { readonly status?: number; readonly contentType?: string; readonly body?: string },
): Promise<void> {
  await page.route(pattern, (route) =>
    route.request().method() === method
      ? route.fulfill({ contentType: "application/json", ...response })
      : route.fallback(),
  );
}

/** As `respond`, with JSON. */
export const respondJson = (page: Page, method: string, pattern: string, value: unknown) =>
  respond(page, method, pattern, { body: JSON.stringify(value) });
