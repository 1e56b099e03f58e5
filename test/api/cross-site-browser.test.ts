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
import { startService, type TestService } from "../support/service.ts";
import { createFirstKey } from "./sign-in.ts";

setDefaultTimeout(120_000);

/** A server of somebody else's, with an empty page. To a browser each name of this machine is a site of its own. */
const elsewhere = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: () =>
    new Response("<!doctype html><title>Elsewhere</title>", { headers: { "content-type": "text/html" } }),
});
/** The services are at 127.0.0.1: this is another site, and that is another origin of the same site. */
const otherSite = `http://localhost:${elsewhere.port}`;
const otherPort = `http://127.0.0.1:${elsewhere.port}`;

let browser: Browser;
let context: BrowserContext;
/** Names nobody; names the other site; asks for a key, and names the other port. */
let closed: TestService;
let naming: TestService;
let keyed: TestService;
let key: string;

beforeAll(async () => {
  browser = await openBrowser();
  closed = await startService();
  naming = await startService({ corsOrigins: otherSite });
  keyed = await startService({ corsOrigins: otherPort });
  for (const service of [closed, naming, keyed]) await service.roster.users.create({ name: "Ada" });
  key = await createFirstKey(keyed);
}, 120_000);
beforeEach(async () => {
  context = await browser.newContext();
});
afterEach(() => context.close());
afterAll(async () => {
  await browser?.close();
  for (const service of [closed, naming, keyed]) await service.stop();
  await elsewhere.stop(true);
}, 120_000);

interface Attempt {
  url: string;
  method?: string;
  body?: string;
  headers?: Record<string, string>;
  mode?: "no-cors";
  credentials?: "include";
}

/** Runs in a page: sends the request, and says what came of it. */
async function attempt({ url, ...init }: Attempt): Promise<string> {
  try {
    const answer = await fetch(url, init);
    return `${answer.status} ${answer.headers.get("etag") ?? "-"} ${await answer.text()}`;
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

/** What a page does to a service. */
async function callerAt(origin: string, { url }: TestService, given: Partial<Attempt> = {}) {
  const page = await openAt(origin);
  return (path: string, init: Partial<Attempt> = {}) =>
    page.evaluate(attempt, {
      ...given,
      ...init,
      url: url + path,
      headers: { ...given.headers, ...init.headers },
    });
}

const json = (method: string, body: object) => ({
  method,
  body: JSON.stringify(body),
  headers: { "content-type": "application/json", "idempotency-key": crypto.randomUUID() },
});

/** Everybody there is, by the key. */
async function usersOf(service: TestService): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}` };
  return await (await fetch(`${service.url}/api/users`, { headers })).json();
}

describe("a page elsewhere", () => {
  test("can read and write where its origin is named, and sees the ETag", async () => {
    const call = await callerAt(otherSite, naming);
    expect(await call("/api/users/1")).toStartWith('200 "1" {"id":1,');
    expect(await call("/api/users", json("POST", { name: "Grace" }))).toStartWith('201 "1" {"id":2,');
    expect(await call("/api/users/2", json("PATCH", { name: "Hopper" }))).toStartWith('200 "2" {"id":2,');
    expect(await call("/api/users/2", { method: "DELETE" })).toStartWith("204 ");
    expect(await call("/api/users/2")).toStartWith("404 - ");
  });

  test("can with a key, where its origin is named and a key is asked for", async () => {
    const bare = await callerAt(otherPort, keyed);
    expect(await bare("/api/users/1")).toContain("/problems/unauthenticated");
    const call = await callerAt(otherPort, keyed, { headers: { authorization: `Bearer ${key}` } });
    expect(await call("/api/users/1")).toStartWith('200 "1" {"id":1,');
  });

  test("can neither read nor write where it is not", async () => {
    for (const [origin, service] of [
      [otherPort, naming],
      [otherSite, closed],
      [otherPort, closed],
      [otherSite, keyed],
    ] as const) {
      const call = await callerAt(origin, service);
      const before = await usersOf(service);
      expect(await call("/api/users/1")).toBe(BLOCKED);
      expect(await call("/api/users", json("POST", { name: "Mallory" }))).toBe(BLOCKED);
      // What a page may send without being asked is no JSON.
      const simple: Partial<Attempt> = { method: "POST", body: '{"name":"Mallory"}' };
      expect(await call("/api/users", simple)).toBe(BLOCKED);
      expect(await call("/api/users", { ...simple, mode: "no-cors" })).toBe("0 - ");
      expect(await call("/api/users/1", { method: "DELETE" })).toBe(BLOCKED);
      expect(await usersOf(service)).toEqual(before);
    }
  });
});

describe("somebody who is signed in, and visits a page elsewhere", () => {
  beforeEach(async () => {
    const call = await callerAt(`${keyed.url}/docs`, keyed);
    expect(await call("/api/session", json("POST", { key }))).toStartWith("200 ");
  });

  test("is signed in on the service's own pages alone, and no script can see by what", async () => {
    const page = await openAt(`${keyed.url}/docs`);
    const url = `${keyed.url}/api/session`;
    expect(await page.evaluate(attempt, { url })).toContain('"auth":"session"');
    expect(await page.evaluate(() => document.cookie)).toBe("");
    expect(await context.cookies()).toMatchObject([
      { name: "roster_session", httpOnly: true, sameSite: "Strict" },
    ]);
  });

  test.each([
    ["another site", otherSite],
    ["another port", otherPort],
  ])("has nothing done in their name by a script of %s", async (_, origin) => {
    const before = await usersOf(keyed);
    const call = await callerAt(origin, keyed, { credentials: "include" });
    const tries = [
      await call("/api/users"),
      await call("/api/session"),
      await call("/api/users", json("POST", { name: "Mallory" })),
      await call("/api/users", { method: "POST", body: '{"name":"Mallory"}' }),
      await call("/api/users/1", { method: "DELETE" }),
      await call("/api/session", { method: "DELETE" }),
      await call("/api/session", json("POST", { key })),
    ];
    // Even where its origin is named, what is sent with a cookie is not for it to read.
    expect(tries).toEqual(tries.map(() => BLOCKED));
    expect(await call("/api/users", { mode: "no-cors" })).toBe("0 - ");
    expect(await usersOf(keyed)).toEqual(before);
    const own = await callerAt(`${keyed.url}/docs`, keyed);
    expect(await own("/api/session")).toContain('"auth":"session"');
  });

  test.each([
    ["another site", otherSite, "/problems/unauthenticated"],
    ["another port", otherPort, "/problems/cross-site"],
  ])("has nothing done in their name by a link or a form of %s", async (_, origin, problem) => {
    const before = await usersOf(keyed);
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
    expect(await usersOf(keyed)).toEqual(before);
  });

  test("has no page of the service's put into a frame elsewhere", async () => {
    const page = await openAt(otherPort);
    const refused = page.waitForEvent("console", (message) => message.text().includes("frame-ancestors"));
    await page.evaluate((url) => {
      const frame = document.createElement("iframe");
      frame.src = url;
      document.body.append(frame);
    }, `${keyed.url}/docs`);
    expect((await refused).text()).toContain("frame-ancestors 'none'");
  });
});

/** Has the page send a form there, as if somebody had clicked, and waits until the answer is what it shows. */
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
