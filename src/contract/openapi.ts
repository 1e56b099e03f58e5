import type { JsonSchema } from "./json-schema.ts";
import { Key, KeyInput, NewKey, RateLimit, Session } from "./key-schemas.ts";
import { type Form, type HeaderField, type Operation, type Parameter, requestForms } from "./operation.ts";
import { operations } from "./operations.ts";
import { Fault, ProblemDocument } from "./problem-schemas.ts";
import { responsesOf } from "./responses.ts";
import { User, UserInput, UserPatch } from "./user-schemas.ts";

type Node = Record<string, unknown>;

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
  [Key, "Key"],
  [NewKey, "NewKey"],
  [KeyInput, "KeyInput"],
  [RateLimit, "RateLimit"],
  [Session, "Session"],
  [Fault, "Fault"],
  [ProblemDocument, "Problem"],
]);

/** The OpenAPI 3.1 description of every operation: nothing in it is written a second time. */
export function describeApi(version: string): Node {
  const paths: Record<string, Node> = {};
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

function describeOperation(operation: Operation): Node {
  return {
    operationId: operation.id,
    summary: operation.summary,
    description: operation.description,
    tags: [operation.tag],
    ...describeAccess(operation),
    parameters: operation.parameters.map(describeParameter),
    ...(operation.request && {
      requestBody: { required: true, content: describeForms(requestForms(operation)) },
    }),
    responses: describeResponses(operation),
  };
}

/** Nothing is asked for where the service is open: then none of these is needed. */
function describeAccess({ access }: Operation): Node {
  if (access === "anybody") return { security: [] };
  const security = [{ bearer: [] }, { apiKey: [] }, { session: [] }, {}];
  return access === "caller" ? { security } : { security, "x-required-scope": access };
}

function describeParameter(parameter: Parameter): Node {
  const { exploded, schema, ...rest } = parameter;
  return { ...rest, schema: refer(schema), ...(exploded && { style: "form", explode: true }) };
}

function describeResponses(operation: Operation): Node {
  return Object.fromEntries(
    responsesOf(operation).map(({ status, description, headers, forms }) => [
      status,
      {
        description,
        headers: describeHeaders(headers),
        ...(forms.length > 0 && { content: describeForms(forms) }),
      },
    ]),
  );
}

function describeForms(forms: readonly Form[]): Node {
  return Object.fromEntries(
    forms.map(({ type, schema, examples }) => [
      type,
      { schema: refer(schema), examples: describeExamples(examples) },
    ]),
  );
}

function describeHeaders(headers: Readonly<Record<string, HeaderField>>): Node {
  return Object.fromEntries(
    Object.entries(headers).map(([name, { description, schema, sometimes }]) => [
      name,
      { description, required: !sometimes, schema: refer(schema) },
    ]),
  );
}

function describeExamples(examples: Readonly<Record<string, unknown>>): Node {
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

function inline(schema: object): Node {
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, refer(value)]));
}
