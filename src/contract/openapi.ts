import Type from "typebox";
import { Key, KeyInput, NewKey, RateLimit, Session } from "./key-schemas.ts";
import {
  type Answer,
  type Form,
  type HeaderField,
  mediaTypes,
  type Operation,
  type Parameter,
} from "./operation.ts";
import { operations, problemsOf } from "./operations.ts";
import { Fault, ProblemDocument } from "./problem-schemas.ts";
import { type ProblemType, problemExample, problems } from "./problems.ts";
import { User, UserInput, UserPatch } from "./user-schemas.ts";

type Node = Record<string, unknown>;

/** Schemas that have a name of their own in the description, and are referred to by it. */
const named = new Map<object, string>([
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

const requestId: HeaderField = {
  description:
    "Names this request in the service's log: the caller's own X-Request-Id, if it sent a sane one.",
  schema: Type.String({ minLength: 1, maxLength: 128 }),
};
const noSniff: HeaderField = { description: "The type is what it says.", schema: Type.Literal("nosniff") };
const cacheControl: HeaderField = {
  description: "Answers are the caller's own, and are asked for anew.",
  schema: Type.Literal("private, no-cache"),
};
const retryAfter: HeaderField = {
  description: "Seconds to wait.",
  schema: Type.String({ pattern: "^[1-9][0-9]*$" }),
};
const challenge: HeaderField = {
  description: "How to show who one is.",
  schema: Type.String({ pattern: "^Bearer" }),
};
const rateHeaders: Record<string, HeaderField> = {
  "RateLimit-Policy": {
    description: "How many requests (`q`) in how many seconds (`w`) the caller has, where it is limited.",
    schema: Type.String(),
    sometimes: true,
  },
  RateLimit: {
    description: "How many requests are left (`r`) of those for the next seconds (`t`).",
    schema: Type.String(),
    sometimes: true,
  },
};
const methods = (description: string): HeaderField => ({ description, schema: Type.String() });

/** Headers that one type of problem carries beside the usual ones. */
const problemHeaders: Partial<Record<ProblemType, Record<string, HeaderField>>> = {
  "method-not-allowed": { Allow: methods("The methods that the path takes.") },
  unauthenticated: { "WWW-Authenticate": challenge },
  "key-expired": { "WWW-Authenticate": challenge },
  "key-revoked": { "WWW-Authenticate": challenge },
  "insufficient-scope": { "WWW-Authenticate": { ...challenge, sometimes: true } },
  "rate-limited": { "Retry-After": retryAfter },
  "quota-exceeded": { "Retry-After": retryAfter },
  unavailable: { "Retry-After": retryAfter },
  "unsupported-media-type": {
    "Accept-Post": { ...methods("The types that POST takes."), sometimes: true },
    "Accept-Patch": { ...methods("The types that PATCH takes."), sometimes: true },
  },
  "email-taken": {
    "Idempotency-Replayed": {
      description: "`true` when this is the outcome of an earlier request with the same Idempotency-Key.",
      schema: Type.Literal("true"),
      sometimes: true,
    },
  },
};

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
      title: "Roster",
      version,
      summary: "A users directory for other programs.",
      description:
        "Roster keeps user records. Bodies are JSON, errors are problem documents (RFC 9457), changes are guarded by ETags, and creates can be repeated safely with an Idempotency-Key. The API changes by addition only: ignore fields that you do not know.",
      license: { name: "MIT", identifier: "MIT" },
      contact: { name: "Whoever runs this service" },
    },
    servers: [{ url: "/", description: "This service" }],
    tags: [
      { name: "users", description: "The directory." },
      { name: "keys", description: "Who may call, and how often." },
      { name: "service", description: "What runs it, and what explains it." },
    ],
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
      schemas: Object.fromEntries([...named].map(([schema, name]) => [name, inline(schema)])),
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
      requestBody: {
        required: true,
        content: describeForms([
          ...operation.request.types.map((type) => ({ ...operation.request, type })),
          ...(operation.request.forms ?? []),
        ]),
      },
    }),
    responses: describeAnswers(operation),
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

function describeAnswers(operation: Operation): Node {
  const answers: Record<string, Node> = {};
  for (const [status, answer] of Object.entries(operation.answers)) {
    answers[status] = describeAnswer(operation, answer);
  }
  const byStatus = Map.groupBy(problemsOf(operation), (type) => problems[type].status);
  for (const [status, types] of byStatus) answers[status] = describeProblems(operation, types);
  return answers;
}

function describeAnswer(operation: Operation, answer: Answer): Node {
  const common: Record<string, HeaderField> = {
    "X-Request-Id": requestId,
    "X-Content-Type-Options": noSniff,
  };
  if (operation.access !== "anybody") Object.assign(common, rateHeaders);
  if (operation.tag !== "service") common["Cache-Control"] = cacheControl;
  return {
    description: answer.description,
    headers: describeHeaders({ ...common, ...answer.headers }),
    ...(answer.body && { content: describeForms([answer.body, ...(answer.forms ?? [])]) }),
  };
}

function describeForms(
  forms: Pick<Partial<Form> & { type: string }, "type" | "schema" | "examples">[],
): Node {
  return Object.fromEntries(
    forms.map(({ type, schema, examples: shown }) => [
      type,
      { schema: refer(schema), examples: examples(shown) },
    ]),
  );
}

/** Several types of problem can share a status: they share its description and stand as examples side by side. */
function describeProblems(operation: Operation, types: readonly ProblemType[]): Node {
  const instance = operation.path.replace("{id}", "1").replace("{type}", "nothing");
  return {
    description: types.map((type) => `**${type}**: ${problems[type].when}`).join("\n\n"),
    headers: describeHeaders({
      ...Object.assign({}, ...types.map((type) => problemHeaders[type])),
      ...(operation.access !== "anybody" && rateHeaders),
      "X-Request-Id": requestId,
      "X-Content-Type-Options": noSniff,
      "Cache-Control": cacheControl,
    }),
    content: {
      [mediaTypes.problem]: {
        schema: refer(ProblemDocument),
        examples: examples(Object.fromEntries(types.map((type) => [type, problemExample(type, instance)]))),
      },
    },
  };
}

function describeHeaders(headers: Record<string, HeaderField>): Node {
  return Object.fromEntries(
    Object.entries(headers).map(([name, { description, schema, sometimes }]) => [
      name,
      { description, required: !sometimes, schema: refer(schema) },
    ]),
  );
}

function examples(values: Record<string, unknown> = {}): Node {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name.replaceAll(" ", "-"), { value }]),
  );
}

/** A named schema becomes a reference; any other stands where it is, with its named parts referred to. */
function refer(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(refer);
  if (typeof schema !== "object" || schema === null) return schema;
  const name = named.get(schema);
  return name ? { $ref: `#/components/schemas/${name}` } : inline(schema);
}

function inline(schema: object): Node {
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, refer(value)]));
}
