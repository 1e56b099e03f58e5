import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { startService, type TestService } from "../support/service.ts";

setDefaultTimeout(120_000);

const PREFLIGHT = { "access-control-request-method": "PUT", "access-control-request-headers": "if-match" };
const EVERY_KIND: [string, string, RequestInit][] = [
  ["a list", "/api/users", {}],
  ["a user", "/api/users/1", {}],
  ["a problem", "/api/users/999", {}],
  ["a path that is nowhere", "/nowhere", {}],
  ["a method that is refused", "/api/users", { method: "PUT" }],
  ["OPTIONS", "/api/users", { method: "OPTIONS" }],
  ["a preflight", "/api/users/1", { method: "OPTIONS", headers: PREFLIGHT }],
  ["HEAD", "/api/users/1", { method: "HEAD" }],
  ["a session", "/api/session", {}],
  ["the description", "/openapi.json", {}],
  ["the reference", "/docs", {}],
  ["its script", "/docs/reference.js", {}],
  ["a page about a problem", "/problems/email-taken", {}],
  ["the console", "/", {}],
];

const named = "http://localhost:5173";
const notNamed = "http://localhost:5174";

let closed: TestService;
let service: TestService;

beforeAll(async () => {
  closed = await startService();
  service = await startService({ corsOrigins: `https://app.example, ${named}` });
  for (const each of [closed, service]) await each.roster.users.create({ name: "Ada" });
});
afterAll(async () => {
  await closed.stop();
  await service.stop();
});

const corsHeaders = ({ headers }: Response) =>
  [...headers.keys()].filter((name) => name.startsWith("access-control-"));

function from(origin: string | undefined, init: RequestInit): RequestInit {
  const headers = new Headers(init.headers);
  if (origin !== undefined) headers.set("origin", origin);
  return { ...init, headers };
}

/** What the answer depends on, but for how it is packed. */
const variesBy = ({ headers }: Response) =>
  (headers.get("vary") ?? "").split(", ").filter((name) => name !== "" && name !== "accept-encoding");

describe("where no origin is named", () => {
  test.each(EVERY_KIND)("%s says nothing of other origins to anybody", async (_, path, init) => {
    for (const origin of [undefined, "https://app.example", closed.url, "null"]) {
      const answer = await closed.call(path, from(origin, init));
      expect(corsHeaders(answer)).toEqual([]);
      expect(variesBy(answer)).toEqual([]);
    }
  });
});

describe("where an origin is named", () => {
  test.each(EVERY_KIND)("%s can be read by it, and by no other", async (_, path, init) => {
    for (const origin of ["https://app.example", named]) {
      const answer = await service.call(path, from(origin, init));
      expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
      expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
      expect(variesBy(answer)).toEqual(["Origin"]);
    }
    const others = [
      undefined,
      "null",
      "*",
      notNamed,
      "http://app.example",
      "https://app.example:8443",
      "https://app.example.evil.example",
      "https://evil.example/https://app.example",
      "https://APP.example",
    ];
    for (const origin of others) {
      const answer = await service.call(path, from(origin, init));
      expect(corsHeaders(answer)).toEqual([]);
      expect(variesBy(answer)).toEqual(["Origin"]);
    }
  });

  test("a preflight names the methods of its path and the headers that callers send", async () => {
    const ask = (path: string) =>
      service.call(path, from("https://app.example", { method: "OPTIONS", headers: PREFLIGHT }));
    const user = await ask("/api/users/1");
    expect(user.status).toBe(204);
    expect(corsHeaders(user).sort()).toEqual([
      "access-control-allow-headers",
      "access-control-allow-methods",
      "access-control-allow-origin",
      "access-control-max-age",
    ]);
    const list = (answer: Response, name: string) => answer.headers.get(name)?.split(", ") ?? [];
    expect(list(user, "access-control-allow-methods")).toEqual(
      expect.arrayContaining(["GET", "PUT", "PATCH", "DELETE"]),
    );
    expect(list(await ask("/api/users"), "access-control-allow-methods")).not.toContain("DELETE");
    expect(list(user, "access-control-allow-headers")).toEqual(
      expect.arrayContaining([
        "Authorization",
        "Content-Type",
        "Idempotency-Key",
        "If-Match",
        "If-None-Match",
        "X-API-Key",
        "X-Request-Id",
      ]),
    );
  });

  test("an answer lets a page see the headers that callers need", async () => {
    const answer = await service.call("/api/users/1", from("https://app.example", {}));
    expect(corsHeaders(answer).sort()).toEqual([
      "access-control-allow-origin",
      "access-control-expose-headers",
    ]);
    const exposed = answer.headers.get("access-control-expose-headers")?.toLowerCase().split(", ") ?? [];
    expect(exposed).toEqual(
      expect.arrayContaining(
        "etag link location retry-after x-request-id x-total-count x-total-count-capped idempotency-replayed ratelimit ratelimit-policy".split(
          " ",
        ),
      ),
    );
    expect(exposed).not.toContain("set-cookie");
  });

  test("a preflight needs no key where everything else does", async () => {
    const keyed = await startService({ corsOrigins: "https://app.example", auth: "required" });
    const answer = await keyed.call(
      "/api/users",
      from("https://app.example", { method: "OPTIONS", headers: PREFLIGHT }),
    );
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([
      204,
      "https://app.example",
    ]);
    const refused = await keyed.call("/api/users", from("https://app.example", {}));
    expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([
      401,
      "https://app.example",
    ]);
    await keyed.stop();
  });
});
