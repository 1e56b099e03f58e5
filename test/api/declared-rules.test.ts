import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonSchema } from "../../src/contract/json-schema.ts";
import { listRequestBodies, type Operation, type Parameter } from "../../src/contract/operation.ts";
import { operations } from "../../src/contract/operations.ts";
import type { ProblemDocument } from "../../src/contract/problems.ts";
import { encodeCursor } from "../../src/domain/lists/listing.ts";
import { startService, type TestService } from "../support/service.ts";

/** Sends what the contract forbids to every operation. access/access.test.ts does this for scopes and sessions. */
let service: TestService;
beforeAll(async () => {
  service = await startService();
  await service.roster.users.create({ name: "Ada" });
});
afterAll(() => service.stop());

const all = Object.values<Operation>(operations);

/** The path of an operation, with the examples of its parameters. */
function pathOf({ path, parameters }: Operation): string {
  return path.replace(/\{(\w+)\}/g, (_, part: string) =>
    String(parameters.find(({ name }) => name === part)?.example),
  );
}

async function send(operation: Operation, query: string, headers: Record<string, string>, body?: string) {
  const { method } = operation;
  const path = pathOf(operation) + query;
  const response = await service.call(path, { method, headers, ...(body !== undefined && { body }) });
  const { type, errors = [] }: ProblemDocument = await response.json();
  return { type, parameters: errors.map(({ parameter }) => parameter), headers: response.headers };
}

/** A valid request, except for its query. */
function sendQuery(operation: Operation, query: string) {
  const [body] = listRequestBodies(operation);
  const [example] = Object.values(body?.examples ?? {});
  const text = typeof example === "string" ? example : JSON.stringify(example);
  return send(operation, `?${query}`, body ? { "content-type": body.type } : {}, text);
}

describe("A body", () => {
  const withBody = all.filter(({ request }) => request);
  const acceptHeaders: Record<string, string> = { POST: "accept-post", PATCH: "accept-patch" };

  test.each(withBody.map((operation) => [operation.id, operation] as const))(
    "of %s with an unknown type, or without a type, is refused with the types to send",
    async (_, operation) => {
      const types = listRequestBodies(operation).map(({ type }) => type);
      for (const headers of [{ "content-type": "application/x-unknown" }, { "content-type": "" }]) {
        const refused = await send(operation, "", headers, "{}");
        expect(refused.type).toBe("/problems/unsupported-media-type");
        const header = acceptHeaders[operation.method];
        if (header !== undefined) expect(refused.headers.get(header)).toBe(types.join(", "));
      }
    },
  );
});

describe("A response", () => {
  const withResponse = all.filter(({ responses }) => Object.values(responses).some(({ body }) => body));

  test.each(withResponse.map((operation) => [operation.id, operation] as const))(
    "of %s in a type that it does not have is refused",
    async (_, operation) => {
      expect((await send(operation, "", { accept: "image/png" })).type).toBe("/problems/not-acceptable");
    },
  );
});

describe("A query", () => {
  const isQuery = (parameter: Parameter) => parameter.in === "query";
  const withQuery = all.filter(({ parameters }) => parameters.some(isQuery));
  const withNames = withQuery.filter(({ parameters }) => !parameters.some(({ explode }) => explode));

  test.each(withNames.map((operation) => [operation.id, operation] as const))(
    "of %s with an unknown parameter is refused",
    async (_, operation) => {
      expect(await sendQuery(operation, "unknown=1")).toMatchObject({
        type: "/problems/invalid-query",
        parameters: ["unknown"],
      });
    },
  );

  const single = withQuery.flatMap((operation) =>
    operation.parameters
      .filter((parameter) => isQuery(parameter) && !parameter.explode && parameter.schema.type !== "array")
      .map((parameter) => [operation.id, parameter.name, operation, parameter] as const),
  );
  test.each(single)("of %s with %s twice is refused", async (_, name, operation, parameter) => {
    const value = encodeURIComponent(validValue(operation, parameter));
    expect(await sendQuery(operation, `${name}=${value}&${name}=${value}`)).toMatchObject({
      type: "/problems/invalid-query",
      parameters: [name],
    });
  });
});

const EVENT_ID = "0ho78yaryg6";
const TIME = "2026-11-16T08:00:00Z";
/** Values of parameters that have neither an example nor a default, by operation or by parameter. */
const values: Record<string, string> = {
  "listUsers after": encodeCursor({ sort: "id", descending: false }, { key: null, id: 1, skip: 0 }),
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

function firstChoice({ enum: choices, anyOf }: JsonSchema): unknown {
  return choices?.[0] ?? anyOf?.[0]?.const;
}
