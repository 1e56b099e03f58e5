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

/** A scope that the caller needs besides: for every request, or only for requests with a parameter or a member. */
export interface AdditionalScope {
  scope: Scope;
  /** Only with these query parameters, such as `purge=true`. */
  query?: string;
  /** Only with this member of the body. */
  member?: string;
}

/** Who can call an operation. */
export interface AccessRule {
  /** Keys with this scope, any active key or session, or anyone. */
  access: Scope | "authenticated" | "public";
  /** A scope that is enough instead of `access`. */
  alternativeScope?: Scope;
  additionalScopes?: readonly AdditionalScope[];
}

export interface Operation extends AccessRule {
  id: string;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  tag: "users" | "schema" | "events" | "webhooks" | "keys" | "service";
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

/** The scopes that an operation requires, as text: `users:write, and users:purge with purge=true`. Empty if it requires none. */
export function formatScopes({ access, alternativeScope, additionalScopes = [] }: AccessRule): string {
  if (access === "public" || access === "authenticated") return "";
  const first = alternativeScope ? `${access} or ${alternativeScope}` : access;
  return [first, ...additionalScopes.map(formatAdditionalScope)].join("");
}

function formatAdditionalScope({ scope, ...condition }: AdditionalScope): string {
  const request = conditionOf(condition);
  return request === undefined ? ` and ${scope}` : `, and ${scope} with ${request}`;
}

/** The requests that need the scope, such as `purge=true`. Undefined if every request does. */
export function conditionOf({ query, member }: Omit<AdditionalScope, "scope">): string | undefined {
  return query ?? member;
}

/** The request body in each media type that the operation accepts. */
export function listRequestBodies({ request }: Operation): BodyDescription[] {
  if (!request) return [];
  const { types, schema, examples, alternatives = [] } = request;
  return [...types.map((type) => ({ type, schema, examples })), ...alternatives];
}
