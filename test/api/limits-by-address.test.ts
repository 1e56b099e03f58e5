import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { createSecret } from "../../src/contract/keys/key-secret.ts";
import {
  bearer,
  createFirstKey,
  sameOrigin,
  signIn,
  startSession,
  unknownSession,
} from "../support/credentials.ts";
import { databaseOn, onAnyEngine } from "../support/engines.ts";
import { describeResponse } from "../support/responses.ts";
import { startService, type TestService } from "../support/service.ts";

setDefaultTimeout(120_000);

const LIMIT = 100_000;
const rateLimit = `${LIMIT}/86400`;

onAnyEngine((engine) => {
  describe("with ROSTER_AUTH=off", () => {
    let service: TestService;
    let withoutProxy: TestService;
    beforeAll(async () => {
      const trustedProxies = "127.0.0.1, 10.0.0.0/8, fd00::/8";
      service = await startService({ auth: "off", rateLimit, trustedProxies }, engine);
      withoutProxy = await startService({ auth: "off", rateLimit: "3/3" }, engine);
      for (const each of [service, withoutProxy]) each.clock.stop();
    });
    afterAll(() => Promise.all([service.stop(), withoutProxy.stop()]));

    /** Sends a request, and returns how many requests the service has counted for its address. */
    async function requestsFrom(forwarded: string | undefined): Promise<number> {
      const headers: HeadersInit = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
      const response = await service.call("/api/users/1", { headers });
      expect(response.headers.get("ratelimit-policy")).toBe(`"default";q=${LIMIT};w=86400`);
      return LIMIT - Number(/^"default";r=(\d+);t=86400$/.exec(response.headers.get("ratelimit") ?? "")?.[1]);
    }

    test("each address has its own limit, with headers in every response", async () => {
      expect(await requestsFrom("192.0.2.1")).toBe(1);
      expect(await requestsFrom("192.0.2.2")).toBe(1);
      expect(await requestsFrom("192.0.2.1")).toBe(2);
      const headers = { "x-forwarded-for": "192.0.2.1" };
      const created = await service.call("/api/users", { method: "POST", json: { name: "Ada" }, headers });
      const statuses = [created.status];
      for (const response of [
        await service.call("/api/users", { method: "POST", json: {}, headers }),
        await service.call("/api/users?limit=x", { headers }),
        await service.call("/api/keys", { headers }),
        await service.call(created.headers.get("location") ?? "", { headers, method: "DELETE" }),
      ]) {
        expect(response.headers.get("ratelimit")).toStartWith('"default";r=');
        statuses.push(response.status);
      }
      expect(statuses).toEqual([201, 422, 400, 403, 204]);
      expect(await requestsFrom("192.0.2.1")).toBe(8);
    });

    test("addresses before the one that the trusted proxy added are ignored", async () => {
      const invented = [
        "198.51.100.1",
        "198.51.100.2, 198.51.100.3",
        "10.0.0.1",
        "fd00::1",
        "unknown",
        "",
        ",",
      ];
      let calls = 0;
      for (const left of [...invented, ...invented]) {
        expect(await requestsFrom(`${left}, 203.0.113.1`)).toBe(++calls);
      }
      await fc.assert(
        fc.asyncProperty(
          fc.string().filter((text) => /^[\t\x20-\x7e]*$/.test(text)),
          async (left) => {
            expect(await requestsFrom(`${left},203.0.113.1`)).toBe(++calls);
          },
        ),
        { numRuns: 30 },
      );
    });

    test("skips any number of trusted proxies, up to the first other address", async () => {
      expect(await requestsFrom("203.0.113.2")).toBe(1);
      expect(await requestsFrom("203.0.113.2, 10.1.2.3")).toBe(2);
      expect(await requestsFrom("203.0.113.2 ,10.1.2.3,  10.255.0.1, fd12:3456::7")).toBe(3);
      expect(await requestsFrom("203.0.113.2, 198.51.100.9, 10.1.2.3")).toBe(1);
      expect(await requestsFrom("203.0.113.2, 11.1.2.3")).toBe(1);
      // Only proxies: the first in the chain is the client.
      expect(await requestsFrom("10.7.7.7, 10.1.2.3")).toBe(1);
      expect(await requestsFrom("10.7.7.7")).toBe(2);
    });

    test("IPv6 addresses share a limit per /64 network, in any notation", async () => {
      const same = [
        "2001:db8:1:2::1",
        "2001:db8:1:2:ffff:ffff:ffff:ffff",
        "2001:DB8:1:2::abcd",
        "2001:0db8:0001:0002:0000:0000:0000:0001",
        "2001:db8:1:2:3::192.0.2.1",
      ];
      for (const [index, address] of same.entries()) {
        expect({ address, calls: await requestsFrom(address) }).toEqual({ address, calls: index + 1 });
      }
      for (const other of ["2001:db8:1:3::1", "2001:db8:1::2", "2001:db8::1:2:0:0:1", "2001:db8:2:1::"]) {
        expect({ other, calls: await requestsFrom(other) }).toEqual({ other, calls: 1 });
      }
      expect(await requestsFrom("::1")).toBe(1);
      expect(await requestsFrom("::2")).toBe(2);
      expect(await requestsFrom("0:0::0:3")).toBe(3);
    });

    test("an IPv4-mapped IPv6 address counts as the IPv4 address", async () => {
      expect(await requestsFrom("203.0.113.50")).toBe(1);
      expect(await requestsFrom("::ffff:203.0.113.50")).toBe(2);
      expect(await requestsFrom("::FFFF:203.0.113.50")).toBe(3);
      expect(await requestsFrom("::ffff:cb00:7132")).toBe(4);
      expect(await requestsFrom("::ffff:203.0.113.51")).toBe(1);
      expect(await requestsFrom("198.51.100.77, ::ffff:10.0.0.9")).toBe(1);
      expect(await requestsFrom("198.51.100.77")).toBe(2);
    });

    test("if the forwarded address is invalid, the proxy counts as the client", async () => {
      let calls = await requestsFrom(undefined);
      const garbage = [
        ...["unknown", "_hidden", "localhost", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.4/8", "01.2.3.4"],
        ...[
          "[::1",
          "::1::2",
          "12345::",
          "g::1",
          "-1",
          "1.2.3.4;5",
          "null",
          "\u00a0",
          "%00",
          "x".repeat(4000),
        ],
        ...["", ",", ", ,", "1.1.1.1,", "1.1.1.1, unknown"],
      ];
      for (const forwarded of garbage) {
        expect({ forwarded, calls: await requestsFrom(forwarded) }).toEqual({ forwarded, calls: ++calls });
      }
      expect(await requestsFrom("127.0.0.1")).toBe(++calls);
    });

    test("without a trusted proxy, forwarded addresses are ignored and the peer is limited", async () => {
      const call = (index: number) =>
        withoutProxy.call("/api/users", {
          headers: { "x-forwarded-for": `192.0.2.${index}`, forwarded: "for=192.0.2.9" },
        });
      for (let index = 0; index < 3; index++) expect(await describeResponse(await call(index))).toBe("200");
      const rejected = await call(4);
      expect(rejected.headers.get("ratelimit")).toBe('"default";r=0;t=3');
      expect(rejected.headers.get("retry-after")).toBe("1");
      expect(await describeResponse(rejected)).toBe("429 rate-limited");
      // Public paths are not limited: health checks keep working.
      expect((await withoutProxy.call("/healthz")).status).toBe(200);
      withoutProxy.clock.jump(1000);
      expect(await describeResponse(await call(5))).toBe("200");
    });
  });

  describe("wrong keys", () => {
    let service: TestService;
    let validKey: string;
    beforeAll(async () => {
      service = await startService({}, engine);
      validKey = await createFirstKey(service);
    });
    afterAll(() => service.stop());

    const attempt = async (key: string) =>
      describeResponse(await service.call("/api/users", { headers: bearer(key) }));

    test("from one address are 429 after twenty, while a valid key from there is admitted", async () => {
      using _ = service.clock.stop();
      const wrong = [() => attempt(createSecret()), () => attempt("roster_nonsense")];
      wrong.push(async () =>
        describeResponse(
          await service.call("/api/session", { method: "POST", json: { key: createSecret() } }),
        ),
      );
      for (let tries = 0; tries < 20; tries++) {
        expect(await wrong[tries % 3]?.()).toBe("401 unauthenticated");
        expect(await attempt(validKey)).toBe("200");
      }
      for (const rejected of wrong) expect(await rejected()).toBe("429 rate-limited");
      const response = await service.call("/api/users", { headers: bearer(createSecret()) });
      const wait = Number(response.headers.get("retry-after"));
      expect(wait).toBeWithin(1, 4);
      expect(await attempt(validKey)).toBe("200");
      const created = await service.call("/api/keys", {
        method: "POST",
        json: { name: "new", scopes: ["users:read"] },
        headers: bearer(validKey),
      });
      const { key }: { key: string } = await created.json();
      expect(await attempt(key)).toBe("200");
      service.clock.jump(wait * 1000);
      expect(await attempt(createSecret())).toBe("401 unauthenticated");
      expect(await attempt(createSecret())).toBe("429 rate-limited");
    });

    test("and guessed sessions do not lock out sessions and sign-ins of the same address", async () => {
      const by = async (session: Record<string, string>) =>
        describeResponse(await service.call("/api/users", { headers: { ...session, ...sameOrigin } }));
      const before = await signIn(service, validKey);
      expect(await by(before)).toBe("200");
      for (let tries = 0; tries < 25; tries++) await attempt(createSecret());
      expect(await attempt(createSecret())).toBe("429 rate-limited");
      // Not 429: a person whose session has ended has to see the sign-in page.
      for (let tries = 0; tries < 25; tries++) expect(await by(unknownSession())).toBe("401 unauthenticated");
      expect(await by(before)).toBe("200");
      const after = await signIn(service, validKey);
      expect(await by(after)).toBe("200");
      // Also after the cached sessions have expired.
      await service.clock.advance(600);
      expect([await by(before), await by(after)]).toEqual(["200", "200"]);
    });

    test("do not lock out keys and sessions that another node has just created", async () => {
      const database = await databaseOn(engine);
      const node = await startService({ database: database.url }, engine);
      const key = await createFirstKey(node);
      const other = await startService({ database: database.url }, engine);
      try {
        const send = async (headers: Record<string, string>) =>
          describeResponse(await other.call("/api/users", { headers }));
        for (let tries = 0; tries < 20; tries++) await send(bearer(createSecret()));
        expect(await send(bearer(createSecret()))).toBe("429 rate-limited");
        expect(await send(await startSession(node, key))).toBe("200");
        for (let round = 0; round < 5; round++) {
          const body = { name: "new", scopes: ["users:read"] };
          const created: { key: string } = await (
            await node.call("/api/keys", { method: "POST", json: body, headers: bearer(key) })
          ).json();
          expect(await send(bearer(created.key))).toBe("200");
        }
        expect(await send(bearer(createSecret()))).toBe("429 rate-limited");
      } finally {
        await other.stop();
        await node.stop();
        await database.drop();
      }
    });

    test("do not limit requests without a key", async () => {
      expect(await describeResponse(await service.call("/api/users"))).toBe("401 unauthenticated");
    });
  });
});
