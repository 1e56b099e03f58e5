import { describe, expect, test } from "bun:test";
import { groupDocument } from "../../../src/scim/group-document.ts";
import { userDocument } from "../../../src/scim/user-document.ts";
import { judge } from "./judge.ts";
import { judgeLog } from "./judge-log.ts";
import { PLANTED_SECRET } from "./planted-secret.ts";
import { allOperations, type FuzzRequest } from "./requests.ts";

/** Correct responses, and the same with one defect each: what the judge finds. */

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** A request and the response to it. */
interface Exchanged {
  readonly request: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly isAnonymous?: boolean;
  /** Whether the bytes of the request were changed, so that the judge does not know it. */
  readonly isChanged?: boolean;
  /** What is wrong with the bytes of the response. */
  readonly errors?: readonly string[];
  readonly answer: Answer;
}

const common = { "x-request-id": "a-1", "cache-control": "no-store" };
const scim = { ...common, "content-type": "application/scim+json" };
const ndjson = "application/x-ndjson";
const oauth = { ...common, pragma: "no-cache", "content-type": "application/json; charset=utf-8" };
const problem = { ...common, "content-type": "application/problem+json" };

async function findingsOf({
  request,
  headers = {},
  isAnonymous = false,
  isChanged,
  errors = [],
  answer,
}: Exchanged) {
  const [method = "", path = ""] = request.split(" ");
  const bare = path.split("?")[0] ?? "";
  const operation = allOperations.find(
    (each) =>
      each.method === (method === "HEAD" ? "GET" : method) &&
      new RegExp(`^${each.path.replaceAll(".", "\\.").replace(/\{\w+\}/g, "[^/]+")}$`).test(bare),
  );
  const sent: FuzzRequest = {
    ...{ method, path, operation, isAnonymous, text: "", closes: false },
    headers: Object.entries(headers),
  };
  const { status, body } = answer;
  const text = typeof body === "string" ? body : body === undefined ? "" : JSON.stringify(body);
  const response = {
    status,
    headers: Object.entries(answer.headers),
    body: Buffer.from(text),
    endsWithConnection: false,
  };
  return await judge(
    { number: 1, parts: [], ending: "response", requests: isChanged ? undefined : [sent] },
    {
      responses: [response],
      errors,
      closedByService: false,
      rest: 0,
      isStreaming: false,
      firstByteMs: undefined,
    },
  );
}

/** A copy with other members; those that are undefined are missing. */
const changed = <Value extends object>(value: Value, changes: object): object =>
  JSON.parse(JSON.stringify({ ...value, ...changes }));

const locate = (path: string) => `http://localhost/scim/v2${path}`;
const times = { createdAt: "2026-11-20T08:00:00.000Z", updatedAt: "2026-11-20T09:00:00.000Z" };
const user = userDocument({ id: 42, name: "Ada", email: "ada@example.com", version: 7, ...times }, locate);
const group = { ...groupDocument({ id: 3, name: "Sales", version: 2, ...times }, locate), members: [] };
const urnOf = (name: string) => `urn:ietf:params:scim:api:messages:2.0:${name}`;
const refused = { schemas: [urnOf("Error")], status: "400", scimType: "invalidValue", detail: "No." };
const list = {
  schemas: [urnOf("ListResponse")],
  Resources: [user, group],
  itemsPerPage: 2,
  startIndex: 1,
  totalResults: 2,
};
const deletion = { method: "DELETE", location: locate("/Users/1"), status: "204" };
const creation = {
  method: "POST",
  bulkId: "a",
  location: locate("/Users/43"),
  version: 'W/"1"',
  status: "201",
};
const failure = { method: "PUT", location: locate("/Users/44"), status: "400", response: refused };
const bulk = { schemas: [urnOf("BulkResponse")], Operations: [deletion, creation, failure] };
const config = {
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
  meta: { resourceType: "ServiceProviderConfig", location: locate("/ServiceProviderConfig") },
};
const token = {
  access_token: `roster_token_7_${"x".repeat(36)}`,
  token_type: "Bearer",
  expires_in: 3600,
  scope: "users:read groups:read",
};
const tokenError = { error: "invalid_client", error_description: "No." };
const missing = {
  type: "/problems/not-found",
  title: "Not found",
  status: 404,
  detail: "There is nothing.",
  instance: "/x",
  requestId: "a-1",
};

const read: Exchanged = {
  request: "GET /scim/v2/Users/42",
  answer: { status: 200, headers: { ...scim, etag: 'W/"7"' }, body: user },
};
const created: Exchanged = {
  request: "POST /scim/v2/Groups",
  answer: { status: 201, headers: { ...scim, etag: 'W/"2"', location: locate("/Groups/g3") }, body: group },
};
const failed: Exchanged = {
  request: "POST /scim/v2/Users",
  answer: { status: 400, headers: scim, body: refused },
};
const listed: Exchanged = {
  request: "POST /scim/v2/.search",
  answer: { status: 200, headers: scim, body: list },
};
const bulked: Exchanged = {
  request: "POST /scim/v2/Bulk",
  answer: { status: 200, headers: scim, body: bulk },
};
const described: Exchanged = {
  request: "GET /scim/v2/ServiceProviderConfig",
  answer: { status: 200, headers: scim, body: config },
};
const issued: Exchanged = {
  request: "POST /oauth/token",
  answer: { status: 200, headers: oauth, body: token },
};
const unissued: Exchanged = {
  request: "POST /oauth/token",
  answer: {
    status: 401,
    headers: { ...oauth, "www-authenticate": 'Basic realm="roster"' },
    body: tokenError,
  },
};
const unknown: Exchanged = { request: "GET /x", answer: { status: 404, headers: problem, body: missing } };
const page: Exchanged = {
  request: "GET /x",
  answer: { status: 404, headers: { ...common, "content-type": "text/html" }, body: "<!doctype html>" },
};
const cut: Exchanged = {
  ...read,
  errors: ['the response Error: has a chunk of size "HTTP/1.1 505 HTTP Version Not Supported"'],
};
const removed: Exchanged = {
  request: "DELETE /scim/v2/Users/42",
  answer: { status: 204, headers: common, body: undefined },
};

const withBody = (exchanged: Exchanged, changes: object): Exchanged => ({
  ...exchanged,
  answer: { ...exchanged.answer, body: changed(Object(exchanged.answer.body), changes) },
});
const withHeaders = (exchanged: Exchanged, changes: object): Exchanged => ({
  ...exchanged,
  answer: {
    ...exchanged.answer,
    headers: JSON.parse(JSON.stringify({ ...exchanged.answer.headers, ...changes })),
  },
});
const withText = (exchanged: Exchanged, body: string): Exchanged => ({
  ...exchanged,
  answer: { ...exchanged.answer, body },
});
const withStatus = (exchanged: Exchanged, status: number): Exchanged => ({
  ...exchanged,
  answer: { ...exchanged.answer, status },
});
const withMeta = (changes: object) => withBody(read, { meta: changed(Object(user.meta), changes) });
const withOutcome = (outcome: object, changes: object) =>
  withBody(bulked, { Operations: [changed(outcome, changes)] });

describe("a correct response has no finding:", () => {
  test.each<[string, Exchanged]>([
    ["a user", read],
    [
      "a user with chosen attributes",
      withBody({ ...read, request: `${read.request}?attributes=id` }, { meta: undefined }),
    ],
    ["a new group", created],
    ["an error of SCIM", failed],
    ["an error of SCIM for a path that does not exist", { ...failed, request: "GET /scim/v2/Nothing" }],
    ["an error of SCIM without scimType", withBody(failed, { scimType: undefined })],
    ["an error of SCIM, in response to changed bytes", { ...failed, isChanged: true }],
    ["a list", listed],
    ["a list, in response to changed bytes", { ...listed, isChanged: true }],
    ["a bulk response", bulked],
    ["a description", described],
    ["no body after a deletion", removed],
    ["a token", issued],
    ["an error of OAuth", unissued],
    ["an error of OAuth, in response to changed bytes", { ...unissued, isChanged: true }],
    ["a problem", unknown],
    ["a page for browsers", page],
    ["a page for browsers beside the token endpoint", { ...page, request: "GET /oauth/authorize" }],
    ["a stream that Bun cuts off because of changed bytes", { ...cut, isChanged: true }],
    ["a read of the version that If-Match names", { ...read, headers: { "if-match": '"6", W/"7"' } }],
    ["a read with an If-Match for any version", { ...read, headers: { "if-match": "*" } }],
  ])("%s", async (_, exchanged) => {
    expect(await findingsOf(exchanged)).toEqual([]);
  });
});

describe("the judge finds", () => {
  const defects: [string, Exchanged, string][] = [
    ["a stream that is cut off", cut, "has a chunk of size"],
    ["another error, in response to changed bytes", { ...read, isChanged: true, errors: ["hang"] }, "hang"],
    ["an internal error", withStatus(failed, 500), "internal error"],
    [
      "a header that nobody describes",
      withHeaders(read, { "x-powered-by": "x" }),
      "unknown headers x-powered-by",
    ],
    ["a response without a request id", withHeaders(read, { "x-request-id": undefined }), "no X-Request-Id"],
    ["a body that is not JSON", withText(read, "{"), "the body is not application/scim+json"],
    [
      "a body that is not compressed as its header says",
      withHeaders(read, { "content-encoding": "gzip" }),
      "cannot be decoded",
    ],
    ["a stack", withBody(failed, { detail: "TypeError: x" }), "reveals internals"],
    ["a password of a request", withBody(failed, { detail: PLANTED_SECRET }), "a password of a request"],
    ["a response that is missing", { ...read, answer: { ...read.answer, status: 102 } }, "0 of 1 responses"],

    [
      "a well-formed request that Bun rejects",
      { ...unknown, answer: { status: 400, headers: {}, body: undefined } },
      "Bun rejected a well-formed request",
    ],
    [
      "a body without headers of the service",
      { ...unknown, answer: { status: 400, headers: {}, body: "x" } },
      "a body without headers of the service",
    ],
    [
      "a line of an import that failed",
      {
        request: "POST /api/users/import",
        answer: { status: 200, headers: { ...common, "content-type": ndjson }, body: '{"status":500}\n' },
      },
      "a line of an import failed",
    ],
    [
      "a response that is not as it is described",
      {
        request: "GET /api/users/42",
        answer: { status: 200, headers: { ...scim, etag: '"7"' }, body: user },
      },
      "does not conform to the description",
    ],
    ["a problem of another status", withBody(unknown, { status: 400 }), "a problem with status 400"],
    [
      "a problem of a type that does not exist",
      withBody(unknown, { type: "/problems/x" }),
      "unknown problem type",
    ],
    ["a problem of another request", withBody(unknown, { requestId: "a-2" }), "a problem of another request"],
    ["an error that is no problem", { ...failed, request: "GET /x" }, "not a problem document"],
    [
      "an empty error that is no problem",
      withText({ ...failed, request: "HEAD /x" }, ""),
      "not a problem document",
    ],

    ["a page in SCIM", { ...page, request: "GET /scim/v2/x" }, "type text/html"],
    ["a problem in SCIM", { ...unknown, request: "GET /scim/v2/x" }, "type application/problem+json"],
    [
      "a problem of OAuth in SCIM",
      { ...unissued, request: "GET /scim/v2/x" },
      "without the schema of errors",
    ],
    ["an error of SCIM without a body", withText(failed, ""), "an error without a document"],
    ["an error of SCIM that is a list", withText(failed, "[]"), "not an object"],
    [
      "an error of SCIM without its schema",
      withBody(failed, { schemas: [] }),
      "without the schema of errors",
    ],
    [
      "an error of SCIM with a number for a status",
      withBody(failed, { status: 400 }),
      "an error with status 400",
    ],
    [
      "an error of SCIM with another status",
      withBody(failed, { status: "404" }),
      'an error with status "404"',
    ],
    ["an unknown scimType", withBody(failed, { scimType: "bad" }), 'scimType "bad"'],
    ["a scimType of another status", withBody(failed, { scimType: "uniqueness" }), 'scimType "uniqueness"'],
    ["an error of SCIM without a detail", withBody(failed, { detail: " " }), "without a detail"],
    ["an error of SCIM with another member", withBody(failed, { stack: "x" }), "an error with stack"],
    [
      "an unknown scimType, in response to changed bytes",
      { ...withBody(failed, { scimType: "bad" }), isChanged: true },
      "scimType",
    ],

    ["a resource of plain text", withHeaders(read, { "content-type": "text/plain" }), "type text/plain"],
    ["a resource that is a list", withText(read, "[]"), "not an object"],
    ["a null", withBody(read, { name: { givenName: null } }), "null at /name/givenName"],
    ["a password", withBody(read, { password: "x" }), "a credential at /password"],
    [
      "a password in an extension",
      withBody(read, { "urn:x": { a: [{ pass_word: "x" }] } }),
      "a credential at /urn:x/a/0",
    ],
    ["a resource without its schema", withBody(read, { schemas: [] }), "with the schemas []"],
    ["an extension that is not among the schemas", withBody(read, { "urn:x": { a: 1 } }), "with the schemas"],
    [
      "a group in place of a user",
      { ...read, answer: { ...read.answer, body: group } },
      "a User with the schemas",
    ],
    ["a user without an id", withBody(read, { id: undefined }), "the id undefined"],
    ["a number for an id", withBody(read, { id: 42 }), "the id 42"],
    ["the id of a user for a group", withBody(created, { id: "3" }), 'the id "3"'],
    ["a user without a user name", withBody(read, { userName: undefined }), "a User without a name"],
    ["a group without a name", withBody(created, { displayName: "" }), "a Group without a name"],
    ["a resource without meta", withBody(read, { meta: undefined }), "without meta"],
    ["the location of another resource", withMeta({ location: locate("/Users/41") }), "meta.location"],
    ["a wrong resource type", withMeta({ resourceType: "Person" }), "meta.resourceType"],
    ["a time of another form", withMeta({ lastModified: "today" }), "meta.lastModified"],
    ["a resource without the time of its creation", withMeta({ created: undefined }), "meta.created"],
    ["a strong version", withMeta({ version: '"7"' }), "meta.version"],
    [
      "a version that is not the ETag",
      withHeaders(read, { etag: 'W/"8"' }),
      'version W/"7" with the ETag W/"8"',
    ],
    ["a resource without ETag", withHeaders(read, { etag: undefined }), "without ETag"],
    [
      "a new resource without Location",
      withHeaders(created, { location: undefined }),
      "the Location undefined",
    ],
    [
      "the Location of another resource",
      withHeaders(created, { location: locate("/Groups/g4") }),
      "the Location",
    ],
    [
      "a body after a deletion",
      { ...read, request: "DELETE /scim/v2/Users/42" },
      "a document where there is none",
    ],
    [
      "a success of an operation that is not implemented",
      { ...read, request: "GET /scim/v2/Me" },
      "a document where there is none",
    ],

    ["a list without its schema", withBody(listed, { schemas: [] }), "without the schema of lists"],
    ["a list without resources", withBody(listed, { Resources: undefined }), "without Resources"],
    ["a wrong itemsPerPage", withBody(listed, { itemsPerPage: 3 }), "itemsPerPage 3 of 2"],
    ["a total below the size of the page", withBody(listed, { totalResults: 1 }), "totalResults 1"],
    ["a list without a total", withBody(listed, { totalResults: undefined }), "totalResults undefined"],
    ["a startIndex of 0", withBody(listed, { startIndex: 0 }), "startIndex 0"],
    ["an empty cursor", withBody(listed, { nextCursor: "" }), 'nextCursor ""'],
    ["a resource twice", withBody(listed, { Resources: [user, user] }), "a resource twice"],
    ["a list of texts", withBody(listed, { Resources: ["a", "b"] }), "other things than resources"],
    [
      "a wrong resource in a list",
      withBody(listed, { Resources: [changed(user, { id: "x" }), group] }),
      'the id "x"',
    ],
    [
      "a wrong group in a list",
      withBody(listed, { Resources: [user, changed(group, { id: "3" })] }),
      'the id "3"',
    ],
    [
      "a resource of no schema in a list",
      withBody(listed, { Resources: [user, { id: "1" }] }),
      "a document with the schemas",
    ],

    [
      "a bulk response without its schema",
      withBody(bulked, { schemas: [] }),
      "a bulk response without its schema",
    ],
    ["a bulk response without outcomes", withBody(bulked, { Operations: undefined }), "without Operations"],
    ["an outcome that is a text", withBody(bulked, { Operations: ["x"] }), "an outcome that is no object"],
    [
      "an outcome with a number for a status",
      withOutcome(deletion, { status: 204 }),
      "an outcome with status 204",
    ],
    [
      "an internal error of an outcome",
      withOutcome(failure, { status: "500" }),
      "an outcome with an internal error",
    ],
    ["a failed outcome without an error", withOutcome(failure, { response: undefined }), "without an error"],
    [
      "a failed outcome with another error",
      withOutcome(failure, { status: "409" }),
      'an error with status "400"',
    ],
    ["an outcome of no method", withOutcome(deletion, { method: "GET" }), 'the method "GET"'],
    [
      "an outcome without location",
      withOutcome(creation, { location: undefined }),
      "an outcome without location",
    ],
    [
      "an outcome without version",
      withOutcome(creation, { version: undefined }),
      "an outcome with version undefined",
    ],

    [
      "a description without a schema",
      withBody(described, { schemas: [] }),
      "a document with the schemas []",
    ],
    ["a description without location", withBody(described, { meta: {} }), "a document without meta.location"],

    ["a success without a caller", { ...read, isAnonymous: true }, "scimReadUser succeeded without a caller"],
    [
      "a deletion without a caller",
      { ...removed, isAnonymous: true },
      "scimDeleteUser succeeded without a caller",
    ],
    [
      "a read in spite of If-Match",
      { ...read, headers: { "if-match": 'W/"6"' } },
      "succeeded with version 7, and If-Match 6",
    ],
    [
      "a read in spite of an If-Match that names no version",
      { ...read, headers: { "if-match": "x" } },
      "succeeded with version 7",
    ],
    [
      "a change in spite of If-Match",
      { ...read, request: "PUT /scim/v2/Users/42", headers: { "if-match": '"5", "8"' } },
      "succeeded with version 7, and If-Match 5,8",
    ],
    [
      "a change of a group in spite of If-Match",
      {
        ...created,
        request: "PUT /scim/v2/Groups/g3",
        headers: { "if-match": '"3"' },
        answer: { ...created.answer, status: 200 },
      },
      "succeeded with version 2, and If-Match 3",
    ],

    ["a token of plain text", withHeaders(issued, { "content-type": "text/plain" }), "type text/plain"],
    [
      "a token that caches may store",
      withHeaders(issued, { "cache-control": "private" }),
      "cache-control is private",
    ],
    ["a token that old caches may store", withHeaders(issued, { pragma: undefined }), "pragma is undefined"],
    ["a response of OAuth that is a list", withText(issued, "[]"), "not an object"],
    ["a response without a token", withBody(issued, { access_token: undefined }), "no access_token"],
    ["a token of another type", withBody(issued, { token_type: "mac" }), 'token_type "mac"'],
    ["a token that lives too long", withBody(issued, { expires_in: 3601 }), "expires_in 3601"],
    ["a token with an unknown scope", withBody(issued, { scope: "root" }), 'scope "root"'],
    [
      "a problem of the API in OAuth",
      { ...unknown, request: "GET /oauth/x" },
      "type application/problem+json",
    ],
    ["an unknown error of OAuth", withBody(unissued, { error: "oops" }), 'an error "oops"'],
    ["an error of OAuth with another status", withStatus(unissued, 400), 'an error "invalid_client"'],
    [
      "an error of OAuth without a description",
      withBody(unissued, { error_description: "" }),
      "without a description",
    ],
    [
      "a quote in the description",
      withBody(unissued, { error_description: 'a "b"' }),
      "without a description",
    ],
    ["an error of OAuth with another member", withBody(unissued, { type: "x" }), "an error with type"],
    [
      "an error of a client without WWW-Authenticate",
      withHeaders(unissued, { "www-authenticate": undefined }),
      "without WWW-Authenticate",
    ],
  ];

  test.each(defects)("%s", async (_, exchanged, what) => {
    expect((await findingsOf(exchanged)).join("\n")).toContain(what);
  });

  test("a header that comes twice", async () => {
    const headers = [...Object.entries(scim), ["etag", 'W/"7"'], ["etag", 'W/"7"']] as const;
    const response = {
      status: 200,
      headers,
      body: Buffer.from(JSON.stringify(user)),
      endsWithConnection: false,
    };
    const exchange = {
      errors: [],
      closedByService: false,
      rest: 0,
      isStreaming: false,
      firstByteMs: undefined,
    };
    const found = await judge(
      { number: 1, parts: [], ending: "response", requests: undefined },
      { ...exchange, responses: [response] },
    );
    expect(found.join()).toContain("repeated headers etag");
  });
});

describe("the judge of the log finds", () => {
  test.each([
    ["an error", '{"level":"error","message":"x"}', "logged: "],
    ["a password of a request", `{"level":"info","path":"${PLANTED_SECRET}"}`, "logged a secret: "],
    ["a key", `{"level":"info","path":"roster_${"a".repeat(36)}"}`, "logged a secret: "],
    ["an access token", `{"level":"info","path":"roster_token_7_${"a".repeat(36)}"}`, "logged a secret: "],
  ])("%s", (_, line, what) => {
    expect(judgeLog(["{}", line])).toEqual([what + line]);
  });

  test("nothing in other lines", () => {
    expect(judgeLog(['{"level":"info","path":"/scim/v2/Users/42"}'])).toEqual([]);
  });
});
