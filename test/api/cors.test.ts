import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { TestRequest } from "../support/call.ts";
import { startService, type TestService } from "../support/service.ts";

setDefaultTimeout(120_000);

const PREFLIGHT = { "access-control-request-method": "PUT", "access-control-request-headers": "if-match" };
const REQUESTS: [string, string, TestRequest][] = [
  ["a list", "/api/users", {}],
  ["a user", "/api/users/1", {}],
  ["a problem", "/api/users/999", {}],
  ["an unknown path", "/nowhere", {}],
  ["a method that is not allowed", "/api/users", { method: "PUT" }],
  ["OPTIONS", "/api/users", { method: "OPTIONS" }],
  ["a preflight", "/api/users/1", { method: "OPTIONS", headers: PREFLIGHT }],
  ["HEAD", "/api/users/1", { method: "HEAD" }],
  ["a session", "/api/session", {}],
  ["the OpenAPI description", "/openapi.json", {}],
  ["the reference page", "/docs", {}],
  ["a script of the reference page", "/docs/reference.js", {}],
  ["a page about a problem", "/problems/email-taken", {}],
  ["the console", "/", {}],
];

const allowedOrigin = "http://localhost:5173";
const otherPort = "http://localhost:5174";

let withoutCors: TestService;
let service: TestService;

beforeAll(async () => {
  withoutCors = await startService();
  service = await startService({ corsOrigins: `https://app.example, ${allowedOrigin}` });
  for (const each of [withoutCors, service]) await each.roster.users.create({ name: "Ada" });
});
afterAll(async () => {
  await withoutCors.stop();
  await service.stop();
});

const corsHeaders = ({ headers }: Response) =>
  [...headers.keys()].filter((name) => name.startsWith("access-control-"));

function from(origin: string | undefined, request: TestRequest): TestRequest {
  return { ...request, headers: { ...request.headers, ...(origin !== undefined && { origin }) } };
}

/** The names in the Vary header, except Accept and Accept-Encoding. */
const variesBy = ({ headers }: Response) =>
  (headers.get("vary") ?? "").split(", ").filter((name) => !["", "Accept", "Accept-Encoding"].includes(name));

describe("without allowed origins", () => {
  test.each(REQUESTS)("%s has no CORS headers", async (_, path, init) => {
    for (const origin of [undefined, "https://app.example", withoutCors.url, "null"]) {
      const response = await withoutCors.call(path, from(origin, init));
      expect(corsHeaders(response)).toEqual([]);
      expect(variesBy(response)).toEqual([]);
    }
  });
});

describe("with allowed origins", () => {
  test.each(REQUESTS)("pages of the allowed origins, and no others, can read %s", async (_, path, init) => {
    for (const origin of ["https://app.example", allowedOrigin]) {
      const response = await service.call(path, from(origin, init));
      expect(response.headers.get("access-control-allow-origin")).toBe(origin);
      expect(response.headers.get("access-control-allow-credentials")).toBeNull();
      expect(variesBy(response)).toEqual(["Origin"]);
    }
    const otherOrigins = [
      undefined,
      "null",
      "*",
      otherPort,
      "http://app.example",
      "https://app.example:8443",
      "https://app.example.evil.example",
      "https://evil.example/https://app.example",
      "https://APP.example",
    ];
    for (const origin of otherOrigins) {
      const response = await service.call(path, from(origin, init));
      expect(corsHeaders(response)).toEqual([]);
      expect(variesBy(response)).toEqual(["Origin"]);
    }
  });

  test("a preflight response lists the methods of its path and the request headers", async () => {
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
    const list = (response: Response, name: string) => response.headers.get(name)?.split(", ") ?? [];
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

  test("a response exposes the headers that callers need", async () => {
    const response = await service.call("/api/users/1", from("https://app.example", {}));
    expect(corsHeaders(response).sort()).toEqual([
      "access-control-allow-origin",
      "access-control-expose-headers",
    ]);
    const exposed = response.headers.get("access-control-expose-headers")?.toLowerCase().split(", ") ?? [];
    expect(exposed).toEqual(
      expect.arrayContaining(
        "etag link location retry-after x-request-id x-total-count x-total-count-capped idempotency-replayed ratelimit ratelimit-policy".split(
          " ",
        ),
      ),
    );
    expect(exposed).not.toContain("set-cookie");
  });

  test("a preflight needs no key if a key is required", async () => {
    const keyed = await startService({ corsOrigins: "https://app.example", auth: "required" });
    const response = await keyed.call(
      "/api/users",
      from("https://app.example", { method: "OPTIONS", headers: PREFLIGHT }),
    );
    expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([
      204,
      "https://app.example",
    ]);
    const rejected = await keyed.call("/api/users", from("https://app.example", {}));
    expect([rejected.status, rejected.headers.get("access-control-allow-origin")]).toEqual([
      401,
      "https://app.example",
    ]);
    await keyed.stop();
  });
});
