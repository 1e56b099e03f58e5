import Type from "typebox";
import { vary } from "./headers.ts";
import {
  type HeaderDescription,
  mediaTypes,
  type Operation,
  type Parameter,
  type ResponseDescription,
} from "./operation.ts";
import { type ProblemType, problems } from "./problems.ts";

/** Of content that changes only with the version of the service. */
const contentHeaders: Record<string, HeaderDescription> = {
  ETag: {
    description: "A hash of the content in this content coding. Send it as If-None-Match.",
    schema: Type.String({ pattern: '^"[\\w-]+"$' }),
    component: "ContentETag",
  },
  Vary: vary,
};
const ifNoneMatch: Parameter = {
  in: "header",
  name: "If-None-Match",
  description: "The ETag that you have. The response is 304 if the content still has it.",
  schema: Type.String(),
  example: '"n4bQgYhMfWWaL-qgxVrQFa"',
  component: "IfContentNoneMatch",
};
const notModified: ResponseDescription = {
  component: "ContentNotModified",
  description: "The content has not changed.",
  headers: contentHeaders,
};
const page: ResponseDescription = {
  component: "HtmlPage",
  description: "The page.",
  headers: contentHeaders,
  body: { type: mediaTypes.html, schema: Type.String(), examples: { page: "<!doctype html>…" } },
};

export const Health = Type.Object({ status: Type.Literal("ok") }, { description: "The service works." });
export const ApiDescription = Type.Object(
  { openapi: Type.String({ pattern: "^3\\.1\\." }) },
  { additionalProperties: true, description: "An OpenAPI description." },
);

/** Health, metrics and documentation. */
export const serviceOperations = {
  health: {
    id: "health",
    method: "GET",
    path: "/healthz",
    tag: "service",
    access: "public",
    summary: "Check liveness",
    description: "Succeeds while the process runs.",
    parameters: [],
    responses: { 200: statusResponse("The process runs.") },
    problems: [],
  },
  ready: {
    id: "ready",
    method: "GET",
    path: "/readyz",
    tag: "service",
    access: "public",
    summary: "Check readiness",
    description:
      "Queries the database. Responds 503 if the database is unavailable, is damaged or rejects writes, or if the service is stopping.",
    parameters: [],
    responses: { 200: statusResponse("The database is available.") },
    problems: [],
  },
  metrics: {
    id: "metrics",
    method: "GET",
    path: "/metrics",
    tag: "service",
    access: ["users:read"],
    summary: "Get metrics",
    description:
      "Metrics of requests, group commits, the store and the process, in the Prometheus text format.",
    parameters: [],
    responses: {
      200: {
        description: "The metrics.",
        headers: { Vary: vary },
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
    access: "public",
    summary: "Get the OpenAPI description",
    description: "The OpenAPI 3.1 description of this API.",
    parameters: [ifNoneMatch],
    responses: {
      200: {
        description: "The description.",
        headers: contentHeaders,
        body: {
          type: mediaTypes.json,
          schema: ApiDescription,
          examples: { start: { openapi: "3.1.1" } },
        },
      },
      304: notModified,
    },
    problems: [],
  },
  docs: {
    id: "docs",
    method: "GET",
    path: "/docs",
    tag: "service",
    access: "public",
    summary: "Show the API reference",
    description: "A page to read about and try every operation in a browser.",
    parameters: [ifNoneMatch],
    responses: { 200: page, 304: notModified },
    problems: [],
  },
  problemIndex: {
    id: "problemIndex",
    method: "GET",
    path: "/problems",
    tag: "service",
    access: "public",
    summary: "List problem types",
    description: "A page that lists every problem type with its status.",
    parameters: [ifNoneMatch],
    responses: { 200: page, 304: notModified },
    problems: [],
  },
  problem: {
    id: "problem",
    method: "GET",
    path: "/problems/{type}",
    tag: "service",
    access: "public",
    summary: "Explain a problem type",
    description: "A page that tells when a problem happens and what to do.",
    parameters: [
      {
        in: "path",
        name: "type",
        description: "The last part of a problem's `type`.",
        // A pattern: generators for Go would name the choices `key-revoked` and `key.revoked`, an event type, alike.
        schema: Object.assign(Type.Unsafe<ProblemType>(Type.String()), {
          pattern: `^(${Object.keys(problems).join("|")})$`,
        }),
        required: true,
        notFound: "not-found",
        correction: "No problem has this type. The page /problems lists all types.",
        example: "email-taken",
      },
      ifNoneMatch,
    ],
    responses: { 200: page, 304: notModified },
    problems: ["not-found"],
  },
} as const satisfies Record<string, Operation>;

function statusResponse(description: string): ResponseDescription {
  return {
    description,
    body: {
      type: mediaTypes.json,
      schema: Health,
      examples: { ok: { status: "ok" } },
    },
  };
}
