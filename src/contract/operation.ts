import type { JsonSchema } from "./json-schema.ts";
import type { Scope } from "./keys/key.ts";
import type { ProblemType } from "./problems.ts";

export const mediaTypes = {
  json: "application/json",
  mergePatch: "application/merge-patch+json",
  problem: "application/problem+json",
  ndjson: "application/x-ndjson",
  csv: "text/csv",
  eventStream: "text/event-stream",
  html: "text/html",
  metrics: "text/plain",
} as const;

/** Returns the media type that another name of it stands for, and any other type unchanged. */
export function resolveMediaType(type: string): string {
  return type === "application/ndjson" || type === "application/jsonl" ? mediaTypes.ndjson : type;
}

export interface Parameter {
  in: "path" | "query" | "header";
  name: string;
  description: string;
  schema: JsonSchema;
  required?: true;
  /** An object only if `explode` is set. */
  example?: string | number | Readonly<Record<string, readonly string[]>>;
  /** Each member of the object is a query parameter of its own. The OpenAPI description does not contain the parameter. */
  explode?: true;
  /** The name of the parameter in the description's components, if several operations share it. */
  component?: string;
}

export interface HeaderDescription {
  description: string;
  schema: JsonSchema;
  /** Whether some responses lack the header. */
  optional?: true;
  /** Its name in the description's components, if another header has the same name. */
  component?: string;
}

/** A body in one media type. */
export interface BodyDescription {
  type: string;
  schema: JsonSchema;
  examples: Record<string, unknown>;
}

export interface ResponseDescription {
  /** The name of the response in the description's components, if several operations share it. */
  component?: string;
  description: string;
  headers?: Record<string, HeaderDescription>;
  body?: BodyDescription;
  /** The body in other media types. */
  alternatives?: BodyDescription[];
}

export interface Operation {
  id: string;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  tag: "users" | "schema" | "events" | "webhooks" | "keys" | "service";
  /** Who can call: keys with this scope, any active key or session, or anyone. */
  access: Scope | "authenticated" | "public";
  /** Another scope that the caller needs. */
  additionalScope?: Scope;
  /** A session is not enough: the request needs the key itself. */
  keyOnly?: true;
  summary: string;
  description: string;
  parameters: Parameter[];
  request?: {
    types: string[];
    schema: JsonSchema;
    examples: Record<string, unknown>;
    /** Whether the request may have no body. */
    optional?: true;
    alternatives?: BodyDescription[];
  };
  responses: Record<number, ResponseDescription>;
  /** Problem types of this operation. `listProblems` adds the common ones. */
  problems: ProblemType[];
}

/** The request body in each media type that the operation accepts. */
export function listRequestBodies({ request }: Operation): BodyDescription[] {
  if (!request) return [];
  const { types, schema, examples, alternatives = [] } = request;
  return [...types.map((type) => ({ type, schema, examples })), ...alternatives];
}
