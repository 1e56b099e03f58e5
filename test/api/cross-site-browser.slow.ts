import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from "bun:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { openBrowser } from "../support/browser.ts";
import { bearer, createFirstKey } from "../support/credentials.ts";
import { startService, type TestService } from "../support/service.ts";

setDefaultTimeout(120_000);

/** Another server, with an empty page. Browsers treat localhost and 127.0.0.1 as different sites. */
const otherServer = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: () =>
    new Response("<!doctype html><title>Elsewhere</title>", { headers: { "content-type": "text/html" } }),
});
/** The services are at 127.0.0.1: localhost is another site, another port is another origin of the same site. */
const otherSite = `http://localhost:${otherServer.port}`;
const otherPort = `http://127.0.0.1:${otherServer.port}`;

let browser: Browser;
let context: BrowserContext;
/** Allows no other origin. */
let withoutCors: TestService;
/** Allows the other site. */
let withCors: TestService;
/** Requires a key, and allows the other port. */
let keyed: TestService;
let key: string;

beforeAll(async () => {
  browser = await openBrowser();
  withoutCors = await startService();
  withCors = await startService({ corsOrigins: otherSite });
  keyed = await startService({ corsOrigins: otherPort });
  for (const service of [withoutCors, withCors, keyed]) await service.roster.users.create({ name: "Ada" });
  key = await createFirstKey(keyed);
}, 120_000);
beforeEach(async () => {
  context = await browser.newContext();
});
afterEach(() => context.close());
afterAll(async () => {
  await browser?.close();
  for (const service of [withoutCors, withCors, keyed]) await service.stop();
  await otherServer.stop(true);
}, 120_000);

interface Attempt {
  url: string;
  method?: string;
  body?: string;
  headers?: Record<string, string>;
  mode?: "no-cors";
  credentials?: "include";
}

/** Runs in a page: sends the request, and returns the response or the error as text. */
async function attempt({ url, ...init }: Attempt): Promise<string> {
  try {
    const response = await fetch(url, init);
    return `${response.status} ${response.headers.get("etag") ?? "-"} ${await response.text()}`;
  } catch (error) {
    return String(error);
  }
}
const BLOCKED = "TypeError: Failed to fetch";

async function openAt(url: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

/** Returns a function that sends requests to a service from a page of an origin. */
async function callerAt(origin: string, { url }: TestService, defaults: Partial<Attempt> = {}) {
  const page = await openAt(origin);
  return (path: string, init: Partial<Attempt> = {}) =>
    page.evaluate(attempt, {
      ...defaults,
      ...init,
      url: url + path,
      headers: { ...defaults.headers, ...init.headers },
    });
}

const json = (method: string, body: object) => ({
  method,
  body: JSON.stringify(body),
  headers: { "content-type": "application/json", "idempotency-key": crypto.randomUUID() },
});

/** Reads all users with the key. */
async function listUsers(service: TestService): Promise<unknown> {
  return await (await service.call("/api/users", { headers: bearer(key) })).json();
}

describe("a page of another origin", () => {
  test("can read and write if its origin is allowed, and sees the ETag", async () => {
    const call = await callerAt(otherSite, withCors);
    expect(await call("/api/users/1")).toStartWith('200 "1" {"id":1,');
    expect(await call("/api/users", json("POST", { name: "Grace" }))).toStartWith('201 "1" {"id":2,');
    expect(await call("/api/users/2", json("PATCH", { name: "Hopper" }))).toStartWith('200 "2" {"id":2,');
    expect(await call("/api/users/2", { method: "DELETE" })).toStartWith("204 ");
    expect(await call("/api/users/2")).toStartWith("404 - ");
  });

  test("needs a key if its origin is allowed and a key is required", async () => {
    const bare = await callerAt(otherPort, keyed);
    expect(await bare("/api/users/1")).toContain("/problems/unauthenticated");
    const call = await callerAt(otherPort, keyed, { headers: bearer(key) });
    expect(await call("/api/users/1")).toStartWith('200 "1" {"id":1,');
  });

  test("can neither read nor write if its origin is not allowed", async () => {
    for (const [origin, service] of [
      [otherPort, withCors],
      [otherSite, withoutCors],
      [otherPort, withoutCors],
      [otherSite, keyed],
    ] as const) {
      const call = await callerAt(origin, service);
      const before = await listUsers(service);
      expect(await call("/api/users/1")).toBe(BLOCKED);
      expect(await call("/api/users", json("POST", { name: "Mallory" }))).toBe(BLOCKED);
      // Without a preflight, a page can send only other types than JSON.
      const simple: Partial<Attempt> = { method: "POST", body: '{"name":"Mallory"}' };
      expect(await call("/api/users", simple)).toBe(BLOCKED);
      expect(await call("/api/users", { ...simple, mode: "no-cors" })).toBe(BLOCKED);
      expect(await call("/api/users/1", { method: "DELETE" })).toBe(BLOCKED);
      expect(await listUsers(service)).toEqual(before);
    }
  });
});

describe("a signed-in person who visits a page of another origin", () => {
  /** The headers that only the service's own page can send. */
  let own: { headers: Record<string, string> };
  beforeEach(async () => {
    const call = await callerAt(`${keyed.url}/docs`, keyed);
    const response = await call("/api/session", json("POST", { key }));
    expect(response).toStartWith("200 ");
    const { token }: { token: string } = JSON.parse(response.replace("200 - ", ""));
    own = { headers: { "x-session-token": token } };
  });

  test("is signed in on the service's own pages only, with a cookie that scripts cannot read", async () => {
    const page = await openAt(`${keyed.url}/docs`);
    const url = `${keyed.url}/api/session`;
    expect(await page.evaluate(attempt, { url, ...own })).toContain('"auth":"session"');
    expect(await page.evaluate(attempt, { url })).toContain("/problems/unauthenticated");
    expect(await page.evaluate(() => document.cookie)).toBe("");
    expect(await context.cookies()).toMatchObject([
      { name: `roster_session_${new URL(keyed.url).port}`, httpOnly: true, sameSite: "Strict" },
    ]);
  });

  test.each([
    ["another site", otherSite],
    ["another port", otherPort],
  ])("is protected from scripts of %s", async (_, origin) => {
    const before = await listUsers(keyed);
    const call = await callerAt(origin, keyed, { credentials: "include" });
    const results = [
      await call("/api/users"),
      await call("/api/session"),
      await call("/api/users", json("POST", { name: "Mallory" })),
      await call("/api/users", { method: "POST", body: '{"name":"Mallory"}' }),
      await call("/api/users/1", { method: "DELETE" }),
      await call("/api/session", { method: "DELETE" }),
      await call("/api/session", json("POST", { key })),
    ];
    // Even an allowed origin cannot read responses to requests with a cookie.
    expect(results).toEqual(results.map(() => BLOCKED));
    // A page cannot send the token without a preflight, and Cross-Origin-Resource-Policy blocks the response.
    expect(await call("/api/users", own)).toBe(BLOCKED);
    expect(await call("/api/users", { mode: "no-cors" })).toBe(BLOCKED);
    expect(await listUsers(keyed)).toEqual(before);
    const ownPage = await callerAt(`${keyed.url}/docs`, keyed, own);
    expect(await ownPage("/api/session")).toContain('"auth":"session"');
  });

  test.each([
    ["another site", otherSite, "/problems/unauthenticated"],
    ["another port", otherPort, "/problems/cross-site"],
  ])("is protected from links and forms of %s", async (_, origin, problem) => {
    const before = await listUsers(keyed);
    for (const [method, path] of [
      ["get", "/api/session"],
      ["get", "/api/users"],
    ] as const) {
      const page = await openAt(origin);
      await submit(page, method, keyed.url + path);
      expect(await page.locator("body").textContent()).toContain(problem);
    }
    const page = await openAt(origin);
    await submit(page, "post", `${keyed.url}/api/users`);
    expect(await page.locator("body").textContent()).toMatch(
      /unauthenticated|cross-site|unsupported-media-type/,
    );
    expect(await listUsers(keyed)).toEqual(before);
  });

  test("is protected from frames: no other page can embed the service", async () => {
    const page = await openAt(otherPort);
    const blocked = page.waitForEvent("console", (message) => message.text().includes("frame-ancestors"));
    await page.evaluate((url) => {
      const frame = document.createElement("iframe");
      frame.src = url;
      document.body.append(frame);
    }, `${keyed.url}/docs`);
    expect((await blocked).text()).toContain("frame-ancestors 'none'");
  });
});

/** Submits a form from the page, and waits until the page shows the response. */
async function submit(page: Page, method: string, action: string): Promise<void> {
  const arrived = page.waitForURL((url) => url.href.startsWith(action));
  await page.evaluate(
    (attributes) => {
      const form = document.createElement("form");
      for (const [name, value] of Object.entries(attributes)) form.setAttribute(name, value);
      const input = document.createElement("input");
      Object.assign(input, { name: '{"name":"Mallory","padding":"', value: '"}' });
      if (attributes.method === "post") form.append(input);
      document.body.append(form);
      form.submit();
    },
    { method, action, enctype: "text/plain" },
  );
  await arrived;
}
