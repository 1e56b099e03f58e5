import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { checkScim } from "../../src/cli/doctor/scim.ts";
import { readConfig } from "../../src/config/config.ts";
import { type Scope, scopeGroups } from "../../src/contract/keys/key.ts";
import { createSecret } from "../../src/contract/keys/key-secret.ts";
import { bearer, createFirstKey } from "../support/credentials.ts";
import { startService, type TestService } from "../support/service.ts";
import { testTls } from "../support/tls.ts";

setDefaultTimeout(120_000);

let service: TestService;
let admin: string;
const scimScopes = scopeGroups.scim;

beforeAll(async () => {
  service = await startService();
  admin = await createFirstKey(service);
});
afterAll(() => service.stop());

/** The findings, each as "level: text". */
async function check(env: Record<string, string>, profile?: Parameters<typeof checkScim>[1]) {
  const findings = await checkScim(readConfig([], env), profile);
  expect(findings.map((finding) => finding.check)).toEqual(findings.map(() => "scim"));
  return findings.map(({ level, says }) => `${level}: ${says}`);
}

async function createKey(scopes: readonly Scope[]): Promise<{ id: number; key: string }> {
  const json = { name: "entra", scopes };
  const response = await service.call("/api/keys", { method: "POST", json, headers: bearer(admin) });
  return await response.json();
}

const portOf = (url: string) => ({ PORT: new URL(url).port });
const HOW_TO_CHECK_KEY =
  "To check a key too, store it with roster login --profile NAME, and add --profile NAME.";

describe("the service on this machine", () => {
  test("responds, and its settings have no key to check", async () => {
    expect(await check(portOf(service.url))).toEqual([
      `ok: SCIM responds at ${service.url}/scim/v2. ${HOW_TO_CHECK_KEY}`,
    ]);
  });

  test("requires no key", async () => {
    const open = await startService();
    expect(await check(portOf(open.url))).toEqual([
      `ok: SCIM responds at ${open.url}/scim/v2. It requires no key.`,
    ]);
    await open.stop();
  });

  test("is checked with ROSTER_API_KEY, also over TLS with a certificate of another name", async () => {
    const key = createSecret();
    const secure = await startService({ apiKey: key, ...testTls.settings });
    const { tlsCert, tlsKey } = testTls.settings;
    const env = { ROSTER_API_KEY: key, ROSTER_TLS_CERT: tlsCert, ROSTER_TLS_KEY: tlsKey };
    expect(await check({ ...env, ...portOf(secure.url) })).toEqual([
      `ok: SCIM responds at ${secure.url}/scim/v2. Key 0 (ROSTER_API_KEY) can read and change users and groups.`,
    ]);
    await secure.stop();
  });

  test("is not checked if SCIM is off, if it does not run, or if the port is that of another program", async () => {
    expect(await check({ ROSTER_SCIM: "off" })).toEqual(["ok: SCIM is turned off (ROSTER_SCIM=off)."]);
    expect(await check({ PORT: "0" })).toEqual([]);
    expect(await check({ PORT: "1" })).toEqual([]);
    const other = Bun.serve({ port: 0, fetch: () => new Response("hello") });
    expect(await check(portOf(String(other.url)))).toEqual([]);
    await other.stop(true);
  });
});

describe("a profile", () => {
  test("with the scopes of SCIM can list users and groups", async () => {
    const { id, key } = await createKey(scimScopes);
    for (const url of [service.url, `${service.url}/`]) {
      expect(await check({ ROSTER_SCIM: "off" }, { url, key })).toEqual([
        `ok: SCIM responds at ${service.url}/scim/v2. Key ${id} (entra) can read and change users and groups.`,
      ]);
    }
  });

  test("without some of the scopes learns which ones it lacks", async () => {
    const { id, key } = await createKey(["users:read", "groups:read", "events:read"]);
    expect(await check({}, { url: service.url, key })).toEqual([
      `warning: Key ${id} (entra) lacks users:write, groups:write, which SCIM needs. Create a key: roster keys create --name scim --scope scim`,
    ]);
  });

  test("with a key that the service refuses is a problem, and no key is shown", async () => {
    const { id, key } = await createKey(scimScopes);
    await service.call(`/api/keys/${id}`, { method: "DELETE", headers: bearer(admin) });
    const [revoked = ""] = await check({}, { url: service.url, key });
    expect(revoked).toStartWith(`problem: ${service.url} refuses the key: The key was revoked at`);
    const unknown = createSecret();
    const [refused = ""] = await check({}, { url: service.url, key: unknown });
    expect(refused).toBe(`problem: ${service.url} refuses the key: This service has no such key.`);
    for (const secret of [key, unknown]) expect(revoked + refused).not.toContain(secret);
  });

  test("of a service without SCIM is a warning", async () => {
    const off = await startService({ scim: "off" });
    expect(await check({}, { url: off.url, key: createSecret() })).toEqual([
      `warning: ${off.url}/scim/v2/ServiceProviderConfig responds with 404, not with SCIM: let the proxy pass /scim/v2, and set ROSTER_SCIM=on.`,
    ]);
    await off.stop();
  });

  test("whose service is not reachable is a problem", async () => {
    const [found = ""] = await check({}, { url: "http://127.0.0.1:1" });
    expect(found).toStartWith("problem: http://127.0.0.1:1/scim/v2/ServiceProviderConfig is not reachable");
    expect(found).toContain("(ECONNREFUSED)");
  });
});

test("a key is not sent unencrypted to another machine, unless its profile allows that", async () => {
  const keys: (string | null)[] = [];
  const server = Bun.serve({
    port: 0,
    fetch: ({ url, headers }) => {
      keys.push(headers.get("authorization"));
      return Response.json({ meta: { location: url } });
    },
  });
  // An address of this machine that does not look like one.
  const url = `http://0.0.0.0:${server.port}`;
  const warned = `warning: ${url} is not encrypted, and identity providers call only https: use TLS.`;
  const key = createSecret();
  expect(await check({}, { url, key })).toEqual([warned]);
  expect(new Set(keys)).toEqual(new Set([null]));
  const [first, ...more] = await check({}, { url, key, insecure: true });
  expect([first, more.length]).toEqual([warned, 1]);
  expect(keys.at(-1)).toBe(`Bearer ${key}`);
  await server.stop(true);
});

describe("a public URL", () => {
  const closing: (() => Promise<unknown>)[] = [];
  afterAll(() => Promise.all(closing.map((close) => close())));

  /** A proxy in front of the service. It must never get a key of the settings. */
  function startProxy(respond: (request: Request) => Response | Promise<Response>, tls?: object): string {
    const server = Bun.serve({
      port: 0,
      ...(tls && { tls }),
      fetch: (request) => {
        expect(request.headers.get("authorization")).toBeNull();
        return respond(request);
      },
    });
    closing.push(() => server.stop(true));
    return `${tls ? "https" : "http"}://localhost:${server.port}`;
  }
  const checkPublic = (url: string) => check({ ROSTER_PUBLIC_URL: url, ROSTER_API_KEY: createSecret() });

  test("that reaches the service is fine", async () => {
    const publicUrl = startProxy(async () =>
      Response.json({ meta: { location: `${publicUrl}/scim/v2/ServiceProviderConfig` } }),
    );
    expect(await checkPublic(publicUrl)).toEqual([
      `ok: SCIM responds at ${publicUrl}/scim/v2. It requires no key.`,
    ]);
  });

  test("that resources of SCIM do not have is a warning", async () => {
    const url = startProxy(({ url: target }) => fetch(service.url + new URL(target).pathname));
    expect(await checkPublic(url)).toEqual([
      `warning: Resources of SCIM have URLs like ${service.url}/scim/v2/ServiceProviderConfig, but callers use ${url}/scim/v2/ServiceProviderConfig: set ROSTER_PUBLIC_URL=${url}`,
    ]);
  });

  test("whose answers could harm the terminal is a warning that cannot", async () => {
    const url = startProxy(() => Response.json({ meta: { location: `\u001b[2J${"x".repeat(5000)}` } }));
    const [found = ""] = await checkPublic(url);
    expect(found).toStartWith("warning: Resources of SCIM have URLs like ");
    expect([found.includes("\u001b"), found.length < 500]).toEqual([false, true]);
  });

  test("that redirects, does not pass SCIM, or sends a page is a warning", async () => {
    const config = "/scim/v2/ServiceProviderConfig";
    const redirecting = startProxy(() => Response.redirect("https://users.example/", 308));
    expect(await checkPublic(redirecting)).toEqual([
      `warning: ${redirecting}${config} redirects, and identity providers do not follow: give them the URL that it redirects to.`,
    ]);
    for (const [response, status] of [
      [() => new Response("no", { status: 403 }), 403],
      [() => new Response("<html>", { headers: { "content-type": "text/html" } }), 200],
      [() => Response.json([]), 200],
      [() => Response.json({ meta: "x" }), 200],
    ] as const) {
      const url = startProxy(response);
      expect(await checkPublic(url)).toEqual([
        `warning: ${url}${config} responds with ${status}, not with SCIM: let the proxy pass /scim/v2, and set ROSTER_SCIM=on.`,
      ]);
    }
  });

  test("with a certificate that nobody trusts, or without a service, is a warning with the reason", async () => {
    const { tlsCert, tlsKey } = testTls.settings;
    const untrusted = startProxy(() => new Response(), { cert: Bun.file(tlsCert), key: Bun.file(tlsKey) });
    const [found = ""] = await checkPublic(untrusted);
    expect(found).toStartWith(`warning: ${untrusted}/scim/v2/ServiceProviderConfig is not reachable`);
    expect(found).toMatch(/\((?:UNABLE_TO_VERIFY|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_GET)\w+\)/);
    expect((await checkPublic("http://localhost:1"))[0]).toStartWith("warning: ");
  });
});
