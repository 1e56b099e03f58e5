import { expect } from "bun:test";
import type { CDPSession, Page } from "playwright-core";
import { type Client, createClient } from "../../../src/client/index.ts";
import { scopes } from "../../../src/contract/keys/key.ts";
import { readSessionHeaders } from "../../support/browser-page.ts";
import { sameOrigin } from "../../support/credentials.ts";
import { startService, type TestService } from "../../support/service.ts";

/** A service that requires keys. */
export interface ServiceWithKeys extends AsyncDisposable {
  readonly service: TestService;
  /** A key with all scopes. */
  readonly key: string;
  /** The client library, with that key. */
  readonly roster: Client;
}

export async function startServiceWithKeys(
  settings: Parameters<typeof startService>[0] = {},
  engine: Parameters<typeof startService>[1] = "sqlite",
): Promise<ServiceWithKeys> {
  const service = await startService(settings, engine);
  // Does not skip the wait after the first key: the clocks of the service and of the browser stay the same.
  const { key } = await service.roster.keys.create({ name: "first", scopes: [...scopes] });
  const roster = createClient({ baseUrl: service.url, apiKey: key, retries: 0 });
  return { service, key, roster, [Symbol.asyncDispose]: () => service.stop() };
}

/** Ends the session without the browser's knowledge. */
export async function deleteSessionOnServer({ service }: ServiceWithKeys, page: Page): Promise<void> {
  const headers = { ...(await readSessionHeaders(page)), ...sameOrigin };
  const answer = await service.call("/api/session", { method: "DELETE", headers });
  expect(answer.status).toBe(204);
}

/** Replaces Chromium's messages about error responses by their statuses. */
export function errorStatuses(errors: readonly string[]): string[] {
  return errors.map((error) => /^Failed to load resource: .* status of (\d+)/.exec(error)?.[1] ?? error);
}

/** Places readable by scripts that contain the secret. */
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

/** Attempts before a text counts as found: React frees its previous tree only with the next render. */
const ATTEMPTS = 10;
const PAUSE_BETWEEN_ATTEMPTS_MS = 200;

/** The texts that are in the page's JavaScript memory after garbage collection. */
export async function findInMemory(
  page: Page,
  texts: readonly string[],
  attempts = ATTEMPTS,
): Promise<string[]> {
  const session: CDPSession = await page.context().newCDPSession(page);
  let snapshot = "";
  session.on("HeapProfiler.addHeapSnapshotChunk", ({ chunk }) => {
    snapshot += chunk;
  });
  await session.send("HeapProfiler.collectGarbage");
  await session.send("HeapProfiler.takeHeapSnapshot", { reportProgress: false });
  await session.detach();
  const found = texts.filter((text) => snapshot.includes(text));
  if (found.length === 0 || attempts <= 1) return found;
  await Bun.sleep(PAUSE_BETWEEN_ATTEMPTS_MS);
  return findInMemory(page, texts, attempts - 1);
}
