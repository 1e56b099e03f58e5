import { afterEach, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { ApiError } from "../../src/client/index.ts";
import { ada, failureOf, json, problem, quietClient, startServer, stopServers } from "./support/servers.ts";

afterEach(stopServers);

const html = `<!DOCTYPE html>
<html><head><title>502 Bad Gateway</title><style>body { color: red }</style>
<script>alert("no")</script></head>
<body><h1>Bad   Gateway</h1>\n<hr>nginx ${"and on ".repeat(100)}</body></html>`;
const page = { headers: { "content-type": "text/html" }, body: html };

/** The error of reading a user with this response. */
async function errorFor(...steps: Parameters<typeof startServer>): Promise<ApiError> {
  const { url } = await startServer(...steps);
  return await failureOf(ApiError, quietClient(url).users.get(7));
}

describe("a problem", () => {
  test("becomes an ApiError with the status, the type, the problem and the request id", async () => {
    const error = await errorFor(problem("user-not-found"));
    expect(error).toMatchObject({
      name: "ApiError",
      status: 404,
      type: "user-not-found",
      requestId: "k3v9-1f",
      tries: 1,
      method: "GET",
      problem: { type: "/problems/user-not-found", title: "User not found", status: 404 },
    });
    expect(error.url).toEndWith("/api/users/7");
  });

  test("has a message with the request and the problem", async () => {
    const { url } = await startServer(problem("version-mismatch"));
    const error = await failureOf(
      ApiError,
      quietClient(url).users.replace(7, { name: "Ada" }, { ifMatch: 2 }),
    );
    expect(error.message).toBe(
      "PUT /api/users/7: 412 version-mismatch: If-Match does not match the current version. Nothing was changed.",
    );
  });

  test("is recognised by its status, even if the body is a user", async () => {
    expect(await errorFor(json(ada, 500))).toMatchObject({ status: 500, problem: undefined });
  });

  test("lists all field errors", async () => {
    const errors = [{ pointer: "/name", detail: "It is missing." }];
    const error = await errorFor(
      json({ type: "/problems/invalid-user", title: "x", status: 422, errors }, 422),
    );
    expect(error.problem?.errors).toEqual(errors);
  });

  test("from a proxy has the text of the page in its message, on one short line without tags", async () => {
    const error = await errorFor({ ...page, status: 502, headers: { "x-request-id": "from-header" } });
    expect(error.message).toStartWith(
      'GET /api/users/7: 502: "502 Bad Gateway Bad Gateway nginx and on and on',
    );
    expect(error.message).not.toMatch(/[<>\n]|color|alert/);
    expect(error.message.length).toBeLessThan(200);
    expect(error).toMatchObject({
      status: 502,
      type: undefined,
      problem: undefined,
      requestId: "from-header",
    });
  });

  test("without a body has the status in its message", async () => {
    const error = await errorFor({ status: 500 });
    expect(error.message).toBe("GET /api/users/7: 500: Internal Server Error");
  });

  test("in another JSON format is quoted", async () => {
    const error = await errorFor(json({ type: "error", message: "boom" }, 400));
    expect(error.message).toBe(`GET /api/users/7: 400: "{\\"type\\":\\"error\\",\\"message\\":\\"boom\\"}"`);
    expect(error.problem).toBeUndefined();
  });

  test("in another encoding is shown as far as it is readable", async () => {
    const error = await errorFor({ status: 502, body: Buffer.from("Fehler: ung\xfcltig", "latin1") });
    expect(error.message).toBe('GET /api/users/7: 502: "Fehler: ung\ufffdltig"');
  });

  test("includes 304, because the client sends no conditional reads", async () => {
    expect(await errorFor({ status: 304 })).toMatchObject({ status: 304, problem: undefined });
  });

  test("does not reveal the query, which may hold personal data", async () => {
    const { url } = await startServer(problem("invalid-query"));
    const error = await failureOf(ApiError, quietClient(url).users.list({ q: "private" }).page());
    expect(error.message).toStartWith("GET /api/users: 400 invalid-query: ");
    expect(error.message).not.toContain("private");
  });
});

describe("a success that cannot be read", () => {
  const cases = {
    "a page of HTML": [page, /200: the response is not JSON: "502 Bad Gateway/],
    "broken JSON": [{ body: '{"id": 7, "na' }, /200: the response is not JSON: "{\\"id\\": 7, \\"na"$/],
    "an empty body": [{}, /200: the response is not a user\. Is this a Roster service\?$/],
    "204": [{ status: 204 }, /204: the response is not a user/],
    "JSON that is not a user": [json({ hello: "world" }), /200: the response is not a user/],
    "a user with text as id and version": [
      json({ id: "7", name: "Ada", version: "3" }),
      /200: the response is not a user/,
    ],
    "a list of users": [json([ada]), /200: the response is not a user/],
    null: [json(null), /200: the response is not a user/],
    "invalid UTF-8": [
      { body: Buffer.from('{"id":7,"name":"Zo\xeb"}', "latin1") },
      /200: the response is not UTF-8$/,
    ],
    "UTF-8 that is cut off": [{ body: Buffer.from('"é"').subarray(0, 2) }, /200: the response is not UTF-8$/],
  } as const;
  for (const [name, [response, message]] of Object.entries(cases)) {
    test(`because of ${name} throws an ApiError`, async () => {
      const error = await errorFor(response);
      expect(error.message).toMatch(message);
      expect(error.tries).toBe(1);
    });
  }

  test("because it is one user instead of a list throws an ApiError", async () => {
    const { url } = await startServer(json(ada));
    const error = await failureOf(ApiError, quietClient(url).users.list().page());
    expect(error.message).toBe(
      "GET /api/users: 200: the response is not a list of users. Is this a Roster service?",
    );
  });

  test("because a delete has a response body throws an ApiError: the service is not Roster", async () => {
    const { url } = await startServer(json({ ok: true }));
    const error = await failureOf(ApiError, quietClient(url).users.delete(7));
    expect(error.message).toContain("the response is not empty");
  });
});

describe("a success", () => {
  test("may be compressed", async () => {
    const body = gzipSync(JSON.stringify(ada));
    const { url } = await startServer({ headers: { "content-encoding": "gzip" }, body });
    expect(await quietClient(url).users.get(7)).toEqual(ada);
  });

  test("may start with a byte order mark", async () => {
    const { url } = await startServer({ body: `\ufeff${JSON.stringify(ada)}` });
    expect(await quietClient(url).users.get(7)).toEqual(ada);
  });

  test("of a delete has no body", async () => {
    const { url, seen } = await startServer({ status: 204 });
    expect(await quietClient(url).users.delete(7)).toBeUndefined();
    expect(seen).toMatchObject([{ method: "DELETE", target: "/api/users/7", body: "" }]);
  });
});
