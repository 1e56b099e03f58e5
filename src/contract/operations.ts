import Type, { type TSchema } from "typebox";
import { type ProblemDocument, type ProblemType, problems } from "./problems.ts";
import { Id, User, UserInput, UserPatch } from "./user.ts";

/** The order in which a list can be had; a `-` before it turns it round. */
export const sortFields = ["id", "name", "email", "createdAt", "updatedAt"] as const;

export const listLimits = {
  pageSize: { default: 100, maximum: 1000 },
  offset: 10_000,
  searchCharacters: 100,
  /** How many fields one list may filter on, and how many values each may be given. */
  filterFields: 10,
  filterValues: 100,
  /** A filtered list is counted exactly up to here. */
  count: 100_000,
} as const;

export const idempotency = { keyCharacters: 255, keptHours: 24 } as const;

export const mediaTypes = {
  json: "application/json",
  mergePatch: "application/merge-patch+json",
  problem: "application/problem+json",
  html: "text/html",
  metrics: "text/plain",
} as const;

export interface Parameter {
  in: "path" | "query" | "header";
  name: string;
  description: string;
  schema: TSchema;
  required?: true;
  example?: unknown;
  /** The parameter stands for any number of parameters, one for each member of an object. */
  exploded?: true;
}

export interface HeaderField {
  description: string;
  schema: TSchema;
  /** Not on every such answer. */
  sometimes?: true;
}

export interface Answer {
  description: string;
  headers?: Record<string, HeaderField>;
  body?: { type: string; schema: TSchema; examples: Record<string, unknown> };
}

export interface Operation {
  id: string;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  tag: "users" | "service";
  summary: string;
  description: string;
  parameters: Parameter[];
  request?: { types: string[]; schema: TSchema; examples: Record<string, unknown> };
  answers: Record<number, Answer>;
  /** What can go wrong, beside what can go wrong everywhere. */
  problems: ProblemType[];
}

/** What any operation may answer, whatever it does. */
export const problemsEverywhere: ProblemType[] = ["not-acceptable", "wrong-host", "internal", "unavailable"];

const ada = {
  id: 1,
  name: "Ada Lovelace",
  email: "ada@example.com",
  department: "engines",
  version: 1,
  createdAt: "2026-11-15T09:30:00.000Z",
  updatedAt: "2026-11-15T09:30:00.000Z",
};
const adaMoved = { ...ada, department: "research", version: 2, updatedAt: "2026-11-16T08:00:00.000Z" };
const { id: _id, version: _version, createdAt: _createdAt, updatedAt: _updatedAt, ...adaInput } = ada;

const etag: HeaderField = {
  description: "The version in quotes. Send it back as If-Match to change only what you have seen.",
  schema: Type.String({ pattern: '^"[1-9][0-9]*"$' }),
};
const location: HeaderField = {
  description: "The path of the new user.",
  schema: Type.String({ pattern: "^/api/users/[1-9][0-9]*$" }),
};
const replayed: HeaderField = {
  description: "`true` when this is the outcome of an earlier request with the same Idempotency-Key.",
  schema: Type.Literal("true"),
  sometimes: true,
};

const id: Parameter = {
  in: "path",
  name: "id",
  description: "The user's id.",
  schema: Id,
  required: true,
  example: 1,
};
const ifMatch: Parameter = {
  in: "header",
  name: "If-Match",
  description: "Act only if the user still has this ETag; `*` means: only if it exists.",
  schema: Type.String(),
  example: '"1"',
};

const list = listLimits;
const query = (name: string, description: string, schema: TSchema, example?: unknown): Parameter => ({
  in: "query",
  name,
  description,
  schema,
  ...(example === undefined ? {} : { example }),
});

const listParameters: Parameter[] = [
  query(
    "limit",
    "How many users a page holds.",
    Type.Integer({ minimum: 1, maximum: list.pageSize.maximum, default: list.pageSize.default }),
  ),
  query(
    "after",
    "Go on from here: an opaque cursor, taken from the Link header of the page before.",
    Type.String({ minLength: 1 }),
  ),
  query(
    "offset",
    "How many users to pass over, for page numbers. Not together with `after`.",
    Type.Integer({ minimum: 0, maximum: list.offset, default: 0 }),
  ),
  query(
    "sort",
    "The order: a field, with `-` before it for descending. Ties go by id in the same direction. Text sorts without regard to case or accents; users without an email come last.",
    Type.String({ enum: sortFields.flatMap((field) => [field, `-${field}`]), default: "id" }),
    "-createdAt",
  ),
  query(
    "q",
    "Finds users whose name or email contains this text, without regard to case or accents. Shorter than 3 characters, it matches where the name, a word of it, or the email begins.",
    Type.String({ minLength: 1, maxLength: list.searchCharacters }),
    "ada",
  ),
  query("count", "Adds X-Total-Count to the answer.", Type.Boolean({ default: false })),
  {
    ...query(
      "filters",
      `Any other parameter is an equality filter on the field of that name, core or the caller's own. Repeated: any of the values (at most ${list.filterValues}). Several fields (at most ${list.filterFields}): all of them. Name and email compare without regard to case, other fields by their exact text form.`,
      Type.Object({}, { additionalProperties: { type: "array", items: { type: "string" } } }),
      { department: ["engines", "research"] },
    ),
    exploded: true,
  },
];

export const operations = {
  listUsers: {
    id: "listUsers",
    method: "GET",
    path: "/api/users",
    tag: "users",
    summary: "List users",
    description:
      "Pages follow each other by the `next` address of the `Link` header; no `next`, no more. A page may hold fewer users than `limit`, even none, and still have a `next`: the work of one request is bounded. Following `next` visits every user that was there throughout exactly once.",
    parameters: listParameters,
    answers: {
      200: {
        description: "A page of users.",
        headers: {
          Link: {
            description: 'Addresses of other pages: `rel="next"` while there is more, `rel="first"`.',
            schema: Type.String({ pattern: '^<[^>]+>; rel="(next|first)"(, <[^>]+>; rel="(next|first)")*$' }),
            sometimes: true,
          },
          "X-Total-Count": {
            description: "With `count=true`: how many users the list has in all.",
            schema: Type.String({ pattern: "^(0|[1-9][0-9]*)$" }),
            sometimes: true,
          },
          "X-Total-Count-Capped": {
            description: `\`true\` when there are at least as many as X-Total-Count says: a filtered list is counted up to ${list.count}.`,
            schema: Type.Literal("true"),
            sometimes: true,
          },
        },
        body: { type: mediaTypes.json, schema: Type.Array(User), examples: { page: [ada] } },
      },
    },
    problems: ["invalid-query"],
  },
  createUser: {
    id: "createUser",
    method: "POST",
    path: "/api/users",
    tag: "users",
    summary: "Create a user",
    description:
      "With an `Idempotency-Key` the request can be repeated safely: a repeat gets the first one's outcome, and no second user.",
    parameters: [
      {
        in: "header",
        name: "Idempotency-Key",
        description: `Names this request, quoted or bare; its outcome is kept ${idempotency.keptHours} hours.`,
        schema: Type.String({ minLength: 1, maxLength: idempotency.keyCharacters + 2 }),
        example: "5f1c8f0e-9a52-4a57-a4a1-6f0e5b0c9d11",
      },
    ],
    request: {
      types: [mediaTypes.json],
      schema: UserInput,
      examples: { ada: adaInput, "name only": { name: "Grace Hopper" } },
    },
    answers: {
      201: {
        description: "The new user.",
        headers: { Location: location, ETag: etag, "Idempotency-Replayed": replayed },
        body: { type: mediaTypes.json, schema: User, examples: { ada } },
      },
    },
    problems: [
      "malformed-json",
      "invalid-header",
      "email-taken",
      "idempotency-in-flight",
      "too-large",
      "unsupported-media-type",
      "invalid-user",
      "idempotency-mismatch",
    ],
  },
  readUser: {
    id: "readUser",
    method: "GET",
    path: "/api/users/{id}",
    tag: "users",
    summary: "Read a user",
    description: "With `If-None-Match` an unchanged user is answered by 304 and no body.",
    parameters: [
      id,
      {
        in: "header",
        name: "If-None-Match",
        description: "The ETag that you have: 304 if the user still has it.",
        schema: Type.String(),
        example: '"1"',
      },
    ],
    answers: {
      200: {
        description: "The user.",
        headers: { ETag: etag },
        body: { type: mediaTypes.json, schema: User, examples: { ada } },
      },
      304: { description: "The user has not changed.", headers: { ETag: etag } },
    },
    problems: ["user-not-found"],
  },
  replaceUser: {
    id: "replaceUser",
    method: "PUT",
    path: "/api/users/{id}",
    tag: "users",
    summary: "Replace a user",
    description:
      "The whole record is replaced: what is not sent is gone. A PUT that changes nothing keeps the version.",
    parameters: [id, ifMatch],
    request: {
      types: [mediaTypes.json],
      schema: UserInput,
      examples: { moved: { ...adaInput, department: "research" } },
    },
    answers: {
      200: {
        description: "The user as it is now.",
        headers: { ETag: etag },
        body: { type: mediaTypes.json, schema: User, examples: { ada: adaMoved } },
      },
    },
    problems: [
      "malformed-json",
      "user-not-found",
      "email-taken",
      "version-mismatch",
      "too-large",
      "unsupported-media-type",
      "invalid-user",
    ],
  },
  updateUser: {
    id: "updateUser",
    method: "PATCH",
    path: "/api/users/{id}",
    tag: "users",
    summary: "Change a user",
    description:
      "JSON Merge Patch (RFC 7396): what is not sent stays, null removes. A PATCH that changes nothing keeps the version.",
    parameters: [id, ifMatch],
    request: {
      types: [mediaTypes.mergePatch, mediaTypes.json],
      schema: UserPatch,
      examples: { move: { department: "research" }, "remove the email": { email: null } },
    },
    answers: {
      200: {
        description: "The user as it is now.",
        headers: { ETag: etag },
        body: { type: mediaTypes.json, schema: User, examples: { ada: adaMoved } },
      },
    },
    problems: [
      "malformed-json",
      "user-not-found",
      "email-taken",
      "version-mismatch",
      "too-large",
      "unsupported-media-type",
      "invalid-user",
    ],
  },
  deleteUser: {
    id: "deleteUser",
    method: "DELETE",
    path: "/api/users/{id}",
    tag: "users",
    summary: "Delete a user",
    description: "The id is never given again; the email is free at once.",
    parameters: [id, ifMatch],
    answers: { 204: { description: "The user is gone." } },
    problems: ["user-not-found", "version-mismatch"],
  },
  health: {
    id: "health",
    method: "GET",
    path: "/healthz",
    tag: "service",
    summary: "Is it alive?",
    description: "Answers as long as the process runs.",
    parameters: [],
    answers: { 200: statusAnswer("The process is alive.") },
    problems: [],
  },
  ready: {
    id: "ready",
    method: "GET",
    path: "/readyz",
    tag: "service",
    summary: "Can it serve?",
    description: "Asks the database; 503 while it does not answer or the service is stopping.",
    parameters: [],
    answers: { 200: statusAnswer("The database answers.") },
    problems: [],
  },
  metrics: {
    id: "metrics",
    method: "GET",
    path: "/metrics",
    tag: "service",
    summary: "Figures for Prometheus",
    description: "Requests, group commits, the store and the process, in the Prometheus text format.",
    parameters: [],
    answers: {
      200: {
        description: "The figures.",
        body: {
          type: mediaTypes.metrics,
          schema: Type.String(),
          examples: { line: "# TYPE roster_users gauge\nroster_users 3\n" },
        },
      },
    },
    problems: [],
  },
  openapi: {
    id: "openapi",
    method: "GET",
    path: "/openapi.json",
    tag: "service",
    summary: "This description",
    description: "The OpenAPI 3.1 description of everything that the service answers.",
    parameters: [],
    answers: {
      200: {
        description: "The description.",
        body: {
          type: mediaTypes.json,
          schema: Type.Object(
            { openapi: Type.String({ pattern: "^3\\.1\\." }) },
            { additionalProperties: true },
          ),
          examples: { start: { openapi: "3.1.1" } },
        },
      },
    },
    problems: [],
  },
  docs: {
    id: "docs",
    method: "GET",
    path: "/docs",
    tag: "service",
    summary: "The reference page",
    description: "This description, to read and to try in a browser.",
    parameters: [],
    answers: { 200: page("The page.") },
    problems: [],
  },
  problemIndex: {
    id: "problemIndex",
    method: "GET",
    path: "/problems",
    tag: "service",
    summary: "Every kind of problem",
    description: "A page that lists every problem with its status.",
    parameters: [],
    answers: { 200: page("The page.") },
    problems: [],
  },
  problem: {
    id: "problem",
    method: "GET",
    path: "/problems/{type}",
    tag: "service",
    summary: "A problem explained",
    description: "A page for each `type` of problem: when it happens and what to do.",
    parameters: [
      {
        in: "path",
        name: "type",
        description: "The last part of a problem's `type`.",
        schema: Type.String({ enum: Object.keys(problems) }),
        required: true,
        example: "email-taken",
      },
    ],
    answers: { 200: page("The page.") },
    problems: ["not-found"],
  },
} as const satisfies Record<string, Operation>;

/** The answer to a request that failed with this type of problem. */
export function problemExample(type: ProblemType, instance: string): ProblemDocument {
  const { status, title, when } = problems[type];
  return { type: `/problems/${type}`, title, status, detail: when, instance, requestId: "k3v9-1f" };
}

function statusAnswer(description: string): Answer {
  return {
    description,
    body: {
      type: mediaTypes.json,
      schema: Type.Object({ status: Type.Literal("ok") }),
      examples: { ok: { status: "ok" } },
    },
  };
}

function page(description: string): Answer {
  return {
    description,
    body: { type: mediaTypes.html, schema: Type.String(), examples: { page: "<!doctype html>…" } },
  };
}
