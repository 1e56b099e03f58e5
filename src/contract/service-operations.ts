import Type from "typebox";
import { type Answer, mediaTypes, type Operation } from "./operation.ts";
import { problems } from "./problems.ts";

/** What runs the service and what explains it. */
export const serviceOperations = {
  health: {
    id: "health",
    method: "GET",
    path: "/healthz",
    tag: "service",
    access: "anybody",
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
    access: "anybody",
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
    access: "users:read",
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
    access: "anybody",
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
    access: "anybody",
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
    access: "anybody",
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
    access: "anybody",
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
