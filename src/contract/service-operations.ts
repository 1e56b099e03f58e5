import Type from "typebox";
import { mediaTypes, type Operation, type ResponseDescription } from "./operation.ts";
import { problems } from "./problems.ts";

/** What runs the service and what explains it. */
export const serviceOperations = {
  health: {
    id: "health",
    method: "GET",
    path: "/healthz",
    tag: "service",
    access: "public",
    summary: "Is it alive?",
    description: "Answers as long as the process runs.",
    parameters: [],
    responses: { 200: statusAnswer("The process is alive.") },
    problems: [],
  },
  ready: {
    id: "ready",
    method: "GET",
    path: "/readyz",
    tag: "service",
    access: "public",
    summary: "Can it serve?",
    description: "Asks the database; 503 while it does not answer or the service is stopping.",
    parameters: [],
    responses: { 200: statusAnswer("The database answers.") },
    problems: [],
  },
  metrics: {
    id: "metrics",
    method: "GET",
    path: "/metrics",
    tag: "service",
    access: "users:read",
    summary: "Figures for Prometheus",
    description: "Requests, group commits, the store and the process, in the Prometheus text format.",
    parameters: [],
    responses: {
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
    access: "public",
    summary: "This description",
    description: "The OpenAPI 3.1 description of everything that the service answers.",
    parameters: [],
    responses: {
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
    access: "public",
    summary: "The reference page",
    description: "This description, to read and to try in a browser.",
    parameters: [],
    responses: { 200: page("The page.") },
    problems: [],
  },
  problemIndex: {
    id: "problemIndex",
    method: "GET",
    path: "/problems",
    tag: "service",
    access: "public",
    summary: "Every kind of problem",
    description: "A page that lists every problem with its status.",
    parameters: [],
    responses: { 200: page("The page.") },
    problems: [],
  },
  problem: {
    id: "problem",
    method: "GET",
    path: "/problems/{type}",
    tag: "service",
    access: "public",
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
    responses: { 200: page("The page.") },
    problems: ["not-found"],
  },
} as const satisfies Record<string, Operation>;

function statusAnswer(description: string): ResponseDescription {
  return {
    description,
    body: {
      type: mediaTypes.json,
      schema: Type.Object({ status: Type.Literal("ok") }),
      examples: { ok: { status: "ok" } },
    },
  };
}

function page(description: string): ResponseDescription {
  return {
    description,
    body: { type: mediaTypes.html, schema: Type.String(), examples: { page: "<!doctype html>…" } },
  };
}
