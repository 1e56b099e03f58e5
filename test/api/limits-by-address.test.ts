import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { createSecret } from "../../src/contract/key-secret.ts";
import { onEachEngine } from "../support/engines.ts";
import { startService, type TestService } from "../support/service.ts";
import { createFirstKey, describeResponse, sameOrigin, signIn } from "./sign-in.ts";

setDefaultTimeout(120_000);

const MOST = 100_000;
/** So slow that no token comes back while a test runs. */
const rateLimit = `${MOST}/86400`;
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

onEachEngine((engine) => {
  describe("where nobody is asked for a key", () => {
    let service: TestService;
    let bare: TestService;
    beforeAll(async () => {
      const trustedProxies = "127.0.0.1, 10.0.0.0/8, fd00::/8";
      service = await startService({ auth: "off", rateLimit, trustedProxies }, engine);
      bare = await startService({ auth: "off", rateLimit: "3/3" }, engine);
    });
    afterAll(async () => {
      await Promise.all([service.stop(), bare.stop()]);
    });

    /** How many calls were made from where this one comes from, as far as the service knows, with this one. */
    async function callsFrom(forwarded: string | undefined): Promise<number> {
      const headers: HeadersInit = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
      const answer = await service.call("/api/users/1", { headers });
      expect(answer.headers.get("ratelimit-policy")).toBe(`"default";q=${MOST};w=86400`);
      return MOST - Number(/^"default";r=(\d+);t=86400$/.exec(answer.headers.get("ratelimit") ?? "")?.[1]);
    }

    test("callers are told apart by their address, and each is told its limit by every answer", async () => {
      expect(await callsFrom("192.0.2.1")).toBe(1);
      expect(await callsFrom("192.0.2.2")).toBe(1);
      expect(await callsFrom("192.0.2.1")).toBe(2);
      const headers = { "x-forwarded-for": "192.0.2.1" };
      const made = await service.send("POST", "/api/users", { name: "Ada" }, headers);
      const statuses = [made.status];
      for (const answer of [
        await service.send("POST", "/api/users", {}, headers),
        await service.call("/api/users?limit=x", { headers }),
        await service.call("/api/keys", { headers }),
        await service.call(made.headers.get("location") ?? "", { headers, method: "DELETE" }),
      ]) {
        expect(answer.headers.get("ratelimit")).toStartWith('"default";r=');
        statuses.push(answer.status);
      }
      expect(statuses).toEqual([201, 422, 400, 403, 204]);
      expect(await callsFrom("192.0.2.1")).toBe(8);
    });

    test("what a caller writes before the address that our proxy saw helps nobody", async () => {
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
        expect(await callsFrom(`${left}, 203.0.113.1`)).toBe(++calls);
      }
      await fc.assert(
        fc.asyncProperty(
          fc.string().filter((text) => /^[\t\x20-\x7e]*$/.test(text)),
          async (left) => {
            expect(await callsFrom(`${left},203.0.113.1`)).toBe(++calls);
          },
        ),
        { numRuns: 30 },
      );
    });

    test("any number of our own proxies in a row is seen through, up to the first that is not ours", async () => {
      expect(await callsFrom("203.0.113.2")).toBe(1);
      expect(await callsFrom("203.0.113.2, 10.1.2.3")).toBe(2);
      expect(await callsFrom("203.0.113.2 ,10.1.2.3,  10.255.0.1, fd12:3456::7")).toBe(3);
      expect(await callsFrom("203.0.113.2, 198.51.100.9, 10.1.2.3")).toBe(1);
      expect(await callsFrom("203.0.113.2, 11.1.2.3")).toBe(1);
      // Nobody but proxies: the farthest of them called for itself.
      expect(await callsFrom("10.7.7.7, 10.1.2.3")).toBe(1);
      expect(await callsFrom("10.7.7.7")).toBe(2);
    });

    test("callers with an IPv6 address are one for each network of 64 bits, however it is written", async () => {
      const same = [
        "2001:db8:1:2::1",
        "2001:db8:1:2:ffff:ffff:ffff:ffff",
        "2001:DB8:1:2::abcd",
        "2001:0db8:0001:0002:0000:0000:0000:0001",
        "2001:db8:1:2:3::192.0.2.1",
      ];
      for (const [index, address] of same.entries()) {
        expect({ address, calls: await callsFrom(address) }).toEqual({ address, calls: index + 1 });
      }
      for (const other of ["2001:db8:1:3::1", "2001:db8:1::2", "2001:db8::1:2:0:0:1", "2001:db8:2:1::"]) {
        expect({ other, calls: await callsFrom(other) }).toEqual({ other, calls: 1 });
      }
      expect(await callsFrom("::1")).toBe(1);
      expect(await callsFrom("::2")).toBe(2);
      expect(await callsFrom("0:0::0:3")).toBe(3);
    });

    test("an IPv4 address is the same in IPv6 clothes, and a caller's own network", async () => {
      expect(await callsFrom("203.0.113.50")).toBe(1);
      expect(await callsFrom("::ffff:203.0.113.50")).toBe(2);
      expect(await callsFrom("::FFFF:203.0.113.50")).toBe(3);
      expect(await callsFrom("::ffff:cb00:7132")).toBe(4);
      expect(await callsFrom("::ffff:203.0.113.51")).toBe(1);
      expect(await callsFrom("198.51.100.77, ::ffff:10.0.0.9")).toBe(1);
      expect(await callsFrom("198.51.100.77")).toBe(2);
    });

    test("what is no address is nobody's: the proxy that passed it on is the caller then", async () => {
      let calls = await callsFrom(undefined);
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
        expect({ forwarded, calls: await callsFrom(forwarded) }).toEqual({ forwarded, calls: ++calls });
      }
      expect(await callsFrom("127.0.0.1")).toBe(++calls);
    });

    test("without a proxy of ours what is forwarded counts for nothing, and 429 holds for the connection's end", async () => {
      const call = (index: number) =>
        bare.call("/api/users", {
          headers: { "x-forwarded-for": `192.0.2.${index}`, forwarded: "for=192.0.2.9" },
        });
      for (let index = 0; index < 3; index++) expect(await describeResponse(await call(index))).toBe("200");
      const refused = await call(4);
      expect(refused.headers.get("ratelimit")).toBe('"default";r=0;t=3');
      expect(refused.headers.get("retry-after")).toBe("1");
      expect(await describeResponse(refused)).toBe("429 rate-limited");
      // What is for anybody is not limited: whoever watches over the service sees that it lives.
      expect((await bare.call("/healthz")).status).toBe(200);
      await Bun.sleep(1000);
      expect(await describeResponse(await call(5))).toBe("200");
    });
  });

  describe("wrong keys", () => {
    let service: TestService;
    let good: string;
    beforeAll(async () => {
      service = await startService({}, engine);
      good = await createFirstKey(service);
    });
    afterAll(() => service.stop());

    const attempt = async (key: string) =>
      describeResponse(await service.call("/api/users", { headers: bearer(key) }));

    test("from one address are 429 after twenty, while a good key from there is let in", async () => {
      const wrong = [() => attempt(createSecret()), () => attempt("roster_nonsense")];
      wrong.push(async () =>
        describeResponse(await service.send("POST", "/api/session", { key: createSecret() })),
      );
      for (let tries = 0; tries < 20; tries++) {
        expect(await wrong[tries % 3]?.()).toBe("401 unauthenticated");
        expect(await attempt(good)).toBe("200");
      }
      for (const refused of wrong) expect(await refused()).toBe("429 rate-limited");
      const answer = await service.call("/api/users", { headers: bearer(createSecret()) });
      const wait = Number(answer.headers.get("retry-after"));
      expect(wait).toBeWithin(1, 4);
      expect(await attempt(good)).toBe("200");
      const made = await service.send(
        "POST",
        "/api/keys",
        { name: "new", scopes: ["users:read"] },
        bearer(good),
      );
      const { key }: { key: string } = await made.json();
      expect(await attempt(key)).toBe("200");
      if (engine === "postgres") return;
      await Bun.sleep(wait * 1000);
      expect(await attempt(createSecret())).toBe("401 unauthenticated");
      expect(await attempt(createSecret())).toBe("429 rate-limited");
    });

    test("and made-up sessions from there shut nobody out who has a session, or signs in with a good key", async () => {
      const by = async (cookie: string) =>
        describeResponse(await service.call("/api/users", { headers: { cookie, ...sameOrigin } }));
      const before = await signIn(service, good);
      expect(await by(before)).toBe("200");
      const madeUp = () => `${before.split("=")[0]}=${randomBytes(32).toString("base64url")}`;
      for (let tries = 0; tries < 25; tries++) await by(madeUp());
      expect(await by(madeUp())).toBe("429 rate-limited");
      expect(await by(before)).toBe("200");
      const after = await signIn(service, good);
      expect(await by(after)).toBe("200");
      // Also when they have to be looked for again.
      await Bun.sleep(600);
      expect([await by(before), await by(after)]).toEqual(["200", "200"]);
    });

    test("are no reason to refuse whoever shows none", async () => {
      expect(await describeResponse(await service.call("/api/users"))).toBe("401 unauthenticated");
    });
  });
});
