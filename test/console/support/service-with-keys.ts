import { expect } from "bun:test";
import type { CDPSession, Page } from "playwright-core";
import { type Client, createClient } from "../../../src/client/index.ts";
import { createFirstKey, sameOrigin } from "../../api/sign-in.ts";
import { startService, type TestService } from "../../support/service.ts";

/** A service that asks for keys. */
export interface ServiceWithKeys extends AsyncDisposable {
  readonly service: TestService;
  /** May do everything. */
  readonly key: string;
  /** The client library, with that key. */
  readonly roster: Client;
}

export async function startServiceWithKeys(
  settings: Parameters<typeof startService>[0] = {},
): Promise<ServiceWithKeys> {
  const service = await startService(settings);
  const key = await createFirstKey(service);
  const roster = createClient({ baseUrl: service.url, apiKey: key, retries: 0 });
  return { service, key, roster, [Symbol.asyncDispose]: () => service.stop() };
}

/** Ends the session where the service keeps it; the browser does not hear of it. */
export async function deleteSessionOnServer({ service }: ServiceWithKeys, page: Page): Promise<void> {
  const cookies = await page.context().cookies();
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  const answer = await service.call("/api/session", { method: "DELETE", headers: { cookie, ...sameOrigin } });
  expect(answer.status).toBe(204);
}

/**
 * The statuses of the refusals that a test provoked, which the browser reports, and whatever else it has to say. Not that
 * it gave up an answer that it has delivered: Chromium says so of some that are not to be stored.
 */
export function errorStatuses(errors: readonly string[]): string[] {
  return errors
    .filter((error) => !/^failed: \S+\/api\/(session|keys)$/.test(error))
    .map((error) => /^Failed to load resource: .* status of (\d+)/.exec(error)?.[1] ?? error);
}

/** Where a secret must not be: whatever a script of the page could reach. */
export async function findSecret(page: Page, secret: string): Promise<string[]> {
  const places = await page.evaluate(() => ({
    page: document.documentElement.outerHTML,
    fields: [...document.querySelectorAll("input, textarea")].map((field) =>
      "value" in field ? field.value : "",
    ),
    local: { ...localStorage },
    session: { ...sessionStorage },
    address: location.href,
    history: history.state,
    cookies: document.cookie,
    title: document.title,
    name: window.name,
  }));
  const found = Object.entries(places).filter(([, value]) => (JSON.stringify(value) ?? "").includes(secret));
  return found.map(([place]) => place);
}

/** How often memory is looked at again: a tree that React has drawn before goes when it draws the next one. */
const LOOKS = 10;

/** Which of these texts are in the memory of the page's scripts, after what nobody refers to has been thrown away. */
export async function findInMemory(page: Page, texts: readonly string[], looks = LOOKS): Promise<string[]> {
  const session: CDPSession = await page.context().newCDPSession(page);
  let snapshot = "";
  session.on("HeapProfiler.addHeapSnapshotChunk", ({ chunk }) => {
    snapshot += chunk;
  });
  await session.send("HeapProfiler.collectGarbage");
  await session.send("HeapProfiler.takeHeapSnapshot", { reportProgress: false });
  await session.detach();
  const found = texts.filter((text) => snapshot.includes(text));
  if (found.length === 0 || looks <= 1) return found;
  await page.waitForTimeout(200);
  return findInMemory(page, texts, looks - 1);
}
