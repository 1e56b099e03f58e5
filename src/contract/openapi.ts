import { BulkChangeInput, BulkCount } from "./bulk-schemas.ts";
import type { JsonSchema } from "./json-schema.ts";
import { Key, KeyInput, NewKey, NewSession, RateLimit, Session } from "./key-schemas.ts";
import {
  type BodyDescription,
  type HeaderDescription,
  listRequestBodies,
  type Operation,
  type Parameter,
} from "./operation.ts";
import { operations } from "./operations.ts";
import { FieldError, ProblemDocument } from "./problem-schemas.ts";
import { listResponses } from "./responses.ts";
import { CustomValue, User, UserInput, UserPatch } from "./user-schemas.ts";

type JsonObject = Record<string, unknown>;

export const apiInfo = {
  title: "Roster",
  summary: "A users directory for other programs.",
  description:
    "Roster stores user records. Bodies are JSON and errors are problem documents (RFC 9457). ETags protect against lost updates, and an Idempotency-Key makes a create safe to repeat. New versions only add to the API: ignore unknown fields.",
} as const;

/** The groups of operations, in the order in which the reference shows them. */
export const apiTags: readonly { readonly name: Operation["tag"]; readonly description: string }[] = [
  { name: "users", description: "User records." },
  { name: "keys", description: "API keys and sessions." },
  { name: "service", description: "Health, metrics and documentation." },
];

/** Schemas that the description publishes under a name and refers to by it. */
export const schemaNames = new Map<JsonSchema, string>([
  [User, "User"],
  [UserInput, "UserInput"],
  [UserPatch, "UserPatch"],
  [CustomValue, "CustomValue"],
  [BulkChangeInput, "BulkChange"],
  [BulkCount, "BulkCount"],
  [Key, "Key"],
  [NewKey, "NewKey"],
  [KeyInput, "KeyInput"],
  [RateLimit, "RateLimit"],
  [Session, "Session"],
  [NewSession, "NewSession"],
  [FieldError, "FieldError"],
  [ProblemDocument, "Problem"],
]);

/** The OpenAPI 3.1 description, generated from the operations. */
export function describeApi(version: string): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const operation of Object.values<Operation>(operations)) {
    const path = paths[operation.path] ?? {};
    path[operation.method.toLowerCase()] = describeOperation(operation);
    paths[operation.path] = path;
  }
  return {
    openapi: "3.1.1",
    info: {
      ...apiInfo,
      version,
      license: { name: "MIT", identifier: "MIT" },
      contact: { name: "The operator of this service" },
    },
    servers: [{ url: "/", description: "This service" }],
    tags: apiTags,
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "An API key: `Authorization: Bearer roster_…`.",
        },
        apiKey: {
          type: "apiKey",
          in: "header",
          name: "X-API-Key",
          description: "The same API key in another header.",
        },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "roster_session_3000",
          description:
            "The cookie of a browser session, from `POST /api/session`. Its name ends with the port of the service. Over https, it begins with `__Host-`.",
        },
        sessionToken: {
          type: "apiKey",
          in: "header",
          name: "X-Session-Token",
          description: "The token of the browser session, from the body of `POST /api/session`.",
        },
      },
      schemas: Object.fromEntries([...schemaNames].map(([schema, name]) => [name, inline(schema)])),
    },
  };
}

function describeOperation(operation: Operation): JsonObject {
  return {
    operationId: operation.id,
    summary: operation.summary,
    description: operation.description,
    tags: [operation.tag],
    ...describeAccess(operation),
    parameters: operation.parameters.map(describeParameter),
    ...(operation.request && {
      requestBody: { required: true, content: describeContent(listRequestBodies(operation)) },
    }),
    responses: describeResponses(operation),
  };
}

/** The empty requirement stands for a service that needs no key. */
function describeAccess({ access, keyOnly }: Operation): JsonObject {
  if (access === "public") return { security: [] };
  const session = keyOnly ? [] : [{ session: [], sessionToken: [] }];
  const security = [{ bearer: [] }, { apiKey: [] }, ...session, {}];
  return access === "authenticated" ? { security } : { security, "x-required-scope": access };
}

function describeParameter(parameter: Parameter): JsonObject {
  const { explode, schema, ...rest } = parameter;
  return { ...rest, schema: refer(schema), ...(explode && { style: "form", explode: true }) };
}

function describeResponses(operation: Operation): JsonObject {
  return Object.fromEntries(
    listResponses(operation).map(({ status, description, headers, bodies }) => [
      status,
      {
        description,
        headers: describeHeaders(headers),
        ...(bodies.length > 0 && { content: describeContent(bodies) }),
      },
    ]),
  );
}

function describeContent(bodies: readonly BodyDescription[]): JsonObject {
  return Object.fromEntries(
    bodies.map(({ type, schema, examples }) => [
      type,
      { schema: refer(schema), examples: describeExamples(examples) },
    ]),
  );
}

function describeHeaders(headers: Readonly<Record<string, HeaderDescription>>): JsonObject {
  return Object.fromEntries(
    Object.entries(headers).map(([name, { description, schema, optional }]) => [
      name,
      { description, required: !optional, schema: refer(schema) },
    ]),
  );
}

function describeExamples(examples: Readonly<Record<string, unknown>>): JsonObject {
  return Object.fromEntries(
    Object.entries(examples).map(([name, value]) => [name.replaceAll(" ", "-"), { value }]),
  );
}

/** Replaces named schemas, and named parts of other schemas, by references. */
function refer(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(refer);
  if (typeof schema !== "object" || schema === null) return schema;
  const name = schemaNames.get(schema);
  return name ? { $ref: `#/components/schemas/${name}` } : inline(schema);
}

function inline(schema: object): JsonObject {
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, refer(value)]));
}
