import type { JsonSchema } from "./json-schema.ts";
import { Key, KeyInput, NewKey, RateLimit, Session } from "./key-schemas.ts";
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
    "Roster keeps user records. Bodies are JSON, errors are problem documents (RFC 9457), changes are guarded by ETags, and creates can be repeated safely with an Idempotency-Key. The API changes by addition only: ignore fields that you do not know.",
} as const;

/** The groups of operations, in the order in which the reference shows them. */
export const apiTags: readonly { readonly name: Operation["tag"]; readonly description: string }[] = [
  { name: "users", description: "The directory." },
  { name: "keys", description: "Who may call, and how often." },
  { name: "service", description: "What runs it, and what explains it." },
];

/** Schemas that have a name of their own in the description, and are referred to by it. */
export const schemaNames = new Map<JsonSchema, string>([
  [User, "User"],
  [UserInput, "UserInput"],
  [UserPatch, "UserPatch"],
  [CustomValue, "CustomValue"],
  [Key, "Key"],
  [NewKey, "NewKey"],
  [KeyInput, "KeyInput"],
  [RateLimit, "RateLimit"],
  [Session, "Session"],
  [FieldError, "FieldError"],
  [ProblemDocument, "Problem"],
]);

/** The OpenAPI 3.1 description of every operation: nothing in it is written a second time. */
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
      contact: { name: "Whoever runs this service" },
    },
    servers: [{ url: "/", description: "This service" }],
    tags: apiTags,
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "A key: `Authorization: Bearer roster_…`." },
        apiKey: { type: "apiKey", in: "header", name: "X-API-Key", description: "The same key." },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "roster_session",
          description: "What a key was traded for at `/api/session`, for this service's own pages.",
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

/** Nothing is asked for where the service is open: then none of these is needed. */
function describeAccess({ access }: Operation): JsonObject {
  if (access === "public") return { security: [] };
  const security = [{ bearer: [] }, { apiKey: [] }, { session: [] }, {}];
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

/** A named schema becomes a reference; any other stands where it is, with its named parts referred to. */
function refer(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(refer);
  if (typeof schema !== "object" || schema === null) return schema;
  const name = schemaNames.get(schema);
  return name ? { $ref: `#/components/schemas/${name}` } : inline(schema);
}

function inline(schema: object): JsonObject {
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, refer(value)]));
}
