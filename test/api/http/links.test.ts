import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { callAt } from "../../support/call.ts";
import { bearer, createFirstKey } from "../../support/credentials.ts";
import { onEachEngine } from "../../support/engines.ts";
import { sendRaw } from "../../support/raw-http.ts";
import { startService, type TestService } from "../../support/service.ts";
import { testTls } from "../../support/tls.ts";

const linkTo = (headers: Headers, relation: string) =>
  new RegExp(`<([^>]+)>; rel="${relation}"`).exec(headers.get("link") ?? "")?.[1];

onEachEngine((engine) => {
  let service: TestService;
  let origin: string;
  beforeAll(async () => {
    service = await startService({}, engine);
    origin = service.url;
    for (let n = 1; n <= 7; n++) await service.roster.users.create({ name: `User ${n}`, team: "a|b{c}" });
  });
  afterAll(() => service.stop());

  async function links(target: string, headers: Record<string, string> = {}) {
    const response = await service.call(target, { headers });
    expect(response.status).toBe(200);
    const users: { id: number }[] = await response.json();
    const of = (relation: string) => linkTo(response.headers, relation);
    return { ids: users.map(({ id }) => id), next: of("next"), prev: of("prev"), first: of("first") };
  }

  describe("Links of a page", () => {
    test("are absolute, with the scheme and host of the request", async () => {
      const { next, first } = await links("/api/users?limit=2");
      expect(first).toBe(`${origin}/api/users?limit=2`);
      expect(next).toStartWith(`${origin}/api/users?limit=2&after=`);
      const named = await links("/api/users?limit=2", { host: "LOCALHOST:81" });
      expect(named.first).toBe("http://localhost:81/api/users?limit=2");
    });

    test.each(["limit=1&offset=0", "offset=0&limit=1", "limit=1&%6fffset=0", "limit=1&o%66fset=2"])(
      "of %s never have an offset beside a cursor, and lead to the end",
      async (query) => {
        const seen: number[] = [];
        let next: string | undefined = `/api/users?${query}`;
        while (next) {
          const page = await links(next);
          seen.push(...page.ids);
          next = page.next;
          if (next) expect([...new URL(next).searchParams.keys()].sort()).toEqual(["after", "limit"]);
        }
        expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7].slice(query.endsWith("2") ? 2 : 0));
      },
    );

    test("replace the cursor, also with an encoded name", async () => {
      const { next = "" } = await links("/api/users?limit=2");
      const again = await links(next.replace("after=", "%61fter="));
      expect(again.ids).toEqual([3, 4]);
      expect((await links(again.next ?? "")).ids).toEqual([5, 6]);
    });

    test("accept offset=0 beside a cursor, which generated clients send", async () => {
      const { next } = await links("/api/users?limit=2");
      expect((await links(`${next}&offset=0`)).ids).toEqual([3, 4]);
      expect((await service.call(`${next}&offset=1`)).status).toBe(400);
    });

    test("lead back to the page before, with an offset", async () => {
      const pages = [await links("/api/users?limit=3&offset=6&sort=-id")];
      for (let page = pages[0]; page?.prev; page = pages.at(-1)) pages.push(await links(page.prev));
      expect(pages.map(({ ids }) => ids)).toEqual([[1], [4, 3, 2], [7, 6, 5]]);
      expect(pages.map(({ prev }) => prev)).toEqual([
        `${origin}/api/users?limit=3&sort=-id&offset=3`,
        `${origin}/api/users?limit=3&sort=-id`,
        undefined,
      ]);
      expect((await links("/api/users?limit=3&offset=2")).prev).toBe(`${origin}/api/users?limit=3`);
    });

    test("have no prev with a cursor, which does not tell where the page before begins", async () => {
      const { next = "" } = await links("/api/users?limit=2");
      expect((await links(next)).prev).toBeUndefined();
    });

    test("are percent-encoded, whatever the query contains", async () => {
      const host = new URL(origin).host;
      const query = "limit=1&team=a|b{c}";
      const request = `GET /api/users?${query} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
      const { responses } = await sendRaw(origin, [request]);
      const link = new Map(responses[0]?.headers ?? []).get("link") ?? "";
      expect(link).toContain(`<${origin}/api/users?limit=1&team=a%7Cb%7Bc%7D&after=`);
      expect(link).not.toMatch(/[|{}"`^\\](?<!rel="|next"|first")/);
      expect((await links(linkTo(new Headers({ link }), "next") ?? "")).ids).toEqual([2]);
    });
  });

  test("Location is absolute", async () => {
    const created = await service.call("/api/users", { method: "POST", json: { name: "Ada" } });
    const { id } = await created.json();
    expect(created.headers.get("location")).toBe(`${origin}/api/users/${id}`);
  });

  test("Links and Location of keys are absolute", async () => {
    const other = await startService({}, engine);
    const headers = bearer(await createFirstKey(other));
    const body = { name: "ci", scopes: ["users:read"] };
    const created = await other.call("/api/keys", { method: "POST", json: body, headers });
    const { id } = await created.json();
    expect(created.headers.get("location")).toBe(`${other.url}/api/keys/${id}`);
    const page = await other.call("/api/keys?limit=1", { headers });
    expect(page.headers.get("link")).toStartWith(`<${other.url}/api/keys?limit=1&after=`);
    await other.stop();
  });
});

test("With a certificate, links have the scheme https", async () => {
  const service = await startService({ ...testTls.settings, hosts: "roster.example" });
  const { port } = new URL(service.url);
  const call = callAt(`https://localhost:${port}`, { tls: { ca: testTls.ca } });
  const created = await call("/api/users", { method: "POST", json: { name: "Ada" } });
  expect(created.headers.get("location")).toBe(`https://localhost:${port}/api/users/1`);
  await service.stop();
});

describe("Behind a proxy", () => {
  const forwarded = { "x-forwarded-for": "192.0.2.1", "x-forwarded-proto": "https" };
  const auth = "off";
  const hosts = "roster.example";

  async function withService(
    settings: Parameters<typeof startService>[0],
    check: (
      firstLink: (headers: Record<string, string>) => Promise<string | undefined>,
      service: TestService,
    ) => Promise<void>,
  ): Promise<void> {
    const service = await startService({ auth, hosts, ...settings });
    for (const name of ["Ada", "Grace"]) await service.roster.users.create({ name });
    await check(async (headers) => {
      const response = await service.call("/api/users?limit=1", {
        headers: { host: "roster.example", ...headers },
      });
      return linkTo(response.headers, "first");
    }, service);
    await service.stop();
  }
  const warnings = ({ log }: TestService) =>
    log.filter((line) => line.includes("URLs in Link and Location are relative"));

  test("that is trusted, links have the scheme and host that the proxy sends", async () => {
    await withService({ trustedProxies: "127.0.0.1" }, async (firstLink, service) => {
      expect(await firstLink(forwarded)).toBe("https://roster.example/api/users?limit=1");
      expect(await firstLink({ ...forwarded, "x-forwarded-host": "Users.example:8443" })).toBe(
        "https://users.example:8443/api/users?limit=1",
      );
      expect(await firstLink({ ...forwarded, "x-forwarded-host": "caller.example, users.example" })).toBe(
        "https://users.example/api/users?limit=1",
      );
      const created = await service.call("/api/users", {
        method: "POST",
        json: { name: "Lin" },
        headers: { ...forwarded, host: "roster.example" },
      });
      expect(created.headers.get("location")).toBe("https://roster.example/api/users/3");
      // A caller beside the proxy.
      expect(await firstLink({})).toBe("http://roster.example/api/users?limit=1");
      expect(warnings(service)).toEqual([]);
    });
  });

  test("that is not trusted, links stay relative, and the log says why once", async () => {
    await withService({}, async (firstLink, service) => {
      for (const header of Object.entries({
        ...forwarded,
        forwarded: "for=192.0.2.1;proto=https",
        via: "1.1 proxy",
        "x-forwarded-host": "users.example",
        "x-real-ip": "192.0.2.1",
      })) {
        expect(await firstLink(Object.fromEntries([header]))).toBe("/api/users?limit=1");
      }
      const created = await service.call("/api/users", {
        method: "POST",
        json: { name: "Lin" },
        headers: { ...forwarded, host: "roster.example" },
      });
      expect(created.headers.get("location")).toBe("/api/users/3");
      expect(warnings(service)).toHaveLength(1);
      expect(warnings(service)[0]).toContain("ROSTER_TRUSTED_PROXIES");
    });
  });

  test("that is trusted and sends no scheme or no valid host, links stay relative", async () => {
    await withService({ trustedProxies: "127.0.0.1" }, async (firstLink, service) => {
      expect(await firstLink({ "x-forwarded-for": "192.0.2.1" })).toBe("/api/users?limit=1");
      expect(await firstLink({ ...forwarded, "x-forwarded-proto": "javascript" })).toBe("/api/users?limit=1");
      for (const host of ["a b", "<script>", "é", "a/b", "a@b", ""]) {
        expect(await firstLink({ ...forwarded, "x-forwarded-host": host })).toBe("/api/users?limit=1");
      }
      expect(warnings(service)).toHaveLength(2);
    });
  });

  test("ROSTER_PUBLIC_URL takes precedence, and may have a path", async () => {
    await withService({ publicUrl: "https://users.example/directory/" }, async (firstLink, service) => {
      const expected = "https://users.example/directory/api/users?limit=1";
      expect(await firstLink({})).toBe(expected);
      expect(await firstLink({ ...forwarded, "x-forwarded-host": "other.example" })).toBe(expected);
      expect(warnings(service)).toEqual([]);
    });
  });
});
