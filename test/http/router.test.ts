import { describe, expect, test } from "bun:test";
import type { Operation, Parameter } from "../../src/contract/operation.ts";
import { problems } from "../../src/contract/problems.ts";
import { ProblemError } from "../../src/domain/problem-error.ts";
import { type ProblemRenderer, problemHeaders, problemResponse } from "../../src/http/problem-response.ts";
import { createContext, type Handler } from "../../src/http/request-context.ts";
import { emptyResponse, jsonResponse } from "../../src/http/responses.ts";
import { NO_PARAMETERS } from "../../src/http/route-table.ts";
import { Router, type RouterParts } from "../../src/http/router.ts";

function operation(method: Operation["method"], path: string, type = "application/json"): Operation {
  return {
    id: `${method} ${path}`,
    method,
    path,
    tag: "users",
    access: "public",
    summary: "",
    description: "",
    parameters: [],
    responses: { 200: { description: "", body: { type, schema: {}, examples: {} } } },
    problems: [],
  };
}

/** Admits everyone. */
const parts: RouterParts = {
  admit: () => undefined,
  readBody: async ({ request }) => request.bytes(),
  setIdleTimeout: () => undefined,
  renderProblem: problemResponse,
};

/** A router whose handlers respond with the matched pattern and the parameters. */
function createRouter(...routes: string[]): Router {
  const router = new Router(parts);
  for (const route of routes) addRoute(router, route);
  return router;
}

function addRoute(router: Router, route: string): void {
  const [method, path = ""] = route.split(" ");
  if (method !== "GET" && method !== "PUT" && method !== "POST" && method !== "DELETE") {
    throw new Error(`The test does not support the method of ${route}.`);
  }
  router.serve(operation(method, path), (context) => {
    const { route, parameters } = context;
    return jsonResponse(context, 200, JSON.stringify({ route, parameters }));
  });
}

async function send(router: Router, method: string, path: string, headers: Record<string, string> = {}) {
  const request = new Request(`http://localhost${path}`, { method, headers });
  const context = createContext(request, NO_PARAMETERS, 0);
  try {
    return await router.dispatch(context);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return router.renderProblem(context, error);
  }
}

async function get(router: Router, path: string) {
  const response = await send(router, "GET", path);
  return response.status === 200 ? await response.json() : response.status;
}

const succeed: Handler = (context) => jsonResponse(context, 200, "{}");

const members = "/groups/{id}/members/{userId}";
const resend = "/webhooks/{id}/deliveries/{deliveryId}/resend";

describe("parameters", () => {
  const router = createRouter(
    "GET /",
    "GET /users",
    "GET /users/{id}",
    "GET /users/{id}/events",
    "GET /groups/{id}/members",
    `GET ${members}`,
    `POST ${resend}`,
  );

  test.each([
    ["/", "/", {}],
    ["/users", "/users", {}],
    ["/users/7", "/users/{id}", { id: "7" }],
    ["/users/7/events", "/users/{id}/events", { id: "7" }],
    ["/groups/3/members", "/groups/{id}/members", { id: "3" }],
    ["/groups/3/members/7", members, { id: "3", userId: "7" }],
    ["/groups/3/members/7?expand=true", members, { id: "3", userId: "7" }],
  ])("%s matches %s", async (path, route, parameters) => {
    expect(await get(router, path)).toEqual({ route, parameters });
  });

  test("a parameter may be followed by fixed segments", async () => {
    const response = await send(router, "POST", "/webhooks/1/deliveries/2/resend");
    expect(await response.json()).toEqual({ route: resend, parameters: { id: "1", deliveryId: "2" } });
  });

  test.each([
    "/groups",
    "/groups/3",
    "/groups/3/owners",
    "/groups/3/members/7/8",
    "/users/7/events/1",
    "/webhooks/1/deliveries/2",
  ])("%s is 404", async (path) => {
    expect(await get(router, path)).toBe(404);
  });

  test.each([
    "/users//",
    "/users//events",
    "/groups//members",
    "/groups//members/7",
    "/groups/3/members//",
    "/groups/3//7",
    "//groups/3/members/7",
  ])("%s is 404: a segment is empty", async (path) => {
    expect(await get(router, path)).toBe(404);
  });

  test.each(["/users/", "/users/7/", "/users/7/events/", "/groups/3/members/7/"])(
    "the trailing slash of %s is ignored",
    async (path) => {
      expect(await get(router, path)).toEqual(await get(router, path.slice(0, -1)));
    },
  );

  test("two patterns that match the same paths are an error", () => {
    expect(() => addRoute(router, "PUT /groups/{groupId}/members")).toThrow("/groups/{id}/members");
    expect(() => addRoute(router, "PUT /users/{userId}")).toThrow("/users/{id}");
  });
});

describe("precedence", () => {
  const router = createRouter(
    "GET /users/{id}",
    "GET /users/me",
    "GET /users/{id}/events",
    "GET /users/me/{view}",
    "GET /users/me/settings",
    "GET /{kind}/{id}/events/{eventId}",
    "GET /users/{id}/{view}/latest",
  );

  test.each([
    ["/users/me", "/users/me", {}],
    ["/users/you", "/users/{id}", { id: "you" }],
    ["/users/me/settings", "/users/me/settings", {}],
    ["/users/me/events", "/users/me/{view}", { view: "events" }],
    ["/users/7/events", "/users/{id}/events", { id: "7" }],
    ["/users/7/events/latest", "/users/{id}/{view}/latest", { id: "7", view: "events" }],
    ["/users/7/events/1", "/{kind}/{id}/events/{eventId}", { kind: "users", id: "7", eventId: "1" }],
    [
      "/groups/7/events/latest",
      "/{kind}/{id}/events/{eventId}",
      { kind: "groups", id: "7", eventId: "latest" },
    ],
  ])("%s matches %s", async (path, route, parameters) => {
    expect(await get(router, path)).toEqual({ route, parameters });
  });
});

describe("percent-encoding", () => {
  const router = createRouter("GET /scim/v2/Users", "GET /users/{id}", `GET ${members}`);

  test.each([
    ["/users/a%20b", { id: "a b" }],
    ["/users/%C3%A9", { id: "é" }],
    ["/users/a%2Fb", { id: "a/b" }],
    ["/users/%2541", { id: "%41" }],
    ["/users/%ZZ", { id: "%ZZ" }],
    ["/groups/a%2Fb/members/%37", { id: "a/b", userId: "7" }],
    ["/gr%6Fups/1/%6Dembers/2", { id: "1", userId: "2" }],
  ])("%s is decoded", async (path, parameters) => {
    expect(await get(router, path)).toMatchObject({ parameters });
  });

  test("a fixed segment matches its percent-encoded form", async () => {
    expect(await get(router, "/%73cim/v%32/Users")).toMatchObject({ route: "/scim/v2/Users" });
  });

  test("an encoded slash does not separate segments", async () => {
    expect(await get(router, "/groups/1%2Fmembers/2")).toBe(404);
  });
});

describe("methods", () => {
  const router = createRouter(`GET ${members}`, `PUT ${members}`, `POST ${resend}`);

  test("HEAD responds like GET, without the body", async () => {
    const getResponse = await send(router, "GET", "/groups/3/members/7");
    const response = await send(router, "HEAD", "/groups/3/members/7");
    expect(response.status).toBe(200);
    expect(await response.text()).toBe("");
    expect(response.headers.get("content-length")).toBe(String((await getResponse.text()).length));
  });

  test("OPTIONS lists the methods of the path", async () => {
    const response = await send(router, "OPTIONS", "/groups/3/members/7");
    expect([response.status, response.headers.get("allow")]).toEqual([204, "GET, PUT, HEAD, OPTIONS"]);
  });

  test("OPTIONS has the types that POST and PATCH accept, and none for PUT", async () => {
    const router = new Router(parts);
    const request = { schema: {}, examples: {}, invalid: "invalid-user" } as const;
    for (const [method, type] of [
      ["POST", "application/json"],
      ["PATCH", "application/merge-patch+json"],
      ["PUT", "text/csv"],
    ] as const) {
      router.serve({ ...operation(method, "/things"), request: { ...request, types: [type] } }, succeed);
    }
    const { headers } = await send(router, "OPTIONS", "/things");
    expect([headers.get("accept-post"), headers.get("accept-patch"), headers.get("accept-put")]).toEqual([
      "application/json",
      "application/merge-patch+json",
      null,
    ]);
  });

  test.each(["GET", "HEAD", "DELETE"])("405 for %s, which the path does not support", async (method) => {
    const response = await send(router, method, "/webhooks/1/deliveries/2/resend");
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
    expect(await response.json()).toMatchObject({
      type: "/problems/method-not-allowed",
      detail: `This path supports POST, OPTIONS, not ${method}.`,
    });
  });

  test("OPTIONS of an unknown path is 404", async () => {
    expect((await send(router, "OPTIONS", "/groups/3/owners")).status).toBe(404);
  });
});

describe("a page", () => {
  test("is served without the gate", async () => {
    const router = new Router({
      ...parts,
      admit() {
        throw new ProblemError("unauthenticated");
      },
    });
    router.servePage("/docs/{file}", (context) => emptyResponse(context, 204));
    addRoute(router, "GET /users/{id}");
    expect((await send(router, "GET", "/docs/style.css")).status).toBe(204);
    expect((await send(router, "GET", "/users/7")).status).toBe(401);
  });
});

describe("an area with another error format", () => {
  const scimError: ProblemRenderer = (context, problem) => {
    const { status } = problems[problem.type];
    const body = { schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"], status: String(status) };
    return jsonResponse(context, status, JSON.stringify(body), {
      "content-type": "application/scim+json",
      ...problemHeaders(problem),
    });
  };
  const router = createRouter("GET /api/users");
  router.addArea({ prefix: "/scim/v2", renderProblem: scimError });
  router.serve(operation("GET", "/scim/v2/Users/{id}", "application/scim+json"), () => {
    throw new ProblemError("unavailable");
  });

  async function formatOf(response: Response) {
    const body = await response.json();
    return [response.status, response.headers.get("content-type"), body.schemas ? body.status : body.type];
  }

  test.each([
    ["GET", "/scim/v2/Users/7", 503],
    ["GET", "/scim/v2/Groups", 404],
    ["GET", "/scim/v2", 404],
    ["GET", "/scim/v2/", 404],
    ["GET", "/%73cim/v2/Groups", 404],
    ["DELETE", "/scim/v2/Users/7", 405],
  ])("renders %s %s", async (method, path, status) => {
    const response = await send(router, method, path);
    expect(await formatOf(response)).toEqual([status, "application/scim+json", String(status)]);
  });

  test("renders a type that the operation does not have", async () => {
    const response = await send(router, "GET", "/scim/v2/Users/7", { accept: "text/html" });
    expect(await formatOf(response)).toEqual([406, "application/scim+json", "406"]);
  });

  test("has the headers of the problem", async () => {
    const [unavailable, notAllowed] = [
      await send(router, "GET", "/scim/v2/Users/7"),
      await send(router, "PUT", "/scim/v2/Users/7"),
    ];
    expect(unavailable.headers.get("retry-after")).toBe("1");
    expect(notAllowed.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
  });

  test.each([
    ["GET", "/scim/v20/Users", 404, "not-found"],
    ["GET", "/scim", 404, "not-found"],
    ["GET", "/elsewhere", 404, "not-found"],
    ["DELETE", "/api/users", 405, "method-not-allowed"],
  ])("does not concern %s %s", async (method, path, status, type) => {
    const response = await send(router, method, path);
    expect(await formatOf(response)).toEqual([status, "application/problem+json", `/problems/${type}`]);
  });

  test("the longest matching prefix wins", async () => {
    const nested = createRouter();
    nested.addArea({ prefix: "/scim", renderProblem: (context) => emptyResponse(context, 418) });
    nested.addArea({ prefix: "/scim/v2", renderProblem: scimError });
    expect((await send(nested, "GET", "/scim/v1")).status).toBe(418);
    expect((await send(nested, "GET", "/scim/v2/Users")).status).toBe(404);
  });
});

describe("what an operation says about itself", () => {
  const parameter = (name: string, type: string): Parameter => ({
    in: "query",
    name,
    description: "",
    schema: { type },
  });

  /** A router with one operation, and the times when it turned the idle timeout off and on. */
  function createDeclared(declared: Partial<Operation>, handler: Handler) {
    const timeouts: boolean[] = [];
    const router = new Router({ ...parts, setIdleTimeout: (_, enabled) => timeouts.push(enabled) });
    router.serve({ ...operation("POST", "/things"), ...declared }, handler);
    const call = async (query = "", headers: Record<string, string> = {}) => {
      const request = new Request(`http://localhost/things${query}`, { method: "POST", headers });
      const context = createContext(request, NO_PARAMETERS, 0);
      timeouts.length = 0;
      const problem = await Promise.try(() => router.dispatch(context)).then(
        () => undefined,
        (error: unknown) => (error instanceof ProblemError ? error.type : "another error"),
      );
      return { problem, timeouts: [...timeouts], logged: context.logAtInfo };
    };
    return { call, timeouts };
  }
  const fail: Handler = () => {
    throw new ProblemError("user-not-found");
  };

  test("logged: a request that succeeds is logged at level info, except a dry run", async () => {
    const { call } = createDeclared({ logged: true, parameters: [parameter("dryRun", "boolean")] }, succeed);
    expect((await call()).logged).toBe(true);
    expect((await call("?dryRun=false")).logged).toBe(true);
    expect((await call("?dryRun=true")).logged).toBe(false);
    expect((await createDeclared({ logged: true }, fail).call()).logged).toBe(false);
    expect((await createDeclared({}, succeed).call()).logged).toBe(false);
  });

  test("takesLong: the idle timeout is off while the handler runs", async () => {
    const seen: boolean[][] = [];
    const { call, timeouts } = createDeclared({ takesLong: true }, (context) => {
      seen.push([...timeouts]);
      return succeed(context);
    });
    expect((await call()).timeouts).toEqual([false, true]);
    expect(seen).toEqual([[false]]);
  });

  test("takesLong: the idle timeout is on again after an error", async () => {
    expect(await createDeclared({ takesLong: true }, fail).call()).toEqual({
      problem: "user-not-found",
      timeouts: [false, true],
      logged: false,
    });
  });

  test("takesLong can depend on a parameter or the type of the response", async () => {
    const form = (type: string) => ({ type, schema: {}, examples: {} });
    const { call } = createDeclared(
      {
        takesLong: { parameter: "wait", type: "application/x-ndjson" },
        parameters: [parameter("wait", "integer"), parameter("waiting", "integer")],
        responses: {
          200: {
            description: "",
            body: form("application/json"),
            alternatives: [form("application/x-ndjson")],
          },
        },
      },
      succeed,
    );
    expect((await call()).timeouts).toEqual([]);
    expect((await call("?waiting=5")).timeouts).toEqual([]);
    expect((await call("?wait=5")).timeouts).toEqual([false, true]);
    expect((await call("", { accept: "application/x-ndjson" })).timeouts).toEqual([false, true]);
  });

  test.each([
    ["?erase=true", "insufficient-scope"],
    ["?erase=%74rue", "insufficient-scope"],
    ["?erase=false&erase=true", "invalid-query"],
    ["?erase=false", undefined],
    ["?other=true", undefined],
    ["", undefined],
  ])("a parameter that needs a scope: %s gives %p", async (query, problem) => {
    const erase: Parameter = {
      ...parameter("erase", "boolean"),
      needs: { scope: "users:purge", query: "erase=true" },
    };
    const parameters = [erase, parameter("other", "boolean")];
    expect((await createDeclared({ parameters }, succeed).call(query)).problem).toBe(problem);
  });
});
