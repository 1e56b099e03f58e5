import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { scopes } from "../../src/contract/key.ts";
import { createSecret } from "../../src/contract/key-secret.ts";
import { onEachEngine } from "../support/engines.ts";
import { startService, type TestService } from "../support/service.ts";
import { createFirstKey, describeResponse, parseCookie, sameOrigin, signIn, unknownKey } from "./sign-in.ts";

setDefaultTimeout(120_000);

const sites = ["same-origin", "same-site", "cross-site", "none", undefined] as const;
const origins = ["own", "other", "another port", "null", undefined] as const;
const ALL = ["GET", "POST", "DELETE"];

/** What a request with the cookie may do that says this of where it comes from. */
function mayDo(site: (typeof sites)[number], origin: (typeof origins)[number]): string[] {
  // Browsers that send Sec-Fetch-Site say all that is to be known by it.
  if (site === "same-origin") return ALL;
  if (site === "none") return ["GET"];
  if (site !== undefined) return [];
  if (origin === "own") return ALL;
  return origin === undefined ? ["GET"] : [];
}

const table = sites.flatMap((site) =>
  origins.map((origin) => {
    const may = mayDo(site, origin);
    return [site ?? "nothing", origin ?? "no", may.join(", ") || "nothing", { site, origin, may }] as const;
  }),
);

onEachEngine((engine) => {
  let service: TestService;
  let key: string;
  let cookie: string;
  let originOf: Record<string, string>;
  const withKey = () => ({ authorization: `Bearer ${key}` });

  beforeAll(async () => {
    service = await startService({}, engine);
    key = await createFirstKey(service);
    cookie = await signIn(service, key);
    originOf = {
      own: service.url,
      other: "https://evil.example",
      "another port": "http://127.0.0.1:1",
      null: "null",
    };
  }, 120_000);
  afterAll(() => service.stop());

  /** What a browser says of where a request comes from. */
  const from = ({ site, origin }: { site?: string | undefined; origin?: string | undefined }) => ({
    ...(site !== undefined && { "sec-fetch-site": site }),
    ...(origin !== undefined && { origin: originOf[origin] ?? origin }),
  });

  async function total(): Promise<number> {
    const answer = await service.call("/api/users?count=true&limit=1", { headers: withKey() });
    return Number(answer.headers.get("x-total-count"));
  }

  async function makeUser(headers: Record<string, string>): Promise<Response> {
    return service.send("POST", "/api/users", { name: "Ada" }, headers);
  }

  describe("with the cookie", () => {
    test.each(table)(
      "Sec-Fetch-Site %s and %s origin may do %s",
      async (_site, _origin, _may, { may, ...place }) => {
        const { id }: { id: number } = await (await makeUser(withKey())).json();
        const before = await total();
        const headers = { cookie, ...from(place) };
        const asked = {
          GET: await service.call("/api/users", { headers }),
          POST: await makeUser(headers),
          DELETE: await service.call(`/api/users/${id}`, { method: "DELETE", headers }),
        };
        const endings = await Promise.all(Object.values(asked).map(describeResponse));
        const good = Object.entries({ GET: "200", POST: "201", DELETE: "204" });
        expect(endings).toEqual(
          good.map(([method, status]) => (may.includes(method) ? status : "403 cross-site")),
        );
        const there = await service.call(`/api/users/${id}`, { headers: withKey() });
        expect(there.status).toBe(may.includes("DELETE") ? 404 : 200);
        // One was made, another deleted; or neither.
        expect(await total()).toBe(before);
      },
    );

    test.each(table)(
      "Sec-Fetch-Site %s and %s origin may sign out where it may DELETE",
      async (_site, _origin, _may, { may, ...place }) => {
        const mine = await signIn(service, key);
        const headers = { cookie: mine, ...from(place) };
        const out = await service.call("/api/session", { method: "DELETE", headers });
        const gone = may.includes("DELETE");
        expect(await describeResponse(out)).toBe(gone ? "204" : "403 cross-site");
        expect(parseCookie(out) !== undefined).toBe(gone);
        const still = await service.call("/api/session", { headers: { cookie: mine, ...sameOrigin } });
        expect(still.status).toBe(gone ? 401 : 200);
      },
    );

    test("another site learns nothing of whether a session is a good one", async () => {
      const place = from({ site: "cross-site" });
      for (const pair of [cookie, "roster_session=x"]) {
        const answer = await service.call("/api/session", { headers: { cookie: pair, ...place } });
        expect(await describeResponse(answer)).toBe("403 cross-site");
      }
    });
  });

  describe("a key", () => {
    test("wins over a cookie beside it, whatever either is worth", async () => {
      const reader = await service.send(
        "POST",
        "/api/keys",
        { name: "reader", scopes: ["users:read"] },
        withKey(),
      );
      const { key: reading }: { key: string } = await reader.json();
      const who = (headers: Record<string, string>) =>
        service.call("/api/session", { headers: { cookie, ...sameOrigin, ...headers } });
      expect(await (await who({ authorization: `Bearer ${reading}` })).json()).toMatchObject({
        auth: "key",
        key: { name: "reader" },
        expiresAt: null,
      });
      const refused = await makeUser({ cookie, ...sameOrigin, "x-api-key": reading });
      expect(await describeResponse(refused)).toBe("403 insufficient-scope");
      expect(await describeResponse(await who({ authorization: `Bearer ${unknownKey}` }))).toBe(
        "401 unauthenticated",
      );
      expect(await describeResponse(await who({ "x-api-key": "" }))).toBe("401 unauthenticated");
      expect(await (await who({ authorization: "Basic YTpi" })).json()).toMatchObject({ auth: "session" });
    });

    test("is asked nothing of where it comes from", async () => {
      for (const place of table.map(([, , , place]) => from(place))) {
        const answer = await service.call("/api/session", { headers: { cookie, ...withKey(), ...place } });
        expect(await answer.json()).toMatchObject({ auth: "key" });
      }
    });
  });

  describe("signing in", () => {
    test.each(table)(
      "Sec-Fetch-Site %s and %s origin may, where it may POST, and programs may",
      async (_site, _origin, _may, { may, ...place }) => {
        const answer = await service.send("POST", "/api/session", { key }, from(place));
        const isProgram = place.site === undefined && place.origin === undefined;
        const good = may.includes("POST") || isProgram;
        expect(await describeResponse(answer)).toBe(good ? "200" : "403 cross-site");
        expect(parseCookie(answer) !== undefined).toBe(good);
      },
    );

    test.each([
      ["no object", "[]", "422 invalid-key"],
      ["a text", '"roster_"', "422 invalid-key"],
      ["null", "null", "422 invalid-key"],
      ["an object without a key", "{}", "422 invalid-key"],
      ["a number for a key", '{"key":7}', "422 invalid-key"],
      ["null for a key", '{"key":null}', "422 invalid-key"],
      ["more than a key", `{"key":"${unknownKey}","remember":true}`, "422 invalid-key"],
      ["nesting without end", `${"[".repeat(30_000)}${"]".repeat(30_000)}`, "422 invalid-key"],
      ["nothing", "", "400 malformed-json"],
      ["half an object", '{"key":', "400 malformed-json"],
      ["a form", `key=${unknownKey}`, "400 malformed-json"],
      ["more than a body may be", `{"key":"${"x".repeat(70_000)}"}`, "413 too-large"],
      ["an empty key", '{"key":""}', "401 unauthenticated"],
      ["a key that was not copied whole", `{"key":"${unknownKey.slice(0, -1)}"}`, "401 unauthenticated"],
      ["a key that nobody knows", `{"key":"${createSecret()}"}`, "401 unauthenticated"],
    ])("with %s is refused, and sets no cookie", async (_, body, wanted) => {
      const headers = { "content-type": "application/json", ...sameOrigin };
      const answer = await service.call("/api/session", { method: "POST", body, headers });
      expect(await answer.clone().text()).not.toContain(unknownKey.slice(7, 30));
      expect(await describeResponse(answer)).toBe(wanted);
      expect(parseCookie(answer)).toBeUndefined();
    });

    test.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])(
      "with a body of a type that any page can send is refused: %p",
      async (type) => {
        const body = new TextEncoder().encode(JSON.stringify({ key }));
        const headers = { ...(type !== "" && { "content-type": type }), ...sameOrigin };
        const answer = await service.call("/api/session", { method: "POST", body, headers });
        expect(await describeResponse(answer)).toBe("415 unsupported-media-type");
        expect(parseCookie(answer)).toBeUndefined();
      },
    );

    test("with a key that has ended says how it ended", async () => {
      const make = async (wish: object) => {
        const answer = await service.send("POST", "/api/keys", { name: "short", scopes, ...wish }, withKey());
        const made: { id: number; key: string } = await answer.json();
        return made;
      };
      const revoked = await make({});
      await service.call(`/api/keys/${revoked.id}`, { method: "DELETE", headers: withKey() });
      const replaced = await make({});
      await make({ replaces: replaced.id, graceSeconds: 0 });
      const signing = (secret: string) => service.send("POST", "/api/session", { key: secret }, sameOrigin);
      expect(await describeResponse(await signing(revoked.key))).toBe("401 key-revoked");
      expect(await describeResponse(await signing(replaced.key))).toBe("401 key-expired");
    });

    test("with wrong keys again and again is slowed down, and a good key is not", async () => {
      const tries = Array.from({ length: 40 }, () =>
        service.send("POST", "/api/session", { key: createSecret() }, sameOrigin),
      );
      const endings = await Promise.all((await Promise.all(tries)).map(describeResponse));
      expect(new Set(endings)).toEqual(new Set(["401 unauthenticated", "429 rate-limited"]));
      expect(endings.at(-1)).toBe("429 rate-limited");
      expect(await signIn(service, key)).toStartWith("roster_session=");
    });
  });
});
