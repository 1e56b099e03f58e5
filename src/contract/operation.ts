import type { JsonSchema } from "./json-schema.ts";
import type { Scope } from "./key.ts";
import type { ProblemType } from "./problems.ts";

export const mediaTypes = {
  json: "application/json",
  mergePatch: "application/merge-patch+json",
  problem: "application/problem+json",
  ndjson: "application/x-ndjson",
  csv: "text/csv",
  html: "text/html",
  metrics: "text/plain",
} as const;

export interface Parameter {
  in: "path" | "query" | "header";
  name: string;
  description: string;
  schema: JsonSchema;
  required?: true;
  /** An object only for an exploded parameter. */
  example?: string | number | Readonly<Record<string, readonly string[]>>;
  /** The parameter stands for any number of parameters, one for each member of an object. */
  explode?: true;
}

export interface HeaderDescription {
  description: string;
  schema: JsonSchema;
  /** Not on every such answer. */
  optional?: true;
}

/** A body in one form. */
export interface BodyDescription {
  type: string;
  schema: JsonSchema;
  examples: Record<string, unknown>;
}

export interface ResponseDescription {
  description: string;
  headers?: Record<string, HeaderDescription>;
  body?: BodyDescription;
  /** The same in other forms, for those who ask for them. */
  alternatives?: BodyDescription[];
}

export interface Operation {
  id: string;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  tag: "users" | "keys" | "service";
  /** Who may: callers with this scope, whoever has a key or a session, or anybody. */
  access: Scope | "authenticated" | "public";
  summary: string;
  description: string;
  parameters: Parameter[];
  request?: {
    types: string[];
    schema: JsonSchema;
    examples: Record<string, unknown>;
    alternatives?: BodyDescription[];
  };
  responses: Record<number, ResponseDescription>;
  /** What can go wrong, beside what can go wrong everywhere. */
  problems: ProblemType[];
}

/** The request body in each media type that the operation accepts. */
export function listRequestBodies({ request }: Operation): BodyDescription[] {
  if (!request) return [];
  const { types, schema, examples, alternatives = [] } = request;
  return [...types.map((type) => ({ type, schema, examples })), ...alternatives];
}
