import { afterEach, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { ApiError } from "../../src/client/index.ts";
import { ada, answering, failureOf, json, problem, quietClient, stopServers } from "./servers.ts";

afterEach(stopServers);

const html = `<!DOCTYPE html>
<html><head><title>502 Bad Gateway</title><style>body { color: red }</style>
<script>alert("no")</script></head>
<body><h1>Bad   Gateway</h1>\n<hr>nginx ${"and on ".repeat(100)}</body></html>`;
const page = { headers: { "content-type": "text/html" }, body: html };

/** What reading a user throws when it is answered so. */
async function refused(...steps: Parameters<typeof answering>): Promise<ApiError> {
  const { url } = await answering(...steps);
  return await failureOf(ApiError, quietClient(url).users.get(7));
}

describe("a problem", () => {
  test("is an ApiError with the status, the type, the problem and the request's id", async () => {
    const error = await refused(problem("user-not-found"));
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

  test("has a message that says what was asked and what came of it", async () => {
    const { url } = await answering(problem("version-mismatch"));
    const error = await failureOf(
      ApiError,
      quietClient(url).users.replace(7, { name: "Ada" }, { ifMatch: 2 }),
    );
    expect(error.message).toBe(
      "PUT /api/users/7: 412 version-mismatch: If-Match does not match the current version of the user. Nothing was changed.",
    );
  });

  test("is one whatever its body holds, even a user", async () => {
    expect(await refused(json(ada, 500))).toMatchObject({ status: 500, problem: undefined });
  });

  test("lists every fault", async () => {
    const errors = [{ pointer: "/name", detail: "It is missing." }];
    const error = await refused(
      json({ type: "/problems/invalid-user", title: "x", status: 422, errors }, 422),
    );
    expect(error.problem?.errors).toEqual(errors);
  });

  test("that is a proxy's page says the text of it, without tags, on one short line", async () => {
    const error = await refused({ ...page, status: 502, headers: { "x-request-id": "from-header" } });
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

  test("without a body says the status", async () => {
    const error = await refused({ status: 500 });
    expect(error.message).toBe("GET /api/users/7: 500: Internal Server Error");
  });

  test("that is JSON of another kind is quoted", async () => {
    const error = await refused(json({ type: "error", message: "boom" }, 400));
    expect(error.message).toBe(`GET /api/users/7: 400: "{\\"type\\":\\"error\\",\\"message\\":\\"boom\\"}"`);
    expect(error.problem).toBeUndefined();
  });

  test("in another encoding than UTF-8 is shown as far as it can be read", async () => {
    const error = await refused({ status: 502, body: Buffer.from("Fehler: ung\xfcltig", "latin1") });
    expect(error.message).toBe('GET /api/users/7: 502: "Fehler: ung\ufffdltig"');
  });

  test("is also what 304 is, since nobody asked whether it has changed", async () => {
    expect(await refused({ status: 304 })).toMatchObject({ status: 304, problem: undefined });
  });

  test("says nothing of the query, which may hold what is nobody's business", async () => {
    const { url } = await answering(problem("invalid-query"));
    const error = await failureOf(ApiError, quietClient(url).users.list({ q: "private" }).page());
    expect(error.message).toStartWith("GET /api/users: 400 invalid-query: ");
    expect(error.message).not.toContain("private");
  });
});

describe("a success that is none", () => {
  const cases = {
    "a page of HTML": [page, /200: the response is not JSON: "502 Bad Gateway/],
    "broken JSON": [{ body: '{"id": 7, "na' }, /200: the response is not JSON: "{\\"id\\": 7, \\"na"$/],
    "nothing at all": [{}, /200: the response is not a user\. Is this a Roster service\?$/],
    "204": [{ status: 204 }, /204: the response is not a user/],
    "JSON that is no user": [json({ hello: "world" }), /200: the response is not a user/],
    "a user of another make": [
      json({ id: "7", name: "Ada", version: "3" }),
      /200: the response is not a user/,
    ],
    "a list of users": [json([ada]), /200: the response is not a user/],
    null: [json(null), /200: the response is not a user/],
    "invalid UTF-8": [
      { body: Buffer.from('{"id":7,"name":"Zo\xeb"}', "latin1") },
      /200: the response is not UTF-8$/,
    ],
    "UTF-8 that breaks off": [{ body: Buffer.from('"é"').subarray(0, 2) }, /200: the response is not UTF-8$/],
  } as const;
  for (const [name, [answer, message]] of Object.entries(cases)) {
    test(`such as ${name} is an ApiError`, async () => {
      const error = await refused(answer);
      expect(error.message).toMatch(message);
      expect(error.tries).toBe(1);
    });
  }

  test("such as one user where a list was asked for is an ApiError", async () => {
    const { url } = await answering(json(ada));
    const error = await failureOf(ApiError, quietClient(url).users.list().page());
    expect(error.message).toBe(
      "GET /api/users: 200: the response is not a list of users. Is this a Roster service?",
    );
  });

  test("such as a body in answer to a delete is an ApiError: something else than Roster has answered", async () => {
    const { url } = await answering(json({ ok: true }));
    const error = await failureOf(ApiError, quietClient(url).users.delete(7));
    expect(error.message).toContain("the response is not empty");
  });
});

describe("a success", () => {
  test("may be compressed", async () => {
    const body = gzipSync(JSON.stringify(ada));
    const { url } = await answering({ headers: { "content-encoding": "gzip" }, body });
    expect(await quietClient(url).users.get(7)).toEqual(ada);
  });

  test("may begin with a byte order mark", async () => {
    const { url } = await answering({ body: `\ufeff${JSON.stringify(ada)}` });
    expect(await quietClient(url).users.get(7)).toEqual(ada);
  });

  test("of a delete has no body", async () => {
    const { url, seen } = await answering({ status: 204 });
    expect(await quietClient(url).users.delete(7)).toBeUndefined();
    expect(seen).toMatchObject([{ method: "DELETE", target: "/api/users/7", body: "" }]);
  });
});
