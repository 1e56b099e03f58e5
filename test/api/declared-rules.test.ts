import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonSchema } from "../../src/contract/json-schema.ts";
import {
  listRequestBodies,
  listRequestTypes,
  listResponseTypes,
  mediaTypes,
  type Operation,
  type Parameter,
} from "../../src/contract/operation.ts";
import { operations } from "../../src/contract/operations.ts";
import type { ProblemDocument } from "../../src/contract/problems.ts";
import { encodeCursor } from "../../src/domain/lists/cursor.ts";
import { startService, type TestService } from "../support/service.ts";

/** Sends what the contract forbids to every operation. access/access.test.ts does this for scopes and sessions. */
let service: TestService;
/** The ids of resources that exist, by the names of the parameters' components. */
let ids: Record<string, number> = {};
beforeAll(async () => {
  service = await startService();
  const { users, webhooks } = service.roster;
  const [ada, grace] = [await users.create({ name: "Ada" }), await users.create({ name: "Grace" })];
  await users.delete(grace.id);
  const created = await service.call("/api/groups", { method: "POST", json: { name: "Support" } });
  const group: { id: number } = await created.json();
  const webhook = await webhooks.create({ url: "https://hooks.example.com", types: ["key.*"] });
  await service.call(`/api/groups/${group.id}/members/${ada.id}`, { method: "PUT" });
  ids = {
    ...{ UserId: ada.id, DeletedUserId: grace.id, GroupId: group.id, MemberId: ada.id },
    WebhookId: webhook.id,
  };
});
afterAll(() => service.stop());

const all = Object.values<Operation>(operations);

/** The operations that a rule is about, as rows of a table of tests. */
function rows(isConcerned: (operation: Operation) => unknown) {
  return all.filter(isConcerned).map((operation) => [operation.id, operation] as const);
}

function hasHeader(header: string) {
  return ({ parameters }: Operation) =>
    parameters.some((parameter) => parameter.in === "header" && parameter.name === header);
}

/** The path of an operation, with ids that exist, or the examples of its parameters. */
function pathOf({ path, parameters }: Operation, values: Readonly<Record<string, string>> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, part: string) => {
    const parameter = parameters.find(({ name }) => name === part);
    return values[part] ?? String(ids[parameter?.component ?? ""] ?? parameter?.example);
  });
}

async function send(operation: Operation, query: string, headers: Record<string, string>, body?: string) {
  const { method } = operation;
  const path = pathOf(operation) + query;
  const response = await service.call(path, { method, headers, ...(body !== undefined && { body }) });
  const { type, errors = [] }: ProblemDocument = await response.json();
  return { type, parameters: errors.map(({ parameter }) => parameter), headers: response.headers };
}

/** A valid request, except for its query and its headers. */
function sendQuery(operation: Operation, query: string, headers: Record<string, string> = {}) {
  const [body] = listRequestBodies(operation);
  const [example] = Object.values(body?.examples ?? {});
  const text = typeof example === "string" ? example : JSON.stringify(example);
  return send(operation, `?${query}`, { ...headers, ...(body && { "content-type": body.type }) }, text);
}

describe("A path", () => {
  const inPath = all.flatMap((operation) =>
    operation.parameters
      .filter((parameter) => parameter.in === "path")
      .map((parameter) => [operation.id, parameter.name, operation, parameter] as const),
  );

  test.each(inPath)("of %s with an invalid %s does not exist", async (_, name, operation, { notFound }) => {
    for (const value of ["!", "%00", "%FF"]) {
      const { method } = operation;
      const response = await service.call(pathOf(operation, { [name]: value }), { method });
      expect(await response.json()).toMatchObject({ type: `/problems/${notFound}` });
    }
  });
});

describe("A header", () => {
  test.each(rows(hasHeader("If-Match")))(
    "If-Match of %s with another version is refused",
    async (_, operation) => {
      expect((await sendQuery(operation, "", { "if-match": '"999"' })).type).toBe(
        "/problems/version-mismatch",
      );
    },
  );

  test.each(rows(hasHeader("If-None-Match")))(
    "If-None-Match of %s with the ETag of the response gives 304",
    async (_, operation) => {
      const { headers } = await service.call(pathOf(operation));
      const etag = headers.get("etag") ?? "no ETag";
      const response = await service.call(pathOf(operation), { headers: { "if-none-match": etag } });
      expect([response.status, response.headers.get("etag")]).toEqual([304, etag]);
    },
  );

  test.each([
    ...rows(hasHeader("Idempotency-Key")).map((row) => ["Idempotency-Key", ...row] as const),
    ...rows(hasHeader("Last-Event-ID")).map((row) => ["Last-Event-ID", ...row] as const),
  ])("%s of %s with a value that is not allowed is refused", async (header, _, operation) => {
    expect((await sendQuery(operation, "", { [header]: "é" })).type).toBe("/problems/invalid-header");
  });
});

describe("A body", () => {
  const acceptHeaders: Record<string, string> = { POST: "accept-post", PATCH: "accept-patch" };

  test.each(rows(({ request }) => request))(
    "of %s with an unknown type, or without a type, is refused with the types to send",
    async (_, operation) => {
      const types = listRequestTypes(operation);
      for (const headers of [{ "content-type": "application/x-unknown" }, { "content-type": "" }]) {
        const refused = await send(operation, "", headers, "{}");
        expect(refused.type).toBe("/problems/unsupported-media-type");
        const header = acceptHeaders[operation.method];
        if (header === undefined) continue;
        expect(refused.headers.get(header)).toBe(types.join(", "));
        const options = await service.call(pathOf(operation), { method: "OPTIONS" });
        expect(options.headers.get(header)).toBe(types.join(", "));
      }
    },
  );

  test.each(rows(({ request }) => request?.types.includes(mediaTypes.json)))(
    "of %s that is nested too deeply gets the problem that the operation names",
    async (_, operation) => {
      const body = `${"[".repeat(2000)}${"]".repeat(2000)}`;
      const refused = await send(operation, "", { "content-type": mediaTypes.json }, body);
      expect(refused.type).toBe(`/problems/${operation.request?.invalid}`);
    },
  );
});

describe("A response", () => {
  test.each(rows((operation) => listResponseTypes(operation).length > 0))(
    "of %s in a type that it does not have is refused",
    async (_, operation) => {
      expect((await send(operation, "", { accept: "image/png" })).type).toBe("/problems/not-acceptable");
    },
  );
});

describe("A query", () => {
  const isQuery = (parameter: Parameter) => parameter.in === "query";
  const withQuery = all.filter(({ parameters }) => parameters.some(isQuery));
  const isOpen = ({ parameters }: Operation) => parameters.some(({ explode }) => explode);

  test.each(
    rows((operation) => (operation.parameters.some(isQuery) || operation.list) && !isOpen(operation)),
  )("of %s with an unknown parameter is refused", async (_, operation) => {
    expect(await sendQuery(operation, "unknown=1")).toMatchObject({
      type: "/problems/invalid-query",
      parameters: ["unknown"],
    });
  });

  test.each(rows(({ parameters, list }) => parameters.some(isQuery) || list))(
    "of %s that is not UTF-8, or has U+0000, is refused",
    async (_, operation) => {
      for (const query of ["%FF=1", "limit=%FF", "limit=%00"])
        expect((await sendQuery(operation, query)).type).toBe("/problems/invalid-query");
    },
  );

  const named = withQuery.flatMap((operation) =>
    operation.parameters
      .filter((parameter) => isQuery(parameter) && !parameter.explode)
      .map((parameter) => [operation.id, parameter.name, operation, parameter] as const),
  );
  test.each(named)("of %s with an invalid %s is refused", async (_, name, operation, { schema }) => {
    const pair = `${name}=${encodeURIComponent(invalidValue(schema))}`;
    const pairs = Array<string>((schema.maxItems ?? 0) + 1).fill(pair);
    expect(await sendQuery(operation, pairs.join("&"))).toMatchObject({
      type: "/problems/invalid-query",
      parameters: [name],
    });
  });

  const single = named.filter(([, , , { schema }]) => schema.type !== "array");
  test.each(single)("of %s with %s twice is refused", async (_, name, operation, parameter) => {
    const value = encodeURIComponent(validValue(operation, parameter));
    expect(await sendQuery(operation, `${name}=${value}&${name}=${value}`)).toMatchObject({
      type: "/problems/invalid-query",
      parameters: [name],
    });
  });
});

const EVENT_ID = "0ho78yaryg6";
const RECORD_CURSOR = encodeCursor({ sort: "id", descending: false }, { key: null, id: 1, skip: 0 });
const TIME = "2026-11-16T08:00:00Z";
/** Values of parameters that have neither an example nor a default, by operation or by parameter. */
const values: Record<string, string> = {
  "listUsers after": RECORD_CURSOR,
  "explainUsers after": RECORD_CURSOR,
  "listGroups after": RECORD_CURSOR,
  "listMembers after": RECORD_CURSOR,
  "listUserGroups after": RECORD_CURSOR,
  "explainGroups after": RECORD_CURSOR,
  "listDeletedUsers after": "0.1",
  "listEvents after": EVENT_ID,
  "listUserEvents after": EVENT_ID,
  "listDeliveries after": EVENT_ID,
  after: "1",
  from: TIME,
  to: TIME,
};

function validValue({ id }: Operation, { name, example, schema }: Parameter): string {
  const usual = example ?? schema.default ?? firstChoice(schema) ?? schema.minimum;
  const value = usual ?? values[`${id} ${name}`] ?? values[name];
  if (value === undefined) throw new Error(`Add a valid value of ${name} to this test.`);
  return String(value);
}

/** A text that the schema does not allow, or that it allows only so often. */
function invalidValue({ type, minLength, maxLength, pattern }: JsonSchema): string {
  if (type === "string" && minLength !== undefined) return "";
  return maxLength === undefined || pattern?.includes("?") ? "!" : "x".repeat(maxLength + 1);
}

function firstChoice({ enum: choices, anyOf }: JsonSchema): unknown {
  return choices?.[0] ?? anyOf?.[0]?.const;
}
