import type { TSchema } from "typebox";
import type { Scope } from "./key.ts";
import type { ProblemType } from "./problems.ts";

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
  tag: "users" | "keys" | "service";
  /** Who may: callers with this scope, whoever has a key or a session, or anybody. */
  access: Scope | "caller" | "anybody";
  summary: string;
  description: string;
  parameters: Parameter[];
  request?: { types: string[]; schema: TSchema; examples: Record<string, unknown> };
  answers: Record<number, Answer>;
  /** What can go wrong, beside what can go wrong everywhere. */
  problems: ProblemType[];
}
