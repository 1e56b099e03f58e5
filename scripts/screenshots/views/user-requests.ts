import type { Page, Request, Route } from "playwright-core";

/** Answers the requests with a method in place of the service: the data stays the same for the next picture. */
export async function answer(
  page: Page,
  method: string,
  address: string,
  respond: (route: Route) => unknown,
): Promise<void> {
  await page.route(address, async (route) => {
    if (route.request().method() === method) await respond(route);
    else await route.fallback();
  });
}

/** Never responds. Browsers finish requests of pages that are left: this one ends. */
export function wait(route: Route): void {
  const end = () => void route.abort().catch(() => undefined);
  route.request().frame().page().once("framenavigated", end);
}

/** Responds with a problem. */
export const refuse =
  (status: number, type: string, problem: Readonly<Record<string, unknown>>) => (route: Route) =>
    route.fulfill({
      status,
      contentType: "application/problem+json",
      body: JSON.stringify({ type: `/problems/${type}`, status, ...problem }),
    });

export const refuseOldVersion = refuse(412, "version-mismatch", {
  title: "The resource has changed since you read it",
  detail: "If-Match does not match the current version.",
});

export const refuseMissing = refuse(404, "user-not-found", {
  title: "User not found",
  detail: "No user has this id.",
});

/** Responds to an update as if the service had saved it. */
export async function pretendToSave(route: Route): Promise<void> {
  const user = await readUser(route);
  const patch: unknown = route.request().postDataJSON();
  await route.fulfill({
    json: { ...user, ...(isRecord(patch) && patch), version: Number(user.version) + 1 },
  });
}

/** Responds with the user after a change by someone else. */
export async function showChanged(route: Route, change: Readonly<Record<string, unknown>>): Promise<void> {
  const user = await readUser(route);
  await route.fulfill({ json: { ...user, version: Number(user.version) + 1, ...change } });
}

/** Changes what the service says about its session. Loads the page again. */
export async function changeSession(page: Page, change: Readonly<Record<string, unknown>>): Promise<void> {
  await answer(page, "GET", "**/api/session", async (route) => {
    const session: unknown = await (await route.fetch()).json();
    await route.fulfill({ json: { ...(isRecord(session) && session), ...change } });
  });
  await page.reload();
}

/** Lets the page follow these events. Loads the page again. */
export async function sendEvents(
  page: Page,
  events: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  let sent = false;
  await page.route("**/api/events?*", async (route) => {
    if (!isWaiting(route.request())) return route.fallback();
    if (sent) return;
    sent = true;
    await route.fulfill({ json: events });
  });
  await page.reload();
}

const isWaiting = (request: Request) => new URL(request.url()).searchParams.has("wait");

/** Loads the page again with a preference of the browser, which later pictures do not have. */
export async function reloadWith(page: Page, preference: string, value: string): Promise<void> {
  await page.evaluate(([key, text]) => localStorage.setItem(key, text), [preference, value] as const);
  await page.reload();
  await page.locator("tbody tr").first().waitFor();
  await page.evaluate((key) => localStorage.removeItem(key), preference);
}

async function readUser(route: Route): Promise<Readonly<Record<string, unknown>>> {
  const { "if-match": _, ...headers } = route.request().headers();
  const user: unknown = await (await route.fetch({ method: "GET", headers })).json();
  return isRecord(user) ? user : {};
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
