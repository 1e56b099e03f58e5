import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isProblemType, type ProblemType, problems } from "../../../src/contract/problems.ts";
import { ProblemError } from "../../../src/domain/problem-error.ts";
import { scimErrorDocument } from "../../../src/http/scim/scim-error-response.ts";
import { ScimError, type ScimType } from "../../../src/scim/scim-error.ts";
import type { TestRequest } from "../../support/call.ts";
import { bearer } from "../../support/credentials.ts";
import { readResponse } from "../../support/responses.ts";
import { type Settings, startService, type TestService } from "../../support/service.ts";

const ERROR = "urn:ietf:params:scim:api:messages:2.0:Error";
const ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

/** What SCIM calls problems that it names. */
const named: Partial<Record<ProblemType, { readonly status: number; readonly scimType: ScimType }>> = {
  "malformed-json": { status: 400, scimType: "invalidSyntax" },
  "invalid-query": { status: 400, scimType: "invalidValue" },
  "invalid-user": { status: 400, scimType: "invalidValue" },
  "invalid-group": { status: 400, scimType: "invalidValue" },
  "email-taken": { status: 409, scimType: "uniqueness" },
  "value-taken": { status: 409, scimType: "uniqueness" },
};

describe("The error of a problem", () => {
  test.each(Object.keys(problems).filter(isProblemType))("%s has its status and its scimType", (type) => {
    const { status, scimType } = named[type] ?? { status: problems[type].status, scimType: undefined };
    expect(scimErrorDocument(new ProblemError(type, "What is wrong."))).toEqual({
      schemas: [ERROR],
      status: String(status),
      ...(scimType && { scimType }),
      detail: "What is wrong.",
    });
  });

  test.each(["invalidFilter", "invalidCursor", "tooMany", "mutability", "invalidPath", "noTarget"] as const)(
    "%s is 400",
    (scimType) => {
      expect(scimErrorDocument(new ScimError(scimType, "What is wrong."))).toEqual({
        schemas: [ERROR],
        status: "400",
        scimType,
        detail: "What is wrong.",
      });
    },
  );

  test.each([
    ["invalid-user", "/givenName", "name.givenName"],
    ["invalid-user", "/formattedName", "name.formatted"],
    ["invalid-user", "/name", "displayName"],
    ["invalid-user", "/email", "emails"],
    ["invalid-user", "/emails/0/value", "emails"],
    ["invalid-user", "/department", `${ENTERPRISE}:department`],
    ["invalid-user", "/badge", "urn:ietf:params:scim:schemas:extension:roster:2.0:User:badge"],
    ["invalid-group", "/name", "displayName"],
    ["invalid-group", "/add/3", "members"],
    ["invalid-group", "/members/0", "members"],
    ["invalid-group", "/owner", "urn:ietf:params:scim:schemas:extension:roster:2.0:Group:owner"],
    ["value-taken", "/name", "displayName"],
    ["value-taken", "/userName", "userName"],
  ] as const)("%s at %s names the attribute %s", (type, pointer, name) => {
    const problem = new ProblemError(type, "Something.", [{ pointer, detail: "This is wrong." }]);
    expect(scimErrorDocument(problem).detail).toBe(`${name}: This is wrong.`);
  });

  test("tells at most ten of many errors", () => {
    const errors = Array.from({ length: 50 }, () => ({ pointer: "/title", detail: "Bad." }));
    const { detail } = scimErrorDocument(new ProblemError("invalid-user", "Something.", errors));
    expect(detail).toBe(Array(10).fill("title: Bad.").join(" "));
  });
});

interface Failure {
  readonly status: number;
  readonly scimType?: string;
  readonly detail: string;
  readonly headers: Headers;
}

/** Sends a request to a path below the prefix, and reads the error. */
async function fail(service: TestService, path: string, request: TestRequest = {}): Promise<Failure> {
  const { status, headers, text } = await readResponse(service.call(`/scim/v2${path}`, request));
  const { schemas, status: shownStatus, scimType, detail, ...others } = JSON.parse(text);
  expect([schemas, shownStatus, typeof detail, others]).toEqual([[ERROR], String(status), "string", {}]);
  expect(headers.get("content-type")).toBe("application/scim+json");
  expect(headers.get("cache-control")).toBe("no-store");
  return { status, scimType, detail, headers };
}

async function withService(settings: Settings, run: (service: TestService) => Promise<void>): Promise<void> {
  const service = await startService(settings);
  try {
    await run(service);
  } finally {
    await service.stop();
  }
}

describe("A request that fails", () => {
  let service: TestService;
  let key: string;
  beforeAll(async () => {
    service = await startService();
    key = (await service.roster.keys.create({ name: "admin", scopes: ["keys:manage", "users:read"] })).key;
  });
  afterAll(() => service.stop());

  const createKey = async (json: object) => {
    const response = await service.call("/api/keys", { method: "POST", headers: bearer(key), json });
    const created: { id: number; key: string } = await response.json();
    return created;
  };

  test("without a key is 401 with WWW-Authenticate", async () => {
    for (const path of ["/Users", "/Users/1", "/Groups/g1", "/Bulk", "/Me", "/.search"]) {
      const method = path === "/Bulk" || path === "/.search" ? "POST" : "GET";
      const { status, headers } = await fail(service, path, { method });
      expect([path, status, headers.get("www-authenticate")]).toEqual([path, 401, 'Bearer realm="roster"']);
    }
  });

  test("with a revoked key is 401", async () => {
    const { id, key: revoked } = await createKey({ name: "revoked", scopes: ["users:read"] });
    await service.call(`/api/keys/${id}`, { method: "DELETE", headers: bearer(key) });
    const { status, detail } = await fail(service, "/Users/1", { headers: bearer(revoked) });
    expect([status, detail]).toEqual([401, expect.stringContaining("was revoked")]);
  });

  test("without the scope is 403 with the scope", async () => {
    const json = { userName: "ada" };
    const { status, headers } = await fail(service, "/Users", { method: "POST", headers: bearer(key), json });
    expect(status).toBe(403);
    expect(headers.get("www-authenticate")).toContain('scope="users:write"');
  });

  test("at an unknown path, or of an unknown user, is 404", async () => {
    for (const path of ["", "/", "/Nothing", "/Users/1/x", "/Users/1", "/Schemas/urn:x", "/v2/Users"]) {
      expect((await fail(service, path, { headers: bearer(key) })).status).toBe(404);
    }
  });

  test("with another method is 405 with Allow", async () => {
    const { status, headers } = await fail(service, "/users", { method: "DELETE", headers: bearer(key) });
    expect([status, headers.get("allow")]).toEqual([405, "POST, GET, HEAD, OPTIONS"]);
  });

  test("that accepts no JSON is 406", async () => {
    const headers = { ...bearer(key), accept: "text/html" };
    expect((await fail(service, "/Users/1", { headers })).status).toBe(406);
  });

  test("with a URL that has a key is 400", async () => {
    const { status, scimType, detail } = await fail(service, `/Users?key=${key}`, { headers: bearer(key) });
    expect([status, scimType]).toEqual([400, "invalidValue"]);
    expect(detail).not.toContain(key);
  });

  test("to /Me is 501, whatever the method, and no failure of the service", async () => {
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
      const { status, scimType } = await fail(service, "/Me", { method, headers: bearer(key) });
      expect([status, scimType]).toEqual([501, undefined]);
    }
    expect(service.log.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });

  test("with a body in another type is 415 with the types", async () => {
    const { key: writer } = await createKey({ name: "writer", scopes: ["users:read"] });
    const headers = { ...bearer(writer), "content-type": "text/xml" };
    const { status, headers: received } = await fail(service, "/Users/.search", {
      method: "POST",
      headers,
      body: "<a/>",
    });
    expect([status, received.get("accept-post")]).toEqual([415, "application/scim+json, application/json"]);
  });

  test("over the rate limit or the quota is 429 with Retry-After", async () => {
    const rateLimit = { requests: 1, seconds: 3600 };
    const { key: limited } = await createKey({ name: "limited", scopes: ["users:read"], rateLimit });
    const { key: counted } = await createKey({ name: "counted", scopes: ["users:read"], quota: 1 });
    for (const each of [limited, counted]) {
      expect((await fail(service, "/Users/1", { headers: bearer(each) })).status).toBe(404);
      const { status, headers } = await fail(service, "/Users/1", { headers: bearer(each) });
      expect(status).toBe(429);
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(1);
    }
  });

  test("from another host without a key is 421", () =>
    withService({}, async (open) => {
      const { status } = await fail(open, "/Users/1", { headers: { host: "evil.example" } });
      expect(status).toBe(421);
    }));
});

describe("With few resources", () => {
  test("a body over the limit is 413", () =>
    withService({ bodyLimit: 1024 }, async (service) => {
      const json = { userName: "ada", title: "x".repeat(2000) };
      expect((await fail(service, "/Users", { method: "POST", json })).status).toBe(413);
    }));

  test("more writes than can wait are 503 with Retry-After", () =>
    withService({ writeQueue: 1 }, async (service) => {
      const create = (index: number) => ({ method: "POST", json: { userName: `user-${index}` } });
      const sent = Array.from({ length: 50 }, (_, index) => service.call("/scim/v2/Users", create(index)));
      const refused = (await Promise.all(sent)).filter(({ status }) => status !== 201);
      expect(refused.length).toBeGreaterThan(0);
      for (const response of refused) {
        expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
        expect(await response.json()).toMatchObject({ schemas: [ERROR], status: "503" });
      }
    }));
});
